//! What the testees share, compiled once: generated code, one unit per schema (`rust/testgen.sh` writes it), and the runner's protocol.

pub mod testee;

pub mod protocol {
    include!("gen/protocol/hotpb.mod.rs");
}
pub mod proto2 {
    include!("gen/proto2/hotpb.mod.rs");
}
pub mod proto3 {
    include!("gen/proto3/hotpb.mod.rs");
}
pub mod proto2_editions {
    include!("gen/proto2_editions/hotpb.mod.rs");
}
pub mod proto3_editions {
    include!("gen/proto3_editions/hotpb.mod.rs");
}
pub mod edition2023 {
    include!("gen/edition2023/hotpb.mod.rs");
}
