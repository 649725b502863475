//! Native histograms.

use super::{Lists, Sparse};

/// A count of observations: a whole number in integer histograms, any number in float ones.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Count {
    /// Not set.
    #[default]
    None,
    /// The count of an integer histogram.
    Int(u64),
    /// The count of a float histogram.
    Float(f64),
}

/// A run of consecutive buckets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// The gap to the previous span, or the index of the first bucket.
    pub offset: i32,
    /// The number of buckets.
    pub length: u32,
}

/// Buckets on one side of zero.
#[derive(Clone, Default)]
pub struct Buckets {
    /// The positions of the buckets.
    pub spans: Lists<Span>,
    /// Integer histograms: each bucket's count as the difference from the previous one.
    pub deltas: Lists<i64>,
    /// Float histograms: each bucket's count.
    pub counts: Lists<f64>,
}

impl Buckets {
    fn close(&mut self) {
        self.spans.close();
        self.deltas.close();
        self.counts.close();
    }

    fn truncate(&mut self, rows: usize) {
        self.spans.truncate(rows);
        self.deltas.truncate(rows);
        self.counts.truncate(rows);
    }

    fn shrink_to(&mut self, rows: usize) {
        self.spans.shrink_to(rows);
        self.deltas.shrink_to(rows);
        self.counts.shrink_to(rows);
    }

    /// Returns the number of elements of the unfinished row.
    fn elements(&self) -> usize {
        self.spans.open().len() + self.deltas.open().len() + self.counts.open().len()
    }
}

/// One row per native histogram.
#[derive(Clone, Default)]
pub struct Histograms {
    sets: Vec<u32>,
    timestamps: Vec<i64>,
    starts: Sparse,
    counts: Vec<Count>,
    sums: Vec<f64>,
    schemas: Vec<i32>,
    zero_thresholds: Vec<f64>,
    zero_counts: Vec<Count>,
    reset_hints: Vec<i32>,
    negative: Buckets,
    positive: Buckets,
    custom_values: Lists<f64>,
}

/// The fields of a histogram's record, except its lists, which go directly to their columns.
#[derive(Default)]
pub(crate) struct NewHistogram {
    pub timestamp: i64,
    pub start: i64,
    pub count: Count,
    pub sum: f64,
    pub schema: i32,
    pub zero_threshold: f64,
    pub zero_count: Count,
    pub reset_hint: i32,
}

impl Histograms {
    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        self.sets.len()
    }

    /// Reports whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.sets.is_empty()
    }

    /// Returns the label set of each row.
    pub fn sets(&self) -> &[u32] {
        &self.sets
    }

    /// Returns milliseconds since the epoch.
    pub fn timestamps(&self) -> &[i64] {
        &self.timestamps
    }

    /// Returns the start time of the histogram of a row (2.0), in milliseconds since the epoch; 0 if there is none.
    pub fn start(&self, row: usize) -> i64 {
        self.starts.get(row)
    }

    /// Returns the numbers of observations.
    pub fn counts(&self) -> &[Count] {
        &self.counts
    }

    /// Returns the sums of all observations. In a stale marker the sum is a NaN with special bits.
    pub fn sums(&self) -> &[f64] {
        &self.sums
    }

    /// Returns the bucket layouts: bounds are powers of 2^(2^-schema); for -53 see [`Histograms::custom_values`].
    pub fn schemas(&self) -> &[i32] {
        &self.schemas
    }

    /// Returns the widths of the zero bucket.
    pub fn zero_thresholds(&self) -> &[f64] {
        &self.zero_thresholds
    }

    /// Returns the numbers of observations in the zero bucket.
    pub fn zero_counts(&self) -> &[Count] {
        &self.zero_counts
    }

    /// Returns the numbers of the reset hints, which are the same in both versions: unknown, yes, no, gauge.
    pub fn reset_hints(&self) -> &[i32] {
        &self.reset_hints
    }

    /// Returns the buckets below zero.
    pub fn negative(&self) -> &Buckets {
        &self.negative
    }

    /// Returns the buckets above zero.
    pub fn positive(&self) -> &Buckets {
        &self.positive
    }

    /// Returns the upper bounds of buckets, for schema -53.
    pub fn custom_values(&self) -> &Lists<f64> {
        &self.custom_values
    }

    pub(crate) fn negative_mut(&mut self) -> &mut Buckets {
        &mut self.negative
    }

    pub(crate) fn positive_mut(&mut self) -> &mut Buckets {
        &mut self.positive
    }

    pub(crate) fn custom_values_mut(&mut self) -> &mut Lists<f64> {
        &mut self.custom_values
    }

    /// Returns the number of elements in the lists of the row whose lists were filled.
    pub(crate) fn elements(&self) -> usize {
        self.negative.elements() + self.positive.elements() + self.custom_values.open().len()
    }

    /// Ends the row whose lists were filled.
    pub(crate) fn push(&mut self, set: u32, new: NewHistogram) {
        self.starts.set(self.sets.len(), new.start);
        self.sets.push(set);
        self.timestamps.push(new.timestamp);
        self.counts.push(new.count);
        self.sums.push(new.sum);
        self.schemas.push(new.schema);
        self.zero_thresholds.push(new.zero_threshold);
        self.zero_counts.push(new.zero_count);
        self.reset_hints.push(new.reset_hint);
        self.negative.close();
        self.positive.close();
        self.custom_values.close();
    }

    pub(crate) fn sets_mut(&mut self) -> &mut [u32] {
        &mut self.sets
    }

    /// Returns the number of elements in the lists of all rows.
    pub(crate) fn all_elements(&self) -> usize {
        let len = |side: &Buckets| side.spans.items().len() + side.deltas.items().len() + side.counts.items().len();
        len(&self.negative) + len(&self.positive) + self.custom_values.items().len()
    }

    /// Keeps the first `rows` rows, and removes the unfinished one.
    pub(crate) fn truncate(&mut self, rows: usize) {
        self.sets.truncate(rows);
        self.timestamps.truncate(rows);
        self.starts.truncate(rows);
        self.counts.truncate(rows);
        self.sums.truncate(rows);
        self.schemas.truncate(rows);
        self.zero_thresholds.truncate(rows);
        self.zero_counts.truncate(rows);
        self.reset_hints.truncate(rows);
        self.negative.truncate(rows);
        self.positive.truncate(rows);
        self.custom_values.truncate(rows);
    }

    pub(crate) fn shrink_to(&mut self, rows: usize) {
        self.sets.shrink_to(rows);
        self.timestamps.shrink_to(rows);
        self.starts.shrink_to(rows);
        self.counts.shrink_to(rows);
        self.sums.shrink_to(rows);
        self.schemas.shrink_to(rows);
        self.zero_thresholds.shrink_to(rows);
        self.zero_counts.shrink_to(rows);
        self.reset_hints.shrink_to(rows);
        self.negative.shrink_to(rows);
        self.positive.shrink_to(rows);
        self.custom_values.shrink_to(rows);
    }
}
