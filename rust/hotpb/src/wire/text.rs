//! Strings that are not checked.

use core::fmt;

/// A string that the schema leaves unchecked (proto2, editions `NONE`): bytes that are usually UTF-8.
#[derive(PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct ProtoStr([u8]);

impl ProtoStr {
    /// Wraps bytes.
    #[inline(always)]
    pub fn new(bytes: &[u8]) -> &ProtoStr {
        // SAFETY: `ProtoStr` is a transparent wrapper of `[u8]`: same layout, same metadata, no invariant.
        unsafe { &*(bytes as *const [u8] as *const ProtoStr) }
    }

    /// Returns the bytes.
    #[inline(always)]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Returns the text, if it is valid UTF-8.
    #[inline]
    pub fn to_str(&self) -> Result<&str, core::str::Utf8Error> {
        core::str::from_utf8(&self.0)
    }

    /// Returns the length in bytes.
    #[inline]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Reports whether it is empty.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Default for &ProtoStr {
    fn default() -> Self {
        ProtoStr::new(&[])
    }
}

impl fmt::Debug for ProtoStr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\"", self.0.escape_ascii())
    }
}

impl fmt::Display for ProtoStr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for chunk in self.0.utf8_chunks() {
            f.write_str(chunk.valid())?;
            if !chunk.invalid().is_empty() {
                f.write_str("\u{fffd}")?;
            }
        }
        Ok(())
    }
}

impl PartialEq<str> for ProtoStr {
    fn eq(&self, text: &str) -> bool {
        self.0 == *text.as_bytes()
    }
}
