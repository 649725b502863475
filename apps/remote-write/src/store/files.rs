//! Writing the files: Parquet, sorted, one for a kind of rows and a time window.

use super::columns::{Labels, batch, schema};
use super::gather::{Catalog, Duplicates, Kind, Part, out_of_order, sorted, without_duplicates};
use super::manifest::{File, Sums};
use super::parquet_file;
use arrow_array::RecordBatch;
use arrow_array::builder::{StringBuilder, StringDictionaryBuilder};
use arrow_array::types::Int32Type;
use arrow_schema::{DataType, Field, Schema};
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::metadata::SortingColumn;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::schema::types::ColumnPath;
use std::collections::HashSet;
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The number of rows that are turned into columns at a time.
const BATCH: usize = 64 * 1024;

/// Why files could not be written.
#[derive(Debug)]
pub struct WriteError(pub(super) String);

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for WriteError {}

impl WriteError {
    fn io(path: &Path, error: &io::Error) -> WriteError {
        WriteError(format!("{}: {error}", path.display()))
    }
}

/// What was written.
#[derive(Debug, Default)]
pub struct Written {
    /// The files.
    pub files: Vec<File>,
    /// The samples and histograms that were left out.
    pub duplicates: Duplicates,
    /// The samples and histograms that came after a later one of their series.
    pub out_of_order: u64,
}

/// The beginning of the folder of a tenant's files: engines that know this form have a column `tenant`.
pub const TENANT: &str = "tenant=";

/// Returns the tenant of a file; empty without one.
pub fn tenant_of(path: &str) -> &str {
    path.strip_prefix(TENANT).and_then(|rest| rest.split_once('/')).map_or("", |(tenant, _)| tenant)
}

pub(super) fn folder_of(tenant: &str) -> String {
    if tenant.is_empty() { String::new() } else { format!("{TENANT}{tenant}/") }
}

/// Writes the rows of some parts of one tenant. All files are on the disk when it returns, under names that no earlier call used:
/// `first` and `last` are the sequences between which the requests are.
pub fn write(
    folder: &Path,
    tenant: &str,
    parts: &[Part],
    window_ms: i64,
    first: u64,
    last: u64,
) -> Result<Written, WriteError> {
    let prefix = folder_of(tenant);
    let catalog = Catalog::new(parts);
    let mut written = Written::default();
    for kind in Kind::ALL {
        let mut rows = sorted(parts, &catalog, kind, window_ms);
        if kind != Kind::Exemplars {
            written.out_of_order += out_of_order(&rows);
        }
        let found = without_duplicates(parts, kind, &mut rows);
        written.duplicates.same += found.same;
        written.duplicates.conflicting += found.conflicting;
        for rows in rows.chunk_by(|a, b| a.window == b.window) {
            let name = name_of(&prefix, kind.name(), rows[0].window * window_ms, first, last);
            let labels = Labels::new(&catalog, rows);
            let schema = schema(&labels, kind);
            let (properties, columns) = (properties(&schema), schema.fields().len() as u64);
            let batches = rows.chunks(BATCH).map(|rows| batch(parts, &labels, &schema, kind, rows));
            let (bytes, sums) = write_one(folder, &name, Arc::clone(&schema), properties, batches)?;
            written.files.push(File {
                path: name,
                rows: rows.len() as u64,
                bytes,
                min_time: rows.iter().map(|row| row.time).min().unwrap_or(0),
                max_time: rows.iter().map(|row| row.time).max().unwrap_or(0),
                first,
                last,
                columns,
                sums: Some(sums),
            });
        }
    }
    if let Some(batch) = metadata(parts).map_err(|e| WriteError(e.to_string()))? {
        let (name, rows) = (format!("{prefix}metadata/{first:020}-{last:020}.parquet"), batch.num_rows() as u64);
        let schema = batch.schema();
        let (bytes, sums) =
            write_one(folder, &name, Arc::clone(&schema), properties(&schema), [Ok(batch)].into_iter())?;
        let (columns, sums) = (schema.fields().len() as u64, Some(sums));
        written.files.push(File { path: name, rows, bytes, min_time: 0, max_time: 0, first, last, columns, sums });
    }
    Ok(written)
}

/// Returns a file's name: the window is a folder of its own, `samples/2026-11-25T06/…`, in the folder of the tenant.
pub(super) fn name_of(folder: &str, kind: &str, window_start_ms: i64, first: u64, last: u64) -> String {
    format!("{folder}{kind}/{}/{first:020}-{last:020}.parquet", crate::clock::hour(window_start_ms))
}

pub(super) fn properties(schema: &Schema) -> WriterProperties {
    let mut properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(1).expect("1 is a level")))
        .set_max_row_group_row_count(Some(parquet_file::GROUP))
        .set_data_page_row_count_limit(20_000)
        .set_statistics_enabled(EnabledStatistics::Page)
        .set_created_by(concat!("hotpb remote-write ", env!("CARGO_PKG_VERSION")).to_owned());
    let sorted = |at: usize, of: &Field| SortingColumn {
        column_idx: at as i32,
        descending: false,
        nulls_first: of.is_nullable(),
    };
    if let Some(field) = schema.fields().first() {
        properties = properties.set_sorting_columns(Some(vec![sorted(0, field)]));
    }
    for name in ["__time__", "__start__"] {
        properties = properties
            .set_column_dictionary_enabled(ColumnPath::from(name), false)
            .set_column_encoding(ColumnPath::from(name), Encoding::DELTA_BINARY_PACKED);
    }
    // The bounds of a column leave NaN out, and engines conclude from them that there is none: stale markers are NaN.
    for name in ["__value__", "__sum__"] {
        properties = properties.set_column_statistics_enabled(ColumnPath::from(name), EnabledStatistics::None);
    }
    properties.set_column_encoding(ColumnPath::from("__value__"), Encoding::BYTE_STREAM_SPLIT).build()
}

