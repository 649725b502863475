//! Generates the pools of the messages of Prometheus remote write.

fn main() -> Result<(), hotpb_build::Error> {
    hotpb_build::Config::new().faces(["pool"]).compile(
        &["prometheus/remote.proto", "prometheus/types.proto", "prometheus/write/v2/types.proto"],
        &["../../../proto"],
    )
}
