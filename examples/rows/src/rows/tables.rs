//! [`Tables`]: the rows of 1.0 requests in columns, a table for each metric, in memory that is kept between requests.
//!
//! It is the small way from bytes to rows: labels and samples, no rules but a metric for each series. [`Receiver`] has
//! the rules of the protocol, 2.0, histograms, exemplars and metadata.
//!
//! ```text
//!   a series' labels, as bytes ──known?──▶ its table, and a code for each column of the table      no parsing
//!                                 └─new──▶ strings become codes, labels become columns, the bytes become known
//!   samples ──▶ times, values; once the request is read whole: codes ──▶ columns
//! ```
//!
//! [`Receiver`]: crate::Receiver

use crate::block_cache::BlockCache;
use crate::dictionary::Dictionary;
use crate::generated::prometheus::*;
use foldhash::fast::RandomState;
use hotpb::pool::{Flow, Records, VisitError};
use std::collections::HashMap;
use std::fmt;

/// The label with the metric's name.
const METRIC: &str = "__name__";
/// The bytes of a row, its codes apart: a time, a value, and both once more until the request ends.
const ROW: usize = 16 + size_of::<(Codes, i64, f64)>();
/// About the bytes of a table without rows, and of a column.
const TABLE: usize = 400;
const COLUMN: usize = 100;

/// Rows of requests, grouped by metric: a column of codes for each label, times, values. A code stands for a string;
/// 0 for a label that the row does not have, or that is empty, which Prometheus does not distinguish.
///
/// It borrows nothing from a request, so a worker keeps one for good. A series that came before, byte for byte, is
/// neither parsed nor looked up string by string, and a request of known series does not allocate.
///
/// ```
/// // up{job="api"} 1 at 5 ms
/// let body = b"\x0a\x2b\x0a\x0e\x0a\x08__name__\x12\x02up\x0a\x0a\x0a\x03job\x12\x03api\x12\x0d\x09\0\0\0\0\0\0\xf0\x3f\x10\x85\x80\0";
/// let mut tables = rows::Tables::default();
/// assert_eq!(tables.request(body)?, 1);
/// for table in tables.iter() {
///     for (label, codes) in table.columns() {
///         assert_eq!((table.metric(), label, tables.text(codes[0])), ("up", "job", "api"));
///     }
///     assert_eq!((table.timestamps(), table.values()), (&[5][..], &[1.0][..]));
/// }
/// assert!(tables.request(&body[..20]).is_err());
/// assert_eq!(tables.len(), 1); // a refused request leaves no rows
/// tables.clear(); // the series stay known
/// # Ok::<(), rows::TablesError>(())
/// ```
pub struct Tables {
    words: Dictionary,
    /// The known series, by the bytes of their labels: positions in `series`.
    blocks: BlockCache,
    series: Vec<Series>,
    /// The codes of the series, one series after the other.
    codes: Vec<u32>,
    tables: Vec<Table>,
    by_metric: HashMap<u32, u32, RandomState>,
    /// The column of a label, by table and label.
    columns: HashMap<(u32, u32), u32, RandomState>,
    /// The tables with rows, and those to which the current request adds rows.
    filled: Vec<u32>,
    touched: Vec<u32>,
    /// The samples of the current series.
    samples: Vec<(i64, f64)>,
    limit: usize,
    /// The bytes of the rows of all whole requests.
    held: usize,
}

/// Where the codes of a series are. It has those of the columns that its table had when it became known.
#[derive(Clone, Copy)]
struct Codes {
    start: u32,
    len: u32,
}

#[derive(Clone, Copy)]
struct Series {
    table: u32,
    codes: Codes,
}

struct Table {
    metric: u32,
    columns: Vec<Column>,
    times: Vec<i64>,
    values: Vec<f64>,
    /// The rows of the current request: in one list, so that a row touches one place in memory.
    new: Vec<(Codes, i64, f64)>,
    /// The bytes of the other rows.
    bytes: usize,
}

struct Column {
    label: u32,
    /// As many as there are rows; none while no row has the label.
    codes: Vec<u32>,
}

