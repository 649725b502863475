//! What is where in a file: the rows of each metric, and the labels that they have.
//!
//! Files are sorted by metric, so the rows of one are a range. Files never change, so what was learned of one stays true.

use super::file::open;
use crate::store::columns::words;
use crate::store::manifest;
use crate::store::snapshot::Snapshot;
use arrow::array::{Array, AsArray};
use arrow::datatypes::{Int32Type, Schema};
use datafusion::error::{DataFusionError, Result};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder, RowSelection, RowSelector,
};
use parquet::file::metadata::{PageIndexPolicy, ParquetMetaData};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock};

/// The bytes that a server keeps. With more, it forgets all, and learns again.
const CACHE_BYTES: usize = 64 << 20;
/// The number of rows that are read at a time.
const BATCH: usize = 64 * 1024;

/// The metrics of a file, sorted.
pub struct Index {
    metrics: Vec<Metric>,
    /// The names of the file's label columns.
    pub labels: Vec<String>,
    /// Whether there are labels without a column.
    pub others: bool,
}

struct Metric {
    name: Box<str>,
    rows: Range<usize>,
    labels: OnceLock<Vec<String>>,
}

/// What is known of files.
#[derive(Default)]
pub struct Cache(Mutex<Known>);

#[derive(Default)]
struct Known {
    files: HashMap<String, Arc<Index>>,
    bytes: usize,
}

impl Cache {
    /// Returns the index of a file, and reads the file if it is not known.
    pub fn get(&self, snapshot: &Snapshot, file: &manifest::File) -> Result<Arc<Index>> {
        if let Some(known) = self.known().files.get(&file.path) {
            return Ok(Arc::clone(known));
        }
        let index = Arc::new(Index::read(snapshot, &file.path)?);
        // Names of labels may be added for each metric later; many metrics have the same few.
        let bytes = file.path.len() + index.metrics.iter().map(|metric| metric.name.len() + 256).sum::<usize>();
        let mut known = self.known();
        if known.bytes + bytes > CACHE_BYTES {
            *known = Known::default();
        }
        known.bytes += bytes;
        known.files.insert(file.path.clone(), Arc::clone(&index));
        Ok(index)
    }

    fn known(&self) -> std::sync::MutexGuard<'_, Known> {
        self.0.lock().expect("no code panics while it holds the indices")
    }
}

impl Index {
    fn read(snapshot: &Snapshot, path: &str) -> Result<Index> {
        let builder =
            ParquetRecordBatchReaderBuilder::try_new(open(snapshot, path)?).map_err(|e| damaged(snapshot, path, &e))?;
        let (labels, others) = labels_of(builder.schema());
        let mask = ProjectionMask::roots(builder.parquet_schema(), [0]);
        let reader =
            builder.with_projection(mask).with_batch_size(BATCH).build().map_err(|e| damaged(snapshot, path, &e))?;
        let (mut metrics, mut rows): (Vec<Metric>, usize) = (Vec::new(), 0);
        for batch in reader {
            let batch = batch.map_err(|e| damaged(snapshot, path, &e))?;
            let names = batch.columns().first().and_then(|column| column.as_dictionary_opt::<Int32Type>());
            let texts = names.and_then(|names| names.values().as_string_opt::<i32>());
            let (Some(names), Some(texts)) = (names, texts) else {
                return Err(damaged(snapshot, path, &"the first column is not the names of metrics"));
            };
            let keys = names.keys().values();
            for run in keys.chunk_by(|a, b| a == b) {
                let name = texts.value(run[0] as usize);
                match metrics.last_mut() {
                    Some(last) if *last.name == *name => last.rows.end += run.len(),
                    _ => metrics.push(Metric {
                        name: name.into(),
                        rows: rows..rows + run.len(),
                        labels: OnceLock::new(),
                    }),
                }
                rows += run.len();
            }
        }
        Ok(Index { metrics, labels, others })
    }

