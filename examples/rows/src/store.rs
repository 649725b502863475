//! The store of rows: tables by metric, with one dictionary and one list of label sets.

use crate::block_cache::BlockCache;
use crate::dictionary::Dictionary;
use crate::label_sets::{LabelSets, Pair};
use crate::problem::Reason;
use crate::receiver::Options;
use crate::table::Table;
use crate::validate::{Fault, Rules, label_set};
use foldhash::fast::RandomState;
use hashbrown::HashMap;

/// The tables, and the data that they share. Knowledge of the series outlives the rows ([`Store::clear_rows`]), until
/// there is too much of it ([`Store::forget`]).
#[derive(Default)]
pub struct Store {
    /// Strings.
    pub(crate) words: Dictionary,
    /// Label sets.
    pub(crate) sets: LabelSets,
    /// Label blocks of 1.0.
    pub(crate) blocks: BlockCache,
    /// Labels of 1.0, for new blocks, which also consist mostly of known labels.
    pub(crate) labels: BlockCache,
    pub(crate) label_pairs: Vec<Pair>,
    pub(crate) tables: Vec<Table>,
    pub(crate) by_metric: HashMap<u32, u32, RandomState>,
    /// The number of the current request, and the tables that it wrote to.
    pub(crate) request: u64,
    touched: Vec<u32>,
    /// Whether a new series was rejected.
    refused: bool,
    /// The number of label names in all tables.
    label_names: usize,
    /// The number of rows in all tables.
    pub(crate) rows: usize,
    pub(crate) rows_of_request: usize,
}

/// The number of rows for which an empty table keeps memory.
const KEEP_ROWS: usize = 4096;

impl Store {
    /// Returns the strings.
    pub fn dictionary(&self) -> &Dictionary {
        &self.words
    }

    /// Returns the label sets.
    pub fn label_sets(&self) -> &LabelSets {
        &self.sets
    }

    /// Returns the series cache.
    pub fn block_cache(&self) -> &BlockCache {
        &self.blocks
    }

    /// Returns all tables, including empty ones, in the order in which they were first seen.
    pub fn tables(&self) -> &[Table] {
        &self.tables
    }

    /// Returns the table of a metric.
    pub fn table(&self, metric: &str) -> Option<&Table> {
        let table = self.by_metric.get(&self.words.find(metric)?)?;
        Some(&self.tables[*table as usize])
    }

    /// Returns the number of rows in all tables: samples, exemplars, metadata, histograms and the elements of their
    /// lists.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Returns a label's column: for each row, given by its label set, the number of the value in the dictionary;
    /// [`Dictionary::EMPTY`] if the row has no such label.
    pub fn column<'a>(&'a self, sets: &'a [u32], name: u32) -> impl ExactSizeIterator<Item = u32> + 'a {
        sets.iter().map(move |&set| self.label(set, name))
    }

    /// Returns the number of a label's value in a set.
    pub fn label(&self, set: u32, name: u32) -> u32 {
        self.sets.get(set).iter().find(|label| label.0 == name).map_or(Dictionary::EMPTY, |label| label.1)
    }

    /// Returns the table of a metric, and creates it if it is new.
    pub(crate) fn table_of(&mut self, metric: u32) -> u32 {
        let tables = &mut self.tables;
        *self.by_metric.entry(metric).or_insert_with(|| {
            tables.push(Table::new(metric));
            tables.len() as u32 - 1
        })
    }

    /// Returns the number of a label set, which is checked if it is new.
    pub(crate) fn set_of(&mut self, labels: &mut Vec<Pair>, rules: Rules, limits: &Options) -> Result<u32, Fault> {
        let metric = label_set(labels, &self.words, rules)?;
        if let Some(set) = self.sets.find(labels) {
            return Ok(set);
        }
        if self.sets.len() >= limits.max_series {
            self.refused = true;
            let detail = format!("more than {}", limits.max_series);
            return Err(Fault { label: None, value: false, reason: Reason::SeriesOverLimit, detail });
        }
        let table = self.table_of(metric);
        self.label_names += self.tables[table as usize].add_names(labels, Dictionary::NAME);
        Ok(self.sets.insert(labels, table))
    }

    /// Returns the table to write rows to; the rows can be undone with the request.
    #[inline]
    pub(crate) fn open(&mut self, table: u32) -> &mut Table {
        let found = &mut self.tables[table as usize];
        if found.touch(self.request) {
            self.touched.push(table);
        }
        found
    }

    /// Returns the number of the current request.
    pub(crate) fn request(&self) -> u64 {
        self.request
    }

    /// Begins a request.
    pub(crate) fn begin(&mut self) {
        self.request += 1;
        self.touched.clear();
        self.rows_of_request = 0;
    }

    /// Ends a valid request, whose rows stay.
    pub(crate) fn commit(&mut self) {
        self.rows += self.rows_of_request;
    }

    /// Removes the rows of a rejected request.
    pub(crate) fn undo(&mut self) {
        for &table in &self.touched {
            self.tables[table as usize].undo();
        }
    }

    /// Removes all rows, and keeps the knowledge of the series. It forgets that, too, if there were too many series, so
    /// that one sender's mistake does not last.
    pub fn clear_rows(&mut self) {
        if self.refused {
            return self.forget();
        }
        for table in &mut self.tables {
            table.clear(KEEP_ROWS);
        }
        self.rows = 0;
    }

    /// Forgets everything and frees all memory. Rows that were not written out are lost.
    pub fn forget(&mut self) {
        *self = Store { request: self.request, ..Store::default() };
    }

    /// Returns the approximate number of bytes that are held for recognising series again.
    pub fn series_bytes(&self) -> usize {
        self.words.text_bytes()
            + self.words.len() * 16
            + self.blocks.bytes()
            + self.labels.bytes()
            + self.sets.bytes()
            + self.tables.len() * size_of::<Table>()
            + self.label_names * Table::LABEL_NAME_BYTES
    }
}
