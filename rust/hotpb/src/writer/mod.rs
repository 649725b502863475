//! Append-only messages, written directly into chunks.
//!
//! ```text
//! FooWriter::new(&mut output)  ──borrows──▶  output: HeapBuffer, VecBuffer, FixedBuffer, IoWriter, ChunkWriter
//!   .int_val(42)                              |08|2a|
//!   .nested(|c| { c.str_val("foo"); })        |08|2a|1a|05|0a|03|66|6f|6f|
//!   .finish()?                                9 bytes, or an error and how many bytes are valid
//! ```
//!
//! **Promise.** A setter writes its field into the current chunk with one copy. In steady state it builds no
//! intermediate object, reads nothing back, allocates nothing and makes no system call. Fields appear in the order of
//! the calls. A singular field that you set twice appears twice, and readers use the last value.
//!
//! ```
//! use hotpb::wkt::ListValueWriter;
//! use hotpb::writer::HeapBuffer;
//! let mut out = HeapBuffer::new(); // keep one per worker, and clear() it
//! let mut list = ListValueWriter::new(&mut out);
//! list.values(|value| { value.string_value("foo"); }); // a child in a closure,
//! {
//!     let mut value = list.open_values(); // or in a guard
//!     value.number_value(1.5);
//! }
//! list.finish()?;
//! assert_eq!(out.to_vec()?, b"\x0a\x05\x1a\x03foo\x0a\x09\x11\0\0\0\0\0\0\xf8\x3f");
//! # Ok::<(), hotpb::Error>(())
//! ```
//!
//! **Nesting.** A generated writer is a mutable borrow of its output, or of its parent, and nothing else. While a child
//! is alive, the compiler rejects any use of its parent; while a message is open, it rejects any use of the output.
//!
//! Two mistakes escape the compiler: [`core::mem::forget`] of a child, and a panic in a closure that is caught later.
//! Such a child never ends, so the message ends before the child's content, with `HandleMisuse`. Two mistakes in your
//! own types have the same result. An `AsRef` or `Into` that returns another value at the second call ends the message
//! before that field. A source of chunks that panics ends it, too.
//!
//! **Lengths** of children are not known when they begin. The writer reserves one byte, and fills it in at the end
//! ([`LengthPolicy`]):
//!
//! ```text
//!   open     |1a|??|                   close below 128     |1a|05|0a 03 66 6f 6f|
//!                                      close at 128 and up |1a|80 01|……|           one move, inside the chunk
//!   its chunk leaves before that       |1a|00 00 00 00|……|      and later a patch, 85 80 80 00
//! ```
//!
//! **Errors** are sticky: after the first error nothing more is written; a setter only tests a flag. The message's
//! `finish` returns the error with the number of valid bytes; the output, cut there, parses. Dropping a message also
//! ends it. Then the output's `status` reports its result, which is `HandleMisuse` for a message that was forgotten.
//! Buffers return whole messages or that error: `bytes()`, `chunks()`, `to_vec()`, `into_vec()`, `split()`. To get the
//! bytes of a failed message, call `partial_bytes()` and its siblings. The writer itself never panics, and it calls no
//! source of chunks during a panic (feature `std`).
//!
//! **Limits.** A nested message has at most 256 MiB − 1, a message 2 GiB − 1, and nesting 100 levels.

#[doc(hidden)]
pub mod __rt;
mod entry;
mod error;
mod generated;
mod message;
mod output;
mod packed;
mod slow;
mod source;
mod store;
mod stream;
#[cfg(test)]
mod tests;

pub use crate::chunk::{LengthPolicy, StreamPolicy};
pub use error::WriteError;
pub use message::{Child, Writer};
#[cfg(feature = "bytes")]
pub use output::BytesBuffer;
#[cfg(feature = "http-body")]
pub use output::HeapBody;
#[cfg(feature = "std")]
pub use output::IoWriter;
pub use output::{ChunkWriter, FixedBuffer, HeapBuffer, HeapOptions, Output, VecBuffer};
pub use packed::{Element, Packed, element};
pub use stream::{MAX_NESTED_SIZE, MAX_WRITER_DEPTH};
