//! The message of ProtoZero's own benchmark, filled from numbers in memory and encoded: once flat, once four levels
//! deep. The harness is that of its design document, as in `cpp/bench/protozero`, so that the rows are comparable with
//! those of C++.

mod buffa;
mod document;
mod generated;
mod hotpb_writer;
mod prost;

use crate::harness::Grid;
use document::Document;

/// Adds both tasks and their contenders.
pub fn add_to(grid: &mut Grid) {
    add::<false>(grid, "protozero-simple");
    add::<true>(grid, "protozero-nested");
}

fn add<const NESTED: bool>(grid: &mut Grid, task: &'static str) {
    grid.add(task, "hotpb-writer", Document::<hotpb_writer::Kept, NESTED>::new);
    grid.add(task, "hotpb-writer:fresh", Document::<hotpb_writer::Fresh, NESTED>::new);
    grid.add(task, "prost", Document::<prost::Fresh, NESTED>::new);
    grid.add(task, "prost:reuse", Document::<prost::Reuse, NESTED>::new);
    grid.add(task, "buffa:owned", Document::<buffa::Fresh, NESTED>::new);
    grid.add(task, "buffa:reuse", Document::<buffa::Reuse, NESTED>::new);
    grid.add(task, "floor", Document::<document::Floor, NESTED>::new);
}
