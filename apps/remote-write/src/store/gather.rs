//! The rows of several receivers, brought together and sorted: by time window, metric, labels, time.

use rows::{Buckets, Count, Dictionary, Histograms, Mark, Receiver, Store, Table};

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
        let mut all: Vec<(Series<'p>, u32, u32)> = Vec::new();
        let mut positions = Vec::with_capacity(parts.len());
        for (at, part) in (0..).zip(parts) {
            let store = part.receiver.store();
            let (words, sets) = (store.dictionary(), store.label_sets());
            let count = u32::try_from(sets.len()).expect("label sets have numbers of 32 bits");
            all.extend((0..count).map(|set| (series_of(words, sets.get(set)), at, set)));
            positions.push(vec![0; sets.len()]);
        }
        all.sort_unstable();
        let mut series: Vec<Series<'p>> = Vec::with_capacity(all.len());
        for (one, part, set) in all {
            // Several parts may have it.
            if series.last() != Some(&one) {
                series.push(one);
            }
            positions[part as usize][set as usize] = series.len() as u32 - 1;
        }
        Catalog { series, positions }
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

    /// Returns the rows of this kind before a mark.
    pub(super) fn before(self, mark: Mark) -> usize {
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
    sort(rows, catalog.series.len())
}

/// Sorts rows. Most of a series come in the order of their times, so rows are distributed to their series first.
fn sort(mut rows: Vec<Row>, series: usize) -> Vec<Row> {
    // Rows of one window are in one run already, but for a few.
    rows.sort_by_key(|row| row.window);
    let mut sorted = Vec::with_capacity(rows.len());
    for window in rows.chunk_by(|a, b| a.window == b.window) {
        let first = sorted.len();
        if window.len() < series / 4 {
            sorted.extend_from_slice(window);
            sorted[first..].sort_unstable();
            continue;
        }
        // Where the next row of each series goes.
        let mut places = vec![0; series + 1];
        window.iter().for_each(|row| places[row.series as usize + 1] += 1);
        for at in 0..series {
            places[at + 1] += places[at];
        }
        sorted.resize(first + window.len(), window[0]);
        for &row in window {
            let place = &mut places[row.series as usize];
            sorted[first + *place] = row;
            *place += 1;
        }
        for rows in sorted[first..].chunk_by_mut(|a, b| a.series == b.series) {
            if !rows.is_sorted() {
                rows.sort_unstable();
            }
        }
    }
    sorted
}

/// Counts the rows that came after a later one of their series. The rows are [`sorted`], and have all that came.
pub fn out_of_order(rows: &[Row]) -> u64 {
    let mut found = 0;
    // For each series, when the first of the rows with later times came. Within a request, rows come in the order of their
    // numbers: those of one series are in one table.
    let series = rows.iter().map(|row| row.series as usize + 1).max().unwrap_or(0);
    let mut first = vec![(u64::MAX, u32::MAX); series];
    let came = |row: &Row| (row.sequence, row.row);
    // Rows of one series and time are duplicates, and in no order.
    for same in rows.chunk_by(|a, b| (a.series, a.time) == (b.series, b.time)).rev() {
        let first = &mut first[same[0].series as usize];
        found += same.iter().filter(|row| *first < came(row)).count() as u64;
        *first = same.iter().map(came).min().expect("a group has a row").min(*first);
    }
    found
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
    let all = |(histograms, row): (&Histograms, usize)| {
        let numbers = (
            histograms.start(row),
            histograms.schemas()[row],
            histograms.reset_hints()[row],
            histograms.zero_thresholds()[row].to_bits(),
        );
        let lists = (
            side(histograms.negative(), row),
            side(histograms.positive(), row),
            bits(histograms.custom_values().get(row)),
        );
        (numbers, count(histograms.counts()[row]), count(histograms.zero_counts()[row]), lists)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_sorted_however_they_come() {
        let mut state = 1u64;
        let mut dice = |below: u64| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) % below
        };
        for (count, windows, series, times) in
            [(0, 1, 1, 1), (1000, 1, 7, 50), (1000, 3, 100, 5), (300, 5, 5000, 9), (2000, 2, 1, 3000)]
        {
            let mut rows: Vec<Row> = (0..count)
                .map(|row| Row {
                    window: dice(windows) as i64 - 1,
                    series: dice(series) as u32,
                    time: dice(times) as i64,
                    sequence: dice(3),
                    part: dice(2) as u32,
                    table: 0,
                    row,
                })
                .collect();
            let found = sort(rows.clone(), series as usize);
            rows.sort_unstable();
            assert_eq!(found, rows);
        }
    }
}
