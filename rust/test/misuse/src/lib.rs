//! Programs that do not compile, because they would use memory that is gone, or write out of turn. Each is a doc test;
//! `rust/test.sh` compares the error codes, too.

pub mod pool;
pub mod view;
pub mod writer;
