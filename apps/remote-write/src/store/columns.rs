//! The columns of the files.
//!
//! Labels have columns of their own names, so that any engine reads `instance` as `instance`. Columns that are no
//! labels have names that Prometheus reserves: `__name__`, `__time__`, `__value__` and so on. A sender decides how many
//! label names there are, so a file has columns for the most frequent [`LABEL_COLUMNS`] only; the others are in the map
//! `__labels__`, which is there if it is needed. So are names that no column may have ([`may_be_column`]).

use super::gather::{Catalog, Kind, Part, Row, Series, store_of, table_of};
use arrow_array::builder::{
    Float64Builder, Int32Builder, Int64Builder, ListBuilder, MapBuilder, MapFieldNames, StringBuilder, UInt64Builder,
};
use arrow_array::types::Int32Type;
use arrow_array::{
    ArrayRef, DictionaryArray, Float64Array, Int32Array, RecordBatch, StringArray, TimestampMillisecondArray,
};
use arrow_schema::{ArrowError, DataType, Field, Schema, TimeUnit};
use rows::{Buckets, Count, Span};
use std::collections::HashMap;
use std::sync::Arc;

/// The number of label names that have a column in a file.
pub const LABEL_COLUMNS: usize = 256;

/// The label columns of one file.
pub struct Labels<'p> {
    catalog: &'p Catalog<'p>,
    /// The names that have a column, sorted.
    names: Vec<&'p str>,
    /// For each of them and `__name__`: the distinct values, and the code of each series of the file, -1 if it has no
    /// such label. The first is `__name__`.
    values: Vec<ArrayRef>,
    codes: Vec<Vec<i32>>,
    /// The first series of the file: `codes` begins there.
    first: u32,
    /// Whether some labels have no column.
    others: bool,
}

impl<'p> Labels<'p> {
    /// Looks through the series of the rows of one file, which are sorted by series.
    pub fn new(catalog: &'p Catalog<'p>, rows: &[Row]) -> Labels<'p> {
        let mut counts: HashMap<&'p str, u64> = HashMap::new();
        let mut present: Vec<u32> = rows.iter().map(|row| row.series).collect();
        present.dedup();
        for &series in &present {
            for &(name, _) in &catalog.get(series).labels {
                *counts.entry(name).or_default() += 1;
            }
        }
        let distinct = counts.len();
        counts.retain(|name, _| may_be_column(name));
        let mut names: Vec<(u64, &'p str)> = counts.into_iter().map(|(name, count)| (count, name)).collect();
        names.sort_unstable_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(b.1)));
        let mut names: Vec<&'p str> = names.into_iter().take(LABEL_COLUMNS).map(|(_, name)| name).collect();
        names.sort_unstable();
        let others = names.len() < distinct;
        let first = present.first().copied().unwrap_or(0);
        let span = present.last().map_or(0, |last| (last - first + 1) as usize);
        let mut columns: Vec<Column<'p>> = (0..=names.len()).map(|_| Column::new(span)).collect();
        for &series in &present {
            let (at, Series { metric, labels }) = ((series - first) as usize, catalog.get(series));
            columns[0].set(at, metric);
            // Both are sorted.
            let mut column = 0;
            for &(name, value) in labels {
                column += names[column..].iter().take_while(|&&other| other < name).count();
                if names.get(column) == Some(&name) {
                    columns[column + 1].set(at, value);
                }
            }
        }
        let (values, codes) = columns.into_iter().map(Column::end).unzip();
        Labels { catalog, names, values, codes, first, others }
    }

    fn fields(&self) -> Vec<Field> {
        let mut fields = vec![Field::new("__name__", words(), false)];
        fields.extend(self.names.iter().map(|&name| Field::new(name, words(), true)));
        if self.others {
            fields.push(Field::new("__labels__", map_type(), false));
        }
        fields
    }

    /// Returns the label columns of some rows of the file.
    pub(super) fn arrays(&self, rows: &[Row]) -> Result<Vec<ArrayRef>, ArrowError> {
        let mut arrays: Vec<ArrayRef> = Vec::with_capacity(self.codes.len() + 1);
        for (values, codes) in self.values.iter().zip(&self.codes) {
            let keys = rows.iter().map(|row| codes[(row.series - self.first) as usize]);
            let keys: Int32Array = keys.map(|code| (code >= 0).then_some(code)).collect();
            arrays.push(Arc::new(DictionaryArray::<Int32Type>::try_new(keys, Arc::clone(values))?));
        }
        if self.others {
            let mut map = map_builder();
            for row in rows {
                for &(name, value) in &self.catalog.get(row.series).labels {
                    if self.names.binary_search(&name).is_err() {
                        map.keys().append_value(name);
                        map.values().append_value(value);
                    }
                }
                map.append(true)?;
            }
            arrays.push(Arc::new(map.finish()));
        }
        Ok(arrays)
    }
}

