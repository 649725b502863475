//! One metric's table.

use crate::copy::Copy;
use crate::label_sets::Pair;
use crate::rows::{Exemplars, Histograms, Metadata, Samples};
use foldhash::fast::RandomState;
use hashbrown::HashSet;

/// All rows of one metric. A row refers to its label set by number ([`crate::LabelSets`]): that is the dictionary code
/// of all its labels at once, in four bytes. [`crate::Store::column`] derives the column of one label from it.
pub struct Table {
    metric: u32,
    label_names: Vec<u32>,
    /// The same, once there are many.
    known_names: HashSet<u32, RandomState>,
    /// Samples.
    pub samples: Samples,
    /// Native histograms.
    pub histograms: Histograms,
    /// Exemplars.
    pub exemplars: Exemplars,
    /// Type, help and unit.
    pub metadata: Metadata,
    /// The request that last wrote here, and the number of rows before it.
    touched: u64,
    before: Mark,
    /// The requests that wrote here, and the rows before each.
    requests: Vec<(u64, Mark)>,
}

/// The number of rows of each kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mark {
    /// Samples.
    pub samples: usize,
    /// Native histograms.
    pub histograms: usize,
    /// Exemplars.
    pub exemplars: usize,
    /// Changes of metadata.
    pub metadata: usize,
}

impl Table {
    pub(crate) fn new(metric: u32) -> Table {
        Table {
            metric,
            label_names: Vec::new(),
            known_names: HashSet::default(),
            samples: Samples::default(),
            histograms: Histograms::default(),
            exemplars: Exemplars::default(),
            metadata: Metadata::default(),
            touched: 0,
            before: Mark::default(),
            requests: Vec::new(),
        }
    }

    /// Returns the number of the metric's name in the dictionary.
    pub fn metric(&self) -> u32 {
        self.metric
    }

    /// Returns the names of the labels that rows of this metric have had, except `__name__`, in the order in which they
    /// were first seen: the label columns.
    pub fn label_names(&self) -> &[u32] {
        &self.label_names
    }

    /// Reports whether there is no row of any kind.
    pub fn is_empty(&self) -> bool {
        self.mark() == Mark::default()
    }

    /// Returns the requests that wrote here, in order, and the rows before each ([`crate::Receiver::request_number`]).
    pub fn requests(&self) -> &[(u64, Mark)] {
        &self.requests
    }

    /// About how many bytes a label name takes here.
    pub(crate) const LABEL_NAME_BYTES: usize = 16;

    /// Adds the new names of a set, and returns how many there are. A known series does not get here.
    pub(crate) fn add_names(&mut self, set: &[Pair], name_label: u32) -> usize {
        let before = self.label_names.len();
        for &(name, _) in set {
            if name != name_label && !self.has_name(name) {
                self.label_names.push(name);
            }
        }
        self.label_names.len() - before
    }

    /// Reports whether a name is there. Few are found soon; of many, a set knows.
    fn has_name(&mut self, name: u32) -> bool {
        const FEW: usize = 32;
        if self.label_names.len() <= FEW {
            return self.label_names.contains(&name);
        }
        self.known_names.extend(&self.label_names[self.known_names.len()..]);
        self.known_names.contains(&name)
    }

    pub(crate) fn mark(&self) -> Mark {
        Mark {
            samples: self.samples.len(),
            histograms: self.histograms.len(),
            exemplars: self.exemplars.len(),
            metadata: self.metadata.rows().len(),
        }
    }

    /// Removes the rows after a mark, and the unfinished row.
    pub(crate) fn truncate(&mut self, mark: Mark) {
        self.samples.truncate(mark.samples);
        self.histograms.truncate(mark.histograms);
        self.exemplars.truncate(mark.exemplars);
        self.metadata.truncate(mark.metadata);
    }

    /// Records that a request writes here. Returns true the first time.
    #[inline]
    pub(crate) fn touch(&mut self, request: u64) -> bool {
        let first = self.touched != request;
        if first {
            (self.touched, self.before) = (request, self.mark());
            self.requests.push((request, self.before));
        }
        first
    }

    /// Removes the rows of the last request.
    pub(crate) fn undo(&mut self) {
        self.truncate(self.before);
        self.requests.pop();
    }

    /// Copies the rows that requests below a number wrote.
    pub(crate) fn copy_before(&self, request: u64) -> Table {
        let kept = self.requests.partition_point(|&(number, _)| number < request);
        let mut copy = Table {
            label_names: self.label_names.clone(),
            samples: self.samples.clone(),
            histograms: self.histograms.clone(),
            exemplars: self.exemplars.clone(),
            metadata: self.metadata.clone(),
            requests: self.requests[..kept].to_vec(),
            ..Table::new(self.metric)
        };
        copy.truncate(self.requests.get(kept).map_or(self.mark(), |&(_, before)| before));
        copy
    }

    /// Changes the numbers of label sets and words to those of the copy.
    pub(crate) fn renumber(&mut self, copy: &mut Copy<'_>) {
        self.metric = copy.word(self.metric);
        self.label_names.iter_mut().for_each(|name| *name = copy.word(*name));
        for sets in [self.samples.sets_mut(), self.histograms.sets_mut(), self.exemplars.sets_mut()] {
            sets.iter_mut().for_each(|set| *set = copy.set(*set));
        }
        self.exemplars.names_mut().for_each(|name| *name = copy.word(*name));
        for row in self.metadata.rows_mut() {
            (row.help, row.unit) = (copy.word(row.help), copy.word(row.unit));
        }
    }

    /// Returns the number of rows, with the elements of their lists.
    pub(crate) fn rows(&self) -> usize {
        let Mark { samples, histograms, exemplars, metadata } = self.mark();
        samples + histograms + exemplars + metadata + self.histograms.all_elements()
    }

    /// Removes all rows, and keeps memory for `keep_rows` rows.
    pub(crate) fn clear(&mut self, keep_rows: usize) {
        self.truncate(Mark::default());
        self.requests.clear();
        self.requests.shrink_to(keep_rows);
        self.samples.shrink_to(keep_rows);
        self.histograms.shrink_to(keep_rows);
        self.exemplars.shrink_to(keep_rows);
        self.metadata.shrink_to(keep_rows);
    }
}
