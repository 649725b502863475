//! quick-protobuf: strings borrow from the input (`Cow`), UTF-8 is checked, unknown fields are discarded.

use quick_protobuf::{BytesReader, MessageRead, MessageWrite, Writer};

use super::generated::quick_protobuf::prometheus as pb;
use super::stock::{Label, Sample, TimeSeries, WriteRequest};
use super::{Rival, sum_sample, sum_string};

pub struct Cow<'a> {
    input: &'a [u8],
    message: pb::WriteRequest<'a>,
    out: Vec<u8>,
}

impl<'a> Cow<'a> {
    pub fn new(input: &'a [u8]) -> Self {
        Self { input, message: pb::WriteRequest::default(), out: Vec::new() }
    }
}

fn sum_labels(labels: &[pb::Label<'_>]) -> u64 {
    labels.iter().fold(0, |sum, l| sum + sum_string(&l.name) + sum_string(&l.value))
}

impl Rival for Cow<'_> {
    fn decode(&mut self) -> Result<(), String> {
        let mut reader = BytesReader::from_bytes(self.input);
        self.message = pb::WriteRequest::from_reader(&mut reader, self.input).map_err(|e| e.to_string())?;
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
        self.message.write_message(&mut Writer::new(&mut self.out)).map_err(|e| e.to_string())?;
        Ok(&self.out)
    }

    fn stock(&mut self) -> Result<WriteRequest, String> {
        let message = &self.message;
        if !message.metadata.is_empty()
            || message.timeseries.iter().any(|ts| !ts.exemplars.is_empty() || !ts.histograms.is_empty())
        {
            return Err("metadata, exemplars and histograms are not carried over by this benchmark".into());
        }
        let timeseries = message.timeseries.iter().map(|ts| TimeSeries {
            labels: ts.labels.iter().map(|l| Label { name: l.name.to_string(), value: l.value.to_string() }).collect(),
            samples: ts.samples.iter().map(|s| Sample { value: s.value, timestamp: s.timestamp }).collect(),
            ..TimeSeries::default()
        });
        Ok(WriteRequest { timeseries: timeseries.collect(), ..WriteRequest::default() })
    }

    fn note(&self) -> &'static str {
        "UTF-8 checked; strings borrow; unknown fields dropped; fresh vectors each time"
    }
}
