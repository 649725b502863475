//! The last row of each series and time, where several sources may have one.
//!
//! Each source is sorted by series and time. The cursors at the smallest series are merged by time; of the rows of one
//! time the one of the last source stays, but a stale marker never replaces a number. This is the rule within a file, and
//! the one by which files are merged.

use super::exec::{Flow, To};
use super::scan::{Batches, value_column};
use crate::store::gather::{Kind, STALE, Series};
use crate::store::merge::Columns;
use arrow::array::{AsArray, RecordBatch};
use arrow::compute::interleave_record_batch;
use arrow::datatypes::Float64Type;
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::memory_pool::{MemoryConsumer, MemoryReservation};
use std::ops::Range;

/// A batch of a source.
pub struct Loaded {
    /// As it was read, with all labels; only if sources are merged.
    pub raw: Option<RecordBatch>,
    /// The same rows with the columns that the query reads.
    pub out: RecordBatch,
}

/// A series: the metric, and the other labels sorted by name.
pub type Key = (String, Vec<(String, String)>);

/// Copies a series.
pub fn key(series: &Series<'_>) -> Key {
    let labels = series.labels.iter().map(|&(name, value)| (name.to_owned(), value.to_owned()));
    (series.metric.to_owned(), labels.collect())
}

/// Returns about how many bytes a series takes.
pub fn key_bytes(key: &Key) -> usize {
    128 + key.1.iter().map(|(name, value)| 64 + name.len() + value.len()).sum::<usize>()
}

/// The rows of one series in a batch.
struct Run {
    key: Key,
    rows: Range<usize>,
}

/// A place in a source.
struct Cursor<'s> {
    source: Batches<'s>,
    /// The batch, by its number among those that are held.
    batch: usize,
    runs: std::vec::IntoIter<Run>,
    run: Run,
    times: Vec<i64>,
    /// The bits of the values.
    values: Vec<u64>,
    reservation: MemoryReservation,
}

/// The batches that rows of the next output are in.
#[derive(Default)]
struct Output {
    held: Vec<RecordBatch>,
    /// Batch and row.
    places: Vec<(usize, usize)>,
}

impl Cursor<'_> {
    /// Goes to the rows of the next series. Returns false at the end.
    fn next_run(&mut self, kind: Kind, output: &mut Output) -> Result<bool> {
        loop {
            if let Some(run) = self.runs.next() {
                self.run = run;
                return Ok(true);
            }
            let Some(loaded) = self.source.next() else { return Ok(false) };
            self.load(loaded?, kind, output)?;
        }
    }

    fn load(&mut self, loaded: Loaded, kind: Kind, output: &mut Output) -> Result<()> {
        let raw = loaded.raw.ok_or_else(|| DataFusionError::Internal("a merged source has its labels".to_owned()))?;
        if raw.num_rows() == 0 {
            return Ok(());
        }
        let columns = Columns::new(&raw)?;
        let values = raw.column_by_name(value_column(kind)).and_then(|values| values.as_primitive_opt::<Float64Type>());
        let values = values.ok_or_else(|| DataFusionError::Execution("a file has no values".to_owned()))?;
        let run = |rows: Range<usize>| Run { key: key(&columns.series(rows.start)), rows };
        let runs: Vec<Run> = columns.runs().into_iter().map(run).collect();
        self.times = columns.times.values().to_vec();
        self.values = values.values().iter().map(|value| value.to_bits()).collect();
        let labels: usize = runs.iter().map(|run| key_bytes(&run.key)).sum();
        self.reservation.try_resize(raw.num_rows() * 16 + labels + loaded.out.get_array_memory_size())?;
        self.runs = runs.into_iter();
        self.batch = output.held.len();
        output.held.push(loaded.out);
        Ok(())
    }

    fn time(&self) -> i64 {
        self.times[self.run.rows.start]
    }

    fn is_stale(&self) -> bool {
        self.values[self.run.rows.start] == STALE
    }

    fn place(&self) -> (usize, usize) {
        (self.batch, self.run.rows.start)
    }
}

/// Merges sources. Later sources have later requests.
pub fn merge(
    kind: Kind,
    sources: Vec<Batches<'_>>,
    to: &mut To,
    send: &mut dyn FnMut(RecordBatch, &mut To) -> Result<Flow>,
) -> Result<Flow> {
    let limit = to.context.session_config().batch_size();
    let mut output = Output::default();
    let mut cursors = Vec::with_capacity(sources.len());
    for source in sources {
        let reservation = MemoryConsumer::new("merged rows").register(to.context.memory_pool());
        let run = Run { key: Key::default(), rows: 0..0 };
        let (runs, times, values) = Default::default();
        let mut cursor = Cursor { source, batch: 0, runs, run, times, values, reservation };
        if cursor.next_run(kind, &mut output)? {
            cursors.push(cursor);
        }
    }
    while !cursors.is_empty() {
        let least = (1..cursors.len()).fold(0, |least, at| match cursors[at].run.key < cursors[least].run.key {
            true => at,
            false => least,
        });
        let same = (0..cursors.len()).filter(|&at| cursors[at].run.key == cursors[least].run.key).collect::<Vec<_>>();
        // Until one of these cursors ends its run, no other series comes.
        let mut ended = Vec::new();
        while ended.is_empty() && output.places.len() < limit {
            let time = same.iter().map(|&at| cursors[at].time()).min().expect("there is one at least");
            let mut kept: Option<(usize, usize)> = None;
            for &at in &same {
                let cursor = &mut cursors[at];
                if cursor.time() != time {
                    continue;
                }
                if kept.is_none() || !cursor.is_stale() {
                    kept = Some(cursor.place());
                }
                cursor.run.rows.start += 1;
                if cursor.run.rows.is_empty() {
                    ended.push(at);
                }
            }
            output.places.extend(kept);
        }
        for &at in ended.iter().rev() {
            if !cursors[at].next_run(kind, &mut output)? {
                cursors.remove(at);
            }
        }
        if to.is_closed() || output.places.len() >= limit && flush(&mut output, &mut cursors, to, send)? == Flow::Enough
        {
            return Ok(Flow::Enough);
        }
    }
    flush(&mut output, &mut cursors, to, send)
}

/// Hands the chosen rows over, and drops the batches that no cursor is in.
fn flush(
    output: &mut Output,
    cursors: &mut [Cursor<'_>],
    to: &mut To,
    send: &mut dyn FnMut(RecordBatch, &mut To) -> Result<Flow>,
) -> Result<Flow> {
    if output.places.is_empty() {
        return Ok(Flow::More);
    }
    let held: Vec<&RecordBatch> = output.held.iter().collect();
    let batch = interleave_record_batch(&held, &output.places)?;
    output.places.clear();
    let mut kept = Vec::with_capacity(cursors.len());
    for cursor in cursors {
        kept.push(output.held[cursor.batch].clone());
        cursor.batch = kept.len() - 1;
    }
    output.held = kept;
    send(batch, to)
}
