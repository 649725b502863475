fn main() -> Result<(), hotpb_build::Error> {
    hotpb_build::Config::new()
        .faces(["pool", "builder", "visitor", "writer", "view"])
        .compile(&["proto/shared/shapes.proto", "proto/shared/units/units.proto"], &["proto"])
}