/// A column that is being filled.
struct Column<'p> {
    numbers: HashMap<&'p str, i32>,
    values: Vec<&'p str>,
    codes: Vec<i32>,
    /// The value that was set last, which is mostly the next one, too.
    last: Option<(&'p str, i32)>,
}

impl<'p> Column<'p> {
    fn new(series: usize) -> Column<'p> {
        Column { numbers: HashMap::new(), values: Vec::new(), codes: vec![-1; series], last: None }
    }

    fn set(&mut self, series: usize, text: &'p str) {
        if let Some((last, code)) = self.last
            && last == text
        {
            self.codes[series] = code;
            return;
        }
        let Column { numbers, values, codes, .. } = self;
        let code = *numbers.entry(text).or_insert_with(|| {
            values.push(text);
            values.len() as i32 - 1
        });
        codes[series] = code;
        self.last = Some((text, code));
    }

    /// Returns the distinct values, and the code of each series.
    fn end(self) -> (ArrayRef, Vec<i32>) {
        (Arc::new(StringArray::from(self.values)), self.codes)
    }
}

/// The names of columns that are no labels, in files of any kind and in the tables of queries.
const RESERVED: [&str; 22] = [
    "__name__",
    "__labels__",
    "__time__",
    "__value__",
    "__start__",
    "__exemplar__",
    "__histogram__",
    "__schema__",
    "__reset_hint__",
    "__sum__",
    "__count__",
    "__count_float__",
    "__zero_threshold__",
    "__zero_count__",
    "__zero_count_float__",
    "__negative_offsets__",
    "__negative_lengths__",
    "__negative_counts__",
    "__positive_offsets__",
    "__positive_lengths__",
    "__positive_counts__",
    "__custom_values__",
];

/// Returns whether a label of this name may have a column. Some engines do not distinguish upper and lower case in names of
/// columns: to them, `Zone` in one file and `zone` in the next are one column. So of all spellings of a name only the one in
/// lower case has a column, in every file, whatever else a store has. A name that another column has is none of a label.
pub fn may_be_column(label: &str) -> bool {
    is_folded(label) && !(label.starts_with("__") && RESERVED.contains(&label))
}

/// Returns whether a name is the one in which all spellings are alike that differ in case. Letters that have the same upper case
/// differ in nothing else, such as σ and ς; ß has none of one letter, and stays.
fn is_folded(name: &str) -> bool {
    let alike = |c: char| {
        let upper = c.to_uppercase();
        c.to_lowercase().eq([c]) && (upper.len() > 1 || upper.flat_map(char::to_lowercase).eq([c]))
    };
    if name.is_ascii() { !name.bytes().any(|b| b.is_ascii_uppercase()) } else { name.chars().all(alike) }
}

/// Returns the type of a label's column.
pub fn words() -> DataType {
    DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8))
}

/// Returns the type of a map of labels.
pub fn map_type() -> DataType {
    let entry = vec![Field::new("key", DataType::Utf8, false), Field::new("value", DataType::Utf8, true)];
    DataType::Map(Arc::new(Field::new("key_value", DataType::Struct(entry.into()), false)), false)
}

/// Returns what builds a map of labels.
pub fn map_builder() -> MapBuilder<StringBuilder, StringBuilder> {
    let names = MapFieldNames { entry: "key_value".into(), key: "key".into(), value: "value".into() };
    MapBuilder::new(Some(names), StringBuilder::new(), StringBuilder::new())
}

