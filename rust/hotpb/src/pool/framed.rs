//! [`DelimitedCodec`]: delimited messages over `tokio_util::codec` (feature `tokio-util`).

use super::{DecodeOptions, Encode, EncodeBuffer, EncodeOptions, Message, Pools, Recycled};
use crate::wire::{MAX_SIZE, check, varint_len};
use crate::{Code, Error};
use bytes::{Buf, BufMut, Bytes, BytesMut};
use core::fmt;
use std::io;
use tokio_util::codec::{Decoder, Encoder};

/// The memory that is reserved for a message before its bytes arrive: a length alone must not cost memory.
const RESERVED: usize = 64 << 10;

/// Frames of `tokio_util::codec` that are delimited messages (DLM-1): each after its length as a varint.
///
/// The decoder returns owned messages that share the memory of the read buffer; their pools are used again. The encoder
/// accepts builders and handles, and [`Bytes`] that are a finished message. The offsets of errors count from the start of
/// the stream (OFF-9). A length above [`DecodeOptions::size`] is an error before anything is reserved for the message
/// (DLM-4).
///
/// After an error in a message, the decoder continues with the next message; `tokio_util`'s `Framed` ends the stream
/// instead. After an error of the stream itself (a length that is damaged or too large), the decoder returns that error
/// again.
///
/// ```
/// use hotpb::pool::DelimitedCodec;
/// use hotpb::wkt::google::protobuf::{Timestamp, TimestampBuilder};
/// use tokio_util::codec::{Decoder as _, Encoder as _};
///
/// let mut codec = DelimitedCodec::<Timestamp<'static>>::new(); // Framed::new(socket, codec)
/// let mut stream = bytes::BytesMut::new();
/// codec.encode(TimestampBuilder { seconds: 7, ..Default::default() }, &mut stream)?;
/// let message = codec.decode(&mut stream)?.unwrap();
/// assert_eq!(message.get().seconds(), 7);
/// # Ok::<(), hotpb::pool::FrameError>(())
/// ```
pub struct DelimitedCodec<M: Message> {
    pools: Pools<M>,
    decoding: DecodeOptions,
    encoding: EncodeOptions,
    buffer: EncodeBuffer,
    /// The offset of the first byte that is not decoded, from the start of the stream.
    offset: usize,
    broken: Option<Error>,
}

impl<M: Message> DelimitedCodec<M> {
    /// Creates a codec with pools of its own and the default limits.
    pub fn new() -> DelimitedCodec<M> {
        DelimitedCodec::with_options(Pools::new(), DecodeOptions::default(), EncodeOptions::default())
    }

    /// Creates a codec that decodes with these pools. The codecs of all connections can share them.
    pub fn with_options(pools: Pools<M>, decoding: DecodeOptions, encoding: EncodeOptions) -> DelimitedCodec<M> {
        DelimitedCodec { pools, decoding, encoding, buffer: EncodeBuffer::new(), offset: 0, broken: None }
    }

    /// Returns the size of the length at the front and the length, if the length is complete.
    fn length(&self, src: &[u8]) -> Result<Option<(usize, usize)>, Error> {
        // A length that has no end in ten bytes is an overflow; until then more may come.
        let there = src.len().min(10);
        let (length, size) = match check::varint_at(src, 0, there) {
            Ok(found) => found,
            Err(error) if error.code() == Code::Truncated => return Ok(None),
            Err(error) => return Err(error),
        };
        if length > self.decoding.size.min(MAX_SIZE) as u64 {
            return Err(Error::new(Code::SizeExceeded, 0));
        }
        Ok(Some((size, length as usize)))
    }

    fn stream_error<T>(&mut self, error: Error) -> Result<T, FrameError> {
        let error = error.shifted(self.offset);
        self.broken = Some(error.clone());
        Err(FrameError::Message(error))
    }
}

impl<M: Message> Default for DelimitedCodec<M> {
    fn default() -> DelimitedCodec<M> {
        DelimitedCodec::new()
    }
}

impl<M: Message> Clone for DelimitedCodec<M> {
    /// Returns a codec for another stream. It shares the pools and has the same options.
    fn clone(&self) -> DelimitedCodec<M> {
        DelimitedCodec::with_options(self.pools.clone(), self.decoding.clone(), self.encoding.clone())
    }
}

impl<M: Message> fmt::Debug for DelimitedCodec<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DelimitedCodec<{}>(at byte {})", M::SCHEMA.name, self.offset)
    }
}

