//! Merging: the small files of an hour become one. Retention: files whose newest row is too old are deleted.
//!
//! Each file is sorted by series and time, so its rows are runs, one for each series. The runs of all files, sorted by
//! series, have the rows of the new file in order, but for runs of the same series, whose rows are merged by time. Of two
//! samples or histograms of one series and time the one of the later file stays, but a stale marker never replaces a
//! number: this is the rule within a file, too. Files that are merged follow each other in the order of their requests, so
//! that `later` keeps its meaning for the files that stay as they are.

use super::columns::{Labels, schema};
use super::files::{MetadataLine, WriteError, metadata_batch, name_of, properties, tenant_of, write_one};
use super::footprint::fitting;
use super::gather::{Catalog, Duplicates, Kind, Row, STALE, Series};
use super::list::Files;
use super::manifest::File;
use crate::threads::reading;
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int32Type, TimestampMillisecondType};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::ArrowError;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use std::time::Duration;

/// The values, rows times columns, that one merge holds in memory. Larger files stay as they are.
const MOST_VALUES: u64 = 64 << 20;
/// The files that one merge takes. More of them are merged in steps: a merge must end before the next crash, or a server that
/// crashes often has ever more of them.
const MOST_FILES: usize = 32;
/// An hour whose end is longer ago than this gets few new rows: all its files are merged.
const SETTLED_MS: i64 = 30 * 60 * 1000;
/// The number of rows that are turned into columns at a time.
const BATCH: usize = 64 * 1024;

/// When to merge and to delete.
#[derive(Clone, Copy, Debug)]
pub struct Policy {
    /// Files of one hour are merged when there are more.
    pub files: usize,
    /// The age of the newest row at which a file is deleted.
    pub retention: Option<Duration>,
    /// The bytes that one merge may take.
    pub memory: u64,
}

/// What was done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Done {
    /// Files that were merged.
    pub merged: u64,
    /// Files that they became.
    pub written: u64,
    /// Samples that were left out.
    pub duplicates: Duplicates,
    /// Files that were too old.
    pub expired: u64,
    /// Files that wait for readers.
    pub waiting: usize,
}

/// Deletes what is too old, and merges the files of the hours that need it. The list of files changes once for each hour. An
/// hour that cannot be merged keeps its files, and hinders nothing else: the first error comes with what was done.
pub fn tidy(files: &Files, policy: Policy, now_ms: i64) -> (Done, Option<WriteError>) {
    let (mut done, mut failure) = (Done::default(), None);
    if let Some(retention) = policy.retention {
        let before = now_ms.saturating_sub(i64::try_from(retention.as_millis()).unwrap_or(i64::MAX));
        let manifest = files.manifest();
        // Metadata has no time; it is small, and merged.
        let old = manifest.files.iter().filter(|file| !is_metadata(&file.path) && file.max_time < before);
        let old: HashSet<String> = old.map(|file| file.path.clone()).collect();
        drop(manifest);
        if !old.is_empty() {
            match change(files, &old, Vec::new()) {
                Ok(()) => done.expired = old.len() as u64,
                Err(error) => failure = Some(error),
            }
        }
    }
    let manifest = files.manifest();
    let plan = plan(&manifest.files, policy.files, files.window_ms(), now_ms, &|path| files.checks.is_damaged(path));
    for group in plan {
        let group = fitting(&files.data(), &group, policy.memory);
        if group.len() < 2 {
            continue;
        }
        match replace(files, group) {
            Ok(duplicates) => {
                done.merged += group.len() as u64;
                done.written += 1;
                done.duplicates.same += duplicates.same;
                done.duplicates.conflicting += duplicates.conflicting;
            }
            Err(error) => _ = failure.get_or_insert(error),
        }
    }
    drop(manifest);
    done.waiting = files.delete_gone();
    (done, failure)
}