/// Why a request was refused. The tables contain nothing of it.
#[derive(Clone, Debug, PartialEq)]
pub enum TablesError {
    /// The bytes are not a valid request.
    Malformed(hotpb::Error),
    /// A series has no `__name__`, or an empty one.
    MetricMissing {
        /// The index of the series.
        series: usize,
    },
    /// The rows, or the series, would take more memory than they may. If there are rows of other requests, take them,
    /// [`Tables::clear`], and send the request again; otherwise it is too large.
    Full {
        /// The limit in bytes.
        limit: usize,
    },
}

impl fmt::Display for TablesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TablesError::Malformed(error) => write!(f, "malformed: {error}"),
            TablesError::MetricMissing { series } => write!(f, "the metric's name is missing: timeseries[{series}]"),
            TablesError::Full { limit } => write!(f, "needs more than {limit} bytes"),
        }
    }
}

impl std::error::Error for TablesError {}

impl From<VisitError<TablesError>> for TablesError {
    fn from(error: VisitError<TablesError>) -> TablesError {
        match error {
            VisitError::Decode(error) => TablesError::Malformed(error),
            VisitError::Visitor(error) => error,
        }
    }
}

impl Default for Tables {
    /// With a limit of 256 MiB.
    fn default() -> Tables {
        Tables::new(256 << 20)
    }
}

impl Tables {
    /// Creates empty tables. Rows may take about `limit` bytes, and so may the memory for known series. Series are
    /// forgotten when there are too many; they become known again when they come.
    pub fn new(limit: usize) -> Tables {
        Tables {
            words: Dictionary::default(),
            blocks: BlockCache::default(),
            series: Vec::new(),
            codes: Vec::new(),
            tables: Vec::new(),
            by_metric: HashMap::default(),
            columns: HashMap::default(),
            filled: Vec::new(),
            touched: Vec::new(),
            samples: Vec::new(),
            limit,
            held: 0,
        }
    }

    /// Adds the samples of an inflated 1.0 request, and returns their number. After an error the tables are as before.
    pub fn request(&mut self, body: &[u8]) -> Result<usize, TablesError> {
        let knows = !self.series.is_empty();
        match self.read(body) {
            // Not too large, perhaps: series of other senders may be in the way. Rows need the codes of their series.
            Err(TablesError::Full { .. }) if knows && self.filled.is_empty() => {
                *self = Tables::new(self.limit);
                self.read(body)
            }
            done => done,
        }
    }

