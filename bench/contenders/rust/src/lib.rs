//! What the programs of `bench/peers` share: a program answers commands on stdin for the messages that it registers.

mod allocations;
mod contenders;
mod program;
mod sum;

pub use contenders::{
    Buffa, BuffaReuse, BuffaView, Builder, Google, Pool, PoolCopied, PoolFresh, Prost, ProstReuse, Quick, Stock,
    Validate, View, runner,
};
pub use program::{Contender, Row, serve};
pub use sum::{Fields, Word, child, children, entries, entries_of_messages, words};

#[global_allocator]
static ALLOCATOR: allocations::Counting = allocations::Counting;
