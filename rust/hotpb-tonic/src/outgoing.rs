//! [`Outgoing`]: an encoded message on its way to the transport.

use crate::stock::Buffers;
use crate::{Family, Incoming};
use bytes::{Buf, BufMut, Bytes};
use hotpb::pool::{Encode, EncodeBuffer, EncodeOptions};
use hotpb::writer::{HeapBuffer, VecBuffer};
use std::fmt;
use std::marker::PhantomData;
use tonic::Status;

/// A message to send, `Outgoing![Event]`, encoded. Create it from
/// - a builder or a handle: [`Outgoing::encode`];
/// - a writer: [`Outgoing::write`], or [`Outgoing::finished`] for a `HeapBuffer` that has already been written;
/// - a received message, whose bytes are sent again: `Outgoing::from(incoming)`;
/// - bytes that are a message: [`Outgoing::from_bytes`].
///
/// `Outgoing::default()` is the empty message, for example for `google.protobuf.Empty`.
///
/// An error of the message is an error here, a [`Status`] with the code `Internal`, before tonic sends anything. tonic
/// copies the bytes once, after its frame header. The memory for encoding is used again.
///
/// ```
/// use hotpb::wkt::{Timestamp, TimestampBuilder, TimestampWriter};
/// use hotpb_tonic::Outgoing;
/// let built: Outgoing![Timestamp] = Outgoing::encode(&TimestampBuilder { seconds: 7, ..Default::default() })?;
/// let written: Outgoing![Timestamp] = Outgoing::write(|out| {
///     TimestampWriter::new(out).seconds(7);
/// })?;
/// assert_eq!(built.to_bytes(), written.to_bytes());
/// # Ok::<(), tonic::Status>(())
/// ```
pub struct Outgoing<F> {
    content: Content,
    marker: PhantomData<fn() -> F>,
}

enum Content {
    Bytes(Bytes),
    Encoded(Option<EncodeBuffer>),
    Written(Vec<u8>),
    /// Boxed: the buffer itself has some kilobytes, and messages are moved often.
    Chunks(Box<HeapBuffer>),
}

static ENCODED: Buffers<EncodeBuffer> = Buffers::new();
static WRITTEN: Buffers<Vec<u8>> = Buffers::new();

impl Drop for Content {
    fn drop(&mut self) {
        match self {
            Content::Encoded(buffer) => {
                if let Some(buffer) = buffer.take() {
                    let bytes = buffer.memory();
                    ENCODED.put(buffer, bytes);
                }
            }
            Content::Written(vec) => {
                let mut vec = std::mem::take(vec);
                vec.clear();
                let bytes = vec.capacity();
                WRITTEN.put(vec, bytes);
            }
            Content::Bytes(_) | Content::Chunks(_) => {}
        }
    }
}

impl<F> Outgoing<F> {
    fn new(content: Content) -> Outgoing<F> {
        Outgoing { content, marker: PhantomData }
    }

    /// Sends bytes that are an encoded message of this type; they are not checked.
    pub fn from_bytes(bytes: impl Into<Bytes>) -> Outgoing<F> {
        Outgoing::new(Content::Bytes(bytes.into()))
    }

    /// Sends the message of this type that a writer has written to a buffer. The chunks are not joined.
    pub fn finished(buffer: HeapBuffer) -> Result<Outgoing<F>, Status> {
        buffer.status().map_err(refused)?;
        Ok(Outgoing::new(Content::Chunks(Box::new(buffer))))
    }

    /// Calls the closure to write one message of this type, `FooWriter::new(out)`, into memory that is used again.
    pub fn write(write: impl FnOnce(&mut VecBuffer)) -> Result<Outgoing<F>, Status> {
        let mut out = VecBuffer::from(WRITTEN.take());
        write(&mut out);
        Ok(Outgoing::new(Content::Written(out.into_vec().map_err(refused)?)))
    }

    /// Returns the length of the message in bytes.
    pub fn len(&self) -> usize {
        match &self.content {
            Content::Bytes(bytes) => bytes.len(),
            Content::Encoded(buffer) => buffer.as_ref().map_or(0, |buffer| buffer.bytes().len()),
            Content::Written(vec) => vec.len(),
            Content::Chunks(chunks) => chunks.len(),
        }
    }

    /// Reports whether the message has no bytes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Appends the message to a buffer.
    pub fn put(&self, mut out: impl BufMut) {
        match &self.content {
            Content::Bytes(bytes) => out.put_slice(bytes),
            Content::Encoded(buffer) => out.put_slice(buffer.as_ref().map_or(&[], |buffer| buffer.bytes())),
            Content::Written(vec) => out.put_slice(vec),
            Content::Chunks(chunks) => chunks.partial_chunks().for_each(|chunk| out.put_slice(chunk)),
        }
    }

    /// Returns the bytes of the message, copied unless they are a [`Bytes`] already.
    pub fn to_bytes(&self) -> Bytes {
        if let Content::Bytes(bytes) = &self.content {
            return bytes.clone();
        }
        let mut out = Vec::with_capacity(self.len());
        self.put(&mut out);
        out.into()
    }
}