    /// Returns the tables with rows, in the order in which they got their first row.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = TableRows<'_>> {
        self.filled.iter().map(|&at| self.table(at))
    }

    /// Returns the rows of a metric.
    pub fn get(&self, metric: &str) -> Option<TableRows<'_>> {
        let at = *self.by_metric.get(&self.words.find(metric)?)?;
        Some(self.table(at)).filter(|table| !table.is_empty())
    }

    /// Returns the string of a code.
    ///
    /// # Panics
    /// If the code is none of these tables.
    #[inline]
    pub fn text(&self, code: u32) -> &str {
        self.words.get(code)
    }

    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        self.iter().map(|table| table.len()).sum()
    }

    /// Reports whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.filled.is_empty()
    }

    /// Removes the rows. Their memory stays, and the series stay known.
    pub fn clear(&mut self) {
        for &at in &self.filled {
            let table = &mut self.tables[at as usize];
            table.columns.iter_mut().for_each(|column| column.codes.clear());
            table.times.clear();
            table.values.clear();
            table.bytes = 0;
        }
        self.filled.clear();
        self.held = 0;
    }

    /// Returns about the number of bytes of the known series.
    pub fn series_bytes(&self) -> usize {
        self.words.text_bytes()
            + 20 * self.words.len()
            + self.blocks.bytes()
            + size_of::<Series>() * self.series.len()
            + 4 * self.codes.len()
            + TABLE * self.tables.len()
            + COLUMN * self.columns.len()
    }

    fn table(&self, at: u32) -> TableRows<'_> {
        TableRows { words: &self.words, table: &self.tables[at as usize] }
    }

    fn read(&mut self, body: &[u8]) -> Result<usize, TablesError> {
        let room = (self.limit - self.held.min(self.limit)) / ROW;
        let mut reading = Reading {
            tables: self,
            labels: Labels(Vec::new()),
            runs: 0,
            block: None,
            joined: Vec::new(),
            known: None,
            read: 0,
            room,
            rows: 0,
        };
        let visited = WriteRequestPool::visit(body, &mut reading).map_err(TablesError::from);
        let rows = reading.rows;
        let done = visited.and_then(|()| self.finish());
        if done.is_err() {
            self.undo();
        }
        self.touched.clear();
        done.map(|()| rows)
    }

    /// Adds a series that is not known: its table, its columns, its codes.
    #[cold]
    fn add_series(&mut self, labels: &[(&str, &str)], block: Option<&[u8]>, at: usize) -> Result<u32, TablesError> {
        let metric = labels.iter().rev().find(|(name, _)| *name == METRIC).map_or("", |(_, metric)| metric);
        if metric.is_empty() {
            return Err(TablesError::MetricMissing { series: at });
        }
        let Tables { words, series, codes, tables, by_metric, columns, limit, .. } = self;
        let metric = words.intern(metric);
        let number = *by_metric.entry(metric).or_insert_with(|| {
            let new = Vec::new();
            tables.push(Table { metric, columns: vec![], times: vec![], values: vec![], new, bytes: 0 });
            tables.len() as u32 - 1
        });
        let table = &mut tables[number as usize];
        let (start, most) = (codes.len(), table.columns.len() + labels.len());
        let full = TablesError::Full { limit: *limit };
        if start + most > u32::MAX as usize || 4 * most > *limit {
            return Err(full);
        }
        codes.resize(start + table.columns.len(), 0);
        // The labels of a table usually come in one order.
        let mut expected = 0;
        for &(label, value) in labels.iter().filter(|(name, _)| *name != METRIC) {
            let (label, value) = (words.intern(label), words.intern(value));
            let at = match table.columns.get(expected) {
                Some(column) if column.label == label => expected,
                _ => match columns.get(&(number, label)) {
                    Some(&at) => at as usize,
                    None if value == Dictionary::EMPTY => continue,
                    None => {
                        columns.insert((number, label), table.columns.len() as u32);
                        table.columns.push(Column { label, codes: Vec::new() });
                        codes.push(0);
                        table.columns.len() - 1
                    }
                },
            };
            codes[start + at] = value;
            expected = at + 1;
        }
        let known = series.len() as u32;
        series.push(Series { table: number, codes: Codes { start: start as u32, len: (codes.len() - start) as u32 } });
        if let Some(block) = block {
            self.blocks.insert(block, known);
        }
        if self.series_bytes() > self.limit { Err(full) } else { Ok(known) }
    }

    /// Adds the samples of a series.
    #[inline]
    fn add_rows(&mut self, known: u32) {
        let Series { table: at, codes } = self.series[known as usize];
        let table = &mut self.tables[at as usize];
        if table.new.is_empty() && !self.samples.is_empty() {
            self.touched.push(at);
        }
        table.new.extend(self.samples.iter().map(|&(time, value)| (codes, time, value)));
    }

    /// Ends a whole request: fills the columns of the tables with new rows, one column after the other.
    fn finish(&mut self) -> Result<(), TablesError> {
        let Tables { codes, tables, filled, touched, limit, held, .. } = self;
        let bytes = |table: &Table| (table.times.len() + table.new.len()) * (ROW + 4 * table.columns.len());
        let more: usize = touched.iter().map(|&at| &tables[at as usize]).map(|table| bytes(table) - table.bytes).sum();
        if *held + more > *limit {
            return Err(TablesError::Full { limit: *limit });
        }
        *held += more;
        for &number in &*touched {
            let table = &mut tables[number as usize];
            table.bytes = bytes(table);
            let rows = table.times.len();
            if rows == 0 {
                filled.push(number);
            }
            for (at, column) in (0..).zip(&mut table.columns) {
                let code = |(range, ..): &(Codes, i64, f64)| {
                    if at < range.len { codes[(range.start + at) as usize] } else { 0 }
                };
                if column.codes.is_empty() && table.new.iter().all(|range| code(range) == 0) {
                    continue;
                }
                column.codes.resize(rows, 0);
                column.codes.extend(table.new.iter().map(code));
            }
            table.times.extend(table.new.iter().map(|&(_, time, _)| time));
            table.values.extend(table.new.iter().map(|&(.., value)| value));
            table.new.clear();
        }
        Ok(())
    }

    /// Removes the rows of a request that was refused. What became known of its series was checked, and stays.
    #[cold]
    fn undo(&mut self) {
        for &at in &self.touched {
            self.tables[at as usize].new.clear();
        }
    }
}

