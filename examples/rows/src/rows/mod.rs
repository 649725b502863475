//! The columns of a table. Each kind has its own rows: all of its columns have the same length, and rows are added and
//! removed at the end.

mod exemplars;
mod histogram_rules;
mod histograms;
mod lists;
mod metadata;
mod samples;
mod tables;

pub use exemplars::Exemplars;
pub(crate) use exemplars::NewExemplar;
pub(crate) use histograms::NewHistogram;
pub use histograms::{Buckets, Count, Histograms, Span};
pub use lists::Lists;
pub use metadata::{Metadata, MetadataRow};
pub use samples::Samples;
pub use tables::{TableRows, Tables, TablesError};

/// A column of numbers that are mostly zero: it ends at the last row that is not zero.
#[derive(Clone, Default)]
pub(crate) struct Sparse(Vec<i64>);

impl Sparse {
    #[inline]
    pub fn set(&mut self, row: usize, value: i64) {
        if value != 0 {
            self.0.resize(row, 0);
            self.0.push(value);
        }
    }

    #[inline]
    pub fn get(&self, row: usize) -> i64 {
        self.0.get(row).copied().unwrap_or(0)
    }

    pub fn truncate(&mut self, rows: usize) {
        self.0.truncate(rows);
    }

    pub fn shrink_to(&mut self, rows: usize) {
        self.0.shrink_to(rows);
    }
}
