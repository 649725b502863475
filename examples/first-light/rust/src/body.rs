//! A request body as it was POSTed (a snappy block), or already uncompressed.

use std::fs;

use crate::rows::thousands;

/// The bytes of a request, and how they were found.
pub struct Body {
    pub name: String,
    pub bytes: Vec<u8>,
    pub file_size: usize,
    /// Why the file is read as uncompressed, if it is.
    not_snappy: Option<String>,
}

/// The limit for an inflated block, whose length the sender declares.
const MAX_BYTES: usize = 256 << 20;

pub fn read(path: &str) -> Result<Body, String> {
    let file = fs::read(path).map_err(|e| format!("{path}: {e}"))?;
    let name = path.rsplit('/').next().unwrap_or(path).to_owned();
    let file_size = file.len();
    let (bytes, not_snappy) = match inflate(&file) {
        Ok(bytes) => (bytes, None),
        Err(why) => (file, Some(why)),
    };
    Ok(Body { name, bytes, file_size, not_snappy })
}

fn inflate(block: &[u8]) -> Result<Vec<u8>, String> {
    let damaged = |_| "not a snappy block, or a damaged one".to_owned();
    let length = snap::raw::decompress_len(block).map_err(damaged)?;
    if length > MAX_BYTES {
        return Err(format!("a snappy block of {length} bytes would be above the limit of {MAX_BYTES}"));
    }
    snap::raw::Decoder::new().decompress_vec(block).map_err(damaged)
}

impl Body {
    /// Returns how the request was packed, and its size.
    pub fn packing(&self) -> String {
        match self.not_snappy {
            Some(_) => format!("uncompressed, {} bytes", thousands(self.bytes.len())),
            None => format!("snappy, {} bytes, {} inside", thousands(self.file_size), thousands(self.bytes.len())),
        }
    }

    /// Returns the text before an error of a body that was read as uncompressed.
    pub fn doubt(&self) -> String {
        self.not_snappy.as_ref().map(|why| format!("{why}; read uncompressed: ")).unwrap_or_default()
    }
}