impl<M: Message> Decoder for DelimitedCodec<M> {
    type Item = Recycled<M, Bytes>;
    type Error = FrameError;

    fn decode(&mut self, src: &mut BytesMut) -> Result<Option<Self::Item>, FrameError> {
        if let Some(error) = &self.broken {
            return Err(FrameError::Message(error.clone()));
        }
        let (before, length) = match self.length(src) {
            Ok(Some(found)) => found,
            Ok(None) => return Ok(None),
            Err(error) => return self.stream_error(error),
        };
        let missing = (before + length).saturating_sub(src.len());
        if missing > 0 {
            src.reserve(missing.min(RESERVED));
            return Ok(None);
        }
        src.advance(before);
        let start = self.offset + before;
        self.offset = start + length;
        match self.pools.decode_with(src.split_to(length).freeze(), &self.decoding) {
            Ok(message) => Ok(Some(message)),
            Err(error) => Err(FrameError::Message(error.shifted(start))),
        }
    }

    /// At the end of the stream, the start of a message is `Truncated` (DLM-2).
    fn decode_eof(&mut self, src: &mut BytesMut) -> Result<Option<Self::Item>, FrameError> {
        match self.decode(src)? {
            Some(message) => Ok(Some(message)),
            None if src.is_empty() => Ok(None),
            None => self.stream_error(Error::new(Code::Truncated, 0)),
        }
    }
}

impl<M: Message, E: Encode<Of = M>> Encoder<E> for DelimitedCodec<M> {
    type Error = FrameError;

    fn encode(&mut self, message: E, dst: &mut BytesMut) -> Result<(), FrameError> {
        append(message.encode_with(&mut self.buffer, &self.encoding)?, dst);
        Ok(())
    }
}

/// A finished message, for example from `BytesBuffer::split`, or the bytes of a decoded one. They are not checked.
impl<M: Message> Encoder<Bytes> for DelimitedCodec<M> {
    type Error = FrameError;

    fn encode(&mut self, message: Bytes, dst: &mut BytesMut) -> Result<(), FrameError> {
        if message.len() > MAX_SIZE {
            return Err(FrameError::Message(Error::new(Code::SizeExceeded, 0)));
        }
        append(&message, dst);
        Ok(())
    }
}

fn append(message: &[u8], dst: &mut BytesMut) {
    let mut length = message.len();
    dst.reserve(varint_len(length as u64) + message.len());
    while length >= 0x80 {
        dst.put_u8(length as u8 | 0x80);
        length >>= 7;
    }
    dst.put_u8(length as u8);
    dst.put_slice(message);
}

/// An error of a stream of frames.
#[derive(Debug)]
#[non_exhaustive]
pub enum FrameError {
    /// The error of the connection.
    Io(io::Error),
    /// The error of a message, or of its length.
    Message(Error),
}

impl fmt::Display for FrameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FrameError::Io(error) => error.fmt(f),
            FrameError::Message(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for FrameError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            FrameError::Io(error) => Some(error),
            FrameError::Message(error) => Some(error),
        }
    }
}

impl From<io::Error> for FrameError {
    fn from(error: io::Error) -> FrameError {
        FrameError::Io(error)
    }
}