/// Returns the type of times.
pub fn time_type() -> DataType {
    DataType::Timestamp(TimeUnit::Millisecond, Some("UTC".into()))
}

fn list_of(item: DataType) -> DataType {
    DataType::List(Arc::new(Field::new("item", item, true)))
}

/// Returns the schema of a file.
pub fn schema(labels: &Labels<'_>, kind: Kind) -> Arc<Schema> {
    let mut fields = labels.fields();
    fields.extend(fixed_fields(kind));
    Arc::new(Schema::new(fields))
}

/// Returns the columns that are no labels.
pub fn fixed_fields(kind: Kind) -> Vec<Field> {
    let mut fields = vec![Field::new("__time__", time_type(), false)];
    let mut add = |name: &str, of: DataType, optional: bool| fields.push(Field::new(name, of, optional));
    match kind {
        Kind::Samples => {
            add("__value__", DataType::Float64, false);
            add("__start__", time_type(), true);
        }
        Kind::Exemplars => {
            add("__value__", DataType::Float64, false);
            add("__exemplar__", map_type(), false);
        }
        Kind::Histograms => {
            add("__start__", time_type(), true);
            add("__schema__", DataType::Int32, false);
            add("__reset_hint__", DataType::Int32, false);
            add("__sum__", DataType::Float64, false);
            add("__count__", DataType::UInt64, true);
            add("__count_float__", DataType::Float64, true);
            add("__zero_threshold__", DataType::Float64, false);
            add("__zero_count__", DataType::UInt64, true);
            add("__zero_count_float__", DataType::Float64, true);
            for side in ["negative", "positive"] {
                add(&format!("__{side}_offsets__"), list_of(DataType::Int32), false);
                add(&format!("__{side}_lengths__"), list_of(DataType::Int64), false);
                add(&format!("__{side}_counts__"), list_of(DataType::Float64), false);
            }
            add("__custom_values__", list_of(DataType::Float64), false);
        }
    }
    fields
}

/// Returns some rows as a batch.
pub fn batch(
    parts: &[Part],
    labels: &Labels<'_>,
    schema: &Arc<Schema>,
    kind: Kind,
    rows: &[Row],
) -> Result<RecordBatch, ArrowError> {
    let mut arrays = labels.arrays(rows)?;
    let times: TimestampMillisecondArray = rows.iter().map(|row| Some(row.time)).collect();
    arrays.push(Arc::new(times.with_timezone("UTC")));
    match kind {
        Kind::Samples => {
            let samples = |row: &Row| (&table_of(parts, row).samples, row.row as usize);
            let values: Float64Array = rows.iter().map(|row| Some(samples(row).0.values()[row.row as usize])).collect();
            arrays.push(Arc::new(values));
            let starts = rows.iter().map(samples).map(|(samples, row)| samples.start(row));
            arrays.push(starts_of(starts));
        }
        Kind::Exemplars => {
            let (mut values, mut own) = (Float64Builder::new(), map_builder());
            for row in rows {
                let (exemplars, words) = (&table_of(parts, row).exemplars, store_of(parts, row).dictionary());
                values.append_value(exemplars.values()[row.row as usize]);
                for (name, value) in exemplars.labels(row.row as usize) {
                    own.keys().append_value(words.get(name));
                    own.values().append_value(value);
                }
                own.append(true)?;
            }
            arrays.push(Arc::new(values.finish()));
            arrays.push(Arc::new(own.finish()));
        }
        Kind::Histograms => histograms(parts, rows, &mut arrays),
    }
    RecordBatch::try_new(Arc::clone(schema), arrays)
}

fn starts_of(starts: impl Iterator<Item = i64>) -> ArrayRef {
    let starts: TimestampMillisecondArray = starts.map(|start| (start != 0).then_some(start)).collect();
    Arc::new(starts.with_timezone("UTC"))
}

/// Buckets of one side as columns: spans as two lists, and the count of every bucket itself.
#[derive(Default)]
struct Side {
    offsets: ListBuilder<Int32Builder>,
    lengths: ListBuilder<Int64Builder>,
    counts: ListBuilder<Float64Builder>,
}