impl<F: Family> Outgoing<F> {
    /// Encodes a builder or a handle.
    pub fn encode(message: &impl Encode<Of = F::Message>) -> Result<Outgoing<F>, Status> {
        Outgoing::encode_with(message, &EncodeOptions::default())
    }

    /// The same with options.
    pub fn encode_with(message: &impl Encode<Of = F::Message>, options: &EncodeOptions) -> Result<Outgoing<F>, Status> {
        let mut buffer = ENCODED.take();
        let encoded = message.encode_with(&mut buffer, options).map(|_| ());
        let message = Outgoing::new(Content::Encoded(Some(buffer)));
        encoded.map(|()| message).map_err(refused)
    }

    /// Decodes the message as its receiver would: for tests of servers without a connection.
    pub fn decode(&self) -> Result<Incoming<F>, hotpb::Error> {
        crate::pools::<F>().decode(self.to_bytes()).map(Incoming::from)
    }
}

fn refused(error: impl fmt::Display) -> Status {
    Status::internal(format!("the message cannot be sent: {error}"))
}

impl<F> Default for Outgoing<F> {
    fn default() -> Outgoing<F> {
        Outgoing::from_bytes(Bytes::new())
    }
}

/// Sends a received message again, as it was received, including fields that the schema does not define.
impl<F: Family> From<Incoming<F>> for Outgoing<F> {
    fn from(message: Incoming<F>) -> Outgoing<F> {
        Outgoing::from_bytes(message.into_bytes())
    }
}

impl<F> fmt::Debug for Outgoing<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Outgoing({} bytes)", self.len())
    }
}

/// Returns a copy of a `Buf` in one piece: the memory itself if it is a [`Bytes`] in one piece.
pub(crate) fn one_piece(mut buf: impl Buf) -> Bytes {
    let len = buf.remaining();
    buf.copy_to_bytes(len)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hotpb::wkt::{FieldMask, FieldMaskBuilder, FieldMaskWriter};
    use hotpb::writer::HeapOptions;

    type Mask = crate::Outgoing![FieldMask];

    fn builder() -> FieldMaskBuilder {
        FieldMaskBuilder { paths: vec!["a".into(), "x".repeat(300)], ..Default::default() }
    }

    fn write(out: &mut impl hotpb::writer::Output) {
        let mut mask = FieldMaskWriter::new(out);
        builder().paths.iter().for_each(|path| {
            mask.paths(path);
        });
    }

    #[test]
    fn all_ways_to_create_a_message_have_the_same_bytes() {
        let expected = builder().encode_to_vec().unwrap();
        let mut pool = hotpb::wkt::FieldMaskPool::new();
        let options = HeapOptions { first_chunk: 64, largest_chunk: 64, ..Default::default() };
        let mut chunks = HeapBuffer::with_options(options);
        write(&mut chunks);
        assert!(chunks.chunks().unwrap().count() > 1);
        let received = crate::pools::<fn(&()) -> FieldMask<'_>>().decode(Bytes::from(expected.clone())).unwrap();
        for message in [
            Mask::encode(&builder()).unwrap(),
            Mask::encode(&pool.decode(&expected).unwrap()).unwrap(),
            Mask::write(write).unwrap(),
            Mask::finished(chunks).unwrap(),
            Mask::from(Incoming::from(received)),
            Mask::from_bytes(expected.clone()),
        ] {
            let mut out = Vec::new();
            message.put(&mut out);
            assert_eq!((&out, message.len()), (&expected, expected.len()));
            assert_eq!(message.decode().unwrap().get().paths().len(), 2);
        }
        assert!(Mask::default().is_empty());
    }

    #[test]
    fn a_message_that_is_not_whole_is_a_status() {
        let status = Mask::write(|out| std::mem::forget(FieldMaskWriter::new(out))).unwrap_err();
        assert_eq!(status.code(), tonic::Code::Internal);
        assert_eq!(status.message(), "the message cannot be sent: HandleMisuse at byte 0");
        let mut full = HeapBuffer::with_options(HeapOptions { limit: 64, ..Default::default() });
        write(&mut full);
        let status = Mask::finished(full).unwrap_err();
        assert_eq!(status.message(), "the message cannot be sent: BufferExhausted at byte 3");
    }

    #[test]
    fn a_message_is_cheap_to_move() {
        assert!(size_of::<Mask>() <= 96, "{}", size_of::<Mask>());
        assert!(size_of::<crate::Incoming![FieldMask]>() <= 96);
    }

    #[test]
    fn the_memory_is_used_again() {
        drop(Mask::encode(&builder()).unwrap());
        drop(Mask::write(write).unwrap());
        // Other tests use the same lists, so that only the content is certain.
        assert_eq!(Mask::write(|_| ()).unwrap().len(), 0, "a used buffer starts empty");
    }
}
