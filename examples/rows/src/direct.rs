//! Rows of other protocols. Whoever decodes one adds its series here, one by one; the rules and limits are those of
//! remote write.

use crate::ingest::{Halt, Ingest};
use crate::label_sets::Pair;
use crate::problem::Reason;
use crate::rows::{Count, MetadataRow, NewExemplar, NewHistogram, Span};

/// The request ends here: a limit is reached. [`Receiver::direct`] returns the reason.
///
/// [`Receiver::direct`]: crate::Receiver::direct
pub struct Ended(pub(crate) Halt);

/// The labels that a request may have, in all its series, for each of the rows that it may have. Otherwise a few bytes of
/// another protocol, such as a bucket's, could cost the work of a series with many labels.
const LABELS_FOR_A_ROW: usize = 32;

/// A request on its way into the tables.
pub struct Direct<'d, 'r> {
    ingest: &'d mut Ingest<'static, 'r>,
    /// The labels so far.
    labels: usize,
}

/// The series that is being added.
pub struct SeriesRows<'d, 'r>(&'d mut Ingest<'static, 'r>);

/// A native histogram.
#[derive(Clone, Copy, Debug, Default)]
pub struct HistogramRow<'h> {
    /// Milliseconds since the epoch.
    pub time: i64,
    /// The start time, in milliseconds since the epoch; 0 if there is none.
    pub start: i64,
    /// The number of observations.
    pub count: u64,
    /// Their sum.
    pub sum: f64,
    /// The bucket layout.
    pub schema: i32,
    /// The width of the zero bucket.
    pub zero_threshold: f64,
    /// The number of observations in the zero bucket.
    pub zero_count: u64,
    /// The number of the reset hint.
    pub reset_hint: i32,
    /// The buckets below zero.
    pub negative: Side<'h>,
    /// The buckets above zero.
    pub positive: Side<'h>,
    /// The upper bounds of the buckets, for schema -53.
    pub custom_values: &'h [f64],
}

/// Buckets on one side of zero.
#[derive(Clone, Copy, Debug, Default)]
pub struct Side<'h> {
    /// The positions of the buckets.
    pub spans: &'h [Span],
    /// Each bucket's count as the difference from the previous one.
    pub deltas: &'h [i64],
}

impl Side<'_> {
    fn elements(self) -> usize {
        self.spans.len() + self.deltas.len()
    }
}

impl<'d, 'r> Direct<'d, 'r> {
    pub(crate) fn new(ingest: &'d mut Ingest<'static, 'r>) -> Direct<'d, 'r> {
        Direct { ingest, labels: 0 }
    }

    /// Returns the number of a string in the dictionary. It is valid until the request ends.
    pub fn word(&mut self, text: &str) -> Result<u32, Ended> {
        self.ingest.check_memory().map_err(Ended)?;
        Ok(self.ingest.store.words.intern(text))
    }

    /// Returns the number of series so far: the index of the next one.
    pub fn series_so_far(&self) -> u32 {
        self.ingest.report.series as u32
    }

    /// Adds a series with these labels, in any order; `rows` adds its rows. If one of them is bad, none stays, and the
    /// report has the reason.
    pub fn series(
        &mut self,
        labels: &[(u32, u32)],
        rows: impl FnOnce(&mut SeriesRows<'_, 'r>) -> Result<(), Ended>,
    ) -> Result<(), Ended> {
        let ingest = &mut *self.ingest;
        self.labels = self.labels.saturating_add(labels.len());
        if self.labels > ingest.max_rows().saturating_mul(LABELS_FOR_A_ROW) {
            return Err(Ended(Halt::TooManyRows));
        }
        ingest.begin(&[]);
        for &label in labels {
            if !ingest.takes_label() {
                break;
            }
            ingest.labels.push(label);
        }
        let words = &ingest.store.words;
        ingest.labels.sort_by(|a: &Pair, b| words.get(a.0).cmp(words.get(b.0)));
        match ingest.store.sets.find_next(ingest.labels) {
            Some(set) if ingest.is_good() => {
                ingest.report.known += 1;
                ingest.found(set);
            }
            _ => _ = ingest.resolve().map_err(Ended)?,
        }
        rows(&mut SeriesRows(ingest))?;
        ingest.end().map_err(Ended)
    }

