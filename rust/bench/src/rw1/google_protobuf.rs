//! Google's own Rust (the crate `google-protobuf`, which `protobuf` 4 re-exports) over its C runtime upb: a message in an
//! arena, strings copied, UTF-8 is checked, unknown fields are kept.

use google_protobuf::{Parse, Serialize};

use super::generated::google::{LabelView, WriteRequest as Request};
use super::stock::{self, WriteRequest};
use super::{Rival, sum_sample, sum_string};

pub struct Fresh {
    input: &'static [u8],
    message: Request,
    out: Vec<u8>,
}

impl Fresh {
    pub fn new(input: &'static [u8]) -> Self {
        Self { input, message: Request::new(), out: Vec::new() }
    }
}

fn sum_label(label: LabelView<'_>) -> u64 {
    let text = |s: &google_protobuf::ProtoStr| s.to_str().map_or(0, sum_string);
    text(label.name()) + text(label.value())
}

impl Rival for Fresh {
    fn decode(&mut self) -> Result<(), String> {
        self.message = Request::parse(self.input).map_err(|e| e.to_string())?;
        Ok(())
    }

    fn decode_read(&mut self) -> Result<u64, String> {
        self.decode()?;
        Ok(self.message.timeseries().iter().fold(0u64, |sum, ts| {
            let sum = ts.labels().iter().fold(sum, |sum, l| sum.wrapping_add(sum_label(l)));
            ts.samples().iter().fold(sum, |sum, s| sum.wrapping_add(sum_sample(s.value(), s.timestamp())))
        }))
    }

    fn find(&mut self) -> Result<u64, String> {
        self.decode()?;
        let series = self.message.timeseries();
        let middle = series.get(series.len() / 2).ok_or("no series")?;
        Ok(middle.labels().iter().fold(0, |sum, l| sum + sum_label(l)))
    }

    fn encode(&mut self) -> Result<&[u8], String> {
        self.out = self.message.serialize().map_err(|e| e.to_string())?;
        Ok(&self.out)
    }

    fn stock(&mut self) -> Result<WriteRequest, String> {
        stock::decode(&self.message.serialize().map_err(|e| e.to_string())?)
    }

    fn counted(&self) -> bool {
        false
    }

    fn note(&self) -> &'static str {
        "upb; UTF-8 checked; unknown fields kept; strings copied; a fresh message each time"
    }
}