/// Merges a group of files, and lists the new file instead of them. What is damaged stays as it is.
fn replace(files: &Files, group: &[File]) -> Result<Duplicates, WriteError> {
    for file in group {
        files.checks.whole(file).map_err(|why| WriteError(format!("merging {}: {why}", file.path)))?;
    }
    let merged = reading(|| match is_metadata(&group[0].path) {
        true => merge_metadata(&files.data(), group).map(|file| (file, Duplicates::default())),
        false => merge(&files.data(), group, files.window_ms()),
    });
    let merged = merged.map_err(|why| WriteError(format!("merging {}: {why}", group[0].path)));
    let (file, duplicates) = merged.and_then(|merged| merged).inspect_err(|_| {
        group.iter().for_each(|file| files.checks.doubt(file));
    })?;
    change(files, &group.iter().map(|file| file.path.clone()).collect(), vec![file])?;
    Ok(duplicates)
}

fn change(files: &Files, remove: &HashSet<String>, add: Vec<File>) -> Result<(), WriteError> {
    files.change(remove, add, None).map_err(|error| WriteError(format!("the list of files: {error}")))
}

fn is_metadata(path: &str) -> bool {
    kind_of(path) == "metadata"
}

/// Returns the name of the kind of a file: the folder in that of the tenant.
pub fn kind_of(path: &str) -> &str {
    let rest =
        path.strip_prefix(super::files::TENANT).and_then(|rest| rest.split_once('/')).map_or(path, |parts| parts.1);
    rest.split_once('/').map_or("", |parts| parts.0)
}

/// Chooses the files to merge, each group sorted by the requests whose rows they have.
fn plan(files: &[File], most: usize, window_ms: i64, now_ms: i64, is_damaged: &dyn Fn(&str) -> bool) -> Vec<Vec<File>> {
    let mut folders: BTreeMap<&str, Vec<&File>> = BTreeMap::new();
    for file in files {
        folders.entry(file.path.rsplit_once('/').map_or("", |parts| parts.0)).or_default().push(file);
    }
    let mut plan = Vec::new();
    for (folder, mut files) in folders {
        let end = files.iter().map(|file| file.max_time).max().unwrap_or(0).div_euclid(window_ms).saturating_add(1);
        let settled =
            !is_metadata(&format!("{folder}/")) && end.saturating_mul(window_ms).saturating_add(SETTLED_MS) <= now_ms;
        if files.len() < 2 || !(settled || files.len() > most) {
            continue;
        }
        files.sort_unstable_by_key(|file| (file.first, file.last));
        let group = longest(&files, MOST_FILES.max(most.saturating_add(1)), is_damaged);
        if group.len() >= 2 {
            plan.push(group.iter().copied().cloned().collect());
        }
    }
    plan
}

/// Returns the most files in a row, up to a number, that there is memory for. Of several such groups it is the one with the
/// fewest values, so that what was merged is not read again for each small file.
fn longest<'f>(files: &'f [&'f File], most: usize, is_damaged: &dyn Fn(&str) -> bool) -> &'f [&'f File] {
    let columns = |file: &File| if file.columns == 0 { 64 } else { file.columns };
    let values = |file: &File| match is_damaged(&file.path) {
        true => MOST_VALUES + 1,
        false => file.rows.saturating_mul(columns(file)).min(MOST_VALUES + 1),
    };
    let (mut begin, mut held, mut best, mut least) = (0, 0, 0..0, u64::MAX);
    for (at, file) in files.iter().enumerate() {
        held += values(file);
        while begin <= at && (held > MOST_VALUES || at + 1 - begin > most) {
            held -= values(files[begin]);
            begin += 1;
        }
        let count = at + 1 - begin;
        if count > best.len() || count == best.len() && held < least {
            (best, least) = (begin..at + 1, held);
        }
    }
    &files[best]
}

fn read(data: &Path, file: &File) -> Result<RecordBatch, WriteError> {
    let path = data.join(&file.path);
    let at = |error: &dyn std::fmt::Display| WriteError(format!("{}: {error}", path.display()));
    let open = std::fs::File::open(&path).map_err(|error| at(&error))?;
    let builder = ParquetRecordBatchReaderBuilder::try_new(open).map_err(|error| at(&error))?;
    let schema = builder.schema().clone();
    let reader = builder.with_batch_size(BATCH).build().map_err(|error| at(&error))?;
    let batches = reader.collect::<Result<Vec<_>, _>>().map_err(|error| at(&error))?;
    arrow_select::concat::concat_batches(&schema, &batches).map_err(|error| at(&error))
}

/// The rows of one series in one file.
struct Run<'b> {
    series: Series<'b>,
    file: usize,
    rows: std::ops::Range<usize>,
}

