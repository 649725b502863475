//! The rows of several receivers, brought together and sorted: by time window, metric, labels, time.

use remote_write::{Buckets, Count, Dictionary, Histograms, Mark, Receiver, Store, Table};
use std::collections::HashMap;

/// Prometheus' stale marker, a NaN with these bits.
pub const STALE: u64 = 0x7ff0_0000_0000_0002;

/// A receiver whose rows are to be written, and the sequence of each of its requests.
pub struct Part {
    /// The receiver.
    pub receiver: Receiver,
    /// Numbers of requests, ascending, and the sequence of each in the log.
    pub sequences: Vec<(u64, u64)>,
    /// The worker that has the receiver.
    pub worker: usize,
}

impl Part {
    /// Copies the rows of some metrics that requests below a sequence wrote.
    pub fn copy_before(&self, sequence: u64, wanted: &dyn Fn(&str) -> bool) -> Part {
        let sequences = self.sequences[..self.sequences.partition_point(|&(_, of)| of < sequence)].to_vec();
        // A request without a sequence is not in the log.
        let before = sequences.last().map_or(0, |&(request, _)| request + 1);
        Part { receiver: self.receiver.copy_before(before, wanted), sequences, worker: self.worker }
    }

    fn sequence_of(&self, request: u64) -> u64 {
        let at = self.sequences.partition_point(|&(number, _)| number < request);
        self.sequences.get(at).map_or(0, |&(_, sequence)| sequence)
    }
}

/// A series: the metric's name, and the other labels sorted by name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Series<'p> {
    /// The metric's name.
    pub metric: &'p str,
    /// The other labels.
    pub labels: Vec<(&'p str, &'p str)>,
}

/// All series of some parts, sorted. A row names its series by the position here.
pub struct Catalog<'p> {
    series: Vec<Series<'p>>,
    /// For each part and each of its label sets.
    positions: Vec<Vec<u32>>,
}

impl<'p> Catalog<'p> {
    /// Collects the series of all parts.
    pub fn new(parts: &'p [Part]) -> Catalog<'p> {
        let mut numbers: HashMap<Series<'p>, u32> = HashMap::new();
        let mut first: Vec<Vec<u32>> = Vec::with_capacity(parts.len());
        for part in parts {
            let store = part.receiver.store();
            let (words, sets) = (store.dictionary(), store.label_sets());
            let count = u32::try_from(sets.len()).expect("label sets have numbers of 32 bits");
            first.push(
                (0..count)
                    .map(|set| {
                        let series = series_of(words, sets.get(set));
                        let next = numbers.len() as u32;
                        *numbers.entry(series).or_insert(next)
                    })
                    .collect(),
            );
        }
        let mut series: Vec<(Series<'p>, u32)> = numbers.into_iter().collect();
        series.sort_unstable();
        let mut places = vec![0; series.len()];
        for (place, &(_, number)) in series.iter().enumerate() {
            places[number as usize] = place as u32;
        }
        let positions = first.into_iter().map(|set| set.into_iter().map(|n| places[n as usize]).collect()).collect();
        Catalog { series: series.into_iter().map(|(series, _)| series).collect(), positions }
    }

    /// Creates a catalog of series that are sorted already, for rows that are in no receiver.
    pub(super) fn of_sorted(series: Vec<Series<'p>>) -> Catalog<'p> {
        Catalog { series, positions: Vec::new() }
    }

    /// Returns the series at a position.
    pub fn get(&self, position: u32) -> &Series<'p> {
        &self.series[position as usize]
    }

    fn position(&self, part: usize, set: u32) -> u32 {
        self.positions[part][set as usize]
    }
}

/// Returns the series of a label set.
pub fn series_of<'p>(words: &'p Dictionary, set: &[(u32, u32)]) -> Series<'p> {
    let mut series = Series { metric: "", labels: Vec::with_capacity(set.len()) };
    for &(name, value) in set {
        match name {
            Dictionary::NAME => series.metric = words.get(value),
            _ => series.labels.push((words.get(name), words.get(value))),
        }
    }
    series
}

/// A row of any kind: where it belongs, and where its values are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Row {
    /// The time window, counted in windows since the epoch.
    pub window: i64,
    /// The position of the series in the catalog.
    pub series: u32,
    /// Milliseconds since the epoch.
    pub time: i64,
    /// The sequence of the request.
    pub sequence: u64,
    /// The part, the table and the row there.
    pub part: u32,
    /// The number of the table in the part.
    pub table: u32,
    /// The number of the row in the table.
    pub row: u32,
}