    /// Adds the metadata of a metric.
    pub fn metadata(&mut self, metric: &str, row: MetadataRow) -> Result<(), Ended> {
        self.ingest.metadata(0, 0, metric, row).map_err(Ended)
    }
}

impl SeriesRows<'_, '_> {
    /// Adds a sample. `start` is the time at which its counter started, 0 if there is none.
    pub fn sample(&mut self, time: i64, value: f64, start: i64) -> Result<(), Ended> {
        let Some((table, _, set)) = self.0.rows() else { return Ok(()) };
        table.samples.push(set, time, value, start);
        self.0.count(1).map_err(Ended)
    }

    /// Adds a native histogram.
    pub fn histogram(&mut self, row: &HistogramRow<'_>) -> Result<(), Ended> {
        let elements = row.negative.elements() + row.positive.elements() + row.custom_values.len();
        if elements >= self.0.room() {
            return Err(Ended(Halt::TooManyRows));
        }
        let checked = self.0.replay.is_none();
        let Some((table, _, set)) = self.0.rows() else { return Ok(()) };
        let mut new = NewHistogram {
            timestamp: row.time,
            start: row.start,
            count: Count::Int(row.count),
            sum: row.sum,
            schema: row.schema,
            zero_threshold: row.zero_threshold,
            zero_count: Count::Int(row.zero_count),
            reset_hint: row.reset_hint,
        };
        let lists = &mut table.histograms;
        lists.negative_mut().spans.extend(row.negative.spans.iter().copied());
        lists.negative_mut().deltas.extend(row.negative.deltas.iter().copied());
        lists.positive_mut().spans.extend(row.positive.spans.iter().copied());
        lists.positive_mut().deltas.extend(row.positive.deltas.iter().copied());
        lists.custom_values_mut().extend(row.custom_values.iter().copied());
        match if checked { lists.check(&new) } else { Ok(()) } {
            Ok(()) => {
                lists.reduce(&mut new);
                let elements = lists.elements();
                lists.push(set, new);
                self.0.count(1 + elements).map_err(Ended)
            }
            Err((reason, detail)) => {
                self.0.bad(reason, 0, ".histograms[0]", detail);
                Ok(())
            }
        }
    }

