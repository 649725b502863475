//! Exemplars.

use super::Lists;

/// A row for each exemplar. Label names are in the dictionary; values are not, for a trace's number never comes again
/// and would only fill it.
#[derive(Default)]
pub struct Exemplars {
    sets: Vec<u32>,
    timestamps: Vec<i64>,
    values: Vec<f64>,
    /// Of each label its name, and where its value ends in `text`.
    labels: Lists<(u32, usize)>,
    text: String,
    /// Where the values of each row end in `text`.
    text_ends: Vec<usize>,
}

/// What an exemplar's record says, but for its labels, which go to the column as they come.
#[derive(Default)]
pub(crate) struct NewExemplar {
    pub value: f64,
    pub timestamp: i64,
}

impl Exemplars {
    /// How many rows.
    pub fn len(&self) -> usize {
        self.sets.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.sets.is_empty()
    }

    /// The label set of the series of each row.
    pub fn sets(&self) -> &[u32] {
        &self.sets
    }

    /// Milliseconds since the epoch; 0 where nobody said.
    pub fn timestamps(&self) -> &[i64] {
        &self.timestamps
    }

    /// Values.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The exemplar's own labels, in the order in which they came: names as numbers of the dictionary, and values.
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

    /// Keeps some rows, and nothing of the one that was being made.
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
