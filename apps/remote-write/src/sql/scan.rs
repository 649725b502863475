//! From files and memory to the batches of a query.

use super::exec::{Flow, Read, To};
use super::file::open;
use super::functions::{HISTOGRAM, histogram_type};
use super::index::{damaged, metadata, select};
use super::last::{self, Loaded};
use super::prune::{self, Condition};
use crate::store::columns::{Labels, batch, map_builder, map_type, may_be_column, schema, words};
use crate::store::gather::{Catalog, Kind, sorted, table_of, without_duplicates};
use crate::store::manifest;
use crate::store::snapshot::Snapshot;
use arrow::array::{
    Array, ArrayRef, AsArray, DictionaryArray, Int32Array, RecordBatch, RecordBatchOptions, StringArray, StructArray,
    new_empty_array, new_null_array,
};
use arrow::compute::filter_record_batch;
use arrow::datatypes::{DataType, Field, Int32Type, SchemaRef};
use datafusion::error::Result;
use datafusion::execution::memory_pool::{MemoryConsumer, MemoryReservation};
use datafusion::physical_expr::PhysicalExpr;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ParquetRecordBatchReaderBuilder};
use parquet::basic::Type as PhysicalType;
use parquet::file::metadata::RowGroupMetaData;
use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use std::sync::Arc;

/// Where rows come from.
#[derive(Clone)]
pub enum Source {
    /// A part of a file.
    File(Piece),
    /// The rows in memory.
    Memory {
        /// The first time.
        first: i64,
        /// The last time.
        last: i64,
    },
}

impl Source {
    /// Returns the first and the last time.
    pub fn times(&self) -> (i64, i64) {
        match self {
            Source::File(piece) => (piece.file.min_time, piece.file.max_time),
            Source::Memory { first, last } => (*first, *last),
        }
    }

    /// Sources that come later have later requests.
    fn order(&self) -> (u64, u64) {
        match self {
            Source::File(piece) => (piece.file.first, piece.file.last),
            Source::Memory { .. } => (u64::MAX, u64::MAX),
        }
    }
}

/// A part of a file.
#[derive(Clone)]
pub struct Piece {
    /// The file.
    pub file: manifest::File,
    /// The rows; `None` for all.
    pub rows: Option<Range<usize>>,
    /// The label columns in which these rows have values.
    pub labels: Vec<String>,
    /// Whether rows may have labels without a column.
    pub others: bool,
}

/// What a query reads of a table.
pub struct Scan {
    snapshot: Arc<Snapshot>,
    kind: Kind,
    metric: Option<String>,
    /// For each partition the groups of sources that it reads. Only within a group may two sources have a row of the same
    /// series and time.
    partitions: Vec<Vec<Vec<Source>>>,
    /// The schema of the table.
    table: SchemaRef,
    /// The columns that are read: those of the output and of the filter.
    read: SchemaRef,
    /// Of these, the columns of the output.
    output: Vec<usize>,
    filter: Option<Arc<dyn PhysicalExpr>>,
    conditions: Vec<Condition>,
}

impl Scan {
    /// Plans a scan: which sources are merged, and which partition reads them.
    pub fn new(
        snapshot: Arc<Snapshot>,
        (kind, metric): (Kind, Option<String>),
        sources: Vec<Source>,
        (table, read, output): (SchemaRef, SchemaRef, Vec<usize>),
        (filter, conditions): (Option<Arc<dyn PhysicalExpr>>, Vec<Condition>),
        partitions: usize,
    ) -> Scan {
        let groups = match kind {
            // A series may have several exemplars at a time.
            Kind::Exemplars => sources.into_iter().map(|source| vec![source]).collect(),
            Kind::Samples | Kind::Histograms => overlapping(sources),
        };
        let mut spread: Vec<Vec<Vec<Source>>> = Vec::new();
        spread.resize_with(partitions.clamp(1, groups.len().max(1)), Vec::new);
        let count = spread.len();
        for (at, group) in groups.into_iter().enumerate() {
            spread[at % count].push(group);
        }
        Scan { snapshot, kind, metric, partitions: spread, table, read, output, filter, conditions }
    }
}

/// Groups sources whose times overlap. Within a group, later sources have later requests.
fn overlapping(mut sources: Vec<Source>) -> Vec<Vec<Source>> {
    sources.sort_by_key(Source::times);
    let mut groups: Vec<Vec<Source>> = Vec::new();
    let mut end = i64::MIN;
    for source in sources {
        let (first, last) = source.times();
        match groups.last_mut() {
            Some(group) if first <= end => group.push(source),
            _ => groups.push(vec![source]),
        }
        end = end.max(last);
    }
    for group in &mut groups {
        group.sort_by_key(Source::order);
    }
    groups
}

