//! The testee `rust-view`: it opens a view, and encodes again with a function that walks the accessors.

#[allow(dead_code)]
mod gen_;
mod testee;

use std::collections::HashMap;

fn main() -> std::io::Result<()> {
    let tables = [
        gen_::proto2::reencode_view::TABLE,
        gen_::proto3::reencode_view::TABLE,
        gen_::proto2_editions::reencode_view::TABLE,
        gen_::proto3_editions::reencode_view::TABLE,
        gen_::edition2023::reencode_view::TABLE,
    ];
    let mut reencoders: HashMap<&str, testee::Reencoder> = HashMap::new();
    for (name, make) in tables.into_iter().flatten() {
        reencoders.entry(*name).or_insert_with(make);
    }
    testee::run(reencoders)
}
