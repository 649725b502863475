//! Copies of some tables, for readers that do not want to wait, or to let others wait.

use crate::dictionary::Dictionary;
use crate::label_sets::{LabelSets, Pair};
use crate::store::Store;
use foldhash::fast::RandomState;
use hashbrown::HashMap;

/// A copy that grows: it has only the words and the label sets that its rows need, under numbers of its own.
pub(crate) struct Copy<'s> {
    from: &'s Store,
    words: Dictionary,
    sets: LabelSets,
    word_numbers: HashMap<u32, u32, RandomState>,
    set_numbers: HashMap<u32, u32, RandomState>,
    /// The number of the table that is being copied.
    table: u32,
}

impl Copy<'_> {
    /// Returns the number in the copy of a word of the original.
    pub fn word(&mut self, number: u32) -> u32 {
        let (words, from) = (&mut self.words, self.from);
        *self.word_numbers.entry(number).or_insert_with(|| words.intern(from.words.get(number)))
    }

    /// Returns the number in the copy of a label set of the original.
    pub fn set(&mut self, number: u32) -> u32 {
        if let Some(&known) = self.set_numbers.get(&number) {
            return known;
        }
        let from = self.from;
        let pairs = from.sets.get(number).iter().map(|&(name, value)| (self.word(name), self.word(value)));
        let pairs: Vec<Pair> = pairs.collect();
        let new = self.sets.insert(&pairs, self.table);
        self.set_numbers.insert(number, new);
        new
    }
}

/// Copies the tables of some metrics, with the rows that requests below a number wrote.
pub(crate) fn copy_before(from: &Store, request: u64, wanted: &dyn Fn(&str) -> bool) -> Store {
    let (words, sets, word_numbers, set_numbers) = Default::default();
    let mut copy = Copy { from, words, sets, word_numbers, set_numbers, table: 0 };
    let mut store = Store::default();
    store.request = from.request;
    for table in from.tables.iter().filter(|table| !table.is_empty() && wanted(from.words.get(table.metric()))) {
        let mut table = table.copy_before(request);
        if table.is_empty() {
            continue;
        }
        copy.table = store.tables.len() as u32;
        table.renumber(&mut copy);
        store.rows += table.rows();
        store.by_metric.insert(table.metric(), copy.table);
        store.tables.push(table);
    }
    (store.words, store.sets) = (copy.words, copy.sets);
    store
}
