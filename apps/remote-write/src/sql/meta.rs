//! Tables about the store: files, series, metadata.

use super::exec::{BlockingExec, Flow, Read, To};
use super::file::open;
use super::index::damaged;
use super::last::{Key, key, key_bytes};
use super::rows::files;
use crate::store::columns::{map_builder, map_type, time_type};
use crate::store::files::{metadata_batch, tenant_of};
use crate::store::gather::{Kind, series_of};
use crate::store::merge::{Columns, kind_of, metadata_lines};
use crate::store::snapshot::Snapshot;
use arrow::array::{ArrayRef, RecordBatch, StringArray, TimestampMillisecondArray, UInt64Array};
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use async_trait::async_trait;
use datafusion::catalog::{MemTable, Session, TableProvider};
use datafusion::error::Result;
use datafusion::execution::memory_pool::{MemoryConsumer, MemoryReservation};
use datafusion::logical_expr::{Expr, TableType};
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::projection::ProjectionExec;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::Arc;

fn times(values: impl Iterator<Item = i64>) -> ArrayRef {
    let times: TimestampMillisecondArray = values.map(Some).collect();
    Arc::new(times.with_timezone("UTC"))
}

fn numbers(values: impl Iterator<Item = u64>) -> ArrayRef {
    Arc::new(values.map(Some).collect::<UInt64Array>())
}

/// Returns the table of the tenant's files.
pub fn files_table(snapshot: &Snapshot) -> Result<MemTable> {
    let files: Vec<_> =
        snapshot.manifest.files.iter().filter(|file| tenant_of(&file.path) == &*snapshot.tenant).collect();
    let text = |of: fn(&str) -> &str| -> ArrayRef {
        Arc::new(files.iter().map(|file| Some(of(&file.path))).collect::<StringArray>())
    };
    let columns: [(&str, ArrayRef); 9] = [
        ("path", text(|path| path)),
        ("kind", text(kind_of)),
        ("rows", numbers(files.iter().map(|file| file.rows))),
        ("bytes", numbers(files.iter().map(|file| file.bytes))),
        ("columns", numbers(files.iter().map(|file| file.columns))),
        ("first", times(files.iter().map(|file| file.min_time))),
        ("last", times(files.iter().map(|file| file.max_time))),
        ("first_sequence", numbers(files.iter().map(|file| file.first))),
        ("last_sequence", numbers(files.iter().map(|file| file.last))),
    ];
    let batch = RecordBatch::try_from_iter(columns)?;
    MemTable::try_new(batch.schema(), vec![vec![batch]])
}

/// Returns the table of metadata: type, help and unit of the metrics. It may block.
pub fn metadata_table(snapshot: &Snapshot) -> Result<MemTable> {
    let is_metadata = |path: &str| tenant_of(path) == &*snapshot.tenant && kind_of(path) == "metadata";
    let mut batches = Vec::new();
    for file in snapshot.manifest.files.iter().filter(|file| is_metadata(&file.path)) {
        let path = &file.path;
        let reader =
            ParquetRecordBatchReaderBuilder::try_new(open(snapshot, path)?).and_then(|builder| builder.build());
        for batch in reader.map_err(|e| damaged(snapshot, path, &e))? {
            batches.push(batch.map_err(|e| damaged(snapshot, path, &e))?);
        }
    }
    let mut lines: Vec<_> = batches.iter().flat_map(metadata_lines).collect();
    for part in &snapshot.memory {
        let store = part.receiver.store();
        let words = store.dictionary();
        for table in store.tables() {
            let rows = table.metadata.rows().iter();
            lines.extend(
                rows.map(|row| (words.get(table.metric()), row.type_name(), words.get(row.help), words.get(row.unit))),
            );
        }
    }
    let batch = metadata_batch(lines)?;
    MemTable::try_new(batch.schema(), vec![vec![batch]])
}

/// The table of all series.
pub struct SeriesTable {
    snapshot: Arc<Snapshot>,
    schema: SchemaRef,
}

impl SeriesTable {
    /// Creates it.
    pub fn new(snapshot: Arc<Snapshot>) -> SeriesTable {
        let fields = vec![
            Field::new("kind", DataType::Utf8, false),
            Field::new("__name__", DataType::Utf8, false),
            Field::new("__labels__", map_type(), false),
            Field::new("first", time_type(), false),
            Field::new("last", time_type(), false),
            Field::new("rows", DataType::UInt64, false),
        ];
        SeriesTable { snapshot, schema: Arc::new(Schema::new(fields)) }
    }
}

impl fmt::Debug for SeriesTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SeriesTable").finish_non_exhaustive()
    }
}

