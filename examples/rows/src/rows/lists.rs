//! A column of lists: all items, one list after the other, and the end of each row's list.

/// A column of lists.
#[derive(Clone)]
pub struct Lists<T> {
    items: Vec<T>,
    ends: Vec<usize>,
}

impl<T> Default for Lists<T> {
    fn default() -> Lists<T> {
        Lists { items: Vec::new(), ends: Vec::new() }
    }
}

impl<T> Lists<T> {
    /// Returns the list of a row.
    pub fn get(&self, row: usize) -> &[T] {
        &self.items[self.start(row)..self.ends[row]]
    }

    fn start(&self, row: usize) -> usize {
        if row == 0 { 0 } else { self.ends[row - 1] }
    }

    /// Returns the items of all rows.
    pub(crate) fn items(&self) -> &[T] {
        &self.items
    }

    pub(crate) fn items_mut(&mut self) -> &mut [T] {
        &mut self.items
    }

    /// Adds an item to the unfinished row.
    #[inline]
    pub(crate) fn push(&mut self, item: T) {
        self.items.push(item);
    }

    /// Adds items to the unfinished row.
    #[inline]
    pub(crate) fn extend(&mut self, items: impl Iterator<Item = T>) {
        self.items.extend(items);
    }

    /// Returns the items of the unfinished row.
    pub(crate) fn open(&self) -> &[T] {
        &self.items[self.start(self.ends.len())..]
    }

    /// Removes the items of the unfinished row, and returns them.
    pub(crate) fn take_open(&mut self) -> Vec<T> {
        self.items.split_off(self.start(self.ends.len()))
    }

    /// Ends the row.
    pub(crate) fn close(&mut self) {
        self.ends.push(self.items.len());
    }

    /// Keeps the first `rows` rows, and removes the unfinished one.
    pub(crate) fn truncate(&mut self, rows: usize) {
        self.ends.truncate(rows);
        self.items.truncate(self.start(self.ends.len()));
    }

    pub(crate) fn shrink_to(&mut self, rows: usize) {
        self.ends.shrink_to(rows);
        self.items.shrink_to(rows);
    }
}
