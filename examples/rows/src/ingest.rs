//! The part that both versions share: the labels of a series first, then its rows, directly into the table's columns.
//!
//! Protobuf allows the fields of a series in any order and in pieces. Senders write the labels first, in one piece, so
//! rows can go to their table immediately. If the order differs, the series is read twice, the first time for the
//! labels.

use crate::detect::Version;
use crate::dictionary::Dictionary;
use crate::label_sets::Pair;
use crate::problem::{Problem, Problems, Reason};
use crate::receiver::{Options, Report};
use crate::rows::MetadataRow;
use crate::store::Store;
use crate::table::{Mark, Table};
use crate::validate::{Fault, Rules};
use hotpb::pool::{Flow, Unknown};
use std::ops::Range;

/// Why a visit ends early.
pub(crate) enum Halt {
    Malformed(hotpb::Error),
    Invalid(Box<Problem>),
    TooManyRows,
    TooManySeries,
    BothVersions,
    OtherVersion,
}

/// The parts of a series that this pass reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Pass {
    /// Everything, as long as the labels come first and in one piece.
    #[default]
    Only,
    /// The labels.
    Labels,
    /// The rest.
    Rows,
}

/// One request on its way into the store.
pub(crate) struct Ingest<'a, 'r> {
    pub store: &'r mut Store,
    pub report: Report,
    pub rules: Rules,
    /// Whether fields of the other version reject the request.
    pub only_this_version: bool,
    /// The series that the first reading of this request refused, if this is not the first one.
    pub replay: Option<&'r [u32]>,
    options: &'r Options,
    body: &'a [u8],
    /// The labels of the series, and the position of each in the body (1.0).
    pub labels: &'r mut Vec<Pair>,
    pub places: &'r mut Vec<Range<usize>>,
    series: Series,
    /// The rows of this request that were left out one by one.
    lost: usize,
}

/// Reusable memory for the labels of a series.
#[derive(Default)]
pub(crate) struct Scratch {
    labels: Vec<Pair>,
    places: Vec<Range<usize>>,
}

/// The series that is being read.
#[derive(Default)]
struct Series {
    /// The offset of its bytes.
    offset: usize,
    /// The rows of the request before it.
    rows_before: usize,
    /// The offset of its labels, if they have no positions of their own (2.0).
    labels_at: Option<usize>,
    pass: Pass,
    labels_seen: bool,
    /// Whether its fields are in an order that [`Pass::Only`] cannot read.
    twice: bool,
    set: Option<Target>,
    problem: Option<Box<Problem>>,
    /// The number of exemplars that were left out, and the first problems.
    lost_exemplars: usize,
    lost: Vec<Problem>,
}

/// The destination of a series' rows, and its state before them.
#[derive(Clone, Copy)]
struct Target {
    set: u32,
    table: u32,
    before: Mark,
    rows_before: usize,
}

impl<'a, 'r> Ingest<'a, 'r> {
    pub fn new(
        body: &'a [u8],
        store: &'r mut Store,
        scratch: &'r mut Scratch,
        options: &'r Options,
        rules: Rules,
        report: Report,
    ) -> Ingest<'a, 'r> {
        let Scratch { labels, places } = scratch;
        let series = Series::default();
        Ingest {
            store,
            report,
            rules,
            only_this_version: false,
            replay: None,
            options,
            body,
            labels,
            places,
            series,
            lost: 0,
        }
    }

    /// Returns the offset of a part of the body; for anything else (an absent string) `otherwise`.
    pub fn offset_of(&self, part: &[u8], otherwise: usize) -> usize {
        let at = (part.as_ptr() as usize).wrapping_sub(self.body.as_ptr() as usize);
        if at <= self.body.len() && !part.is_empty() { at } else { otherwise }
    }

    /// Handles a field of a request that the version does not have.
    pub fn unknown(&self, field: Unknown<'a>) -> Flow<Halt> {
        let alternative = self.report.version.alternative();
        match field {
            Unknown::Record(field)
                if self.only_this_version && crate::detect::is_field_of(alternative, field.number) =>
            {
                Err(Halt::BothVersions)?
            }
            _ => Ok(()),
        }
    }

    /// Restarts the request from its beginning.
    #[cold]
    pub fn start_again(&mut self) {
        self.store.undo();
        self.store.begin();
        self.report = Report::new(self.report.version);
        self.series = Series::default();
        self.lost = 0;
    }

