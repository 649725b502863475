//! Exemplars.

use super::labels::{self, Label};
use super::{Format, Names, points::milliseconds};
use crate::generated::opentelemetry::proto::metrics::v1::{Exemplar, exemplar::Value};
use base64::prelude::{BASE64_STANDARD, Engine};
use hotpb::pool::Rows;
use rows::{Ended, SeriesRows};

/// The most characters that the labels of an exemplar have; then the attributes are left out.
const CHARACTERS: usize = 128;

/// An exemplar, ready to be added.
pub struct Ready {
    labels: Vec<Label>,
    /// Its value.
    pub value: f64,
    time: i64,
}

impl Ready {
    /// Adds it to a series.
    pub fn add(&self, rows: &mut SeriesRows<'_, '_>) -> Result<(), Ended> {
        let labels = self.labels.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        rows.exemplar(labels, self.value, self.time)
    }
}

/// Returns the exemplars that have a value.
pub fn collect<'a>(all: Rows<'a, Exemplar<'a>>, format: Format, names: Names) -> Vec<Ready> {
    all.iter().filter_map(|exemplar| ready(exemplar, format, names)).collect()
}

fn ready(exemplar: Exemplar<'_>, format: Format, names: Names) -> Option<Ready> {
    let value = match exemplar.value()? {
        Value::AsDouble(value) => value,
        Value::AsInt(value) => value as f64,
    };
    let ids = [("trace_id", exemplar.trace_id()), ("span_id", exemplar.span_id())];
    let ids = ids.into_iter().filter_map(|(name, id)| Some((name.to_owned(), hex(id, format)?)));
    let mut labels: Vec<Label> = ids.collect();
    let is_id = |name: &str| matches!(name, "trace_id" | "span_id");
    if let Ok(own) = labels::collect(exemplar.filtered_attributes(), names, |key| !is_id(key)) {
        let characters = |all: &[Label]| -> usize {
            all.iter().map(|(name, value)| name.chars().count() + value.chars().count()).sum()
        };
        if characters(&labels) + characters(&own) <= CHARACTERS {
            labels.extend(own.into_iter().filter(|(name, value)| !is_id(name) && !value.is_empty()));
        }
    }
    Some(Ready { labels, value, time: milliseconds(exemplar.time_unix_nano()) })
}

/// Returns the digits of an id; `None` if there is none.
///
/// JSON of OTLP has ids in hexadecimal, where JSON of protobuf has base64: its digits were read as base64, and this
/// returns them.
fn hex(id: &[u8], format: Format) -> Option<String> {
    let digits = match format {
        Format::Protobuf => id.iter().map(|byte| format!("{byte:02x}")).collect(),
        Format::Json => BASE64_STANDARD.encode(id).to_ascii_lowercase(),
    };
    let digits = Some(digits).filter(|digits: &String| digits.bytes().all(|digit| digit.is_ascii_hexdigit()));
    digits.filter(|digits| digits.bytes().any(|digit| digit != b'0'))
}