    /// Adds an exemplar with labels of its own. One without a time is left out, and counted in the report.
    pub fn exemplar<'l>(
        &mut self,
        labels: impl IntoIterator<Item = (&'l str, &'l str)>,
        value: f64,
        time: i64,
    ) -> Result<(), Ended> {
        self.0.check_memory().map_err(Ended)?;
        let room = self.0.room();
        let Some((table, words, set)) = self.0.rows() else { return Ok(()) };
        let mut elements = 1;
        for (name, text) in labels {
            if elements >= room {
                return Err(Ended(Halt::TooManyRows));
            }
            table.exemplars.push_label(words.intern(name), text);
            elements += 1;
        }
        if time == 0 {
            table.exemplars.drop_open();
            let lost = self.0.lose_exemplar(Reason::ExemplarTimeMissing, 0, ".timestamp", elements);
            return lost.map_err(Ended);
        }
        table.exemplars.push(set, NewExemplar { value, timestamp: time });
        self.0.count(elements).map_err(Ended)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Options, Receiver, RequestError, Rules};

    fn receiver(options: Options) -> Receiver {
        Receiver::new(Options {
            skip_bad: true,
            rules: Rules { lenient: true, one_kind: true, names: crate::Names::Utf8 },
            ..options
        })
    }

    /// Adds a series `m{n=…}` for each number, with a sample at that time.
    fn numbers(direct: &mut Direct<'_, '_>, times: &[i64]) -> Result<(), Ended> {
        for &time in times {
            let labels = [("n", time.to_string()), ("__name__", "m".to_owned())];
            let mut pairs = Vec::new();
            for (name, value) in &labels {
                pairs.push((direct.word(name)?, direct.word(value)?));
            }
            direct.series(&pairs, |rows| rows.sample(time, time as f64, 0))?;
        }
        Ok(())
    }

    #[test]
    fn bad_series_are_left_out_and_a_replay_leaves_out_the_same() {
        let mut first = receiver(Options { times: 0..=99, ..Options::default() });
        let report = first.direct(None, |direct| numbers(direct, &[5, 500, 7, -1])).unwrap();
        assert_eq!((report.series, report.samples, &report.refused[..]), (4, 2, &[1, 3][..]));
        let mut repeated = receiver(Options { times: 0..=6, max_rows: 1, ..Options::default() });
        let report = repeated.direct(Some(&[1, 3]), |direct| numbers(direct, &[5, 500, 7, -1])).unwrap();
        assert_eq!((report.series, report.samples, report.bad), (4, 2, 2));
        for receiver in [first, repeated] {
            assert_eq!(receiver.store().table("m").unwrap().samples.timestamps(), [5, 7]);
        }
    }

    #[test]
    fn an_ended_request_leaves_no_rows() {
        let mut receiver = receiver(Options { max_rows: 3, ..Options::default() });
        assert!(receiver.direct(None, |direct| numbers(direct, &[1, 2, 3])).is_ok());
        let error = receiver.direct(None, |direct| numbers(direct, &[4, 5, 6, 7])).unwrap_err();
        assert_eq!(error, RequestError::TooManyRows { limit: 3 });
        let histogram = HistogramRow {
            time: 9,
            count: 6,
            positive: Side { spans: &[Span { offset: 0, length: 3 }], deltas: &[2, 0, 0] },
            ..HistogramRow::default()
        };
        let add = |direct: &mut Direct<'_, '_>| {
            let label = (direct.word("__name__")?, direct.word("m")?);
            direct.series(&[label], |rows| rows.histogram(&histogram))
        };
        assert_eq!(receiver.direct(None, add).unwrap_err(), RequestError::TooManyRows { limit: 3 });
        let table = receiver.store().table("m").unwrap();
        assert_eq!((table.samples.timestamps(), table.histograms.len()), (&[1, 2, 3][..], 0));
    }

    #[test]
    fn many_labels_in_many_series_end_a_request() {
        let mut receiver = receiver(Options { max_rows: 10, ..Options::default() });
        let error = receiver.direct(None, |direct| {
            let name = (direct.word("__name__")?, direct.word("m")?);
            let mut labels: Vec<(u32, u32)> = Vec::new();
            for n in 0..80 {
                labels.push((direct.word(&format!("l{n}"))?, name.1));
            }
            labels.push(name);
            // Four of them have 324 labels.
            (0..4).try_for_each(|time| direct.series(&labels, |rows| rows.sample(time, 1.0, 0)))
        });
        assert_eq!(error, Err(RequestError::TooManyRows { limit: 10 }));
        assert_eq!(receiver.store().table("m").unwrap().samples.len(), 0);
    }

    #[test]
    fn histograms_and_exemplars_follow_the_rules() {
        let mut receiver = receiver(Options::default());
        let spans = [Span { offset: 0, length: 2 }];
        let good =
            HistogramRow { time: 9, count: 5, positive: Side { spans: &spans, deltas: &[2, 1] }, ..Default::default() };
        let bad = HistogramRow { count: 6, ..good };
        let report = receiver.direct(None, |direct| {
            for (row, exemplar_time) in [(&good, 3), (&bad, 4), (&good, 0)] {
                let label = (direct.word("__name__")?, direct.word("h")?);
                direct.series(&[label], |rows| {
                    rows.histogram(row)?;
                    rows.exemplar([("trace_id", "ab")], 1.5, exemplar_time)
                })?;
            }
            let (help, unit) = (direct.word("Help")?, direct.word("s")?);
            direct.metadata("h", MetadataRow { kind: 3, help, unit })
        });
        let report = report.unwrap();
        assert_eq!((report.histograms, report.exemplars, report.metadata), (2, 1, 1));
        assert_eq!((&report.refused[..], report.bad_exemplars), (&[1][..], 1));
        let reasons: Vec<Reason> = report.problems.counts().map(|(reason, _)| reason).collect();
        assert_eq!(reasons, [Reason::CountMismatch, Reason::ExemplarTimeMissing]);
        let table = receiver.store().table("h").unwrap();
        assert_eq!(table.histograms.positive().deltas.get(1), [2, 1]);
        assert_eq!(table.exemplars.timestamps(), [3]);
    }
}