    /// Begins a series.
    pub fn begin(&mut self, bytes: &[u8]) {
        let offset = self.offset_of(bytes, self.series.offset);
        self.series = Series { offset, rows_before: self.store.rows_of_request, ..Series::default() };
        self.forget_labels();
    }

    fn forget_labels(&mut self) {
        self.labels.clear();
        self.places.clear();
    }

    pub fn pass(&self) -> Pass {
        self.series.pass
    }

    pub fn series_offset(&self) -> usize {
        self.series.offset
    }

    /// Records the bytes that contain the labels.
    #[inline]
    pub fn labels_at(&mut self, bytes: &[u8]) {
        let at = self.offset_of(bytes, self.series.offset);
        self.series.labels_at.get_or_insert(at);
    }

    pub fn labels_offset(&self) -> usize {
        self.series.labels_at.unwrap_or(self.series.offset)
    }

    pub fn is_good(&self) -> bool {
        self.series.problem.is_none()
    }

    /// Returns the number of exemplars of the series so far.
    pub fn exemplars_so_far(&self) -> usize {
        self.so_far(|mark| mark.exemplars) + self.series.lost_exemplars
    }

    /// Returns the number of histograms of the series so far.
    pub fn histograms_so_far(&self) -> usize {
        self.so_far(|mark| mark.histograms)
    }

    fn so_far(&self, kind: impl Fn(Mark) -> usize) -> usize {
        let target = self.series.set;
        target.map_or(0, |t| kind(self.store.tables[t.table as usize].mark()) - kind(t.before))
    }

    /// Reports whether this pass reads the labels.
    #[inline]
    pub fn wants_labels(&mut self) -> bool {
        match self.series.pass {
            Pass::Only if self.series.labels_seen => {
                self.series.twice = true;
                false
            }
            pass => pass != Pass::Rows,
        }
    }

    /// Sets the labels to those of a known set.
    #[inline]
    pub fn found(&mut self, set: u32) {
        self.series.labels_seen = true;
        self.target(set);
    }

    #[inline]
    fn target(&mut self, set: u32) {
        let (rows_before, table) = (self.store.rows_of_request, self.store.sets.table(set));
        let before = self.store.open(table).mark();
        self.series.set = Some(Target { set, table, before, rows_before });
    }

    /// Checks that a series may have one more label.
    #[inline]
    pub fn takes_label(&mut self) -> bool {
        let limit = self.options.max_label_names;
        let takes = self.labels.len() <= limit;
        if !takes {
            let detail = format!("more than {limit} (--max-label-names)");
            self.bad(Reason::TooManyLabelNames, self.series.offset, "", detail);
        }
        takes
    }

    /// Checks the memory limit before something new is stored.
    pub fn check_memory(&self) -> Result<(), Halt> {
        let limit = self.options.max_series_bytes.saturating_mul(2);
        if self.store.series_bytes() > limit { Err(Halt::TooManySeries) } else { Ok(()) }
    }

    /// Finds the set of the collected labels, if they are valid.
    pub fn resolve(&mut self) -> Result<Option<u32>, Halt> {
        self.check_memory()?;
        Ok(self.find_set())
    }

    fn find_set(&mut self) -> Option<u32> {
        self.series.labels_seen = true;
        if self.series.problem.is_some() {
            return None;
        }
        match self.store.set_of(self.labels, self.rules, self.options) {
            Ok(set) => {
                self.target(set);
                Some(set)
            }
            Err(fault) => {
                self.bad_label(fault);
                None
            }
        }
    }

    #[cold]
    fn bad_label(&mut self, Fault { label, value, reason, detail }: Fault) {
        let offset = match label.and_then(|label| self.places.get(label).cloned()) {
            Some(place) => crate::v1::place_in_label(self.body, place, value),
            None => self.labels_offset(),
        };
        let field = match (label, self.report.version) {
            (None, _) => String::new(),
            (Some(n), Version::V1) => format!(".labels[{n}].{}", if value { "value" } else { "name" }),
            (Some(n), Version::V2) => format!(".labels_refs[{}]", 2 * n + usize::from(value)),
        };
        self.bad(reason, offset, &field, detail);
    }

