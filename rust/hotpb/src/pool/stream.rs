//! Delimited streams: one message after the other into one pool.

use super::{DecodeOptions, Message, Pool};
use crate::Error;
use crate::wire::DelimitedReader;

/// Decodes the messages of a stream one by one. Each handle ends before the next message, so it is not an iterator: use
/// a `while let` loop.
///
/// ```
/// # use hotpb::wkt::google::protobuf::TimestampPool;
/// let mut pool = TimestampPool::new();
/// let mut stream = pool.decode_delimited(&[2, 8, 1, 0, 2, 8, 7]);
/// let mut seconds = 0;
/// while let Some(message) = stream.next_message()? {
///     seconds += message.seconds();
/// }
/// assert_eq!(seconds, 8);
/// # Ok::<(), hotpb::Error>(())
/// ```
pub struct DelimitedPool<'p, 'a, M: Message> {
    pool: &'p mut Pool<M>,
    stream: DelimitedReader<'a>,
    options: DecodeOptions,
}

impl<'p, 'a, M: Message> DelimitedPool<'p, 'a, M> {
    pub(super) fn new(pool: &'p mut Pool<M>, stream: &'a [u8], options: &DecodeOptions) -> Self {
        DelimitedPool { pool, stream: DelimitedReader::with_max_size(stream, options.size), options: options.clone() }
    }

    /// Decodes the next message; returns `None` at the end of the stream. Offsets of errors count from the start of the
    /// stream (OFF-9). After an error inside a message you can continue with the next one; after an error of the stream
    /// itself the stream ends.
    pub fn next_message(&mut self) -> Result<Option<M::Handle<'_>>, Error> {
        match self.stream.next() {
            None => Ok(None),
            Some(item) => {
                let item = item?;
                self.pool.decode_with(item.bytes, &self.options).map(Some).map_err(|e| e.shifted(item.offset))
            }
        }
    }
}

impl<M: Message> core::fmt::Debug for DelimitedPool<'_, '_, M> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "DelimitedPool<{}>", M::SCHEMA.name)
    }
}
