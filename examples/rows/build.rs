//! Generates the pools and visitors of the messages of Prometheus remote write.

fn main() -> Result<(), hotpb_build::Error> {
    hotpb_build::Config::new().faces(["pool", "visitor"]).compile(
        &["prometheus/remote.proto", "prometheus/types.proto", "prometheus/write/v2/types.proto"],
        &["../../proto"],
    )
}
