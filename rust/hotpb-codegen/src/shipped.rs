//! The files whose types the runtime ships as `hotpb::wkt`, and the features that these need.

/// The files of `google.protobuf` whose types the runtime ships.
const SHIPPED: [&str; 12] = [
    "google/protobuf/any.proto",
    "google/protobuf/api.proto",
    "google/protobuf/compiler/plugin.proto",
    "google/protobuf/descriptor.proto",
    "google/protobuf/duration.proto",
    "google/protobuf/empty.proto",
    "google/protobuf/field_mask.proto",
    "google/protobuf/source_context.proto",
    "google/protobuf/struct.proto",
    "google/protobuf/timestamp.proto",
    "google/protobuf/type.proto",
    "google/protobuf/wrappers.proto",
];

/// Reports whether the runtime ships this file's types as `hotpb::wkt`.
pub fn is_shipped(file: &str) -> bool {
    SHIPPED.contains(&file)
}

/// Returns the feature of the crate hotpb that such a file needs, if any.
pub(crate) fn feature(file: &str) -> Option<&'static str> {
    match file {
        "google/protobuf/descriptor.proto" => Some("descriptor"),
        "google/protobuf/compiler/plugin.proto" => Some("plugin"),
        "google/protobuf/api.proto" | "google/protobuf/type.proto" => Some("api"),
        _ => None,
    }
}
