//! [`Incoming`]: a received message.

use crate::Family;
use bytes::Bytes;
use hotpb::pool::{Message, Recycled};
use std::fmt;

/// A received message, `Incoming![Event]`. It owns its bytes, so you can keep it, send it to another task, and hold it
/// across an `await`. Nothing in it is copied. Its pool goes back to the codec's pools when you drop it.
///
/// The bytes are a part of the buffer that tonic has read them into. A message that you keep for long keeps that buffer:
/// if the buffer is much larger, keep a builder instead.
pub struct Incoming<F: Family> {
    pub(crate) message: Recycled<F::Message, Bytes>,
}

impl<F: Family> Incoming<F> {
    /// Returns the message: its handle.
    #[inline]
    pub fn get(&self) -> <F::Message as Message>::Handle<'_> {
        self.message.get()
    }

    /// Returns the bytes of the message as they were received.
    pub fn bytes(&self) -> &Bytes {
        self.message.bytes()
    }

    /// Returns the bytes of the message as they were received. The pool goes back.
    pub fn into_bytes(self) -> Bytes {
        self.message.into_bytes()
    }
}

/// Wraps a message that was decoded elsewhere, for example in a test of a server without a connection.
impl<F: Family> From<Recycled<F::Message, Bytes>> for Incoming<F> {
    fn from(message: Recycled<F::Message, Bytes>) -> Incoming<F> {
        Incoming { message }
    }
}

impl<F: Family> fmt::Debug for Incoming<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Incoming({:?}, {} bytes)", self.message, self.bytes().len())
    }
}