/// Merges files of one hour into one.
fn merge(data: &Path, group: &[File], window_ms: i64) -> Result<(File, Duplicates), WriteError> {
    let failed = |error: ArrowError| WriteError(format!("merging {}: {error}", group[0].path));
    let batches = group.iter().map(|file| read(data, file)).collect::<Result<Vec<_>, _>>()?;
    let kind = Kind::ALL.into_iter().find(|kind| kind.name() == kind_of(&group[0].path));
    let kind = kind.ok_or_else(|| WriteError(format!("{}: no kind of rows is there", group[0].path)))?;
    let columns = batches.iter().map(Columns::new).collect::<Result<Vec<_>, _>>().map_err(failed)?;
    let mut runs: Vec<Run<'_>> = Vec::new();
    for (file, columns) in columns.iter().enumerate() {
        runs.extend(columns.runs().into_iter().map(|rows| Run { series: columns.series(rows.start), file, rows }));
    }
    runs.sort_by(|a, b| a.series.cmp(&b.series).then(a.file.cmp(&b.file)));
    let (mut series, mut rows, mut duplicates) = (Vec::new(), Vec::new(), Duplicates::default());
    for same in runs.chunk_by(|a, b| a.series == b.series) {
        let begin = rows.len();
        for run in same {
            rows.extend(run.rows.clone().map(|row| Row {
                window: 0,
                series: series.len() as u32,
                time: columns[run.file].times.value(row),
                sequence: run.file as u64,
                part: run.file as u32,
                table: 0,
                row: row as u32,
            }));
        }
        series.push(same[0].series.clone());
        if same.len() > 1 {
            rows[begin..].sort_unstable();
        }
    }
    if kind != Kind::Exemplars {
        duplicates = without_duplicates(kind, &columns, &mut rows);
    }
    let catalog = Catalog::of_sorted(series);
    let labels = Labels::new(&catalog, &rows);
    let schema = schema(&labels, kind);
    let others = schema.fields().len() - labels.arrays(&rows[..0]).map_err(failed)?.len();
    let fields = &schema.fields()[schema.fields().len() - others..];
    let batch = |rows: &[Row]| -> Result<RecordBatch, ArrowError> {
        let mut arrays = labels.arrays(rows)?;
        let places: Vec<(usize, usize)> = rows.iter().map(|row| (row.part as usize, row.row as usize)).collect();
        for field in fields {
            let sources = columns.iter().map(|columns| columns.column(field.name())).collect::<Result<Vec<_>, _>>()?;
            let sources: Vec<&dyn Array> = sources.iter().map(AsRef::as_ref).collect();
            arrays.push(arrow_select::interleave::interleave(&sources, &places)?);
        }
        RecordBatch::try_new(schema.clone(), arrays)
    };
    let (first, last) = range(group);
    let min_time = rows.iter().map(|row| row.time).min().unwrap_or(0);
    let max_time = rows.iter().map(|row| row.time).max().unwrap_or(0);
    let folder = super::files::folder_of(tenant_of(&group[0].path));
    let path = name_of(&folder, kind.name(), min_time.div_euclid(window_ms) * window_ms, first, last);
    let (bytes, sums) = write_one(data, &path, schema.clone(), properties(&schema), rows.chunks(BATCH).map(batch))?;
    let (columns, sums) = (schema.fields().len() as u64, Some(sums));
    let file = File { path, rows: rows.len() as u64, bytes, min_time, max_time, first, last, columns, sums };
    Ok((file, duplicates))
}

fn range(group: &[File]) -> (u64, u64) {
    let first = group.iter().map(|file| file.first).min().unwrap_or(0);
    (first, group.iter().map(|file| file.last).max().unwrap_or(0))
}

