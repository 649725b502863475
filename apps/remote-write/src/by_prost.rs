//! The rival of the benchmarks: prost decodes a request of 1.0, whose samples then go to the same tables by the same rules.

use prost::Message;
use rows::{Direct, Ended, Receiver, Report, RequestError};

#[derive(Clone, PartialEq, Message)]
struct WriteRequest {
    #[prost(message, repeated, tag = "1")]
    timeseries: Vec<TimeSeries>,
}

#[derive(Clone, PartialEq, Message)]
struct TimeSeries {
    #[prost(message, repeated, tag = "1")]
    labels: Vec<Label>,
    #[prost(message, repeated, tag = "2")]
    samples: Vec<Sample>,
}

#[derive(Clone, PartialEq, Message)]
struct Label {
    #[prost(string, tag = "1")]
    name: String,
    #[prost(string, tag = "2")]
    value: String,
}

#[derive(Clone, PartialEq, Message)]
struct Sample {
    #[prost(double, tag = "1")]
    value: f64,
    #[prost(int64, tag = "2")]
    timestamp: i64,
}

/// Adds the samples of a request to a receiver. `refused` has the series that were refused if the request comes from the log.
pub fn request(receiver: &mut Receiver, bytes: &[u8], refused: Option<&[u32]>) -> Result<Report, RequestError> {
    // prost says neither the byte nor the kind.
    let malformed = |_| RequestError::Malformed(hotpb::Error::new(hotpb::Code::Truncated, 0));
    let request = WriteRequest::decode(bytes).map_err(malformed)?;
    let mut pairs = Vec::new();
    receiver.direct(refused, |rows| request.timeseries.iter().try_for_each(|sent| series(sent, rows, &mut pairs)))
}

fn series(sent: &TimeSeries, rows: &mut Direct<'_, '_>, pairs: &mut Vec<(u32, u32)>) -> Result<(), Ended> {
    pairs.clear();
    for label in &sent.labels {
        pairs.push((rows.word(&label.name)?, rows.word(&label.value)?));
    }
    rows.series(pairs, |rows| sent.samples.iter().try_for_each(|s| rows.sample(s.timestamp, s.value, 0)))
}