#[async_trait]
impl TableProvider for SeriesTable {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    async fn scan(
        &self,
        _: &dyn Session,
        projection: Option<&Vec<usize>>,
        _: &[Expr],
        limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let read = ReadSeries { snapshot: Arc::clone(&self.snapshot), schema: Arc::clone(&self.schema) };
        let all = Arc::new(BlockingExec::new(read, Arc::clone(&self.schema), limit));
        let Some(projection) = projection else { return Ok(all) };
        let column = |&at: &usize| {
            let name = self.schema.field(at).name();
            (Arc::new(Column::new(name, at)) as _, name.clone())
        };
        Ok(Arc::new(ProjectionExec::try_new(projection.iter().map(column).collect::<Vec<_>>(), all)?))
    }
}

struct ReadSeries {
    snapshot: Arc<Snapshot>,
    schema: SchemaRef,
}

/// First time, last time, rows.
type Extent = (i64, i64, u64);

/// The series of one kind.
struct Found {
    series: BTreeMap<Key, Extent>,
    reservation: MemoryReservation,
}

impl Found {
    fn add(&mut self, key: Key, (first, last, rows): Extent) -> Result<()> {
        if let Some(known) = self.series.get_mut(&key) {
            *known = (known.0.min(first), known.1.max(last), known.2 + rows);
            return Ok(());
        }
        self.reservation.try_grow(key_bytes(&key))?;
        self.series.insert(key, (first, last, rows));
        Ok(())
    }
}

impl Read for ReadSeries {
    fn partitions(&self) -> usize {
        1
    }

    fn describe(&self) -> String {
        "SeriesExec".to_owned()
    }

    fn read(&self, _: usize, to: &mut To) -> Result<()> {
        let limit = to.context.session_config().batch_size();
        for kind in Kind::ALL {
            let reservation = MemoryConsumer::new("series").register(to.context.memory_pool());
            let mut found = Found { series: BTreeMap::new(), reservation };
            self.of_files(kind, &mut found, to)?;
            self.of_memory(kind, &mut found)?;
            let mut all = found.series.iter();
            loop {
                let some: Vec<(&Key, &Extent)> = all.by_ref().take(limit).collect();
                if some.is_empty() {
                    break;
                }
                if to.send(self.batch(kind, &some)?) == Flow::Enough {
                    return Ok(());
                }
            }
        }
        Ok(())
    }
}

impl ReadSeries {
    fn of_files(&self, kind: Kind, found: &mut Found, to: &To) -> Result<()> {
        for file in files(&self.snapshot, kind) {
            let path = &file.path;
            let builder = ParquetRecordBatchReaderBuilder::try_new(open(&self.snapshot, path)?)
                .map_err(|e| damaged(&self.snapshot, path, &e))?;
            let end = builder.schema().index_of("__time__").map_err(|e| damaged(&self.snapshot, path, &e))?;
            let mask = ProjectionMask::roots(builder.parquet_schema(), 0..=end);
            let reader = builder.with_projection(mask).build().map_err(|e| damaged(&self.snapshot, path, &e))?;
            for batch in reader {
                if to.is_closed() {
                    return Ok(());
                }
                let batch = batch.map_err(|e| damaged(&self.snapshot, path, &e))?;
                let columns = Columns::new(&batch)?;
                for rows in columns.runs() {
                    let times = &columns.times.values()[rows.clone()];
                    let extent = (times[0], times[times.len() - 1], rows.len() as u64);
                    found.add(key(&columns.series(rows.start)), extent)?;
                }
            }
        }
        Ok(())
    }

    fn of_memory(&self, kind: Kind, found: &mut Found) -> Result<()> {
        for part in &self.snapshot.memory {
            let store = part.receiver.store();
            let mut extents: HashMap<u32, Extent> = HashMap::new();
            for table in store.tables() {
                let (sets, times) = kind.columns(table);
                for (&set, &time) in sets.iter().zip(times) {
                    let known = extents.entry(set).or_insert((time, time, 0));
                    *known = (known.0.min(time), known.1.max(time), known.2 + 1);
                }
            }
            for (set, extent) in extents {
                found.add(key(&series_of(store.dictionary(), store.label_sets().get(set))), extent)?;
            }
        }
        Ok(())
    }

    fn batch(&self, kind: Kind, series: &[(&Key, &Extent)]) -> Result<RecordBatch> {
        let mut labels = map_builder();
        for ((_, of), _) in series {
            for (name, value) in of {
                labels.keys().append_value(name);
                labels.values().append_value(value);
            }
            labels.append(true)?;
        }
        let columns: Vec<ArrayRef> = vec![
            Arc::new(StringArray::from_iter_values(series.iter().map(|_| kind.name()))),
            Arc::new(StringArray::from_iter_values(series.iter().map(|(key, _)| &key.0))),
            Arc::new(labels.finish()),
            times(series.iter().map(|(_, extent)| extent.0)),
            times(series.iter().map(|(_, extent)| extent.1)),
            numbers(series.iter().map(|(_, extent)| extent.2)),
        ];
        Ok(RecordBatch::try_new(Arc::clone(&self.schema), columns)?)
    }
}
