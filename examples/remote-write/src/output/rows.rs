//! The cells of each kind of row, in order.

use super::{Sheet, Value};
use crate::dictionary::Dictionary;
use crate::rows::{Buckets, Count};
use crate::store::Store;
use crate::table::Table;
use std::io;

/// A kind of rows, each with its own file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Samples.
    Samples,
    /// Native histograms.
    Histograms,
    /// Exemplars.
    Exemplars,
    /// Type, help and unit.
    Metadata,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Kind; 4] = [Kind::Samples, Kind::Histograms, Kind::Exemplars, Kind::Metadata];

    /// Returns the name of the kind in file names.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Samples => "samples",
            Kind::Histograms => "histograms",
            Kind::Exemplars => "exemplars",
            Kind::Metadata => "metadata",
        }
    }
}

/// Returns the number of rows of a kind in a table.
pub fn row_count(table: &Table, kind: Kind) -> usize {
    match kind {
        Kind::Samples => table.samples.len(),
        Kind::Histograms => table.histograms.len(),
        Kind::Exemplars => table.exemplars.len(),
        Kind::Metadata => table.metadata.rows().len(),
    }
}

/// Writes the first rows of a kind, at most `limit`.
pub fn write_rows(sheet: &mut impl Sheet, store: &Store, table: &Table, kind: Kind, limit: usize) -> io::Result<()> {
    // Label columns in order of names, independent of which was seen first.
    let mut names: Vec<(&str, u32)> = table.label_names().iter().map(|&n| (store.dictionary().get(n), n)).collect();
    names.sort_unstable();
    for row in 0..row_count(table, kind).min(limit) {
        match kind {
            Kind::Samples => sample(sheet, store, table, &names, row),
            Kind::Histograms => histogram(sheet, store, table, &names, row),
            Kind::Exemplars => exemplar(sheet, store, table, &names, row),
            Kind::Metadata => metadata(sheet, store, table, row),
        }
        sheet.end_row()?;
    }
    Ok(())
}

fn labels(sheet: &mut impl Sheet, store: &Store, names: &[(&str, u32)], set: u32) {
    sheet.labels(&mut names.iter().map(|&(text, name)| {
        let value = store.label(set, name);
        (text, (value != Dictionary::EMPTY).then(|| store.dictionary().get(value)))
    }));
}

/// An optional timestamp is zero if it is absent.
fn optional(timestamp: i64) -> Value<'static> {
    if timestamp == 0 { Value::None } else { Value::Int(timestamp) }
}

fn sample(sheet: &mut impl Sheet, store: &Store, table: &Table, names: &[(&str, u32)], row: usize) {
    let samples = &table.samples;
    sheet.cell("timestamp_ms", Value::Int(samples.timestamps()[row]));
    sheet.cell("value", Value::Float(samples.values()[row]));
    sheet.cell("start_timestamp_ms", optional(samples.start(row)));
    labels(sheet, store, names, samples.sets()[row]);
}

fn count(sheet: &mut impl Sheet, int: &str, float: &str, count: Count) {
    let (whole, fraction) = match count {
        Count::None => (Value::None, Value::None),
        Count::Int(n) => (Value::Uint(n), Value::None),
        Count::Float(n) => (Value::None, Value::Float(n)),
    };
    sheet.cell(int, whole);
    sheet.cell(float, fraction);
}

fn buckets(sheet: &mut impl Sheet, names: [&str; 3], buckets: &Buckets, row: usize) {
    sheet.cell(names[0], Value::Spans(buckets.spans.get(row)));
    sheet.cell(names[1], Value::Ints(buckets.deltas.get(row)));
    sheet.cell(names[2], Value::Floats(buckets.counts.get(row)));
}

fn histogram(sheet: &mut impl Sheet, store: &Store, table: &Table, names: &[(&str, u32)], row: usize) {
    let h = &table.histograms;
    sheet.cell("timestamp_ms", Value::Int(h.timestamps()[row]));
    sheet.cell("start_timestamp_ms", optional(h.start(row)));
    count(sheet, "count_int", "count_float", h.counts()[row]);
    sheet.cell("sum", Value::Float(h.sums()[row]));
    sheet.cell("schema", Value::Int(h.schemas()[row].into()));
    sheet.cell("zero_threshold", Value::Float(h.zero_thresholds()[row]));
    count(sheet, "zero_count_int", "zero_count_float", h.zero_counts()[row]);
    buckets(sheet, ["negative_spans", "negative_deltas", "negative_counts"], h.negative(), row);
    buckets(sheet, ["positive_spans", "positive_deltas", "positive_counts"], h.positive(), row);
    sheet.cell("custom_values", Value::Floats(h.custom_values().get(row)));
    sheet.cell("reset_hint", Value::Int(h.reset_hints()[row].into()));
    labels(sheet, store, names, h.sets()[row]);
}

fn exemplar(sheet: &mut impl Sheet, store: &Store, table: &Table, names: &[(&str, u32)], row: usize) {
    let exemplars = &table.exemplars;
    sheet.cell("timestamp_ms", optional(exemplars.timestamps()[row]));
    sheet.cell("value", Value::Float(exemplars.values()[row]));
    let own: Vec<_> = exemplars.labels(row).map(|(name, value)| (store.dictionary().get(name), value)).collect();
    sheet.cell("exemplar_labels", Value::Pairs(&own));
    labels(sheet, store, names, exemplars.sets()[row]);
}

fn metadata(sheet: &mut impl Sheet, store: &Store, table: &Table, row: usize) {
    let metadata = table.metadata.rows()[row];
    let words = store.dictionary();
    match metadata.type_name() {
        Some(name) => sheet.cell("type", Value::Text(name)),
        None => sheet.cell("type", Value::Text(&metadata.kind.to_string())),
    }
    sheet.cell("help", Value::Text(words.get(metadata.help)));
    sheet.cell("unit", Value::Text(words.get(metadata.unit)));
}