/// The rows of one metric.
#[derive(Clone, Copy)]
pub struct TableRows<'t> {
    words: &'t Dictionary,
    table: &'t Table,
}

impl<'t> TableRows<'t> {
    /// Returns the metric's name.
    pub fn metric(&self) -> &'t str {
        self.words.get(self.table.metric)
    }

    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        self.table.times.len()
    }

    /// Reports whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.table.times.is_empty()
    }

    /// Returns milliseconds since the epoch.
    pub fn timestamps(&self) -> &'t [i64] {
        &self.table.times
    }

    /// Returns the values. A stale marker is a NaN with special bits.
    pub fn values(&self) -> &'t [f64] {
        &self.table.values
    }

    /// Returns the labels that a row has, other than `__name__`, each with a code for each row.
    pub fn columns(&self) -> impl Iterator<Item = (&'t str, &'t [u32])> + use<'t> {
        let (words, table) = (self.words, self.table);
        let columns = table.columns.iter().filter(|column| !column.codes.is_empty());
        columns.map(|column| (words.get(column.label), &*column.codes))
    }

    /// Returns the codes of a label, one for each row; nothing if no row has the label.
    pub fn column(&self, label: &str) -> Option<&'t [u32]> {
        let label = self.words.find(label)?;
        let column = self.table.columns.iter().find(|column| column.label == label)?;
        Some(&*column.codes).filter(|codes| !codes.is_empty())
    }

    /// Returns the labels of a row, in the order of the columns.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn labels(&self, row: usize) -> impl Iterator<Item = (&'t str, &'t str)> + use<'t> {
        let words = self.words;
        let coded = self.columns().map(move |(label, codes)| (label, codes[row]));
        coded.filter(|(_, code)| *code != Dictionary::EMPTY).map(|(label, code)| (label, words.get(code)))
    }
}

impl fmt::Debug for Tables {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tables").field("rows", &self.len()).field("series", &self.series.len()).finish_non_exhaustive()
    }
}

impl fmt::Debug for TableRows<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TableRows").field("metric", &self.metric()).field("rows", &self.len()).finish_non_exhaustive()
    }
}

/// A request while it is read.
struct Reading<'a, 't> {
    tables: &'t mut Tables,
    /// The labels of the current series, if it is not known.
    labels: Labels<'a>,
    /// In how many runs its labels have come, usually one; the bytes of a single run; those of several, joined.
    runs: u32,
    block: Option<&'a [u8]>,
    joined: Vec<u8>,
    known: Option<u32>,
    /// The number of series before it.
    read: usize,
    /// How many rows may still be added, and how many were.
    room: usize,
    rows: usize,
}