impl Read for Scan {
    fn partitions(&self) -> usize {
        self.partitions.len()
    }

    fn describe(&self) -> String {
        let groups = || self.partitions.iter().flatten();
        let (sources, merged) = (groups().map(Vec::len).sum::<usize>(), groups().filter(|group| group.len() > 1));
        let columns: Vec<&str> = self.read.fields().iter().map(|field| field.name().as_str()).collect();
        let mut line = format!(
            "StoreExec: {}={}, sources={sources}, merged_groups={}, columns=[{}]",
            self.kind.name(),
            self.metric.as_deref().unwrap_or("*"),
            merged.count(),
            columns.join(", ")
        );
        if let Some(filter) = &self.filter {
            line.push_str(&format!(", filter={filter}"));
        }
        line
    }

    fn read(&self, partition: usize, to: &mut To) -> Result<()> {
        for group in &self.partitions[partition] {
            if self.read_group(group, to)? == Flow::Enough {
                break;
            }
        }
        Ok(())
    }
}

/// Returns about the bytes of a file's texts that are in memory at a time while some of its columns are read: a batch of them and
/// a dictionary, which a writer of Parquet ends at 1 MiB; as they are read, in a batch, and in its results.
fn text_bytes(file: &ArrowReaderMetadata, columns: &ProjectionMask, batch_rows: usize) -> usize {
    let of_group = |group: &RowGroupMetaData| -> usize {
        let batches = usize::try_from(group.num_rows()).unwrap_or(0).div_ceil(batch_rows).max(1);
        let wanted = (0..).zip(group.columns()).filter(|(at, _)| columns.leaf_included(*at));
        let texts = wanted.filter(|(_, column)| column.column_type() == PhysicalType::BYTE_ARRAY);
        let bytes = texts.map(|(_, column)| usize::try_from(column.uncompressed_size()).unwrap_or(0));
        bytes.map(|bytes| bytes.min(bytes / batches * 2 + (1 << 20))).sum()
    };
    file.metadata().row_groups().iter().map(of_group).max().unwrap_or(0) * 3
}

/// Batches of one source, sorted by series and time.
pub type Batches<'s> = Box<dyn Iterator<Item = Result<Loaded>> + 's>;

impl Scan {
    fn read_group(&self, group: &[Source], to: &mut To) -> Result<Flow> {
        let merged = group.len() > 1;
        let memory = group.iter().any(|source| matches!(source, Source::Memory { .. }));
        // The rows in memory, sorted, live as long as the group is read.
        let parts = &self.snapshot.memory;
        let catalog;
        let mut rows;
        let consumer = MemoryConsumer::new("rows that are read");
        let reservation = consumer.register(to.context.memory_pool());
        let labels;
        let mut head: Option<Batches<'_>> = None;
        let limit = to.context.session_config().batch_size();
        if memory {
            let all: usize = parts.iter().map(|part| part.receiver.store().rows()).sum();
            let texts: usize = parts.iter().map(|part| part.receiver.store().series_bytes()).sum();
            reservation.try_grow(all * 64 + texts)?;
            catalog = Catalog::new(parts);
            rows = sorted(parts, &catalog, self.kind, i64::MAX);
            rows.retain(|row| {
                let store = parts[row.part as usize].receiver.store();
                let name = store.dictionary().get(table_of(parts, row).metric());
                self.metric.as_deref().is_none_or(|metric| metric == name)
            });
            // Times before the epoch are in another window, and here there is one.
            rows.iter_mut().for_each(|row| row.window = 0);
            rows.sort_unstable();
            without_duplicates(parts, self.kind, &mut rows);
            labels = Labels::new(&catalog, &rows);
            let (schema_of_rows, labels) = (schema(&labels, self.kind), &labels);
            let batches = rows.chunks(limit).map(move |rows| {
                let raw = batch(parts, labels, &schema_of_rows, self.kind, rows)?;
                self.load(raw, merged)
            });
            head = Some(Box::new(batches));
        }
        let mut sources: Vec<Batches<'_>> = Vec::with_capacity(group.len());
        for source in group {
            match source {
                Source::File(piece) => sources.extend(self.open(piece, merged, limit, &reservation)?),
                Source::Memory { .. } => sources.extend(head.take()),
            }
        }
        let mut send = |batch: RecordBatch, to: &mut To| -> Result<Flow> {
            let columns = self.output.iter().map(|&at| Arc::clone(batch.column(at))).collect();
            let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
            let schema = Arc::new(self.read.project(&self.output)?);
            Ok(to.send(RecordBatch::try_new_with_options(schema, columns, &options)?))
        };
        if sources.len() > 1 {
            return last::merge(self.kind, sources, to, &mut send);
        }
        for loaded in sources.into_iter().flatten() {
            if send(loaded?.out, to)? == Flow::Enough {
                return Ok(Flow::Enough);
            }
        }
        Ok(Flow::More)
    }

