//! Metrics of OTLP, the protocol of OpenTelemetry, as rows of Prometheus.
//!
//! ```text
//!   body ──(JSON: hotpb's reader)──▶ protobuf ──hotpb's pool──▶ messages ──map──▶ series and rows of the receiver
//! ```
//!
//! The mapping depends on nothing but the request and [`Options`], which the log keeps with it, so that a replay adds the
//! same series. It keeps [`MAPPING`], too, because another version of this program may map otherwise.

pub mod answer;
mod buckets;
mod exemplars;
mod labels;
mod map;
mod names;
mod options;
mod points;
mod refusals;
mod value;

pub use options::{Delta, Histograms, Names, Options, Promoted};
pub use refusals::Refusals;

use crate::generated::opentelemetry::proto::collector::metrics::v1::{
    ExportMetricsServiceRequest, ExportMetricsServiceRequestPool,
};
use hotpb::pool::DecodeOptions;
use rows::{Receiver, Report, RequestError};

/// The version of the mapping. The log says which series of a request were refused by their position among all of its series:
/// a change of which series a request becomes, or of their order, needs the next number, up to 15.
pub const MAPPING: u8 = 2;

/// Returns the version of the mapping in the options that the log has of a request.
pub fn mapping_of(options: u8) -> u8 {
    options >> 4
}

/// The encoding of a request, which is also that of the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Protobuf.
    Protobuf,
    /// JSON.
    Json,
}

/// Why a request was rejected as a whole.
#[derive(Debug)]
pub enum Rejected {
    /// The bytes are not a request: where, and why.
    Malformed(String),
    /// It has more parts than its length allows, or than the limits do.
    TooLarge(String),
    /// A limit of the receiver.
    Limit(RequestError),
}

/// Memory for requests.
#[derive(Default)]
pub struct Reader {
    pool: ExportMetricsServiceRequestPool,
}

/// Memory that a decoded request may take, as a multiple of its length. Buckets with small counts need eight times theirs.
const MEMORY: usize = 16;
/// Memory that any request may take.
const LEAST_MEMORY: usize = 1 << 20;
/// Memory that stays for the next request.
const KEPT_MEMORY: usize = 16 << 20;

impl Reader {
    /// Adds the rows of a request. `refused` has the series that were refused if the request comes from the log; the
    /// limits do not apply then. `json_values` bounds the values of JSON.
    pub fn read(
        &mut self,
        receiver: &mut Receiver,
        bytes: &[u8],
        format: Format,
        json_values: usize,
        options: &Options,
        refused: Option<&[u32]>,
    ) -> Result<(Report, Refusals), Rejected> {
        let converted;
        let bytes = match format {
            Format::Protobuf => bytes,
            Format::Json => {
                converted = from_json(bytes, json_values)?;
                &converted
            }
        };
        let limits =
            DecodeOptions { memory: Some((MEMORY * bytes.len()).max(LEAST_MEMORY)), ..DecodeOptions::default() };
        let mut refusals = Refusals::default();
        let result = match self.pool.decode_with(bytes, &limits) {
            Ok(request) => receiver
                .direct(refused, |rows| map::request(request, format, options, rows, &mut refusals))
                .map_err(Rejected::Limit),
            Err(error) if error.code() == hotpb::Code::CountExceeded => Err(Rejected::TooLarge(error.to_string())),
            Err(error) => Err(Rejected::Malformed(error.to_string())),
        };
        if self.pool.memory() > KEPT_MEMORY {
            self.pool.shrink_to(KEPT_MEMORY);
        }
        let report = result?;
        refusals.end(&report, refused);
        Ok((report, refusals))
    }
}

