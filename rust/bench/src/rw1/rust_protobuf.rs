//! rust-protobuf (the crate `protobuf`, 3.7): owned messages, UTF-8 is checked, unknown fields are kept.

use protobuf::Message;

use super::generated::rust_protobuf::{remote::WriteRequest as Request, types::Label};
use super::stock::{self, WriteRequest};
use super::{Rival, sum_sample, sum_string};

pub struct Fresh {
    input: &'static [u8],
    message: Request,
    out: Vec<u8>,
}

impl Fresh {
    pub fn new(input: &'static [u8]) -> Self {
        Self { input, message: Request::default(), out: Vec::new() }
    }
}

fn sum_labels(labels: &[Label]) -> u64 {
    labels.iter().fold(0, |sum, l| sum + sum_string(&l.name) + sum_string(&l.value))
}

impl Rival for Fresh {
    fn decode(&mut self) -> Result<(), String> {
        self.message = Request::parse_from_bytes(self.input).map_err(|e| e.to_string())?;
        Ok(())
    }

    fn decode_read(&mut self) -> Result<u64, String> {
        self.decode()?;
        Ok(self.message.timeseries.iter().fold(0u64, |sum, ts| {
            let sum = sum.wrapping_add(sum_labels(&ts.labels));
            ts.samples.iter().fold(sum, |sum, s| sum.wrapping_add(sum_sample(s.value, s.timestamp)))
        }))
    }

    fn find(&mut self) -> Result<u64, String> {
        self.decode()?;
        let series = &self.message.timeseries;
        Ok(sum_labels(&series[series.len() / 2].labels))
    }

    fn encode(&mut self) -> Result<&[u8], String> {
        self.out.clear();
        self.message.write_to_vec(&mut self.out).map_err(|e| e.to_string())?;
        Ok(&self.out)
    }

    fn stock(&mut self) -> Result<WriteRequest, String> {
        stock::decode(&self.message.write_to_bytes().map_err(|e| e.to_string())?)
    }

    fn note(&self) -> &'static str {
        "UTF-8 checked; unknown fields kept; a fresh message each time"
    }
}
