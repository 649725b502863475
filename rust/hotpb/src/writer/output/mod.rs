//! The outputs that a message can be written to.

#[cfg(feature = "http-body")]
mod body;
#[cfg(feature = "bytes")]
mod bytes;
mod chunks;
mod fixed;
mod grow;
mod heap;
#[cfg(feature = "std")]
mod io;

#[cfg(feature = "http-body")]
pub use body::HeapBody;
#[cfg(feature = "bytes")]
pub use bytes::BytesBuffer;
pub use chunks::ChunkWriter;
pub use fixed::FixedBuffer;
pub use grow::VecBuffer;
pub use heap::{HeapBuffer, HeapOptions};
#[cfg(feature = "std")]
pub use io::IoWriter;

use super::message::MessageWriter;
use super::source::Source;
use super::stream::Stream;

pub(crate) mod sealed {
    /// Access to the state that the handles borrow.
    pub trait Streams {
        #[doc(hidden)]
        fn stream(&mut self) -> &mut super::Stream<dyn super::Source + '_>;
    }
}

/// An output. Generated code begins a message in it with `FooWriter::new(&mut output)`.
pub trait Output: sealed::Streams {
    /// For generated code: the root of a message.
    #[doc(hidden)]
    #[inline(always)]
    fn message(&mut self) -> MessageWriter<'_> {
        MessageWriter::new(self.stream())
    }

    /// For generated code: the root of a length-prefixed message.
    #[doc(hidden)]
    fn delimited(&mut self) -> MessageWriter<'_> {
        MessageWriter::new_delimited(self.stream())
    }
}

impl<T: sealed::Streams + ?Sized> Output for T {}
