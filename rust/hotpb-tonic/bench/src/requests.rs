//! The memory of a client's program: series of a metrics agent, from which each call builds its request.

use crate::generated::stock;
use prost::Message as _;

/// A series with its newest sample.
pub struct Series {
    pub labels: Vec<(String, String)>,
    pub value: f64,
    pub timestamp_ms: i64,
}

/// Returns as many series as make a request of about `bytes` bytes.
pub fn series(bytes: usize) -> Vec<Series> {
    let mut all: Vec<Series> = Vec::new();
    let mut size = 0;
    while size < bytes {
        let n = all.len();
        let mut labels = vec![("__name__".to_string(), format!("http_requests_{}_total", n % 17))];
        let others = [
            ("instance", format!("10.0.{}.{}:9100", n / 250 % 250, n % 250)),
            ("job", "node".into()),
            ("code", format!("{}", 200 + n % 5)),
        ];
        labels.extend(others.into_iter().map(|(name, value)| (name.to_string(), value)));
        all.push(Series { labels, value: n as f64 * 1.5, timestamp_ms: 1_700_000_000_000 + n as i64 });
        size += stock(&all[n..]).encoded_len();
    }
    all
}

/// Returns the request as the stock runtime's message.
pub fn stock(series: &[Series]) -> stock::WriteRequest {
    let convert = |series: &Series| stock::TimeSeries {
        labels: series
            .labels
            .iter()
            .map(|(name, value)| stock::Label { name: name.clone(), value: value.clone() })
            .collect(),
        samples: vec![stock::Sample { value: series.value, timestamp: series.timestamp_ms }],
        ..Default::default()
    };
    stock::WriteRequest { timeseries: series.iter().map(convert).collect(), ..Default::default() }
}
