//! hotpb's codec: decodes into prost's own structs, in place.

use super::Rival;
use super::generated::codec::prometheus::WriteRequestReuse;
use super::stock::{WriteRequest, sum_request};

pub struct Codec {
    input: &'static [u8],
    reuse: WriteRequestReuse,
    message: WriteRequest,
}

impl Codec {
    pub fn new(input: &'static [u8]) -> Self {
        Self { input, reuse: WriteRequestReuse::new(), message: WriteRequest::default() }
    }
}

impl Rival for Codec {
    fn decode(&mut self) -> Result<(), String> {
        self.reuse.decode(&mut self.message, self.input).map_err(|e| e.to_string())
    }

    fn decode_read(&mut self) -> Result<u64, String> {
        self.decode()?;
        Ok(sum_request(&self.message))
    }

    fn find(&mut self) -> Result<u64, String> {
        Err("prost's structs have no lazy fields".into())
    }

    fn stock(&mut self) -> Result<WriteRequest, String> {
        Ok(self.message.clone())
    }

    fn note(&self) -> &'static str {
        "UTF-8 checked; prost's own structs, used again in place; strings are copied"
    }
}
