//! The rules of native histograms. They are those of Prometheus; a histogram that it would not store is refused here.

use super::histograms::NewHistogram;
use super::{Buckets, Count, Histograms, Span};
use crate::problem::Reason;
use std::ops::Add;

/// The schema of histograms whose bounds are a list.
const CUSTOM: i32 = -53;
/// The schemas whose bounds are powers; those above [`FINEST`] are accepted and reduced to it.
const EXPONENTIAL: std::ops::RangeInclusive<i32> = -4..=52;
const FINEST: i32 = 8;

/// Why a histogram is refused.
type Fault = (Reason, String);

impl Histograms {
    /// Checks the row whose lists were filled.
    pub(crate) fn check(&self, new: &NewHistogram) -> Result<(), Fault> {
        let float = matches!(new.count, Count::Float(_));
        match (new.count, new.zero_count) {
            (Count::Float(_), Count::Int(_)) => {
                return Err((Reason::CountsMixed, "the zero count is an integer, the count a float".to_owned()));
            }
            (Count::None | Count::Int(_), Count::Float(_)) => {
                return Err((Reason::CountsMixed, "the zero count is a float, the count an integer".to_owned()));
            }
            _ => (),
        }
        for (count, what) in [(new.count, "the count"), (new.zero_count, "the zero count")] {
            if let Count::Float(count) = count
                && count < 0.0
            {
                return Err((Reason::CountOutOfRange, format!("{what} is {count}")));
            }
        }
        for (buckets, side) in [(self.negative(), "negative"), (self.positive(), "positive")] {
            buckets.match_spans(float, side)?;
        }
        match new.schema {
            CUSTOM => self.check_custom(new)?,
            schema if EXPONENTIAL.contains(&schema) => {
                let bounds = self.custom_values().open().len();
                if bounds > 0 {
                    return Err((Reason::BoundsInvalid, format!("schema {schema} with {bounds} custom values")));
                }
                // The bucket up to the largest number, and one for infinity.
                let last = if schema >= 0 { 1024 << schema } else { 1024 >> -schema } + 1;
                self.negative().check_spans(i64::MIN, last, "negative")?;
                self.positive().check_spans(i64::MIN, last, "positive")?;
            }
            schema => return Err((Reason::SchemaUnknown, schema.to_string())),
        }
        let buckets = self.negative().sum("negative")? + self.positive().sum("positive")?;
        if float {
            // Sums of floats depend on their order, so Prometheus does not compare them.
            return Ok(());
        }
        let (all, count) = (buckets + u128::from(integer(new.zero_count)), u128::from(integer(new.count)));
        // Observations that are not a number are in no bucket.
        if all == count || new.sum.is_nan() && all < count {
            return Ok(());
        }
        let than = if new.sum.is_nan() { "at least " } else { "" };
        Err((Reason::CountMismatch, format!("buckets and zero count have {all} observations, {than}{count} expected")))
    }

    /// Checks a histogram with custom buckets: ascending bounds, and neither zero bucket nor negative side.
    fn check_custom(&self, new: &NewHistogram) -> Result<(), Fault> {
        let bounds = self.custom_values().open();
        let fault = |detail: String| Err((Reason::BoundsInvalid, detail));
        let mut before = f64::NEG_INFINITY;
        for (at, &bound) in bounds.iter().enumerate() {
            // A bound that is not a number does not ascend either.
            if bound.partial_cmp(&before) != Some(std::cmp::Ordering::Greater) {
                return fault(format!("custom_values[{at}] is {bound}, after {before}"));
            }
            before = bound;
        }
        if before == f64::INFINITY {
            return fault(format!("custom_values[{}] is infinite", bounds.len() - 1));
        }
        if new.zero_threshold != 0.0 {
            return fault(format!("the zero threshold is {}", new.zero_threshold));
        }
        if !matches!(new.zero_count, Count::None | Count::Int(0)) && new.zero_count != Count::Float(0.0) {
            return fault("there is a zero count".to_owned());
        }
        if !self.negative().spans.open().is_empty() {
            return fault("there are negative spans".to_owned());
        }
        self.positive().check_spans(0, bounds.len() as i64, "positive")
    }

    /// Reduces the resolution of the row whose lists were filled to the finest one that is stored.
    pub(crate) fn reduce(&mut self, new: &mut NewHistogram) {
        if new.schema > FINEST && EXPONENTIAL.contains(&new.schema) {
            let by = (new.schema - FINEST) as u32;
            self.negative_mut().reduce(by);
            self.positive_mut().reduce(by);
            new.schema = FINEST;
        }
    }
}

fn integer(count: Count) -> u64 {
    if let Count::Int(count) = count { count } else { 0 }
}

impl Buckets {
    /// Checks that the spans of the unfinished row match its buckets, which must be of the histogram's kind.
    fn match_spans(&self, float: bool, side: &str) -> Result<(), Fault> {
        let covered: u64 = self.spans.open().iter().map(|span| u64::from(span.length)).sum();
        let (deltas, counts) = (self.deltas.open().len() as u64, self.counts.open().len() as u64);
        let (buckets, others) = if float { (counts, deltas) } else { (deltas, counts) };
        if others > 0 {
            let kind = if float { "a float histogram has" } else { "an integer histogram has" };
            let unused = if float { "deltas" } else { "float counts" };
            return Err((Reason::CountsMixed, format!("{kind} {others} {side} {unused}")));
        }
        if covered == buckets {
            return Ok(());
        }
        Err((Reason::BucketsMismatch, format!("{side} spans cover {covered} buckets, but there are {buckets}")))
    }