/// The kinds of rows that have a series and a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Samples.
    Samples,
    /// Native histograms.
    Histograms,
    /// Exemplars.
    Exemplars,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Kind; 3] = [Kind::Samples, Kind::Histograms, Kind::Exemplars];

    /// Returns the name of the kind, which is the name of its folder.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Samples => "samples",
            Kind::Histograms => "histograms",
            Kind::Exemplars => "exemplars",
        }
    }

    fn before(self, mark: Mark) -> usize {
        match self {
            Kind::Samples => mark.samples,
            Kind::Histograms => mark.histograms,
            Kind::Exemplars => mark.exemplars,
        }
    }

    /// Returns the label sets and the times of the rows of this kind.
    pub fn columns(self, table: &Table) -> (&[u32], &[i64]) {
        match self {
            Kind::Samples => (table.samples.sets(), table.samples.timestamps()),
            Kind::Histograms => (table.histograms.sets(), table.histograms.timestamps()),
            Kind::Exemplars => (table.exemplars.sets(), table.exemplars.timestamps()),
        }
    }
}

/// Returns the rows of a kind, sorted.
pub fn sorted(parts: &[Part], catalog: &Catalog<'_>, kind: Kind, window_ms: i64) -> Vec<Row> {
    let mut rows = Vec::new();
    for (at, part) in parts.iter().enumerate() {
        for (number, table) in part.receiver.store().tables().iter().enumerate() {
            let (sets, times) = kind.columns(table);
            let mut requests = table.requests().iter().peekable();
            let mut sequence = 0;
            for (row, (&set, &time)) in sets.iter().zip(times).enumerate() {
                while let Some(&(request, _)) = requests.next_if(|mark| kind.before(mark.1) <= row) {
                    sequence = part.sequence_of(request);
                }
                rows.push(Row {
                    window: time.div_euclid(window_ms),
                    series: catalog.position(at, set),
                    time,
                    sequence,
                    part: at as u32,
                    table: number as u32,
                    row: row as u32,
                });
            }
        }
    }
    rows.sort_unstable();
    rows
}

/// How many rows were left out because another one has the same series and time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Duplicates {
    /// The other row has the same value, bit for bit.
    pub same: u64,
    /// The other row has another value.
    pub conflicting: u64,
}

/// Keeps one sample or histogram for a series and time: the last one received, but a stale marker never replaces a
/// number. A series may have several exemplars at a time.
pub fn without_duplicates(parts: &[Part], kind: Kind, rows: &mut Vec<Row>) -> Duplicates {
    let mut found = Duplicates::default();
    if kind == Kind::Exemplars {
        return found;
    }
    rows.dedup_by(|later, kept| {
        if (later.series, later.time) != (kept.series, kept.time) {
            return false;
        }
        let tables = (table_of(parts, later), table_of(parts, kept));
        let at = (later.row as usize, kept.row as usize);
        let bits = |table: &Table, row: usize| match kind {
            Kind::Histograms => table.histograms.sums()[row].to_bits(),
            _ => table.samples.values()[row].to_bits(),
        };
        let (new, old) = (bits(tables.0, at.0), bits(tables.1, at.1));
        let others = kind != Kind::Histograms || same((&tables.0.histograms, at.0), (&tables.1.histograms, at.1));
        match new == old && others {
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

/// Returns whether two histograms are the same but for their sums. Floats are compared as bits.
fn same(a: (&Histograms, usize), b: (&Histograms, usize)) -> bool {
    let count = |count| match count {
        Count::None => (0, 0),
        Count::Int(n) => (1, n),
        Count::Float(n) => (2, n.to_bits()),
    };
    let bits = |floats: &[f64]| floats.iter().map(|n| n.to_bits()).collect::<Vec<u64>>();
    let side = |side: &Buckets, row: usize| {
        (side.spans.get(row).to_vec(), side.deltas.get(row).to_vec(), bits(side.counts.get(row)))
    };
    let all = |(of, row): (&Histograms, usize)| {
        let numbers = (of.start(row), of.schemas()[row], of.reset_hints()[row], of.zero_thresholds()[row].to_bits());
        let lists = (side(of.negative(), row), side(of.positive(), row), bits(of.custom_values().get(row)));
        (numbers, count(of.counts()[row]), count(of.zero_counts()[row]), lists)
    };
    all(a) == all(b)
}

/// Returns the table of a row.
pub fn table_of<'p>(parts: &'p [Part], row: &Row) -> &'p Table {
    &parts[row.part as usize].receiver.store().tables()[row.table as usize]
}

/// Returns the store of a row.
pub fn store_of<'p>(parts: &'p [Part], row: &Row) -> &'p Store {
    parts[row.part as usize].receiver.store()
}
