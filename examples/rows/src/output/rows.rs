//! The cells of each kind of row, in order.

use super::{Sheet, Value};
use crate::dictionary::Dictionary;
use crate::rows::{Buckets, Count};
use crate::store::Store;
use crate::table::Table;
use foldhash::fast::RandomState;
use hashbrown::HashMap;
use std::cmp::Reverse;
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
    let rows = row_count(table, kind).min(limit);
    let names = LabelColumns::new(store, table, kind, rows);
    for row in 0..rows {
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

/// The label columns of a table, in order of names, independent of which was seen first.
struct LabelColumns<'s> {
    names: Vec<(&'s str, u32)>,
    /// Whether the table has more names than that.
    others: bool,
}

/// The number of label names of a table that have a column: those of most rows. A sender decides how many names there are, and
/// each column costs a cell in each row.
const LABEL_COLUMNS: usize = 512;

impl<'s> LabelColumns<'s> {
    fn new(store: &'s Store, table: &Table, kind: Kind, rows: usize) -> LabelColumns<'s> {
        let words = store.dictionary();
        let mut names = table.label_names().to_vec();
        let others = names.len() > LABEL_COLUMNS;
        if others {
            let sets = match kind {
                Kind::Samples => table.samples.sets(),
                Kind::Histograms => table.histograms.sets(),
                Kind::Exemplars => table.exemplars.sets(),
                Kind::Metadata => &[],
            };
            let mut counts: HashMap<u32, usize, RandomState> = HashMap::default();
            for &set in &sets[..rows.min(sets.len())] {
                store.label_sets().get(set).iter().for_each(|label| *counts.entry(label.0).or_default() += 1);
            }
            names.retain(|name| counts.contains_key(name));
            names.sort_by_key(|name| (Reverse(counts[name]), words.get(*name)));
            names.truncate(LABEL_COLUMNS);
        }
        let mut names: Vec<(&str, u32)> = names.into_iter().map(|name| (words.get(name), name)).collect();
        names.sort_unstable();
        LabelColumns { names, others }
    }
}

fn labels(sheet: &mut impl Sheet, store: &Store, columns: &LabelColumns<'_>, set: u32) {
    let words = store.dictionary();
    let LabelColumns { names, others } = columns;
    let absent =
        |name: u32| name != Dictionary::NAME && names.binary_search_by(|known| known.0.cmp(words.get(name))).is_err();
    let rest: Option<Vec<(&str, &str)>> = others.then(|| {
        let labels = store.label_sets().get(set).iter().filter(|label| absent(label.0));
        labels.map(|&(name, value)| (words.get(name), words.get(value))).collect()
    });
    let mut cells = names.iter().map(|&(text, name)| {
        let value = store.label(set, name);
        (text, (value != Dictionary::EMPTY).then(|| words.get(value)))
    });
    sheet.labels(&mut cells, rest.as_deref());
}

/// An optional timestamp is zero if it is absent.
fn optional(timestamp: i64) -> Value<'static> {
    if timestamp == 0 { Value::None } else { Value::Int(timestamp) }
}

fn sample(sheet: &mut impl Sheet, store: &Store, table: &Table, names: &LabelColumns<'_>, row: usize) {
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

fn histogram(sheet: &mut impl Sheet, store: &Store, table: &Table, names: &LabelColumns<'_>, row: usize) {
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

fn exemplar(sheet: &mut impl Sheet, store: &Store, table: &Table, names: &LabelColumns<'_>, row: usize) {
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
