//! The bytes of a request: read, and uncompressed if they are a snappy block. Both lengths are bounded, because the
//! sender chooses them.

use std::fmt;
use std::io::{self, Read};

/// The compression of a body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Encoding {
    /// Unknown (a server knows it from `Content-Encoding`): a body that inflates completely is snappy, any other is
    /// raw.
    #[default]
    Auto,
    /// Snappy's block format, which remote write requires.
    Snappy,
    /// Not compressed.
    Raw,
}

/// Reusable memory for bodies.
pub struct Body {
    limit: usize,
    packed: Vec<u8>,
    inflated: Vec<u8>,
    snappy: snap::raw::Decoder,
}

/// A body that was read.
pub struct Unpacked<'b> {
    /// The request.
    pub bytes: &'b [u8],
    /// The number of bytes before the body was uncompressed.
    pub packed_len: usize,
    /// Whether it was compressed; if that was not specified and it was not, why it was not read as snappy.
    pub packing: How,
}

/// How the compression of a body was determined.
#[derive(Clone, Debug, PartialEq)]
pub enum How {
    /// It was a snappy block.
    Snappy,
    /// It was declared as raw.
    Raw,
    /// It was read as raw, for this reason.
    NotSnappy(BodyError),
}

/// Why the body cannot be used.
#[derive(Clone, Debug, PartialEq)]
pub enum BodyError {
    /// It could not be read.
    Read(String),
    /// It is longer than the limit.
    TooLong {
        /// The limit in bytes.
        limit: usize,
    },
    /// The block declares a length above the limit.
    WouldBeTooLong {
        /// The declared length.
        len: u64,
        /// The limit in bytes.
        limit: usize,
    },
    /// The body is not a snappy block, or a damaged one.
    Damaged(String),
}

impl fmt::Display for BodyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BodyError::Read(why) => f.write_str(why),
            BodyError::TooLong { limit } => write!(f, "longer than {limit} bytes (--max-body)"),
            BodyError::WouldBeTooLong { len, limit } => {
                write!(f, "a snappy block of {len} bytes would be longer than {limit} (--max-body)")
            }
            BodyError::Damaged(why) => write!(f, "not a snappy block, or a damaged one ({why})"),
        }
    }
}

impl std::error::Error for BodyError {}

/// The memory that is kept for the next body if this one was small.
const KEEP: usize = 4 << 20;

impl Body {
    /// Creates memory for bodies up to a limit, compressed and not.
    pub fn new(limit: usize) -> Body {
        Body { limit, packed: Vec::new(), inflated: Vec::new(), snappy: snap::raw::Decoder::new() }
    }

    /// Reads a body to its end, or one byte beyond the limit.
    pub fn read(&mut self, from: impl Read, encoding: Encoding) -> Result<Unpacked<'_>, BodyError> {
        release(&mut self.packed);
        self.packed.clear();
        let read = from.take((self.limit as u64).saturating_add(1)).read_to_end(&mut self.packed);
        read.map_err(|e| BodyError::Read(said(&e)))?;
        if self.packed.len() > self.limit {
            return Err(BodyError::TooLong { limit: self.limit });
        }
        let packed_len = self.packed.len();
        let packing = match encoding {
            Encoding::Raw => How::Raw,
            Encoding::Snappy => self.inflate().map(|()| How::Snappy)?,
            Encoding::Auto => self.inflate().map_or_else(How::NotSnappy, |()| How::Snappy),
        };
        let bytes = if packing == How::Snappy { &self.inflated } else { &self.packed };
        Ok(Unpacked { bytes, packed_len, packing })
    }

    fn inflate(&mut self) -> Result<(), BodyError> {
        let damaged = |e: snap::Error| BodyError::Damaged(e.to_string());
        let len = snap::raw::decompress_len(&self.packed).map_err(damaged)?;
        if len > self.limit {
            return Err(BodyError::WouldBeTooLong { len: len as u64, limit: self.limit });
        }
        // A block cannot inflate to more than this: an element of three bytes copies 64.
        if len > self.packed.len().saturating_mul(32) {
            return Err(BodyError::Damaged(format!("{} bytes cannot hold {len}", self.packed.len())));
        }
        release(&mut self.inflated);
        self.inflated.clear();
        self.inflated.resize(len, 0);
        let written = self.snappy.decompress(&self.packed, &mut self.inflated).map_err(damaged)?;
        self.inflated.truncate(written);
        Ok(())
    }
}

/// Frees memory that a large body once needed and the last one did not.
fn release(buffer: &mut Vec<u8>) {
    if buffer.capacity() > KEEP && buffer.len() < buffer.capacity() / 4 {
        buffer.shrink_to(KEEP.max(buffer.len() * 2));
    }
}

/// Returns the text of a system error without its number, which means nothing to people.
pub fn said(error: &io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8], limit: usize, encoding: Encoding) -> Result<(Vec<u8>, How), BodyError> {
        Body::new(limit).read(bytes, encoding).map(|body| (body.bytes.to_vec(), body.packing))
    }

    #[test]
    fn a_body_is_uncompressed_within_its_limit() {
        let text = b"remote write, remote write, remote write".repeat(100);
        let block = snap::raw::Encoder::new().compress_vec(&text).unwrap();
        assert_eq!(read(&block, 4000, Encoding::Auto), Ok((text.clone(), How::Snappy)));
        assert_eq!(read(&block, 4000, Encoding::Raw), Ok((block.clone(), How::Raw)));
        let too_long = BodyError::WouldBeTooLong { len: 4000, limit: 3999 };
        assert_eq!(read(&block, 3999, Encoding::Snappy), Err(too_long.clone()));
        assert_eq!(read(&block, 3999, Encoding::Auto), Ok((block.clone(), How::NotSnappy(too_long))));
        assert_eq!(read(&text, 3999, Encoding::Auto), Err(BodyError::TooLong { limit: 3999 }));
        assert!(matches!(read(&block[..20], 4000, Encoding::Snappy), Err(BodyError::Damaged(_))));
        assert!(matches!(read(&[], 4000, Encoding::Snappy), Err(BodyError::Damaged(_))));
        assert!(matches!(read(&text, 4000, Encoding::Auto), Ok((bytes, How::NotSnappy(_))) if bytes == text));
    }

    #[test]
    fn a_length_that_the_block_cannot_hold_costs_no_memory() {
        let bomb = [0x80, 0x80, 0x80, 0x80, 0x01, 0x00, 0x00]; // declares 256 MiB, has seven bytes
        let mut body = Body::new(usize::MAX);
        assert!(matches!(body.read(&bomb[..], Encoding::Snappy), Err(BodyError::Damaged(_))));
        assert_eq!(body.inflated.capacity(), 0);
    }

    #[test]
    fn memory_of_a_large_body_is_given_back() {
        let mut body = Body::new(1 << 30);
        body.read(&vec![7; 64 << 20][..], Encoding::Raw).map(drop).unwrap();
        for _ in 0..3 {
            body.read(&b"small"[..], Encoding::Raw).map(drop).unwrap();
        }
        assert!(body.packed.capacity() <= KEEP, "{}", body.packed.capacity());
    }
}
