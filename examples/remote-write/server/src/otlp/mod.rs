//! Metrics of OTLP, the protocol of OpenTelemetry, as rows of Prometheus.
//!
//! ```text
//!   body ──(JSON: hotpb's reader)──▶ protobuf ──hotpb's pool──▶ messages ──map──▶ series and rows of the receiver
//! ```
//!
//! The mapping depends on nothing but the request and [`Options`], which the log keeps with it, so that a replay adds the
//! same series.

pub mod answer;
mod buckets;
mod exemplars;
mod labels;
mod map;
mod names;
mod points;
mod refusals;
mod value;

pub use refusals::Refusals;

use crate::generated::opentelemetry::proto::collector::metrics::v1::{
    ExportMetricsServiceRequest, ExportMetricsServiceRequestPool,
};
use hotpb::pool::DecodeOptions;
use remote_write::{Receiver, Report, RequestError};

/// The form of names in Prometheus.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
#[repr(u8)]
pub enum Names {
    /// Letters, digits and underscores; units and `_total` at the end.
    #[default]
    #[value(name = "UnderscoreEscapingWithSuffixes")]
    UnderscoresAndSuffixes = 0,
    /// Letters, digits and underscores.
    #[value(name = "UnderscoreEscapingWithoutSuffixes")]
    Underscores = 1,
    /// As they come; units and `_total` at the end.
    #[value(name = "NoUTF8EscapingWithSuffixes")]
    Utf8AndSuffixes = 2,
    /// As they come.
    #[value(name = "NoTranslation")]
    Utf8 = 3,
}

impl Names {
    /// All forms, in the order of their numbers.
    pub const ALL: [Names; 4] =
        [Names::UnderscoresAndSuffixes, Names::Underscores, Names::Utf8AndSuffixes, Names::Utf8];

    fn has_underscores(self) -> bool {
        matches!(self, Names::UnderscoresAndSuffixes | Names::Underscores)
    }
}

/// What becomes of points with delta temporality.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Delta {
    /// They are refused.
    #[default]
    Refuse,
    /// Their values are kept as they are.
    Keep,
}

/// How metrics are mapped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The form of names.
    pub names: Names,
    /// What becomes of points with delta temporality.
    pub delta: Delta,
    /// Whether the scope becomes labels.
    pub scope: bool,
}

impl Options {
    /// Returns the options as a number, for the log.
    pub fn to_byte(self) -> u8 {
        self.names as u8 | u8::from(self.delta == Delta::Keep) << 2 | u8::from(self.scope) << 3
    }

    /// Returns the options of a number; `None` if it has bits that mean nothing.
    pub fn from_byte(byte: u8) -> Option<Options> {
        let delta = if byte & 4 == 0 { Delta::Refuse } else { Delta::Keep };
        let names = Names::ALL[usize::from(byte & 3)];
        (byte < 16).then_some(Options { names, delta, scope: byte & 8 != 0 })
    }
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
        options: Options,
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

    #[test]
    fn options_come_back() {
        for byte in 0..=u8::MAX {
            assert_eq!(Options::from_byte(byte).map(Options::to_byte), (byte < 16).then_some(byte));
        }
        assert_eq!(Options::default().to_byte(), 0);
    }
}
