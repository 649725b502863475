//! [`HeapBody`]: the chunks of a [`HeapBuffer`] as the body of an HTTP request or response (feature `http-body`).

use super::HeapBuffer;
use crate::writer::error::WriteError;
use alloc::collections::VecDeque;
use bytes::Bytes;
use core::convert::Infallible;
use core::pin::Pin;
use core::task::{Context, Poll};
use http_body::{Body, Frame, SizeHint};

/// An `http_body::Body` whose data frames are the chunks of a [`HeapBuffer`]. The chunks are moved, not copied; its size
/// is known.
///
/// ```
/// use http_body::Body as _;
/// use hotpb::wkt::TimestampWriter;
/// use hotpb::writer::{HeapBody, HeapBuffer};
/// let mut out = HeapBuffer::new();
/// TimestampWriter::new(&mut out).seconds(150);
/// let body = HeapBody::new(out)?; // http::Response::new(body)
/// assert_eq!(body.size_hint().exact(), Some(3));
/// # Ok::<(), hotpb::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct HeapBody {
    chunks: VecDeque<Bytes>,
}

impl HeapBody {
    /// Creates a body from everything that was written, if all messages are whole.
    pub fn new(buffer: HeapBuffer) -> Result<HeapBody, WriteError> {
        Ok(HeapBody { chunks: buffer.into_chunks()?.map(Bytes::from).collect() })
    }

    /// Returns the chunks that have not been sent.
    pub fn into_chunks(self) -> impl Iterator<Item = Bytes> {
        self.chunks.into_iter()
    }
}

impl Body for HeapBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Poll::Ready(self.get_mut().chunks.pop_front().map(|chunk| Ok(Frame::data(chunk))))
    }

    fn is_end_stream(&self) -> bool {
        self.chunks.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.chunks.iter().map(|chunk| chunk.len() as u64).sum())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Code;
    use crate::wkt::FieldMaskWriter;
    use crate::writer::HeapOptions;
    use alloc::vec::Vec;
    use core::task::Waker;

    fn frames(mut body: HeapBody) -> Vec<Bytes> {
        let mut frames = Vec::new();
        let mut context = Context::from_waker(Waker::noop());
        while let Poll::Ready(Some(frame)) = Pin::new(&mut body).poll_frame(&mut context) {
            let left = body.size_hint().exact();
            frames.push(frame.unwrap().into_data().unwrap());
            assert_eq!(body.is_end_stream(), left == Some(0));
        }
        frames
    }

    #[test]
    fn the_frames_are_the_chunks_that_were_written_and_the_same_memory() {
        for count in 0..40 {
            let options = HeapOptions { first_chunk: 64, largest_chunk: 128, ..Default::default() };
            let mut out = HeapBuffer::with_options(options);
            let mut mask = FieldMaskWriter::new(&mut out);
            for i in 0..count {
                mask.paths(&"abcdefghijklmnop"[..i % 16]);
            }
            mask.finish().unwrap();
            let expected = out.to_vec().unwrap();
            let places: Vec<_> = out.chunks().unwrap().map(<[u8]>::as_ptr).collect();
            let body = HeapBody::new(out).unwrap();
            assert_eq!(body.size_hint().exact(), Some(expected.len() as u64));
            let frames = frames(body);
            assert_eq!(frames.concat(), expected);
            assert_eq!(frames.iter().map(|frame| frame.as_ptr()).collect::<Vec<_>>(), places);
        }
    }

    #[test]
    fn a_message_that_is_not_whole_is_no_body() {
        let options = HeapOptions { limit: 64, ..Default::default() };
        let mut out = HeapBuffer::with_options(options);
        FieldMaskWriter::new(&mut out).paths(&"x".repeat(100));
        assert_eq!(HeapBody::new(out).unwrap_err().code(), Code::BufferExhausted);
    }
}