    /// Records an error in the series; only the first one is reported.
    #[cold]
    pub fn bad(&mut self, reason: Reason, offset: usize, field: &str, detail: String) {
        if self.series.problem.is_some() {
            return;
        }
        let index = self.report.series as u32;
        // A request may have millions: only those that are kept need a path.
        let kept = self.report.problems.first().len() < Problems::KEPT;
        let path = if kept { format!("timeseries[{index}]{field}") } else { String::new() };
        self.series.problem = Some(Box::new(Problem { reason, index, offset, path, detail }));
    }

    /// Records an exemplar that is left out, although its series is good. The unfinished row must be gone.
    #[cold]
    pub fn lose_exemplar(&mut self, reason: Reason, offset: usize, field: &str, elements: usize) -> Result<(), Halt> {
        let index = self.report.series as u32;
        if self.series.lost.len() < Problems::KEPT {
            let path = format!("timeseries[{index}].exemplars[{}]{field}", self.exemplars_so_far());
            self.series.lost.push(Problem { reason, index, offset, path, detail: String::new() });
        }
        self.series.lost_exemplars += 1;
        self.lost += elements;
        self.count(0)
    }

    /// Returns the table for rows, the dictionary, and the label set; nothing if this pass does not read rows.
    #[inline]
    pub fn rows(&mut self) -> Option<(&mut Table, &mut Dictionary, u32)> {
        if self.series.pass == Pass::Labels || self.series.problem.is_some() {
            return None;
        }
        match self.series.set {
            Some(Target { table, set, .. }) => {
                let Store { tables, words, .. } = &mut *self.store;
                Some((&mut tables[table as usize], words, set))
            }
            None => {
                // The rows precede the labels.
                self.series.twice = true;
                None
            }
        }
    }

    /// Counts rows that were added.
    #[inline]
    pub fn count(&mut self, rows: usize) -> Result<(), Halt> {
        self.store.rows_of_request += rows;
        if self.store.rows_of_request + self.lost > self.options.max_rows { Err(Halt::TooManyRows) } else { Ok(()) }
    }

    /// Returns the number of rows that a request may have.
    pub fn max_rows(&self) -> usize {
        self.options.max_rows
    }

    /// Returns the number of rows that the request may still add.
    pub fn room(&self) -> usize {
        self.options.max_rows.saturating_sub(self.store.rows_of_request + self.lost)
    }

    /// Reports whether the series must be read twice; called after the first pass, when its bytes are known to be
    /// valid.
    #[inline]
    pub fn must_read_again(&self) -> bool {
        self.series.twice || !self.series.labels_seen
    }

    /// Begins the second pass over the series, and removes the results of the first one.
    pub fn read_labels(&mut self) {
        self.take_back();
        let Series { offset, rows_before, .. } = self.series;
        self.series = Series { offset, rows_before, pass: Pass::Labels, ..Series::default() };
        self.forget_labels();
    }

    pub fn read_rows(&mut self) -> Result<(), Halt> {
        self.resolve()?;
        self.series.pass = Pass::Rows;
        Ok(())
    }

    /// Ends a series: counts it, or removes its rows if it is invalid.
    #[inline]
    pub fn end(&mut self) -> Result<(), Halt> {
        if self.refused_before() {
            self.take_back();
            self.report.bad += 1;
            self.report.series += 1;
            return Ok(());
        }
        if self.store.rows_of_request == self.series.rows_before {
            self.without_rows()?;
        }
        if let (None, Some(Target { table, before, .. })) = (&self.series.problem, self.series.set) {
            let now = self.store.tables[table as usize].mark();
            if self.report.version == Version::V2 && (!self.rules.lenient || self.rules.one_kind) {
                self.check_kinds(before, now);
            }
            if self.options.times != (i64::MIN..=i64::MAX) {
                self.check_times(table, before);
            }
            if self.series.problem.is_none() {
                self.report.samples += (now.samples - before.samples) as u64;
                self.report.histograms += (now.histograms - before.histograms) as u64;
                self.report.exemplars += (now.exemplars - before.exemplars) as u64;
                self.report.metadata += (now.metadata - before.metadata) as u64;
            }
        }
        if let Some(problem) = self.series.problem.take() {
            self.take_back();
            self.refuse(problem)?;
            self.report.refused.push(self.report.series as u32);
        } else if self.series.lost_exemplars > 0 {
            self.lose()?;
        }
        self.report.series += 1;
        Ok(())
    }

