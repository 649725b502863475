//! A request body as it was POSTed (a snappy block) or as it was before that.

use std::fs;

/// The bytes of a request, and how they were found.
pub struct Body {
    pub name: String,
    pub bytes: Vec<u8>,
    pub file_size: usize,
    /// Why the file is taken as uncompressed, if it is.
    not_snappy: Option<String>,
}

/// What a block may inflate to: its length is the sender's word.
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
    let length = snap::raw::decompress_len(block).map_err(|e| e.to_string())?;
    if length > MAX_BYTES {
        return Err(format!("its length {length} is above the limit of {MAX_BYTES}"));
    }
    snap::raw::Decoder::new().decompress_vec(block).map_err(|e| e.to_string())
}

impl Body {
    pub fn compression(&self) -> &'static str {
        if self.not_snappy.is_some() { "uncompressed" } else { "snappy" }
    }

    /// What stands before an error of a body that was taken as uncompressed.
    pub fn doubt(&self) -> String {
        self.not_snappy.as_ref().map(|why| format!("not a snappy block ({why}); read as it is: ")).unwrap_or_default()
    }
}
