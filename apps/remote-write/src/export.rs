//! Samples of the files as a stream of Arrow, in one schema, however many labels there are.
//!
//! A batch of a file is in memory, and nothing more. The files stay until the export ends, because it holds their list.

use crate::store::check::Checks;
use crate::store::files::tenant_of;
use crate::store::manifest::{File, Manifest};
use crate::store::merge::kind_of;
use arrow_array::builder::{MapBuilder, StringBuilder};
use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use arrow_array::{Array, ArrayRef, RecordBatch, StringArray, new_null_array};
use arrow_ipc::writer::StreamWriter;
use arrow_schema::{DataType, Field, Fields, Schema, SchemaRef, TimeUnit};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

/// The rows of a batch.
const BATCH: usize = 8192;

/// Which samples to export.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// Whose they are; empty without tenants.
    pub tenant: String,
    /// The first request whose rows are wanted. A file has the rows of several requests, so there are some of earlier ones.
    pub since: u64,
    /// The first time, in milliseconds since the epoch.
    pub from: Option<i64>,
    /// The last time.
    pub to: Option<i64>,
}

impl Wanted {
    fn file(&self, file: &File) -> bool {
        tenant_of(&file.path) == self.tenant
            && kind_of(&file.path) == "samples"
            && file.last >= self.since
            && self.from.is_none_or(|from| file.max_time >= from)
            && self.to.is_none_or(|to| file.min_time <= to)
    }
}

fn utc() -> DataType {
    DataType::Timestamp(TimeUnit::Millisecond, Some("UTC".into()))
}

/// The schema of the stream. The columns have the names and meanings that they have in the files, but all labels are in one.
pub fn schema() -> SchemaRef {
    let entry =
        Fields::from(vec![Field::new("keys", DataType::Utf8, false), Field::new("values", DataType::Utf8, true)]);
    let labels = DataType::Map(Arc::new(Field::new("entries", DataType::Struct(entry), false)), false);
    Arc::new(Schema::new(vec![
        Field::new("__name__", DataType::Utf8, false),
        Field::new("__labels__", labels, false),
        Field::new("__time__", utc(), false),
        Field::new("__value__", DataType::Float64, false),
        Field::new("__start__", utc(), true),
    ]))
}

/// Writes the samples of the files in `data` that `manifest` lists. Damage of a file ends the stream without its end marker, and
/// `checks` learn of it.
pub fn write(data: &Path, manifest: &Manifest, checks: &Checks, wanted: &Wanted, out: impl Write) -> io::Result<()> {
    let schema = schema();
    let mut stream = StreamWriter::try_new(out, &schema).map_err(io::Error::other)?;
    for file in manifest.files.iter().filter(|file| wanted.file(file)) {
        let path = data.join(&file.path);
        let failed = |why: String| io::Error::other(format!("{}: {why}", path.display()));
        let unreadable = |why: String| {
            checks.doubt(file);
            failed(why)
        };
        let open = std::fs::File::open(&path).map_err(|error| unreadable(error.to_string()))?;
        checks.tail(file, &open).map_err(failed)?;
        let builder = ParquetRecordBatchReaderBuilder::try_new(open).map_err(|error| unreadable(error.to_string()))?;
        let reader = builder.with_batch_size(BATCH).build();
        for batch in reader.map_err(|error| unreadable(error.to_string()))? {
            let batch = batch.map_err(|error| unreadable(error.to_string()))?;
            let made = convert(&batch, &schema, wanted).ok_or_else(|| failed("a column is missing".to_owned()))?;
            if made.num_rows() > 0 {
                stream.write(&made).map_err(io::Error::other)?;
            }
        }
    }
    stream.finish().map_err(io::Error::other)
}

/// Brings a batch of a file into the schema of the stream, without rows of other times.
fn convert(batch: &RecordBatch, schema: &SchemaRef, wanted: &Wanted) -> Option<RecordBatch> {
    let times = batch.column_by_name("__time__")?;
    let milliseconds = times.as_primitive_opt::<arrow_array::types::TimestampMillisecondType>()?;
    let keep = |row: &u32| {
        let time = milliseconds.value(*row as usize);
        wanted.from.is_none_or(|from| time >= from) && wanted.to.is_none_or(|to| time <= to)
    };
    let rows: Vec<u32> = (0..batch.num_rows() as u32).filter(keep).collect();
    // Each label's column, or none for those that are in the map.
    let labels: Vec<(&str, &ArrayRef)> = batch
        .schema_ref()
        .fields()
        .iter()
        .zip(batch.columns())
        .filter(|(field, column)| field.name() != "__name__" && column.as_dictionary_opt::<Int32Type>().is_some())
        .map(|(field, column)| (field.name().as_str(), column))
        .collect();
    let rest = batch.column_by_name("__labels__").and_then(|column| column.as_map_opt());
    let names = batch.column_by_name("__name__")?;
    let mut metrics = StringBuilder::new();
    let mut maps = MapBuilder::new(None, StringBuilder::new(), StringBuilder::new());
    for &row in &rows {
        let row = row as usize;
        metrics.append_value(word(names, row)?);
        for (name, column) in &labels {
            if let Some(text) = word(column, row) {
                maps.keys().append_value(name);
                maps.values().append_value(text);
            }
        }
        if let Some(rest) = rest {
            let entries = rest.value(row);
            let (keys, values) = (entries.column(0).as_string_opt::<i32>()?, entries.column(1).as_string_opt::<i32>()?);
            for at in 0..entries.len() {
                maps.keys().append_value(keys.value(at));
                maps.values().append_value(values.value(at));
            }
        }
        maps.append(true).ok()?;
    }
    let rows_array = arrow_array::UInt32Array::from(rows);
    let take = |column: &ArrayRef| arrow_select::take::take(column, &rows_array, None).ok();
    let start = match batch.column_by_name("__start__") {
        Some(column) => take(column)?,
        None => new_null_array(&utc(), rows_array.len()),
    };
    let columns: Vec<ArrayRef> = vec![
        Arc::new(metrics.finish()),
        Arc::new(maps.finish()),
        take(times)?,
        take(batch.column_by_name("__value__")?)?,
        start,
    ];
    RecordBatch::try_new(Arc::clone(schema), columns).ok()
}

/// Returns the word of a row of a dictionary column.
fn word(column: &ArrayRef, row: usize) -> Option<&str> {
    if let Some(words) = column.as_dictionary_opt::<Int32Type>() {
        let texts: &StringArray = words.values().as_string_opt()?;
        return words.key(row).map(|key| texts.value(key));
    }
    column.as_string_opt::<i32>().filter(|texts| texts.is_valid(row)).map(|texts| texts.value(row))
}
