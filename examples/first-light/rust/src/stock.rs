//! The same requests decoded by prost, Rust's stock runtime, for comparison with the pool's rows.

use prometheus_prost::{v1, v2};
use prost::Message;

use crate::rows::{Metadata, Rows};

pub fn decode_v1(bytes: &[u8]) -> Result<v1::WriteRequest, String> {
    v1::WriteRequest::decode(bytes).map_err(|e| format!("hotpb can read it, prost cannot: {e}"))
}

pub fn decode_v2(bytes: &[u8]) -> Result<v2::Request, String> {
    v2::Request::decode(bytes).map_err(|e| format!("hotpb can read it, prost cannot: {e}"))
}

pub fn rows_v1(request: &v1::WriteRequest) -> Rows<'_> {
    let mut rows = Rows::default();
    for ts in &request.timeseries {
        rows.labels.extend(ts.labels.iter().map(|l| (l.name.as_str(), l.value.as_str())));
        for s in &ts.samples {
            rows.sample(s.value, s.timestamp);
        }
        rows.exemplars += ts.exemplars.len();
        rows.histograms += ts.histograms.len();
        rows.end_series();
    }
    rows.metadata.extend(request.metadata.iter().map(|m| Metadata {
        kind: m.r#type,
        metric: &m.metric_family_name,
        help: &m.help,
        unit: &m.unit,
    }));
    rows
}

pub fn rows_v2(request: &v2::Request) -> Result<Rows<'_>, String> {
    let symbols: Vec<&str> = request.symbols.iter().map(String::as_str).collect();
    let mut rows = Rows::default();
    for ts in &request.timeseries {
        rows.labels_by_reference(ts.labels_refs.iter().copied(), &symbols)?;
        for s in &ts.samples {
            rows.sample(s.value, s.timestamp);
        }
        rows.exemplars += ts.exemplars.len();
        rows.histograms += ts.histograms.len();
        rows.end_series();
    }
    Ok(rows)
}