    /// Counts a series without rows as one, because its labels take time and memory, too.
    #[cold]
    fn without_rows(&mut self) -> Result<(), Halt> {
        self.lost += 1;
        self.count(0)
    }

    /// Reports whether the first reading of this request refused the series.
    #[inline]
    fn refused_before(&self) -> bool {
        self.replay.is_some_and(|refused| refused.binary_search(&(self.report.series as u32)).is_ok())
    }

    /// 2.0: a series must have samples or histograms, and not both. Exemplars alone are accepted, too, because
    /// Prometheus sends them.
    fn check_kinds(&mut self, before: Mark, now: Mark) {
        let (samples, histograms) = (now.samples > before.samples, now.histograms > before.histograms);
        let exemplars = now.exemplars > before.exemplars || self.series.lost_exemplars > 0;
        if samples && histograms {
            self.bad(Reason::SamplesAndHistograms, self.series.offset, "", String::new());
        } else if !self.rules.lenient && !samples && !histograms && !exemplars {
            self.bad(Reason::SeriesEmpty, self.series.offset, "", String::new());
        }
    }

    /// Checks the timestamps of the rows that the series added.
    fn check_times(&mut self, table: u32, before: Mark) {
        let times = &self.options.times;
        let table = &self.store.tables[table as usize];
        let samples = &table.samples.timestamps()[before.samples..];
        let histograms = &table.histograms.timestamps()[before.histograms..];
        let exemplars = &table.exemplars.timestamps()[before.exemplars..];
        let mut all = samples.iter().chain(histograms).chain(exemplars);
        if let Some(time) = all.find(|&time| !times.contains(time)) {
            let detail = format!("{time} is not in {} to {}", times.start(), times.end());
            self.bad(Reason::TimeOutside, self.series.offset, "", detail);
        }
    }

    #[cold]
    fn take_back(&mut self) {
        if let Some(Target { table, before, rows_before, .. }) = self.series.set.take() {
            self.store.tables[table as usize].truncate(before);
            self.store.rows_of_request = rows_before;
        }
    }

    /// Counts the exemplars that the series lost, or rejects the request.
    #[cold]
    fn lose(&mut self) -> Result<(), Halt> {
        let (lost, count) = (std::mem::take(&mut self.series.lost), self.series.lost_exemplars as u64);
        self.report.bad_exemplars += count;
        let more = count - lost.len() as u64;
        for problem in lost {
            if !self.options.skip_bad {
                return Err(Halt::Invalid(Box::new(problem)));
            }
            self.report.problems.add(problem);
        }
        self.report.problems.count_more(Reason::ExemplarTimeMissing, more);
        Ok(())
    }

    /// Leaves out an invalid series, or rejects the request.
    #[cold]
    fn refuse(&mut self, problem: Box<Problem>) -> Result<(), Halt> {
        if self.options.skip_bad {
            self.report.bad += 1;
            self.report.problems.add(*problem);
            return Ok(());
        }
        Err(Halt::Invalid(problem))
    }

    /// 1.0: adds metadata of a metric, which has its own entry.
    pub fn metadata(&mut self, index: u32, offset: usize, family: &str, row: MetadataRow) -> Result<(), Halt> {
        let (reason, detail) = match family {
            "" => (Reason::MetricNameMissing, String::new()),
            _ if self.rules.names == crate::validate::Names::Legacy && !crate::validate::is_metric_name(family) => {
                (Reason::MetricNameInvalid, crate::problem::quoted(family))
            }
            _ => {
                self.check_memory()?;
                let metric = self.store.words.intern(family);
                let table = self.store.table_of(metric);
                let rows = &mut self.store.open(table).metadata;
                let before = rows.rows().len();
                rows.push(row);
                let new = rows.rows().len() - before;
                self.report.metadata += new as u64;
                return self.count(new);
            }
        };
        let path = format!("metadata[{index}].metric_family_name");
        self.refuse(Box::new(Problem { reason, index, offset, path, detail }))
    }

    /// Rejects the request as a whole.
    #[cold]
    pub fn invalid(&self, reason: Reason, offset: usize, path: &str, detail: String) -> Halt {
        Halt::Invalid(Box::new(Problem { reason, index: 0, offset, path: path.to_owned(), detail }))
    }
}
