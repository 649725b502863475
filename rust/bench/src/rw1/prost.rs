//! prost in its usual setting (a fresh message for every request), and with one message that is cleared and merged
//! into.

use prost::Message;

use super::Rival;
use super::stock::{self, WriteRequest, sum_labels, sum_request};

pub struct Fresh<'a> {
    input: &'a [u8],
    message: WriteRequest,
    out: Vec<u8>,
}

impl<'a> Fresh<'a> {
    pub fn new(input: &'a [u8]) -> Self {
        Self { input, message: WriteRequest::default(), out: Vec::new() }
    }
}

impl Rival for Fresh<'_> {
    fn decode(&mut self) -> Result<(), String> {
        self.message = stock::decode(self.input)?;
        Ok(())
    }

    fn decode_read(&mut self) -> Result<u64, String> {
        self.decode()?;
        Ok(sum_request(&self.message))
    }

    fn find(&mut self) -> Result<u64, String> {
        self.decode()?;
        let series = &self.message.timeseries;
        Ok(sum_labels(&series[series.len() / 2].labels))
    }

    fn last_label(&mut self) -> Result<u64, String> {
        self.decode()?;
        let last = self.message.timeseries.last().and_then(|ts| ts.labels.first());
        Ok(super::sum_string(&last.ok_or("no label")?.value))
    }

    fn encode(&mut self) -> Result<&[u8], String> {
        self.out.clear();
        self.message.encode(&mut self.out).map_err(|e| e.to_string())?;
        Ok(&self.out)
    }

    fn stock(&mut self) -> Result<WriteRequest, String> {
        Ok(self.message.clone())
    }

    fn note(&self) -> &'static str {
        "UTF-8 checked; a fresh message each time"
    }
}

pub struct Reuse<'a>(Fresh<'a>);

impl<'a> Reuse<'a> {
    pub fn new(input: &'a [u8]) -> Self {
        Self(Fresh::new(input))
    }
}

impl Rival for Reuse<'_> {
    fn decode(&mut self) -> Result<(), String> {
        self.0.message.clear();
        self.0.message.merge(self.0.input).map_err(|e| e.to_string())
    }

    fn decode_read(&mut self) -> Result<u64, String> {
        self.decode()?;
        Ok(sum_request(&self.0.message))
    }

    fn find(&mut self) -> Result<u64, String> {
        self.decode()?;
        let series = &self.0.message.timeseries;
        Ok(sum_labels(&series[series.len() / 2].labels))
    }

    fn stock(&mut self) -> Result<WriteRequest, String> {
        self.0.stock()
    }

    fn note(&self) -> &'static str {
        "UTF-8 checked; one message, cleared and merged into"
    }
}
