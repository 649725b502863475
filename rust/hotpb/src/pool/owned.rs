//! [`Owned`]: a decoded message with the pool and the bytes that it needs. It borrows nothing, so you can keep it, send
//! it to another thread, and hold it across an `await`.

use super::{DecodeOptions, Message, Pool};
use crate::Error;
use alloc::vec::Vec;

pub(super) mod sealed {
    /// Bytes that never change while the value exists: bytes that were checked once stay valid.
    #[diagnostic::on_unimplemented(note = "`bytes::Bytes` needs the feature `bytes` of the crate `hotpb`")]
    pub trait Stable: 'static {
        /// Returns the bytes, the same at each call.
        fn stable(&self) -> &[u8];
    }
}
use sealed::Stable;

impl Stable for Vec<u8> {
    fn stable(&self) -> &[u8] {
        self
    }
}

impl Stable for alloc::boxed::Box<[u8]> {
    fn stable(&self) -> &[u8] {
        self
    }
}

impl Stable for alloc::sync::Arc<[u8]> {
    fn stable(&self) -> &[u8] {
        self
    }
}

#[cfg(feature = "bytes")]
impl Stable for bytes::Bytes {
    fn stable(&self) -> &[u8] {
        self
    }
}

/// A decoded message together with its pool and its bytes: a `Vec<u8>`, `Box<[u8]>`, `Arc<[u8]>` or, with the feature
/// `bytes`, a `bytes::Bytes`.
///
/// ```
/// # use hotpb::wkt::google::protobuf::TimestampPool;
/// let message = TimestampPool::new().decode_owned(vec![8, 1]).map_err(|failed| failed.error)?;
/// let thread = std::thread::spawn(move || {
///     assert_eq!(message.get().seconds(), 1);
///     message.into_parts().0
/// });
/// let mut pool = thread.join().unwrap();
/// pool.decode(&[])?;
/// # Ok::<(), hotpb::Error>(())
/// ```
pub struct Owned<M: Message, B> {
    pool: Pool<M>,
    bytes: B,
    row: u32,
}

/// The error of a failed [`Owned`], with the pool and the bytes that it would have owned.
pub struct Failed<M: Message, B> {
    /// The error in the bytes.
    pub error: Error,
    /// The pool.
    pub pool: Pool<M>,
    /// The bytes.
    pub bytes: B,
}

/// As the message's own.
impl<M: Message, B: Stable> core::fmt::Debug for Owned<M, B> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        self.get().fmt(f)
    }
}

/// Equal if the messages are, whatever their bytes.
impl<M: Message, B: Stable> PartialEq for Owned<M, B> {
    fn eq(&self, rhs: &Self) -> bool {
        self.get() == rhs.get()
    }
}

#[cfg(feature = "serde")]
impl<M: Message, B: Stable> serde_core::Serialize for Owned<M, B> {
    fn serialize<S: serde_core::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.get().into().serialize(serializer)
    }
}

impl<M: Message, B> core::fmt::Debug for Failed<M, B> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "Failed({})", self.error)
    }
}

impl<M: Message, B: Stable> Owned<M, B> {
    /// Returns the message.
    #[inline]
    pub fn get(&self) -> M::Handle<'_> {
        M::handle(self.pool.filled(), self.bytes.stable(), self.row)
    }
}

impl<M: Message, B> Owned<M, B> {
    /// Returns the bytes of the message.
    pub fn bytes(&self) -> &B {
        &self.bytes
    }

    /// Returns pool and bytes, so that you can use them again.
    pub fn into_parts(self) -> (Pool<M>, B) {
        (self.pool, self.bytes)
    }
}

impl<M: Message> Pool<M> {
    /// Decodes a message and keeps it together with its bytes and this pool.
    pub fn decode_owned<B: Stable>(self, bytes: B) -> Result<Owned<M, B>, Failed<M, B>> {
        self.decode_owned_with(bytes, &DecodeOptions::default())
    }

    /// The same with options.
    pub fn decode_owned_with<B: Stable>(
        mut self,
        bytes: B,
        options: &DecodeOptions,
    ) -> Result<Owned<M, B>, Failed<M, B>> {
        let input = bytes.stable();
        match self.fill(input, core::iter::once((0, input.len())), options, false) {
            Ok(row) => Ok(Owned { pool: self, bytes, row }),
            Err(error) => Err(Failed { error, pool: self, bytes }),
        }
    }
}