impl From<Error> for FrameError {
    fn from(error: Error) -> FrameError {
        FrameError::Message(error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wkt::google::protobuf::{FieldMask, FieldMaskBuilder};
    use alloc::vec::Vec;

    type Codec = DelimitedCodec<FieldMask<'static>>;

    fn mask(paths: &[&str]) -> FieldMaskBuilder {
        FieldMaskBuilder { paths: paths.iter().map(|&path| path.into()).collect(), ..Default::default() }
    }

    /// Decodes a stream that arrives in pieces; returns the first path of each message, and the error.
    fn read(pieces: &[&[u8]], size: usize) -> (Vec<usize>, Option<(Code, usize)>) {
        let options = DecodeOptions { size, ..Default::default() };
        let mut codec = Codec::with_options(Pools::new(), options, EncodeOptions::default());
        let (mut buffer, mut found) = (BytesMut::new(), Vec::new());
        for (i, piece) in pieces.iter().enumerate() {
            buffer.extend_from_slice(piece);
            loop {
                let last = i + 1 == pieces.len();
                match if last { codec.decode_eof(&mut buffer) } else { codec.decode(&mut buffer) } {
                    Ok(Some(message)) => found.push(message.get().paths().len()),
                    Ok(None) => break,
                    Err(FrameError::Message(error)) => return (found, Some((error.code(), error.offset()))),
                    Err(FrameError::Io(error)) => panic!("{error}"),
                }
            }
        }
        (found, None)
    }

    fn stream() -> BytesMut {
        let mut stream = BytesMut::new();
        let mut codec = Codec::new();
        let long = "x".repeat(200);
        codec.encode(&mask(&["a", "bc"]), &mut stream).unwrap();
        codec.encode(Bytes::new(), &mut stream).unwrap();
        codec.encode(mask(&[&long]), &mut stream).unwrap(); // its length has two bytes
        stream
    }

    #[test]
    fn the_stream_is_the_same_wherever_it_is_split() {
        let stream = stream();
        let delimited: Vec<_> = crate::wire::DelimitedReader::new(&stream).map(|m| m.unwrap().bytes.len()).collect();
        assert_eq!(delimited, [7, 0, 203]);
        for at in (0..=stream.len()).step_by(if cfg!(miri) { 13 } else { 1 }) {
            assert_eq!(read(&[&stream[..at], &stream[at..]], MAX_SIZE), ([2, 0, 1].into(), None), "{at}");
        }
        let bytes: Vec<_> = stream.chunks(1).collect();
        assert_eq!(read(&bytes, MAX_SIZE), ([2, 0, 1].into(), None));
    }

    #[test]
    fn a_stream_that_ends_early_is_truncated_at_the_last_length() {
        let stream = stream();
        let starts = [0, 8, 9, stream.len()];
        for end in (0..stream.len()).step_by(if cfg!(miri) { 13 } else { 1 }) {
            let whole = starts.iter().filter(|&&start| start <= end).count() - 1;
            let expected = (!starts.contains(&end)).then_some((Code::Truncated, starts[whole]));
            assert_eq!(read(&[&stream[..end]], MAX_SIZE), ([2, 0, 1][..whole].into(), expected), "{end}");
        }
    }

    #[test]
    fn a_damaged_length_is_an_error_that_stays() {
        assert_eq!(read(&[&[0, 0xff, 0xff], &[0xff; 20]], MAX_SIZE), ([0].into(), Some((Code::VarintOverflow, 1))));
        let mut codec = Codec::new();
        let mut buffer = BytesMut::from(&[0xff; 12][..]);
        for _ in 0..2 {
            assert!(codec.decode(&mut buffer).is_err());
        }
    }

    #[test]
    fn a_length_above_the_limit_is_refused_before_memory_is_reserved() {
        assert_eq!(read(&[&[0, 100]], 99), ([0].into(), Some((Code::SizeExceeded, 1))));
        assert_eq!(read(&[&[0, 100]], 100), ([0].into(), Some((Code::Truncated, 1))));
        assert_eq!(read(&[&[0xff, 0xff, 0xff, 0xff, 0x0f]], usize::MAX).1, Some((Code::SizeExceeded, 0)));
        let mut buffer = BytesMut::from(&[0xff, 0xff, 0xff, 0xff, 0x07][..]);
        assert!(Codec::new().decode(&mut buffer).unwrap().is_none());
        assert!(buffer.capacity() <= 2 * RESERVED, "a length of 2 GiB reserves little");
    }

    #[test]
    fn an_error_in_a_message_has_the_offset_in_the_stream_and_the_next_message_is_read() {
        let mut codec = Codec::new();
        let mut buffer = BytesMut::from(&b"\x03\x0a\x01a\x03\x0a\x01\xff\x03\x0a\x01c"[..]);
        assert!(codec.decode(&mut buffer).unwrap().is_some());
        match codec.decode(&mut buffer) {
            Err(FrameError::Message(error)) => {
                assert_eq!((error.code(), error.offset(), error.path()), (Code::InvalidUtf8, 7, "paths[0]"));
            }
            other => panic!("{other:?}"),
        }
        assert!(codec.decode(&mut buffer).unwrap().unwrap().get().paths().iter().eq(["c"]));
    }

    #[test]
    fn messages_share_the_memory_of_the_read_buffer_and_pools_are_used_again() {
        let pools = Pools::new();
        let mut codec = Codec::with_options(pools.clone(), DecodeOptions::default(), EncodeOptions::default());
        let mut buffer = stream();
        let memory = buffer.as_ptr_range();
        let message = codec.decode(&mut buffer).unwrap().unwrap();
        assert!(memory.contains(&message.bytes().as_ptr()));
        drop(message);
        let _second = codec.decode(&mut buffer).unwrap();
        assert_eq!(pools.idle(), 0);
    }
}