    /// Checks that the spans follow each other, and that all buckets are between two indices.
    fn check_spans(&self, first: i64, last: i64, side: &str) -> Result<(), Fault> {
        let mut next = 0i64;
        for (at, &Span { offset, length }) in self.spans.open().iter().enumerate() {
            if at > 0 && offset < 0 {
                return Err((Reason::SpansInvalid, format!("{side}_spans[{at}].offset is {offset}")));
            }
            next += i64::from(offset);
            let end = next + i64::from(length);
            if length > 0 && (next < first || end - 1 > last) {
                let detail =
                    format!("{side}_spans[{at}] has the buckets {next} to {}; the last one is {last}", end - 1);
                return Err((Reason::SpansInvalid, detail));
            }
            next = end;
        }
        Ok(())
    }

    /// Returns the number of observations in the integer buckets of the unfinished row, and checks that no bucket has a
    /// negative number of them.
    fn sum(&self, side: &str) -> Result<u128, Fault> {
        let out = |at: usize, count: &dyn std::fmt::Display| {
            Err((Reason::CountOutOfRange, format!("bucket {at} of the {side} side has {count} observations")))
        };
        let (mut count, mut sum) = (0i128, 0i128);
        for (at, &delta) in self.deltas.open().iter().enumerate() {
            count += i128::from(delta);
            sum += count;
            // Buckets that are merged may hold all observations.
            if count < 0 || sum > i128::from(i64::MAX) {
                return out(at, &count);
            }
        }
        match self.counts.open().iter().position(|&count| count < 0.0) {
            Some(at) => out(at, &self.counts.open()[at]),
            None => Ok(sum as u128),
        }
    }

    /// Merges buckets of the unfinished row, so that a bucket becomes as wide as 2^`by` were.
    fn reduce(&mut self, by: u32) {
        let (spans, deltas, counts) = (self.spans.take_open(), self.deltas.take_open(), self.counts.take_open());
        let absolute = deltas.iter().scan(0i64, |count, delta| {
            *count = count.wrapping_add(*delta);
            Some(*count)
        });
        let (integers, floats) =
            (merge(&spans, absolute, i64::wrapping_add, by), merge(&spans, counts.into_iter(), Add::add, by));
        let mut before = 0i64;
        self.deltas.extend(integers.1.iter().map(|&count| count.wrapping_sub(std::mem::replace(&mut before, count))));
        self.counts.extend(floats.1.into_iter());
        self.spans.extend(if deltas.is_empty() { floats.0 } else { integers.0 }.into_iter());
    }
}

/// Merges buckets. Returns the spans and the counts of the new ones.
fn merge<T: Copy>(
    spans: &[Span],
    mut counts: impl Iterator<Item = T>,
    add: fn(T, T) -> T,
    by: u32,
) -> (Vec<Span>, Vec<T>) {
    let (mut merged, mut new) = (Vec::<Span>::new(), Vec::new());
    let (mut next, mut end) = (0i64, None::<i64>);
    for span in spans {
        next += i64::from(span.offset);
        for index in next..next + i64::from(span.length) {
            let Some(count) = counts.next() else { return (merged, new) };
            // A bucket's index is that of its upper bound, which belongs to it.
            let index = ((index - 1) >> by) + 1;
            match new.last_mut().filter(|_| end == Some(index + 1)) {
                Some(last) => {
                    *last = add(*last, count);
                    continue;
                }
                None => new.push(count),
            }
            match merged.last_mut().filter(|_| end == Some(index)) {
                Some(span) => span.length += 1,
                None => merged.push(Span { offset: (index - end.unwrap_or(0)) as i32, length: 1 }),
            }
            end = Some(index + 1);
        }
        next += i64::from(span.length);
    }
    (merged, new)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(offset: i32, length: u32) -> Span {
        Span { offset, length }
    }

    #[test]
    fn buckets_are_merged_by_their_upper_bounds() {
        // Indices -3, -2, 0, 1, 2, 3, 9: by 1 they are -1, -1, 0, 1, 1, 2, 5.
        let spans = [span(-3, 2), span(1, 4), span(5, 1)];
        let counts = [1, 2, 4, 8, 16, 32, 64];
        assert_eq!(
            merge(&spans, counts.into_iter(), i32::wrapping_add, 1),
            (vec![span(-1, 4), span(2, 1)], vec![3, 4, 24, 32, 64])
        );
        // By 44, all positive ones are in bucket 1, and the others in bucket 0.
        assert_eq!(merge(&spans, counts.into_iter(), i32::wrapping_add, 44), (vec![span(0, 2)], vec![7, 120]));
        assert_eq!(merge(&[], counts.into_iter(), i32::wrapping_add, 1), (vec![], vec![]));
        assert_eq!(merge(&[span(5, u32::MAX)], [1.5].into_iter(), f64::add, 2), (vec![span(2, 1)], vec![1.5]));
    }
}