    /// Opens a part of a file; nothing if no row of it can be wanted.
    fn open<'s>(
        &'s self,
        piece: &'s Piece,
        merged: bool,
        batch_rows: usize,
        reservation: &MemoryReservation,
    ) -> Result<Option<Batches<'s>>> {
        let (snapshot, path) = (&self.snapshot, piece.file.path.as_str());
        let file = metadata(snapshot, path)?;
        if !self.may_match(piece, &file)? {
            return Ok(None);
        }
        let mut selection = piece.rows.as_ref().map(|rows| select(rows, &file));
        if let Some(pages) = prune::pages(&self.conditions, (&**snapshot, path), &file)? {
            selection = Some(selection.map_or(pages.clone(), |rows| rows.intersection(&pages)));
        }
        if selection.as_ref().is_some_and(|selection| !selection.selects_any()) {
            return Ok(None);
        }
        let fields = file.schema().fields();
        let wanted = self.file_columns(piece, merged);
        let roots = fields.iter().enumerate().filter(|(_, field)| wanted.contains(field.name().as_str()));
        let mask = ProjectionMask::roots(file.parquet_schema(), roots.map(|(at, _)| at).collect::<Vec<_>>());
        reservation.try_grow(text_bytes(&file, &mask, batch_rows))?;
        let mut builder = ParquetRecordBatchReaderBuilder::new_with_metadata(open(snapshot, path)?, file)
            .with_projection(mask)
            .with_batch_size(batch_rows);
        if let Some(selection) = selection {
            builder = builder.with_row_selection(selection);
        }
        let reader = builder.build().map_err(|e| damaged(snapshot, path, &e))?;
        Ok(Some(Box::new(reader.map(move |raw| self.load(raw.map_err(|e| damaged(snapshot, path, &e))?, merged)))))
    }

    /// Returns whether a row of a file can be wanted in which some columns of the filter do not exist.
    fn may_match(&self, piece: &Piece, file: &ArrowReaderMetadata) -> Result<bool> {
        if piece.others {
            return Ok(true);
        }
        for condition in &self.conditions {
            // The map of labels comes from columns.
            let column = condition.column();
            let absent = column != "__labels__" && file.schema().field_with_name(column).is_err();
            if absent && !condition.holds_for_null(&self.read)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Returns the columns of a file that are read.
    fn file_columns<'s>(&'s self, piece: &'s Piece, merged: bool) -> BTreeSet<&'s str> {
        let mut wanted: BTreeSet<&str> = BTreeSet::from(["__time__"]);
        let everything = |wanted: &mut BTreeSet<&'s str>| {
            wanted.extend(piece.labels.iter().map(String::as_str));
            wanted.extend(["__name__", "__labels__"]);
        };
        for field in self.read.fields() {
            match field.name().as_str() {
                "__histogram__" => wanted.extend(HISTOGRAM.iter().map(|&(column, _)| column)),
                "__labels__" => everything(&mut wanted),
                name => {
                    wanted.insert(name);
                    if piece.others && !piece.labels.iter().any(|label| label == name) {
                        wanted.insert("__labels__");
                    }
                }
            }
        }
        if merged {
            everything(&mut wanted);
            wanted.insert(value_column(self.kind));
        }
        wanted
    }

    /// Turns a batch of a file into columns of the table, and applies the filter.
    fn load(&self, raw: RecordBatch, merged: bool) -> Result<Loaded> {
        let columns = self.read.fields().iter().map(|field| self.column(field, &raw)).collect::<Result<Vec<_>>>()?;
        let options = RecordBatchOptions::new().with_row_count(Some(raw.num_rows()));
        let mut out = RecordBatch::try_new_with_options(Arc::clone(&self.read), columns, &options)?;
        let mut raw = merged.then_some(raw);
        if let Some(filter) = &self.filter {
            let wanted = filter.evaluate(&out)?.into_array(out.num_rows())?;
            let wanted = wanted.as_boolean();
            out = filter_record_batch(&out, wanted)?;
            raw = raw.map(|raw| filter_record_batch(&raw, wanted)).transpose()?;
        }
        Ok(Loaded { raw, out })
    }

    fn column(&self, field: &Field, raw: &RecordBatch) -> Result<ArrayRef> {
        match field.name().as_str() {
            "__histogram__" => histograms(raw),
            "__labels__" => self.others(raw),
            name => Ok(match (raw.column_by_name(name), raw.column_by_name("__labels__")) {
                (Some(column), _) => Arc::clone(column),
                (None, Some(map)) if *field.data_type() == words() => from_map(map, name)?,
                _ => new_null_array(field.data_type(), raw.num_rows()),
            }),
        }
    }

    /// Returns the labels that have no column in the table.
    fn others(&self, raw: &RecordBatch) -> Result<ArrayRef> {
        let schema = raw.schema();
        let labels = schema.fields().iter().zip(raw.columns()).take_while(|(field, _)| field.name() != "__time__");
        let absent = |name: &str| !may_be_column(name) || self.table.field_with_name(name).is_err();
        let columns: Vec<(&str, &DictionaryArray<Int32Type>, &StringArray)> = labels
            .filter(|(field, _)| field.name() != "__name__" && absent(field.name()))
            .filter_map(|(field, column)| {
                let words = column.as_dictionary_opt::<Int32Type>()?;
                Some((field.name().as_str(), words, words.values().as_string_opt::<i32>()?))
            })
            .collect();
        let map = raw.column_by_name("__labels__").and_then(|map| map.as_map_opt());
        let mut others = map_builder();
        for row in 0..raw.num_rows() {
            let mut entries: Vec<(&str, &str)> = Vec::new();
            for (name, words, texts) in columns.iter().filter(|(_, words, _)| words.is_valid(row)) {
                entries.push((name, texts.value(words.keys().value(row) as usize)));
            }
            if let Some(map) = map {
                let (keys, values) = (map.keys().as_string::<i32>(), map.values().as_string::<i32>());
                let range = map.value_offsets()[row] as usize..map.value_offsets()[row + 1] as usize;
                entries.extend(range.map(|at| (keys.value(at), values.value(at))).filter(|(name, _)| absent(name)));
            }
            entries.sort_unstable();
            for (name, value) in entries {
                others.keys().append_value(name);
                others.values().append_value(value);
            }
            others.append(true)?;
        }
        let others = others.finish();
        debug_assert_eq!(*others.data_type(), map_type());
        Ok(Arc::new(others))
    }
}