impl<'a> Reading<'a, '_> {
    #[inline]
    fn begin(&mut self) {
        (self.runs, self.block, self.known) = (0, None, None);
        self.labels.0.clear();
        self.tables.samples.clear();
    }

    /// Ends a series. Labels and samples may have come in any order; now all of them are here.
    #[inline]
    fn end(&mut self) -> Result<(), TablesError> {
        let known = match self.known {
            Some(known) => known,
            None => self.resolve()?,
        };
        self.tables.add_rows(known);
        let rows = self.tables.samples.len();
        (self.room, self.rows, self.read) = (self.room - rows, self.rows + rows, self.read + 1);
        Ok(())
    }

    #[cold]
    fn resolve(&mut self) -> Result<u32, TablesError> {
        let block = if self.runs > 1 { Some(&*self.joined) } else { self.block };
        if self.runs > 1
            && let Some(known) = block.and_then(|block| self.tables.blocks.get(block))
        {
            return Ok(known);
        }
        self.tables.add_series(&self.labels.0, block, self.read)
    }

    /// The labels go on after another field. Those that were passed are needed now.
    #[cold]
    fn join(&mut self, run: &[u8]) -> Result<(), TablesError> {
        if self.runs == 2 {
            let begun = self.block.take().unwrap_or_default();
            if self.known.take().is_some() {
                TimeSeriesPool::visit(begun, &mut self.labels)?;
            }
            self.joined.clear();
            self.joined.extend_from_slice(begun);
        }
        self.joined.extend_from_slice(run);
        Ok(())
    }
}

impl<'a> WriteRequestVisitor<'a> for Reading<'a, '_> {
    type Error = TablesError;
    fn timeseries(&mut self, series: &mut Records<'a, '_, TimeSeries<'static>>) -> Flow<TablesError> {
        while let Some(one) = series.next_record() {
            self.begin();
            one.visit(self)?;
            self.end()?;
        }
        Ok(())
    }
}

impl<'a> TimeSeriesVisitor<'a> for Reading<'a, '_> {
    type Error = TablesError;
    #[inline]
    fn labels(&mut self, labels: &mut Records<'a, '_, Label<'static>>) -> Flow<TablesError> {
        self.runs += 1;
        // If there are no bytes, they are malformed, which the visit reports.
        let Some(run) = labels.bytes() else { return Ok(()) };
        if self.runs == 1 {
            self.block = Some(run);
            self.known = self.tables.blocks.get(run);
            if self.known.is_some() {
                labels.pass_trusted(); // they were checked when they became known
                return Ok(());
            }
        } else {
            self.join(run)?;
        }
        labels.visit_each(&mut self.labels, Labels::begin)
    }

    #[inline]
    fn samples(&mut self, samples: &mut Records<'a, '_, Sample<'static>>) -> Flow<TablesError> {
        samples.visit_each(self, |reading| {
            let tables = &mut *reading.tables;
            if tables.samples.len() == reading.room {
                Err(TablesError::Full { limit: tables.limit })?;
            }
            tables.samples.push((0, 0.0));
            Ok(())
        })
    }
}

impl<'a> SampleVisitor<'a> for Reading<'a, '_> {
    type Error = TablesError;
    #[inline]
    fn value(&mut self, value: f64) -> Flow<TablesError> {
        self.tables.samples.last_mut().expect("a sample was begun").1 = value;
        Ok(())
    }
    #[inline]
    fn timestamp(&mut self, timestamp: i64) -> Flow<TablesError> {
        self.tables.samples.last_mut().expect("a sample was begun").0 = timestamp;
        Ok(())
    }
}

/// The labels of a series.
struct Labels<'a>(Vec<(&'a str, &'a str)>);

impl Labels<'_> {
    fn begin(&mut self) -> Flow<TablesError> {
        self.0.push(("", ""));
        Ok(())
    }
}

impl<'a> TimeSeriesVisitor<'a> for Labels<'a> {
    type Error = TablesError;
    fn labels(&mut self, labels: &mut Records<'a, '_, Label<'static>>) -> Flow<TablesError> {
        labels.visit_each(self, Labels::begin)
    }
}

impl<'a> LabelVisitor<'a> for Labels<'a> {
    type Error = TablesError;
    fn name(&mut self, name: &'a str) -> Flow<TablesError> {
        self.0.last_mut().expect("a label was begun").0 = name;
        Ok(())
    }
    fn value(&mut self, value: &'a str) -> Flow<TablesError> {
        self.0.last_mut().expect("a label was begun").1 = value;
        Ok(())
    }
}