/// Keeps one sample or histogram for a series and time; rows of later files come later.
fn without_duplicates(kind: Kind, columns: &[Columns<'_>], rows: &mut Vec<Row>) -> Duplicates {
    let mut found = Duplicates::default();
    // A stale histogram is one whose sum has these bits.
    let name = if kind == Kind::Histograms { "__sum__" } else { "__value__" };
    let values: Vec<_> = columns.iter().map(|columns| columns.batch.column_by_name(name)).collect();
    let bits = |row: &Row| {
        let values = values[row.part as usize].expect("files of this kind have this column");
        values.as_primitive::<Float64Type>().value(row.row as usize).to_bits()
    };
    rows.dedup_by(|later, kept| {
        if (later.series, later.time) != (kept.series, kept.time) {
            return false;
        }
        let new = bits(later);
        let values = |row: &Row| columns[row.part as usize].values(row.row as usize);
        match new == bits(kept) && values(later) == values(kept) {
            true => found.same += 1,
            false => found.conflicting += 1,
        }
        if new != STALE {
            *kept = *later;
        }
        true
    });
    found
}

/// The columns of a file: labels, and the times.
pub(crate) struct Columns<'b> {
    batch: &'b RecordBatch,
    /// Labels that have a column, by name; the first is `__name__`.
    labels: Vec<(&'b str, &'b arrow_array::DictionaryArray<Int32Type>)>,
    others: Option<&'b arrow_array::MapArray>,
    /// The times.
    pub times: &'b arrow_array::PrimitiveArray<TimestampMillisecondType>,
}

impl<'b> Columns<'b> {
    /// Looks at a batch: labels, of which the first is the metric, then the time.
    pub fn new(batch: &'b RecordBatch) -> Result<Columns<'b>, ArrowError> {
        let missing = || ArrowError::SchemaError("a column of every file is missing".to_owned());
        let fields = batch.schema_ref().fields();
        let mut labels = Vec::new();
        for (at, field) in fields.iter().enumerate() {
            if let Some(words) = batch.columns()[at].as_dictionary_opt::<Int32Type>() {
                words.values().as_string_opt::<i32>().ok_or_else(missing)?;
                labels.push((batch.schema_ref().field(at).name().as_str(), words));
            }
            if field.name() == "__time__" {
                break;
            }
        }
        let times = batch.column_by_name("__time__").and_then(|times| times.as_primitive_opt()).ok_or_else(missing)?;
        let others = batch.column_by_name("__labels__").and_then(|map| map.as_map_opt());
        Ok(Columns { batch, labels, others, times })
    }

    fn column(&self, name: &str) -> Result<ArrayRef, ArrowError> {
        let missing = || ArrowError::SchemaError(format!("a file has no column {name}"));
        self.batch.column_by_name(name).cloned().ok_or_else(missing)
    }

    /// Returns all that a row has beside its labels and its time. Floats are compared as bits.
    pub fn values(&self, row: usize) -> Vec<ArrayRef> {
        let fields = self.batch.schema_ref().fields().iter().zip(self.batch.columns());
        let values = fields.skip_while(|(field, _)| field.name() != "__time__").skip(1);
        values.map(|(_, column)| column.slice(row, 1)).collect()
    }

    /// Returns the labels of a row.
    pub fn series(&self, row: usize) -> Series<'b> {
        let mut series = Series { metric: "", labels: Vec::new() };
        for &(name, words) in &self.labels {
            if words.is_valid(row) {
                let at = words.keys().value(row) as usize;
                match name {
                    "__name__" => series.metric = words.values().as_string::<i32>().value(at),
                    _ => series.labels.push((name, words.values().as_string::<i32>().value(at))),
                }
            }
        }
        if let Some(map) = self.others {
            let (keys, values) = (map.keys().as_string::<i32>(), map.values().as_string::<i32>());
            let range = map.value_offsets()[row] as usize..map.value_offsets()[row + 1] as usize;
            if !range.is_empty() {
                series.labels.extend(range.map(|at| (keys.value(at), values.value(at))));
                series.labels.sort_unstable();
            }
        }
        series
    }