/// Returns the protobuf bytes of a request in JSON.
fn from_json(text: &[u8], values: usize) -> Result<Vec<u8>, Rejected> {
    // An upper bound of the number of values, which take more memory than the shortest text of one.
    let count = 1 + text.iter().filter(|&&byte| matches!(byte, b',' | b'[' | b'{')).count();
    if count > values {
        return Err(Rejected::TooLarge(format!("more than {values} values in one request")));
    }
    let options = hotpb::json::ReadOptions { ignore_unknown_fields: true, ..Default::default() };
    let mut json = serde_json::Deserializer::from_slice(text);
    let wire = hotpb::json::to_wire::<ExportMetricsServiceRequest<'static>, _>(&mut json, &options);
    wire.and_then(|wire| json.end().map(|()| wire)).map_err(|error| Rejected::Malformed(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whoever changes what is expected here must raise [`MAPPING`]: logs have positions of series in this order.
    #[test]
    fn the_series_of_a_request_and_their_order_belong_to_the_version_of_the_mapping() {
        let point = r#""timeUnixNano": 1000000, "startTimeUnixNano": 1000000, "attributes": [{"key": "a.b", "value": {"stringValue": "x"}}]"#;
        let text = format!(
            r#"{{"resourceMetrics": [{{
                "resource": {{"attributes": [
                    {{"key": "service.name", "value": {{"stringValue": "s"}}}},
                    {{"key": "service.instance.id", "value": {{"stringValue": "i"}}}},
                    {{"key": "zone", "value": {{"stringValue": "z"}}}}]}},
                "scopeMetrics": [{{"scope": {{"name": "lib"}}, "metrics": [
                    {{"name": "g", "unit": "s", "gauge": {{"dataPoints": [{{{point}, "asInt": 1}}, {{{point}}}]}}}},
                    {{"name": "d", "sum": {{"aggregationTemporality": 1, "dataPoints": [{{{point}, "asInt": 1}}]}}}},
                    {{"name": "c", "sum": {{"aggregationTemporality": 2, "isMonotonic": true,
                        "dataPoints": [{{{point}, "asDouble": 1}}]}}}},
                    {{"name": "h", "histogram": {{"aggregationTemporality": 2, "dataPoints": [
                        {{{point}, "count": 3, "sum": 2, "bucketCounts": [1, 2], "explicitBounds": [0.5]}}]}}}},
                    {{"name": "e", "exponentialHistogram": {{"aggregationTemporality": 2, "dataPoints": [
                        {{{point}, "count": 1, "scale": 3, "positive": {{"offset": 1, "bucketCounts": [1]}}}}]}}}},
                    {{"name": "q", "summary": {{"dataPoints": [
                        {{{point}, "count": 3, "sum": 2, "quantileValues": [{{"quantile": 0.5, "value": 1}}]}}]}}}}
                ]}}]}}]}}"#
        );
        let mut series = Vec::new();
        let others = Options {
            names: Names::Utf8,
            delta: Delta::Keep,
            scope: true,
            histograms: Histograms::Custom,
            promoted: Promoted { all: false, names: ["zone".to_owned()].into() },
            identifying: true,
        };
        for options in [Options::default(), others] {
            let mut receiver = Receiver::new(rows::Options { skip_bad: true, ..Default::default() });
            let mut reader = Reader::default();
            reader.read(&mut receiver, text.as_bytes(), Format::Json, usize::MAX, &options, None).unwrap();
            let (words, sets) = (receiver.store().dictionary(), receiver.store().label_sets());
            for set in 0..sets.len() as u32 {
                let found = crate::store::gather::series_of(words, sets.get(set));
                let labels: Vec<String> = found.labels.iter().map(|(name, value)| format!("{name}={value}")).collect();
                series.push(format!("{} {}", found.metric, labels.join(" ")));
            }
        }
        let expected = [
            "g_seconds a_b=x instance=i job=s",
            "c_total a_b=x instance=i job=s",
            "h_sum a_b=x instance=i job=s",
            "h_count a_b=x instance=i job=s",
            "h_bucket a_b=x instance=i job=s le=0.5",
            "h_bucket a_b=x instance=i job=s le=+Inf",
            "e a_b=x instance=i job=s",
            "q_sum a_b=x instance=i job=s",
            "q_count a_b=x instance=i job=s",
            "q a_b=x instance=i job=s quantile=0.5",
            "target_info instance=i job=s zone=z",
            "g a.b=x instance=i job=s otel_scope_name=lib zone=z",
            "d a.b=x instance=i job=s otel_scope_name=lib zone=z",
            "c a.b=x instance=i job=s otel_scope_name=lib zone=z",
            "h a.b=x instance=i job=s otel_scope_name=lib zone=z",
            "e a.b=x instance=i job=s otel_scope_name=lib zone=z",
            "q_sum a.b=x instance=i job=s otel_scope_name=lib zone=z",
            "q_count a.b=x instance=i job=s otel_scope_name=lib zone=z",
            "q a.b=x instance=i job=s otel_scope_name=lib quantile=0.5 zone=z",
            "target_info instance=i job=s service.instance.id=i service.name=s zone=z",
        ];
        assert_eq!((MAPPING, series), (2, expected.map(str::to_owned).to_vec()));
    }
}
