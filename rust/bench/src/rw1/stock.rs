//! Rust's stock runtime, prost, with which every result is compared.

use prost::Message;

pub use super::generated::prost::{Label, Sample, TimeSeries, WriteRequest};
use super::{sum_sample, sum_string};

pub fn decode(input: &[u8]) -> Result<WriteRequest, String> {
    WriteRequest::decode(input).map_err(|e| e.to_string())
}

pub fn encode(message: &WriteRequest) -> Vec<u8> {
    message.encode_to_vec()
}

pub fn sum_labels(labels: &[Label]) -> u64 {
    labels.iter().fold(0, |sum, l| sum + sum_string(&l.name) + sum_string(&l.value))
}

pub fn sum_request(request: &WriteRequest) -> u64 {
    request.timeseries.iter().fold(0u64, |sum, ts| {
        let sum = sum.wrapping_add(sum_labels(&ts.labels));
        ts.samples.iter().fold(sum, |sum, s| sum.wrapping_add(sum_sample(s.value, s.timestamp)))
    })
}
