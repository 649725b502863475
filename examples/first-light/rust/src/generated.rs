//! Generated code; run `gen.sh`, next to `demo.sh`, to regenerate it.
#![allow(dead_code, clippy::all, rustdoc::all)]

pub mod stock {
    pub mod v1 {
        include!("generated/stock/prometheus.rs");
    }
    pub mod v2 {
        include!("generated/stock/io.prometheus.write.v2.rs");
    }
}

#[rustfmt::skip]
#[path = "generated/hot/hotpb.mod.rs"]
pub mod hot;
