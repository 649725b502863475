//! Samples.

use super::Sparse;

/// One row per sample.
#[derive(Clone, Default)]
pub struct Samples {
    sets: Vec<u32>,
    timestamps: Vec<i64>,
    values: Vec<f64>,
    starts: Sparse,
}

impl Samples {
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

    /// Returns the values. A stale marker is a NaN with special bits.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Returns the start time of the counter of a row (2.0), in milliseconds since the epoch; 0 if there is none.
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

    pub(crate) fn sets_mut(&mut self) -> &mut [u32] {
        &mut self.sets
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