    /// Returns the rows of each series.
    pub fn runs(&self) -> Vec<std::ops::Range<usize>> {
        let (mut runs, mut begin) = (Vec::new(), 0);
        for row in 1..self.batch.num_rows() {
            if !self.same_series(row - 1, row) {
                runs.push(begin..row);
                begin = row;
            }
        }
        if begin < self.batch.num_rows() {
            runs.push(begin..self.batch.num_rows());
        }
        runs
    }

    /// Compares without looking at texts: equal numbers in a dictionary are equal texts. Different ones may be, too, where
    /// parts of a file had dictionaries of their own; two runs of one series do no harm.
    fn same_series(&self, a: usize, b: usize) -> bool {
        self.labels.iter().all(|(_, words)| {
            let keys = words.keys();
            keys.is_valid(a) == keys.is_valid(b) && (!keys.is_valid(a) || keys.value(a) == keys.value(b))
        }) && self.others.is_none_or(|map| map.value(a).to_data() == map.value(b).to_data())
    }
}

/// Merges files of metadata: every line once.
fn merge_metadata(data: &Path, group: &[File]) -> Result<File, WriteError> {
    let failed = |error: ArrowError| WriteError(format!("merging {}: {error}", group[0].path));
    let batches = group.iter().map(|file| read(data, file)).collect::<Result<Vec<_>, _>>()?;
    let lines = batches.iter().flat_map(metadata_lines).collect();
    let batch = metadata_batch(lines).map_err(failed)?;
    let ((first, last), folder) = (range(group), super::files::folder_of(tenant_of(&group[0].path)));
    let (path, rows) = (format!("{folder}metadata/{first:020}-{last:020}.parquet"), batch.num_rows() as u64);
    let schema = batch.schema();
    let (bytes, sums) = write_one(data, &path, schema.clone(), properties(&schema), [Ok(batch)].into_iter())?;
    let (columns, sums) = (schema.fields().len() as u64, Some(sums));
    Ok(File { path, rows, bytes, min_time: 0, max_time: 0, first, last, columns, sums })
}

