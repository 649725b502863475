//! Append-only messages, written at once into chunks.
//!
//! ```text
//! FooWriter::new(&mut output)  ──borrows──▶  output: HeapBuffer, VecBuffer, FixedBuffer, IoWriter, ChunkWriter
//!   .int_val(42)                              |08|2a|
//!   .nested(|c| { c.str_val("foo"); })        |08|2a|1a|05|0a|03|66|6f|6f|
//!   .finish()?                                9 bytes, or an error and how many bytes are good
//! ```
//!
//! **Promise.** A setter writes its field into the current chunk: one copy, no intermediate object, no read-back, no
//! allocation, no system call in steady state. Fields come out in the order of the calls; a singular field that is set
//! twice is there twice, and readers take the last.
//!
//! **Nesting.** A generated writer is a mutable borrow of its output, or of its parent, and nothing else. While a child
//! is alive its parent cannot be touched; the compiler says so. A child is written in a closure, `msg.nested(|c| …)`,
//! or held in a guard, `let mut c = msg.open_nested();`, and ends with it.
//!
//! **Lengths** of children are not known when they begin. A byte is left free, and filled in at the end ([`LengthPolicy`]):
//!
//! ```text
//!   open     |1a|??|                   close below 128     |1a|05|0a 03 66 6f 6f|
//!                                      close at 128 and up |1a|80 01|……|           one move, inside the chunk
//!   the chunk leaves before that       |1a|00 00 00 00|……| and later a patch 85 80 80 00
//! ```
//!
//! **Errors** are sticky: after the first nothing is written any more, which costs a branch; [`MessageWriter::finish`] gives it
//! with the number of bytes that are good, and the output, cut there, parses. Dropping a message ends it, too; the output's
//! `status` tells how it went. Nothing panics, nothing aborts.
//!
//! **Limits.** 256 MiB − 1 for a nested message, 2 GiB − 1 for a field, 100 levels.

mod entry;
mod error;
mod message;
mod output;
mod packed;
mod slow;
mod store;
mod stream;

pub use crate::chunk::{LengthPolicy, StreamPolicy};
pub use entry::Part;
pub use error::WriteError;
pub use message::{Child, MessageWriter, Writer};
#[cfg(feature = "bytes")]
pub use output::BytesBuffer;
#[cfg(feature = "std")]
pub use output::IoWriter;
pub use output::{ChunkWriter, FixedBuffer, HeapBuffer, HeapOptions, Output, VecBuffer};
pub use packed::{Plain, bits};
pub use stream::{MAX_NESTED_SIZE, MAX_WRITER_DEPTH};
