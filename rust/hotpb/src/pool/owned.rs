//! A decoded message that owns what it needs: the pool and the bytes. It borrows nothing, so it can be kept, sent to
//! another thread, and held across an `await`.

use super::{DecodeOptions, Message, Pool};
use crate::Error;
use alloc::vec::Vec;

mod sealed {
    /// Bytes that stay the same for as long as they are kept: what was checked once stays checked.
    pub trait Stable: 'static {
        /// The bytes: each time the same.
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

/// Why there is no [`Owned`], and what was to become part of it.
pub struct Failed<M: Message, B> {
    /// What is wrong with the bytes.
    pub error: Error,
    /// The pool.
    pub pool: Pool<M>,
    /// The bytes.
    pub bytes: B,
}

impl<M: Message, B> core::fmt::Debug for Owned<M, B> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "Owned<{}>", M::SCHEMA.name)
    }
}

impl<M: Message, B> core::fmt::Debug for Failed<M, B> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "Failed({})", self.error)
    }
}

impl<M: Message, B: Stable> Owned<M, B> {
    /// The message.
    #[inline]
    pub fn get(&self) -> M::Handle<'_> {
        M::handle(&self.pool.tables, self.bytes.stable(), self.row)
    }

    /// Its bytes.
    pub fn bytes(&self) -> &B {
        &self.bytes
    }

    /// Pool and bytes, to be used again.
    pub fn into_parts(self) -> (Pool<M>, B) {
        (self.pool, self.bytes)
    }
}

impl<M: Message> Pool<M> {
    /// Decodes a message and keeps it together with its bytes and this pool.
    pub fn decode_owned<B: Stable>(self, bytes: B) -> Result<Owned<M, B>, Failed<M, B>> {
        self.decode_owned_with(bytes, &DecodeOptions::default())
    }

    /// The same, with options.
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
