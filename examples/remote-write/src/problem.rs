//! What is wrong with a series: which one, where, and why.

use std::fmt;

/// Why a series, or a 1.0 metadata entry, cannot be taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Reason {
    /// No `__name__` among the labels, or metadata without a metric.
    MetricNameMissing,
    /// The metric's name is not of the form that 1.0 asks for.
    MetricNameInvalid,
    /// A label without a name.
    LabelNameEmpty,
    /// A label's name is not of the form that 1.0 asks for.
    LabelNameInvalid,
    /// A label without a value.
    LabelValueEmpty,
    /// A label's name stands twice.
    LabelRepeated,
    /// Labels do not stand in the order of their names.
    LabelsUnsorted,
    /// The metric has as many different label names as it may have.
    TooManyLabelNames,
    /// 2.0: the references do not come in pairs.
    RefsOdd,
    /// 2.0: a reference points behind the symbols.
    RefOutOfRange,
    /// 2.0: neither samples nor histograms nor exemplars.
    SeriesEmpty,
    /// 2.0: samples and histograms in one series.
    SamplesAndHistograms,
    /// A histogram's spans do not cover just its buckets.
    BucketsMismatch,
    /// 2.0: the first symbol is not the empty string. The whole request is refused.
    SymbolsStart,
}

impl Reason {
    /// All reasons, in the order of their numbers.
    pub const ALL: [Reason; 14] = [
        Reason::MetricNameMissing,
        Reason::MetricNameInvalid,
        Reason::LabelNameEmpty,
        Reason::LabelNameInvalid,
        Reason::LabelValueEmpty,
        Reason::LabelRepeated,
        Reason::LabelsUnsorted,
        Reason::TooManyLabelNames,
        Reason::RefsOdd,
        Reason::RefOutOfRange,
        Reason::SeriesEmpty,
        Reason::SamplesAndHistograms,
        Reason::BucketsMismatch,
        Reason::SymbolsStart,
    ];

    /// In words.
    pub fn text(self) -> &'static str {
        match self {
            Reason::MetricNameMissing => "the metric's name is missing",
            Reason::MetricNameInvalid => "the metric's name is not valid in 1.0",
            Reason::LabelNameEmpty => "a label has no name",
            Reason::LabelNameInvalid => "a label's name is not valid in 1.0",
            Reason::LabelValueEmpty => "a label has no value",
            Reason::LabelRepeated => "a label is repeated",
            Reason::LabelsUnsorted => "labels are not sorted by name",
            Reason::TooManyLabelNames => "the metric has too many label names",
            Reason::RefsOdd => "an odd number of label references",
            Reason::RefOutOfRange => "a reference to no symbol",
            Reason::SeriesEmpty => "a series without samples, histograms and exemplars",
            Reason::SamplesAndHistograms => "samples and histograms in one series",
            Reason::BucketsMismatch => "a histogram's spans do not match its buckets",
            Reason::SymbolsStart => "the first symbol is not the empty string",
        }
    }
}

/// What is wrong, and where.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// Why.
    pub reason: Reason,
    /// The index of the series, or of the metadata entry: `path` says which.
    pub index: u32,
    /// The byte of the uncompressed body at which the value in question begins, or the smallest thing around it that
    /// is there.
    pub offset: usize,
    /// The field, from the request down.
    pub path: String,
    /// What exactly: the strings or numbers in question, quoted and clipped.
    pub detail: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Problem { reason, offset, path, detail, .. } = self;
        write!(f, "{} at byte {offset}: {path}", reason.text())?;
        if detail.is_empty() { Ok(()) } else { write!(f, ": {detail}") }
    }
}

/// A string of the request as a message may show it: quoted, control characters escaped, clipped.
pub fn quoted(text: &str) -> String {
    let mut chars = text.chars();
    let head: String = chars.by_ref().take(60).collect();
    format!("{head:?}{}", if chars.next().is_some() { "…" } else { "" })
}

/// The problems of a request that was taken all the same: all counted, the first ones kept.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Problems {
    counts: [u64; Reason::ALL.len()],
    first: Vec<Problem>,
}

impl Problems {
    /// How many are kept: a bad request may have a problem in every series.
    pub const KEPT: usize = 10;

    /// Counts one, and keeps it if it is among the first.
    pub fn add(&mut self, problem: Problem) {
        self.counts[problem.reason as usize] += 1;
        if self.first.len() < Problems::KEPT {
            self.first.push(problem);
        }
    }

    /// The first ones.
    pub fn first(&self) -> &[Problem] {
        &self.first
    }

    /// How many for each reason that there was.
    pub fn counts(&self) -> impl Iterator<Item = (Reason, u64)> {
        Reason::ALL.into_iter().zip(self.counts).filter(|&(_, count)| count > 0)
    }

    /// How many.
    pub fn total(&self) -> u64 {
        self.counts.iter().sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_are_in_the_order_of_their_numbers() {
        assert!(Reason::ALL.iter().enumerate().all(|(n, &reason)| reason as usize == n));
    }

    #[test]
    fn what_a_sender_wrote_is_shown_clipped_and_without_control_characters() {
        assert_eq!(quoted("a\x1b[2Jb\n"), r#""a\u{1b}[2Jb\n""#);
        assert_eq!(quoted(&"ä".repeat(61)).chars().count(), 63);
    }
}