impl Side {
    fn push(&mut self, buckets: &Buckets, row: usize) {
        for &Span { offset, length } in buckets.spans.get(row) {
            self.offsets.values().append_value(offset);
            self.lengths.values().append_value(i64::from(length));
        }
        self.offsets.append(true);
        self.lengths.append(true);
        let mut count = 0i64;
        for &delta in buckets.deltas.get(row) {
            count = count.wrapping_add(delta);
            self.counts.values().append_value(count as f64);
        }
        self.counts.values().append_slice(buckets.counts.get(row));
        self.counts.append(true);
    }
}

fn histograms(parts: &[Part], rows: &[Row], arrays: &mut Vec<ArrayRef>) {
    let all = || rows.iter().map(|row| (&table_of(parts, row).histograms, row.row as usize));
    arrays.push(starts_of(all().map(|(h, row)| h.start(row))));
    arrays.push(Arc::new(all().map(|(h, row)| Some(h.schemas()[row])).collect::<Int32Array>()));
    arrays.push(Arc::new(all().map(|(h, row)| Some(h.reset_hints()[row])).collect::<Int32Array>()));
    arrays.push(Arc::new(all().map(|(h, row)| Some(h.sums()[row])).collect::<Float64Array>()));
    push_counts(all().map(|(h, row)| h.counts()[row]), arrays);
    arrays.push(Arc::new(all().map(|(h, row)| Some(h.zero_thresholds()[row])).collect::<Float64Array>()));
    push_counts(all().map(|(h, row)| h.zero_counts()[row]), arrays);
    let (mut negative, mut positive) = (Side::default(), Side::default());
    let mut custom = ListBuilder::new(Float64Builder::new());
    for (histograms, row) in all() {
        negative.push(histograms.negative(), row);
        positive.push(histograms.positive(), row);
        custom.values().append_slice(histograms.custom_values().get(row));
        custom.append(true);
    }
    for mut side in [negative, positive] {
        arrays.push(Arc::new(side.offsets.finish()));
        arrays.push(Arc::new(side.lengths.finish()));
        arrays.push(Arc::new(side.counts.finish()));
    }
    arrays.push(Arc::new(custom.finish()));
}

/// A count is in one of two columns, which are those of integer and of float histograms.
fn push_counts(counts: impl Iterator<Item = Count>, arrays: &mut Vec<ArrayRef>) {
    let (mut integers, mut floats) = (UInt64Builder::new(), Float64Builder::new());
    for count in counts {
        let (integer, float) = match count {
            Count::None => (None, None),
            Count::Int(n) => (Some(n), None),
            Count::Float(n) => (None, Some(n)),
        };
        integers.append_option(integer);
        floats.append_option(float);
    }
    arrays.push(Arc::new(integers.finish()));
    arrays.push(Arc::new(floats.finish()));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_label_has_the_name_of_a_column() {
        let fixed = Kind::ALL.into_iter().flat_map(fixed_fields).map(|field| field.name().clone());
        for name in fixed.chain(["__name__", "__labels__", "__histogram__"].map(str::to_owned)) {
            assert!(!may_be_column(&name) && !may_be_column(&name.to_uppercase()), "{name}");
        }
        assert!(["", "__", "time", "__time", "__time___", "job"].into_iter().all(may_be_column));
    }

    #[test]
    fn of_names_that_differ_in_case_one_is_a_column() {
        let alike = [
            &["zone", "Zone", "ZONE", "zOne"][..],
            &["größe", "Größe", "GRÖSSE", "GRÖßE", "grö\u{1e9e}e"],
            &["σας", "ΣΑΣ", "σασ"],
            &["kelvin", "\u{212a}elvin"],
            &["\u{3bc}s", "\u{b5}s", "\u{39c}S"],
            &["size", "\u{17f}ize", "SIZE"],
            &["id", "ıd", "ID", "İD"],
            &["k8s.pod-name", "k8s.Pod-Name"],
        ];
        for names in alike {
            let columns: Vec<&&str> = names.iter().filter(|name| may_be_column(name)).collect();
            assert_eq!(columns.len(), 1, "{names:?}: {columns:?}");
        }
    }
}
