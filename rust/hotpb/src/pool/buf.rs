//! Decoding from any `bytes::Buf` (feature `bytes`).

use super::{DecodeOptions, Message, Pool};
use crate::wire::MAX_SIZE;
use crate::{Code, Error};
use bytes::Buf;

impl<M: Message> Pool<M> {
    /// Decodes all that a `Buf` still has (feature `bytes`, POL-67). A `Buf` in one piece is read where it is, and nothing is
    /// copied. Otherwise the pool copies its pieces once, into reused memory.
    ///
    /// Afterwards the position of the `Buf` is not defined: pass a `Buf` that ends with the message, for example
    /// `(&mut buf).take(len)`. To keep the message, call
    /// [`decode_owned`](Pool::decode_owned)`(buf.copy_to_bytes(len))`, which shares the memory of a `Bytes`.
    ///
    /// ```
    /// # use hotpb::wkt::google::protobuf::TimestampPool;
    /// use bytes::Buf as _;
    /// let mut pool = TimestampPool::new();
    /// let mut pieces = (&b"\x08"[..]).chain(&b"\x07"[..]);
    /// assert_eq!(pool.decode_buf(&mut pieces)?.seconds(), 7);
    /// # Ok::<(), hotpb::Error>(())
    /// ```
    pub fn decode_buf<'a>(&'a mut self, buf: &'a mut impl Buf) -> Result<M::Handle<'a>, Error> {
        self.decode_buf_with(buf, &DecodeOptions::default())
    }

    /// The same with options. The size limit is checked before anything is copied.
    pub fn decode_buf_with<'a>(
        &'a mut self,
        buf: &'a mut impl Buf,
        options: &DecodeOptions,
    ) -> Result<M::Handle<'a>, Error> {
        let size = buf.remaining();
        if size > options.size.min(MAX_SIZE) {
            return Err(Error::new(Code::SizeExceeded, 0));
        }
        if buf.chunk().len() < size {
            return self.decode_pieces(buf, size, options);
        }
        // The `Buf` could return another piece at this call: the length is checked again.
        let buf: &'a _ = buf;
        let input = buf.chunk();
        let input = input.get(..size).ok_or_else(|| Error::new(Code::Truncated, input.len()))?;
        self.decode_with(input, options)
    }

    fn decode_pieces(
        &mut self,
        buf: &mut impl Buf,
        size: usize,
        options: &DecodeOptions,
    ) -> Result<M::Handle<'_>, Error> {
        let mut copy = core::mem::take(&mut self.copy);
        copy.clear();
        while copy.len() < size {
            let piece = buf.chunk();
            let piece = &piece[..piece.len().min(size - copy.len())];
            if piece.is_empty() {
                break; // a `Buf` that has less than it promised
            }
            let len = piece.len();
            copy.extend_from_slice(piece);
            buf.advance(len);
        }
        let row = match copy.len() == size {
            true => self.fill(&copy, core::iter::once((0, size)), options, false),
            false => Err(Error::new(Code::Truncated, copy.len())),
        };
        self.copy = copy;
        let row = row?;
        Ok(M::handle(self.filled(), &self.copy, row))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wkt::google::protobuf::FieldMaskPool;
    use bytes::{Buf, Bytes};

    const MESSAGE: &[u8] = b"\x0a\x05hello\x0a\x03you";

    #[test]
    fn a_message_in_two_pieces_is_the_same_wherever_it_is_split() {
        let mut pool = FieldMaskPool::new();
        for at in 0..=MESSAGE.len() {
            let mut pieces = MESSAGE[..at].chain(&MESSAGE[at..]);
            let mask = pool.decode_buf(&mut pieces).unwrap();
            assert!(mask.paths().iter().eq(["hello", "you"]), "{at}");
        }
    }

    #[test]
    fn one_piece_is_read_where_it_is() {
        let mut bytes = Bytes::from_static(MESSAGE);
        let there = MESSAGE.as_ptr_range();
        let mut pool = FieldMaskPool::new();
        let mask = pool.decode_buf(&mut bytes).unwrap();
        assert!(mask.paths().iter().all(|path| there.contains(&path.as_ptr())));
        let mut three = [MESSAGE, b"\xff"].concat();
        three.insert(0, 0xff);
        let mut part = (&three[1..]).take(MESSAGE.len());
        assert_eq!(pool.decode_buf(&mut part).unwrap().paths().len(), 2);
    }

    #[test]
    fn errors_are_those_of_one_piece() {
        let mut pool = FieldMaskPool::new();
        for end in 0..MESSAGE.len() {
            let whole = pool.decode(&MESSAGE[..end]).map(|_| ()).map_err(|e| (e.code(), e.offset()));
            for at in 0..=end {
                let mut pieces = MESSAGE[..at].chain(&MESSAGE[at..end]);
                let parts = pool.decode_buf(&mut pieces).map(|_| ()).map_err(|e| (e.code(), e.offset()));
                assert_eq!(parts, whole, "{at} of {end}");
            }
        }
    }

    #[test]
    fn the_size_limit_comes_before_the_copy() {
        let options = DecodeOptions { size: 4, ..Default::default() };
        let mut pool = FieldMaskPool::new();
        let mut pieces = MESSAGE[..2].chain(&MESSAGE[2..]);
        assert_eq!(pool.decode_buf_with(&mut pieces, &options).map(|_| ()).unwrap_err().code(), Code::SizeExceeded);
        assert_eq!(pool.copy.capacity(), 0);
    }

    /// Promises more than it has.
    struct Liar<'a>(&'a [u8]);
    impl Buf for Liar<'_> {
        fn remaining(&self) -> usize {
            100
        }
        fn chunk(&self) -> &[u8] {
            self.0
        }
        fn advance(&mut self, count: usize) {
            self.0 = &self.0[count..];
        }
    }

    #[test]
    fn a_buf_that_has_less_than_it_promises_is_truncated() {
        let error = FieldMaskPool::new().decode_buf(&mut Liar(MESSAGE)).map(|_| ()).unwrap_err();
        assert_eq!((error.code(), error.offset()), (Code::Truncated, MESSAGE.len()));
    }
}
