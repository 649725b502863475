//! Shared by the tests: generated code, one unit per schema (written by `rust/testgen.sh`), and damaged inputs.
//!
//! All of it is in modules that forbid `unsafe` (FCE-38).

pub mod counting;
pub mod extensions;
pub mod hostile;
pub mod mutate;
pub mod properties;
pub mod reset;
pub mod script;
pub mod writing;

/// Remote write 1.0.
#[forbid(unsafe_code)]
pub mod remote_write_v1 {
    include!("gen/remote_write_v1/hotpb.mod.rs");
}
/// Remote write 2.0.
#[forbid(unsafe_code)]
pub mod remote_write_v2 {
    include!("gen/remote_write_v2/hotpb.mod.rs");
}
/// A raft log.
#[forbid(unsafe_code)]
pub mod raft {
    include!("gen/raft/hotpb.mod.rs");
}
/// The schemas of the vectors.
#[forbid(unsafe_code)]
pub mod vectors {
    include!("gen/vectors/hotpb.mod.rs");
}
/// The same schemas as views, all straight.
#[forbid(unsafe_code)]
pub mod views {
    include!("gen/views/hotpb.mod.rs");
}
/// And all by table.
#[forbid(unsafe_code)]
pub mod cold_views {
    include!("gen/cold_views/hotpb.mod.rs");
}
/// Views of messages of the vectors without some of their fields.
#[forbid(unsafe_code)]
pub mod dropped_view {
    include!("gen/dropped_view/hotpb.mod.rs");
}
/// The same, with those fields among the unknown ones.
#[forbid(unsafe_code)]
pub mod kept_view {
    include!("gen/kept_view/hotpb.mod.rs");
}
/// The schemas of the vectors, all messages straight.
#[forbid(unsafe_code)]
pub mod hot {
    include!("gen/hot/hotpb.mod.rs");
}
/// All of them by table; without the feature, those that are by the rule.
#[cfg(feature = "tables")]
#[forbid(unsafe_code)]
pub mod cold {
    include!("gen/cold/hotpb.mod.rs");
}
#[cfg(not(feature = "tables"))]
pub use vectors as cold;
/// Messages of the vectors without some of their fields.
#[forbid(unsafe_code)]
pub mod dropped {
    include!("gen/dropped/hotpb.mod.rs");
}
/// The same, with those fields among the unknown ones.
#[forbid(unsafe_code)]
pub mod kept {
    include!("gen/kept/hotpb.mod.rs");
}
/// Difficult names and shapes.
#[forbid(unsafe_code)]
pub mod nasty {
    include!("gen/nasty/hotpb.mod.rs");
}
/// Messages of two strings, in repeated fields of others.
#[forbid(unsafe_code)]
pub mod pairs {
    include!("gen/pairs/hotpb.mod.rs");
}