/// Writes a file as `….part`, syncs it, renames it, and syncs its folder. Returns its length and its checksums.
pub(super) fn write_one(
    folder: &Path,
    name: &str,
    schema: Arc<Schema>,
    properties: WriterProperties,
    batches: impl Iterator<Item = Result<RecordBatch, arrow_schema::ArrowError>>,
) -> Result<(u64, Sums), WriteError> {
    let path = folder.join(name);
    let part = PathBuf::from(format!("{}.part", path.display()));
    let parent = path.parent().expect("a file is in a folder");
    fs::create_dir_all(parent).map_err(|e| WriteError::io(parent, &e))?;
    let file = fs::File::create(&part).map_err(|e| WriteError::io(&part, &e))?;
    let parquet = |e: ParquetError| WriteError(format!("{}: {e}", part.display()));
    let made = parquet_file::write(file, &schema, &properties, batches).map_err(parquet)?;
    let sync = || -> io::Result<()> {
        made.file.sync_all()?;
        fs::rename(&part, &path)?;
        for folder in parent.ancestors().take_while(|at| at.starts_with(folder)) {
            fs::File::open(folder)?.sync_all()?;
        }
        Ok(())
    };
    sync().map_err(|e| WriteError::io(&path, &e))?;
    Ok((made.bytes, made.sums))
}

/// A line of metadata: metric, type, help, unit.
pub(crate) type MetadataLine<'a> = (&'a str, Option<&'a str>, &'a str, &'a str);

/// Returns the metadata of all metrics: each line once.
fn metadata(parts: &[Part]) -> Result<Option<RecordBatch>, arrow_schema::ArrowError> {
    let mut lines: Vec<MetadataLine<'_>> = Vec::new();
    for part in parts {
        let store = part.receiver.store();
        let words = store.dictionary();
        for table in store.tables() {
            for row in table.metadata.rows() {
                lines.push((words.get(table.metric()), row.type_name(), words.get(row.help), words.get(row.unit)));
            }
        }
    }
    if lines.is_empty() { Ok(None) } else { metadata_batch(lines).map(Some) }
}

/// Returns lines of metadata, each once.
pub(crate) fn metadata_batch(mut lines: Vec<MetadataLine<'_>>) -> Result<RecordBatch, arrow_schema::ArrowError> {
    lines.sort_unstable();
    lines.dedup();
    let (mut metrics, mut kinds) = (StringBuilder::new(), StringDictionaryBuilder::<Int32Type>::new());
    let (mut helps, mut units) = (StringBuilder::new(), StringDictionaryBuilder::<Int32Type>::new());
    for (metric, kind, help, unit) in lines {
        metrics.append_value(metric);
        kinds.append_option(kind);
        helps.append_value(help);
        units.append_value(unit);
    }
    let words = || DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8));
    let schema = Schema::new(vec![
        Field::new("__name__", DataType::Utf8, false),
        Field::new("type", words(), true),
        Field::new("help", DataType::Utf8, false),
        Field::new("unit", words(), false),
    ]);
    let columns: Vec<arrow_array::ArrayRef> =
        vec![Arc::new(metrics.finish()), Arc::new(kinds.finish()), Arc::new(helps.finish()), Arc::new(units.finish())];
    RecordBatch::try_new(Arc::new(schema), columns)
}

/// Returns all files in a folder that a list does not name, by their paths in it.
pub fn unnamed(folder: &Path, named: &[File]) -> io::Result<Vec<PathBuf>> {
    let named: HashSet<&Path> = named.iter().map(|file| Path::new(&file.path)).collect();
    let inside = |path: PathBuf| path.strip_prefix(folder).expect("it is inside").to_owned();
    let mut found: Vec<PathBuf> = all(folder, &FILE_ENDS)?.into_iter().map(inside).collect();
    found.retain(|path| !named.contains(&**path));
    found.sort();
    Ok(found)
}

/// Returns the first and the last request whose rows may be in a file, by its name; `None` for a name that no file of a store has.
pub fn range_of(path: &Path) -> Option<(u64, u64)> {
    let (first, last) = path.file_stem()?.to_str()?.split_once('-')?;
    let number = |text: &str| (text.len() == 20).then(|| text.parse::<u64>().ok())?;
    Some((number(first)?, number(last)?)).filter(|(first, last)| first <= last)
}

/// Moves a file of `from` into `to`, under the same path there, or another one if that exists.
pub fn move_aside(from: &Path, path: &Path, to: &Path) -> io::Result<PathBuf> {
    let mut place = to.join(path);
    for number in 1.. {
        if !place.exists() {
            break;
        }
        place = PathBuf::from(format!("{}.{number}", to.join(path).display()));
    }
    fs::create_dir_all(place.parent().expect("a file is in a folder"))?;
    fs::rename(from.join(path), &place)?;
    for folder in [place.parent(), from.join(path).parent()].into_iter().flatten() {
        fs::File::open(folder)?.sync_all()?;
    }
    Ok(place)
}

/// How the names of a store's files end, and those of files that are being written.
pub const FILE_ENDS: [&str; 2] = ["parquet", "part"];

/// Returns all files in a folder whose names end so.
pub fn all(folder: &Path, ends: &[&str]) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(at) = folders.pop() {
        let entries = match fs::read_dir(&at) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            entries => entries?,
        };
        for entry in entries {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| ends.iter().any(|known| end == *known)) {
                found.push(path);
            }
        }
    }
    Ok(found)
}
