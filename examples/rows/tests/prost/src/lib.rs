//! prost's structs of Prometheus remote write 1.0 and 2.0.
#![allow(clippy::all, rustdoc::all)]

pub mod v1 {
    include!(concat!(env!("OUT_DIR"), "/prometheus.rs"));
}
pub mod v2 {
    include!(concat!(env!("OUT_DIR"), "/io.prometheus.write.v2.rs"));
}
