//! [`Problem`]: an error in a series: which series, where, and why.

use std::fmt;

/// Why a series, or a 1.0 metadata entry, cannot be accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Reason {
    /// There is no `__name__` among the labels, or a metadata entry has no metric.
    MetricNameMissing,
    /// The metric's name does not have the form that 1.0 requires.
    MetricNameInvalid,
    /// A label has no name.
    LabelNameEmpty,
    /// A label's name does not have the form that 1.0 requires.
    LabelNameInvalid,
    /// A label has no value.
    LabelValueEmpty,
    /// A label's name occurs twice.
    LabelRepeated,
    /// The labels are not sorted by name.
    LabelsUnsorted,
    /// The metric already has as many different label names as it may.
    TooManyLabelNames,
    /// 2.0: the number of label references is odd.
    RefsOdd,
    /// 2.0: a reference points beyond the symbols.
    RefOutOfRange,
    /// 2.0: the series has no samples, histograms or exemplars.
    SeriesEmpty,
    /// 2.0: a series has both samples and histograms.
    SamplesAndHistograms,
    /// A histogram's spans do not match its buckets.
    BucketsMismatch,
    /// A histogram has integer and float counts.
    CountsMixed,
    /// A histogram's buckets and zero count do not add up to its count.
    CountMismatch,
    /// A histogram's count, or that of one of its buckets, is negative or too large.
    CountOutOfRange,
    /// A histogram's spans overlap, or lie beyond all numbers.
    SpansInvalid,
    /// A histogram has a schema that the specification does not have.
    SchemaUnknown,
    /// The bounds of a histogram with custom buckets are invalid, or it has parts that only other schemas have.
    BoundsInvalid,
    /// An exemplar has no timestamp. Only the exemplar is left out.
    ExemplarTimeMissing,
    /// 2.0: the first symbol is not the empty string. The whole request is rejected.
    SymbolsStart,
    /// A timestamp is outside of the times that the receiver accepts.
    TimeOutside,
    /// The series is new, and the receiver already knows as many as it may.
    SeriesOverLimit,
}

impl Reason {
    /// All reasons, in the order of their numbers.
    pub const ALL: [Reason; 23] = [
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
        Reason::CountsMixed,
        Reason::CountMismatch,
        Reason::CountOutOfRange,
        Reason::SpansInvalid,
        Reason::SchemaUnknown,
        Reason::BoundsInvalid,
        Reason::ExemplarTimeMissing,
        Reason::SymbolsStart,
        Reason::TimeOutside,
        Reason::SeriesOverLimit,
    ];

    /// Returns the reason in words.
    pub fn text(self) -> &'static str {
        match self {
            Reason::MetricNameMissing => "the metric's name is missing",
            Reason::MetricNameInvalid => "the metric's name is not valid in 1.0",
            Reason::LabelNameEmpty => "a label has no name",
            Reason::LabelNameInvalid => "a label's name is not valid in 1.0",
            Reason::LabelValueEmpty => "a label has no value",
            Reason::LabelRepeated => "a label is repeated",
            Reason::LabelsUnsorted => "labels are not sorted by name",
            Reason::TooManyLabelNames => "the series has too many labels",
            Reason::RefsOdd => "the number of label references is odd",
            Reason::RefOutOfRange => "a reference points beyond the symbols",
            Reason::SeriesEmpty => "the series has no samples, histograms or exemplars",
            Reason::SamplesAndHistograms => "the series has both samples and histograms",
            Reason::BucketsMismatch => "a histogram's spans do not match its buckets",
            Reason::CountsMixed => "a histogram has integer and float counts",
            Reason::CountMismatch => "a histogram's buckets do not add up to its count",
            Reason::CountOutOfRange => "a count of a histogram is negative or too large",
            Reason::SpansInvalid => "a histogram's spans are not valid",
            Reason::SchemaUnknown => "a histogram's schema is not known",
            Reason::BoundsInvalid => "a histogram's custom buckets are not valid",
            Reason::ExemplarTimeMissing => "an exemplar has no timestamp",
            Reason::SymbolsStart => "the first symbol is not the empty string",
            Reason::TimeOutside => "a timestamp is too old or in the future",
            Reason::SeriesOverLimit => "the series is new, and there are too many",
        }
    }
}

/// An error, and its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// The reason.
    pub reason: Reason,
    /// The index of the series or of the metadata entry; `path` says which of them.
    pub index: u32,
    /// The byte of the uncompressed body at which the value begins, or the smallest existing element around it.
    pub offset: usize,
    /// The path of the field, from the request down.
    pub path: String,
    /// The strings or numbers in question, quoted and clipped.
    pub detail: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Problem { reason, offset, path, detail, .. } = self;
        write!(f, "{} at byte {offset}: {path}", reason.text())?;
        if detail.is_empty() { Ok(()) } else { write!(f, ": {detail}") }
    }
}

/// Formats a string of the request for a message: quoted, control characters escaped, clipped.
pub fn quoted(text: &str) -> String {
    let mut chars = text.chars();
    let head: String = chars.by_ref().take(60).collect();
    format!("{head:?}{}", if chars.next().is_some() { "…" } else { "" })
}

/// The problems of a request that was accepted nevertheless: all are counted, and the first ones are kept.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Problems {
    counts: [u64; Reason::ALL.len()],
    first: Vec<Problem>,
}

impl Problems {
    /// The number of problems that are kept: a bad request may have a problem in every series.
    pub const KEPT: usize = 10;

    /// Counts a problem, and keeps it if it is among the first.
    pub fn add(&mut self, problem: Problem) {
        self.counts[problem.reason as usize] += 1;
        if self.first.len() < Problems::KEPT {
            self.first.push(problem);
        }
    }

    /// Counts problems that are not kept.
    pub(crate) fn count_more(&mut self, reason: Reason, count: u64) {
        self.counts[reason as usize] += count;
    }

    /// Returns the first problems.
    pub fn first(&self) -> &[Problem] {
        &self.first
    }

    /// Returns the number of problems for each reason that occurred.
    pub fn counts(&self) -> impl Iterator<Item = (Reason, u64)> {
        Reason::ALL.into_iter().zip(self.counts).filter(|&(_, count)| count > 0)
    }

    /// Returns the number of all problems.
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
