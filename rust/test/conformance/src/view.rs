//! The testee `rust-view`: it opens a view, and encodes again with a function that walks the accessors.

use hotpb_conformance::{edition2023, proto2, proto2_editions, proto3, proto3_editions, testee};
use std::collections::HashMap;

fn main() -> std::io::Result<()> {
    let tables = [
        proto2::reencode_view::TABLE,
        proto3::reencode_view::TABLE,
        proto2_editions::reencode_view::TABLE,
        proto3_editions::reencode_view::TABLE,
        edition2023::reencode_view::TABLE,
    ];
    let mut reencoders: HashMap<&str, testee::Reencoder> = HashMap::new();
    for (name, make) in tables.into_iter().flatten() {
        reencoders.entry(*name).or_insert_with(make);
    }
    testee::run(reencoders)
}
