//! Exemplars.

use super::Lists;

/// One row per exemplar. Label names are in the dictionary; values are not, because a trace's id never repeats and
/// would only fill it.
#[derive(Clone, Default)]
pub struct Exemplars {
    sets: Vec<u32>,
    timestamps: Vec<i64>,
    values: Vec<f64>,
    /// The name of each label, and the end of its value in `text`.
    labels: Lists<(u32, usize)>,
    text: String,
    /// The ends of the values of each row in `text`.
    text_ends: Vec<usize>,
}

/// The fields of an exemplar's record, except its labels, which go directly to their column.
#[derive(Default)]
pub(crate) struct NewExemplar {
    pub value: f64,
    pub timestamp: i64,
}

impl Exemplars {
    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        self.sets.len()
    }

    /// Reports whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.sets.is_empty()
    }

    /// Returns the label set of the series of each row.
    pub fn sets(&self) -> &[u32] {
        &self.sets
    }

    /// Returns milliseconds since the epoch.
    pub fn timestamps(&self) -> &[i64] {
        &self.timestamps
    }

    /// Returns the values.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Returns the exemplar's own labels, in their original order: names as numbers of the dictionary, and values.
    pub fn labels(&self, row: usize) -> impl Iterator<Item = (u32, &str)> {
        let mut start = self.text_start(row);
        self.labels.get(row).iter().map(move |&(name, end)| {
            let value = &self.text[start..end];
            start = end;
            (name, value)
        })
    }

    fn text_start(&self, row: usize) -> usize {
        if row == 0 { 0 } else { self.text_ends[row - 1] }
    }

    pub(crate) fn push_label(&mut self, name: u32, value: &str) {
        self.text.push_str(value);
        self.labels.push((name, self.text.len()));
    }

    /// Ends the row whose labels were pushed.
    pub(crate) fn push(&mut self, set: u32, new: NewExemplar) {
        self.sets.push(set);
        self.timestamps.push(new.timestamp);
        self.values.push(new.value);
        self.labels.close();
        self.text_ends.push(self.text.len());
    }

    pub(crate) fn sets_mut(&mut self) -> &mut [u32] {
        &mut self.sets
    }

    /// Returns the names of all labels, as numbers of the dictionary.
    pub(crate) fn names_mut(&mut self) -> impl Iterator<Item = &mut u32> {
        self.labels.items_mut().iter_mut().map(|(name, _)| name)
    }

    /// Removes the unfinished row.
    pub(crate) fn drop_open(&mut self) {
        self.truncate(self.len());
    }

    /// Keeps the first `rows` rows, and removes the unfinished one.
    pub(crate) fn truncate(&mut self, rows: usize) {
        self.sets.truncate(rows);
        self.timestamps.truncate(rows);
        self.values.truncate(rows);
        self.labels.truncate(rows);
        self.text_ends.truncate(rows);
        self.text.truncate(self.text_start(self.text_ends.len()));
    }

    pub(crate) fn shrink_to(&mut self, rows: usize) {
        self.sets.shrink_to(rows);
        self.timestamps.shrink_to(rows);
        self.values.shrink_to(rows);
        self.labels.shrink_to(rows);
        self.text.shrink_to(rows);
        self.text_ends.shrink_to(rows);
    }
}
