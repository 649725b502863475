//! Whether a request that comes again would change something.
//!
//! A sender that did not hear the answer sends its request again: then all rows are there as it has them. A sender that corrects
//! a value and takes the correction back sends the same bytes, too: then another request has written another value since.

use super::columns::{Labels, batch, schema};
use super::files::tenant_of;
use super::gather::{Catalog, Kind, Part, STALE, Series, series_of, sorted};
use super::head::Head;
use super::list::Files;
use super::merge::{Columns, kind_of};
use super::snapshot::Snapshot;
use crate::log::Log;
use crate::threads::reading;
use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::ArrowError;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Mutex;

/// The kinds in which a row replaces another one of its series and time.
const KINDS: [Kind; 2] = [Kind::Samples, Kind::Histograms];

/// One of these looks at files at a time.
static FILES: Mutex<()> = Mutex::new(());

/// Returns whether a request later than `sequence` wrote another value for a series and time of these rows. Where that cannot be
/// found out, it may have: rows that are written twice fall away when files are merged.
pub fn is_superseded(store: (&Log, &Head, &Files), tenant: &str, sequence: u64, rows: Part) -> bool {
    match reading(|| look(store, tenant, sequence, &[rows])) {
        Ok(Ok(found)) => found,
        Ok(Err(error)) => unknown(&error),
        Err(why) => unknown(&why),
    }
}

fn look(store: (&Log, &Head, &Files), tenant: &str, sequence: u64, rows: &[Part]) -> Result<bool, ArrowError> {
    let (_, head, files) = store;
    for kind in KINDS {
        let Some(own) = batch_of(kind, rows, None)? else { continue };
        let own = Wanted::new(kind, &own)?;
        // Mostly nothing in memory is of the same series and time, and nothing is copied.
        let held = head.hold();
        let mut touched = HashSet::new();
        if let Some(sealing) = files.sealing() {
            sealing
                .parts
                .get(tenant)
                .into_iter()
                .flatten()
                .for_each(|part| own.find_later(part, sequence, &mut touched));
        }
        let visited = head.each_part(tenant, |part| {
            own.find_later(part, sequence, &mut touched);
            Ok::<(), std::convert::Infallible>(())
        });
        let Ok(()) = visited;
        drop(held);
        let wanted = |metric: &str| touched.contains(metric);
        let Ok(snapshot) = Snapshot::take(store, tenant, &wanted, |_| Ok::<(), std::convert::Infallible>(()));
        if let Some(later) = batch_of(kind, &snapshot.memory, Some(sequence))?
            && own.is_replaced_in(&later)?
        {
            return Ok(true);
        }
        if in_files(&own, &snapshot, sequence)? {
            return Ok(true);
        }
    }
    Ok(false)
}

fn unknown(error: &dyn std::fmt::Display) -> bool {
    tracing::warn!(%error, "a request came again, and whether its rows were replaced is not known: it is written again");
    true
}

