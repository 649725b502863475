//! Samples.

use super::Sparse;

/// A row for each sample.
#[derive(Default)]
pub struct Samples {
    sets: Vec<u32>,
    timestamps: Vec<i64>,
    values: Vec<f64>,
    starts: Sparse,
}

impl Samples {
    /// How many rows.
    pub fn len(&self) -> usize {
        self.sets.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.sets.is_empty()
    }

    /// The label set of each row.
    pub fn sets(&self) -> &[u32] {
        &self.sets
    }

    /// Milliseconds since the epoch.
    pub fn timestamps(&self) -> &[i64] {
        &self.timestamps
    }

    /// Values. A stale marker is a NaN of its own bits.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// When the counter of a row began (2.0), in milliseconds since the epoch; 0 where nobody said.
    pub fn start(&self, row: usize) -> i64 {
        self.starts.get(row)
    }

    #[inline]
    pub(crate) fn push(&mut self, set: u32, timestamp: i64, value: f64, start: i64) {
        self.starts.set(self.sets.len(), start);
        self.sets.push(set);
        self.timestamps.push(timestamp);
        self.values.push(value);
    }

    pub(crate) fn truncate(&mut self, rows: usize) {
        self.sets.truncate(rows);
        self.timestamps.truncate(rows);
        self.values.truncate(rows);
        self.starts.truncate(rows);
    }

    pub(crate) fn shrink_to(&mut self, rows: usize) {
        self.sets.shrink_to(rows);
        self.timestamps.shrink_to(rows);
        self.values.shrink_to(rows);
        self.starts.shrink_to(rows);
    }
}