/// Returns the lines of a batch of metadata.
pub(crate) fn metadata_lines(batch: &RecordBatch) -> impl Iterator<Item = MetadataLine<'_>> {
    let text = |at: usize, row: usize| -> Option<&str> {
        let column = batch.columns().get(at)?;
        match column.as_dictionary_opt::<Int32Type>() {
            None => Some(column.as_string_opt::<i32>()?.value(row)),
            Some(words) if words.is_valid(row) => {
                Some(words.values().as_string_opt::<i32>()?.value(words.keys().value(row) as usize))
            }
            Some(_) => None,
        }
    };
    (0..batch.num_rows()).map(move |row| {
        let [help, unit] = [2, 3].map(|at| text(at, row).unwrap_or_default());
        (text(0, row).unwrap_or_default(), text(1, row), help, unit)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, rows: u64, max_time: i64, first: u64) -> File {
        File { path: path.to_owned(), rows, max_time, first, last: first, columns: 10, ..File::default() }
    }

    #[test]
    fn files_of_an_hour_are_merged_when_there_are_many_or_it_is_over() {
        let hour = 3_600_000;
        let few: Vec<File> = (0..3).map(|n| file(&format!("samples/h/{n}"), 10, hour + 5, n)).collect();
        let sizes = |files: &[File], most, now| {
            plan(files, most, hour, now, &|_| false).iter().map(Vec::len).collect::<Vec<_>>()
        };
        assert_eq!(sizes(&few, 3, hour + 5), [0; 0]);
        assert_eq!(sizes(&few, 2, hour + 5), [3]);
        assert_eq!(sizes(&few, 3, 2 * hour + SETTLED_MS - 1), [0; 0]);
        assert_eq!(sizes(&few, 3, 2 * hour + SETTLED_MS), [3]);
        // One file is merged with nothing; tenants and kinds are apart; metadata is never over.
        assert_eq!(sizes(&few[..1], 0, 99 * hour), [0; 0]);
        let apart = ["samples/h/a", "tenant=t/samples/h/a", "histograms/h/a", "samples/g/a", "metadata/a"];
        let apart: Vec<File> = apart.iter().map(|path| file(path, 10, 0, 1)).collect();
        assert_eq!(sizes(&apart, 0, 99 * hour), [0; 0]);
        let metadata: Vec<File> = (0..2).map(|n| file(&format!("tenant=t/metadata/{n}"), 1, 0, n)).collect();
        assert_eq!((sizes(&metadata, 2, 99 * hour), sizes(&metadata, 1, 0)), (vec![0; 0], vec![2]));
        // Large files stay alone, and no group has requests on both sides of a file that stays.
        let large = MOST_VALUES / 10 + 1;
        let rows = [10, 10, large, 10, u64::MAX, 10, 10, 10, large - 25, 10];
        let mut files: Vec<File> =
            (1..).zip(rows).map(|(n, rows)| file(&format!("samples/h/{n}"), rows, 0, n)).collect();
        files.reverse();
        let chosen = plan(&files, 0, hour, 0, &|_| false);
        assert_eq!(chosen.iter().flatten().map(|file| file.first).collect::<Vec<_>>(), [6, 7, 8]);
    }

    /// A merge that takes too long for a server that crashes often never ends, and there would be ever more files.
    #[test]
    fn many_files_are_merged_in_steps_and_each_row_a_few_times() {
        let mut files: Vec<File> = (0..1000).map(|n| file(&format!("samples/h/{n}"), 10, 0, n)).collect();
        let (mut steps, mut rows) = (0, 0);
        while files.len() > 1 {
            let group = plan(&files, 8, 1, i64::MAX / 2, &|_| false).concat();
            assert!(group.len() <= MOST_FILES);
            files.retain(|file| !group.contains(file));
            let last = group[group.len() - 1].last;
            let merged = File { last, rows: group.iter().map(|file| file.rows).sum(), ..group[0].clone() };
            rows += merged.rows;
            files.push(merged);
            steps += 1;
        }
        assert_eq!((files[0].rows, files[0].last), (10_000, 999));
        assert!(steps <= 40 && rows <= 4 * 10_000, "{steps} steps, {rows} rows");
        // Who allows many files has them merged together.
        let files: Vec<File> = (0..101).map(|n| file(&format!("samples/h/{n}"), 10, 0, n)).collect();
        assert_eq!(plan(&files, 100, 1, 0, &|_| false)[0].len(), 101);
    }

    /// A disk that damages one file must not fill because of it.
    #[test]
    fn an_hour_that_cannot_be_merged_hinders_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let files = super::super::list::tests::new(folder.path(), 3_600_000);
        let data = files.data();
        let lines = metadata_batch(vec![("up", Some("gauge"), "Help.", "")]).unwrap();
        let schema = lines.schema();
        let mut metadata: Vec<File> = (1..3).map(|n| file(&format!("metadata/{n}"), 1, 0, n)).collect();
        for file in &mut metadata {
            let made =
                write_one(&data, &file.path, schema.clone(), properties(&schema), [Ok(lines.clone())].into_iter());
            let (bytes, sums) = made.unwrap();
            (file.bytes, file.sums) = (bytes, Some(sums));
        }
        let damaged: Vec<File> = (1..3).map(|n| file(&format!("histograms/h/{n}"), 1, 1000, n)).collect();
        let old = file("samples/h/1", 1, 10, 1);
        for File { path, .. } in damaged.iter().chain([&old]) {
            std::fs::create_dir_all(data.join(path).parent().unwrap()).unwrap();
            std::fs::write(data.join(path), "no Parquet").unwrap();
        }
        files.change(&HashSet::new(), [&damaged[..], &metadata[..], &[old]].concat(), None).unwrap();
        let policy = Policy { files: 1, retention: Some(Duration::from_millis(100)), memory: u64::MAX };
        let (done, failure) = tidy(&files, policy, 1050);
        let error = failure.unwrap().to_string();
        assert!(error.contains("histograms/h/1: "), "{error}");
        assert_eq!((done.expired, done.merged, done.written, done.waiting), (1, 2, 1, 0));
        let listed: Vec<String> = files.manifest().files.iter().map(|file| file.path.clone()).collect();
        assert_eq!(listed[..2], [damaged[0].path.clone(), damaged[1].path.clone()]);
        assert_eq!((listed.len(), kind_of(&listed[2])), (3, "metadata"));
        for (path, there) in [("samples/h/1", false), ("metadata/1", false), (&listed[0], true), (&listed[2], true)] {
            assert_eq!(data.join(path).exists(), there, "{path}");
        }
    }

    /// Each flipped bit is found before the rows come into another file, and ends no other merge. In files without checksums, the
    /// reader of Parquet panics because of some, which would end all merges and the deletion of old files.
    #[test]
    fn no_damage_of_a_file_ends_the_merges() {
        for has_sums in [true, false] {
            let folder = tempfile::tempdir().unwrap();
            let files = super::super::list::tests::new(folder.path(), 3_600_000);
            let lines = metadata_batch(vec![("up", Some("gauge"), "Help.", "")]).unwrap();
            let schema = lines.schema();
            let mut group: Vec<File> = (1..3).map(|n| file(&format!("metadata/{n}"), 1, 0, n)).collect();
            for file in &mut group {
                let (written, batches) = (properties(&schema), [Ok(lines.clone())].into_iter());
                let (bytes, sums) = write_one(&files.data(), &file.path, schema.clone(), written, batches).unwrap();
                (file.bytes, file.sums) = (bytes, has_sums.then_some(sums));
            }
            files.change(&HashSet::new(), group.clone(), None).unwrap();
            let path = files.data().join(&group[1].path);
            let whole = std::fs::read(&path).unwrap();
            let mut panics = 0;
            for at in (0..whole.len()).step_by(5) {
                let mut damaged = whole.clone();
                damaged[at] ^= 1 << (at % 8);
                std::fs::write(&path, damaged).unwrap();
                let panicked = !has_sums && reading(|| merge_metadata(&files.data(), &group)).is_err();
                panics += u32::from(panicked);
                if has_sums || panicked {
                    let (done, failure) = tidy(&files, Policy { files: 1, retention: None, memory: u64::MAX }, 0);
                    let said = failure.unwrap().to_string();
                    assert!(done.merged == 0 && said.starts_with("merging metadata/2: "), "byte {at}: {said}");
                    assert!(!has_sums || said.contains(" byte "), "byte {at}: {said}");
                    // It is known, and hinders nothing a second time.
                    let (done, failure) = tidy(&files, Policy { files: 1, retention: None, memory: u64::MAX }, 0);
                    assert_eq!((done.merged, failure.is_none()), (0, true), "byte {at}");
                    assert_eq!(files.checks.damaged()[0].0, "metadata/2");
                    // Somebody restores it.
                    std::fs::write(&path, &whole).unwrap();
                    assert_eq!(files.checks.round(&files.manifest(), 1 << 20), 0);
                    assert_eq!(files.checks.damaged(), []);
                }
            }
            assert!(has_sums || panics > 0, "choose other damage");
        }
    }

    #[test]
    fn a_damaged_file_is_not_merged_and_parts_the_others() {
        let files: Vec<File> = (1..8).map(|n| file(&format!("samples/h/{n}"), 10, 0, n)).collect();
        let chosen = plan(&files, 1, 3_600_000, 0, &|path| path == "samples/h/3");
        assert_eq!(chosen.concat(), files[3..]);
    }

    #[test]
    fn a_path_has_a_tenant_and_a_kind() {
        for (path, tenant, kind) in [
            ("samples/h/x", "", "samples"),
            ("metadata/x", "", "metadata"),
            ("tenant=a/samples/h/x", "a", "samples"),
            ("tenant=samples/metadata/x", "samples", "metadata"),
        ] {
            assert_eq!((tenant_of(path), kind_of(path)), (tenant, kind), "{path}");
        }
    }
}