fn in_files(own: &Wanted<'_>, snapshot: &Snapshot, sequence: u64) -> Result<bool, ArrowError> {
    let wanted = |file: &&super::manifest::File| {
        let path = file.path.as_str();
        tenant_of(path) == &*snapshot.tenant
            && kind_of(path) == own.kind.name()
            && file.last > sequence
            && file.min_time <= own.last
            && file.max_time >= own.first
    };
    for file in snapshot.manifest.files.iter().filter(wanted) {
        let _alone = FILES.lock().expect("no code panics while it holds this but within `reading`");
        let failed = |error: &dyn std::fmt::Display| ArrowError::ParquetError(format!("{}: {error}", file.path));
        let open = snapshot.open(&file.path).and_then(|open| open.try_clone()).map_err(|error| failed(&error))?;
        let reader = ParquetRecordBatchReaderBuilder::try_new(open).and_then(ParquetRecordBatchReaderBuilder::build);
        for later in reader.map_err(|error| failed(&error))? {
            if own.is_replaced_in(&later?)? {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// Returns the rows of a kind, of requests later than a sequence.
fn batch_of(kind: Kind, parts: &[Part], after: Option<u64>) -> Result<Option<RecordBatch>, ArrowError> {
    let catalog = Catalog::new(parts);
    let mut rows = sorted(parts, &catalog, kind, i64::MAX);
    rows.retain(|row| after.is_none_or(|after| row.sequence > after));
    // Times before the epoch are in another window, and here there is one.
    rows.iter_mut().for_each(|row| row.window = 0);
    rows.sort_unstable();
    if rows.is_empty() {
        return Ok(None);
    }
    let labels = Labels::new(&catalog, &rows);
    batch(parts, &labels, &schema(&labels, kind), kind, &rows).map(Some)
}

/// The rows of the request that came again.
struct Wanted<'b> {
    kind: Kind,
    first: i64,
    last: i64,
    series: HashMap<Series<'b>, BTreeMap<i64, Value>>,
}

/// All that a row has beside its series and time.
struct Value {
    columns: Vec<ArrayRef>,
    stale: bool,
}

impl<'b> Wanted<'b> {
    fn new(kind: Kind, batch: &'b RecordBatch) -> Result<Wanted<'b>, ArrowError> {
        let mut wanted = Wanted { kind, first: i64::MAX, last: i64::MIN, series: HashMap::new() };
        let columns = Columns::new(batch)?;
        for run in columns.runs() {
            let times = wanted.series.entry(columns.series(run.start)).or_default();
            for row in run {
                let time = columns.times.value(row);
                (wanted.first, wanted.last) = (wanted.first.min(time), wanted.last.max(time));
                // Of two values in one request, the last one counts, but no stale marker.
                let value = Value { columns: columns.values(row), stale: is_stale(kind, batch, row) };
                if !value.stale || !times.contains_key(&time) {
                    times.insert(time, value);
                }
            }
        }
        Ok(wanted)
    }

    /// Finds metrics with a row of one of these series and times that a later request wrote.
    fn find_later(&self, part: &Part, sequence: u64, metrics: &mut HashSet<String>) {
        let store = part.receiver.store();
        let (words, later) = (store.dictionary(), part.sequences.partition_point(|&(_, of)| of <= sequence));
        let Some(&(request, _)) = part.sequences.get(later) else { return };
        let known: HashSet<&str> = self.series.keys().map(|series| series.metric).collect();
        for table in store.tables() {
            let metric = words.get(table.metric());
            let after = table.requests().partition_point(|&(number, _)| number < request);
            let Some(&(_, mark)) = table.requests().get(after).filter(|_| known.contains(metric)) else { continue };
            let (sets, times) = self.kind.columns(table);
            let rows = self.kind.before(mark)..times.len();
            let is_own = |row: usize| {
                (self.first..=self.last).contains(&times[row])
                    && self
                        .series
                        .get(&series_of(words, store.label_sets().get(sets[row])))
                        .is_some_and(|own| own.contains_key(&times[row]))
            };
            if rows.into_iter().any(is_own) {
                metrics.insert(metric.to_owned());
            }
        }
    }

    /// Returns whether a row of the batch has another value for a series and time. A stale marker replaces nothing, and to send
    /// one again changes nothing.
    fn is_replaced_in(&self, batch: &RecordBatch) -> Result<bool, ArrowError> {
        let columns = Columns::new(batch)?;
        for run in columns.runs() {
            let Some(times) = self.series.get(&columns.series(run.start)) else { continue };
            for row in run {
                let Some(own) = times.get(&columns.times.value(row)) else { continue };
                if !own.stale && !is_stale(self.kind, batch, row) && columns.values(row) != own.columns {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }
}

fn is_stale(kind: Kind, batch: &RecordBatch, row: usize) -> bool {
    let name = if kind == Kind::Histograms { "__sum__" } else { "__value__" };
    let values = batch.column_by_name(name).and_then(|column| column.as_primitive_opt::<Float64Type>());
    values.is_some_and(|values| values.value(row).to_bits() == STALE)
}