    /// Returns the names of the metrics.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.metrics.iter().map(|metric| &*metric.name)
    }

    /// Returns the rows of a metric.
    pub fn rows(&self, metric: &str) -> Option<Range<usize>> {
        self.find(metric).map(|metric| metric.rows.clone())
    }

    fn find(&self, metric: &str) -> Option<&Metric> {
        self.metrics.binary_search_by(|known| (*known.name).cmp(metric)).ok().map(|at| &self.metrics[at])
    }

    /// Returns the label columns in which a metric has values.
    pub fn labels_of(&self, snapshot: &Snapshot, path: &str, metric: &str) -> Result<Vec<String>> {
        let Some(found) = self.find(metric) else { return Ok(Vec::new()) };
        if let Some(known) = found.labels.get() {
            return Ok(known.clone());
        }
        let file = metadata(snapshot, path)?;
        let rows = select(&found.rows, &file);
        let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(open(snapshot, path)?, file);
        // Most labels are in all rows: such a column needs no look at its texts.
        let (mut labels, names): (Vec<String>, Vec<String>) =
            self.labels.iter().cloned().partition(|name| has_no_null(builder.metadata(), name));
        let roots = names.iter().filter_map(|name| builder.schema().index_of(name).ok()).collect::<Vec<_>>();
        let mask = ProjectionMask::roots(builder.parquet_schema(), roots);
        let reader = builder.with_projection(mask).with_batch_size(BATCH).with_row_selection(rows);
        let mut present = vec![false; names.len()];
        for batch in reader.build().map_err(|e| damaged(snapshot, path, &e))? {
            let batch = batch.map_err(|e| damaged(snapshot, path, &e))?;
            for (present, name) in present.iter_mut().zip(&names) {
                *present |= batch.column_by_name(name).is_some_and(|column| column.null_count() < batch.num_rows());
            }
        }
        labels.extend(names.into_iter().zip(present).filter_map(|(name, there)| there.then_some(name)));
        Ok(found.labels.get_or_init(|| labels).clone())
    }
}

/// Reports whether all rows of a file have a value in a column.
fn has_no_null(file: &ParquetMetaData, name: &str) -> bool {
    file.row_groups().iter().all(|group| {
        let column = group.columns().iter().find(|column| column.column_path().parts() == [name]);
        column.and_then(|column| column.statistics()?.null_count_opt()) == Some(0)
    })
}

/// Returns the names of a file's label columns, and whether there are labels without a column.
fn labels_of(schema: &Schema) -> (Vec<String>, bool) {
    let fields = schema.fields().iter().skip(1).take_while(|field| field.name() != "__time__");
    let labels = fields.filter(|field| *field.data_type() == words()).map(|field| field.name().clone()).collect();
    (labels, schema.field_with_name("__labels__").is_ok())
}

/// Returns a selection of a range of a file's rows. It ends with the file, because an intersection of two selections keeps
/// the end of the longer one.
pub fn select(rows: &Range<usize>, file: &ArrowReaderMetadata) -> RowSelection {
    let all = usize::try_from(file.metadata().file_metadata().num_rows()).unwrap_or(usize::MAX);
    let (before, after) = (RowSelector::skip(rows.start), RowSelector::skip(all.saturating_sub(rows.end)));
    RowSelection::from(vec![before, RowSelector::select(rows.len()), after])
}

/// Reads the end of a file, with the bounds of its pages.
pub fn metadata(snapshot: &Snapshot, path: &str) -> Result<ArrowReaderMetadata> {
    let options = ArrowReaderOptions::new().with_page_index_policy(PageIndexPolicy::Optional);
    ArrowReaderMetadata::load(&open(snapshot, path)?, options).map_err(|e| damaged(snapshot, path, &e))
}

/// The error of a file that cannot be read.
pub fn damaged(snapshot: &Snapshot, path: &str, why: &dyn std::fmt::Display) -> DataFusionError {
    snapshot.doubt(path);
    DataFusionError::External(format!("{path}: {why}").into())
}