/// Returns the name of the column whose bits say that a series ended.
pub fn value_column(kind: Kind) -> &'static str {
    if kind == Kind::Histograms { "__sum__" } else { "__value__" }
}

/// Returns the values of one label in a map of labels.
fn from_map(map: &ArrayRef, name: &str) -> Result<ArrayRef> {
    let map = map.as_map();
    let (names, texts) = (map.keys().as_string::<i32>(), map.values().as_string::<i32>());
    let (mut numbers, mut values): (HashMap<&str, i32>, Vec<&str>) = Default::default();
    let mut keys: Vec<Option<i32>> = Vec::with_capacity(map.len());
    for row in 0..map.len() {
        let mut range = map.value_offsets()[row] as usize..map.value_offsets()[row + 1] as usize;
        keys.push(range.find(|&at| names.value(at) == name).map(|at| {
            *numbers.entry(texts.value(at)).or_insert_with(|| {
                values.push(texts.value(at));
                values.len() as i32 - 1
            })
        }));
    }
    let values: ArrayRef = Arc::new(StringArray::from(values));
    Ok(Arc::new(DictionaryArray::<Int32Type>::try_new(Int32Array::from(keys), values)?))
}

/// Returns the columns of native histograms as one.
fn histograms(raw: &RecordBatch) -> Result<ArrayRef> {
    let DataType::Struct(fields) = histogram_type() else { unreachable!("it is a struct") };
    let column = |(of_file, field): (&str, &Arc<Field>)| match raw.column_by_name(of_file) {
        Some(column) => Arc::clone(column),
        None => new_null_array(field.data_type(), raw.num_rows()),
    };
    let columns: Vec<ArrayRef> = HISTOGRAM.iter().map(|&(of_file, _)| of_file).zip(&fields).map(column).collect();
    if raw.num_rows() == 0 {
        return Ok(new_empty_array(&DataType::Struct(fields)));
    }
    Ok(Arc::new(StructArray::try_new(fields, columns, None)?))
}
