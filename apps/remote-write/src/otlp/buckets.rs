//! The buckets of histograms as spans, and the bounds of those that have explicit ones.

use rows::Span;

/// Prometheus' finest layout.
pub const FINEST: i32 = 8;
/// Its coarsest one.
pub const COARSEST: i32 = -4;
/// Its layout of buckets with bounds of their own.
pub const CUSTOM: i32 = -53;

/// Why there are no spans for some buckets.
pub const TOO_LARGE: &str = "a bucket has too large a count or index";

/// So many empty buckets are cheaper than another span.
const GAP: i64 = 2;

/// Spans, and the count of each bucket as the difference from the previous one.
#[derive(Debug, Default, PartialEq)]
pub struct Buckets {
    /// The positions.
    pub spans: Vec<Span>,
    /// The counts.
    pub deltas: Vec<i64>,
}

/// Merges 2^`by` adjacent buckets into one, and leaves out long runs of empty ones. `None` if a count or a position is too
/// large for Prometheus.
///
/// OpenTelemetry numbers a bucket by its lower bound, and Prometheus by its upper one.
pub fn convert(offset: i32, counts: &[u64], by: u32) -> Option<Buckets> {
    let mut made = Buckets::default();
    let (mut next, mut before) = (None::<i64>, 0i64);
    let mut at = 0;
    while at < counts.len() {
        let merged = |at: usize| (i64::from(offset) + at as i64) >> by.min(63);
        let index = merged(at);
        let mut count = 0u64;
        while at < counts.len() && merged(at) == index {
            count = count.checked_add(counts[at])?;
            at += 1;
        }
        if count == 0 {
            continue;
        }
        let (index, count) = (index + 1, i64::try_from(count).ok()?);
        match next {
            Some(next) if index - next <= GAP => {
                let span = made.spans.last_mut().expect("there is a bucket before this one");
                for _ in next..index {
                    made.deltas.push(-before);
                    span.length += 1;
                    before = 0;
                }
                span.length += 1;
            }
            _ => made.spans.push(Span { offset: i32::try_from(index - next.unwrap_or(0)).ok()?, length: 1 }),
        }
        made.deltas.push(count - before);
        (before, next) = (count, Some(index + 1));
    }
    Some(made)
}

/// Returns the finite bounds of a histogram that has these bounds and buckets; otherwise, why it is refused. A last bound of
/// +Inf is the one that every histogram has anyway.
pub fn finite<'b>(bounds: &'b [f64], counts: &[u64]) -> Result<&'b [f64], &'static str> {
    if counts.len() != bounds.len() + 1 && !(counts.is_empty() && bounds.is_empty()) {
        return Err("the buckets do not match the bounds");
    }
    let bounds = bounds.strip_suffix(&[f64::INFINITY]).unwrap_or(bounds);
    match bounds.iter().any(|bound| !bound.is_finite()) || bounds.windows(2).any(|two| two[0] >= two[1]) {
        true => Err("the bounds do not ascend"),
        false => Ok(bounds),
    }
}

/// Returns the buckets that [`finite`] bounds divide. A histogram without buckets has one for all its observations.
pub fn custom(bounds: &[f64], counts: &[u64], all: u64) -> Option<Buckets> {
    let (below, above) = counts.split_at(bounds.len());
    let above =
        if counts.is_empty() { Some(all) } else { above.iter().try_fold(0u64, |sum, &count| sum.checked_add(count)) };
    // The first bucket has the number 0.
    convert(-1, &[below, &[above?]].concat(), 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn custom_buckets_are_numbered_from_zero() {
        for (name, bounds, counts, expected, deltas) in [
            ("no buckets", &[][..], &[][..], &[(0, 1)][..], &[9][..]),
            ("one bucket", &[], &[9], &[(0, 1)], &[9]),
            ("all empty", &[1.0], &[0, 0], &[], &[]),
            ("leading ones are empty", &[1.0, 2.0], &[0, 4, 5], &[(1, 2)], &[4, 1]),
            ("a long gap", &[1.0, 2.0, 3.0, 4.0], &[4, 0, 0, 0, 5], &[(0, 1), (3, 1)], &[4, 1]),
            ("a bound of +Inf", &[1.0, f64::INFINITY], &[4, 3, 2], &[(0, 2)], &[4, 1]),
        ] {
            let made = custom(finite(bounds, counts).unwrap(), counts, 9).unwrap();
            assert_eq!((made.spans, &made.deltas[..]), (spans(expected), deltas), "{name}");
        }
        assert_eq!(finite(&[1.0, f64::INFINITY], &[1, 2, 3]), Ok(&[1.0][..]));
        for (bounds, counts) in [(&[f64::INFINITY, f64::INFINITY][..], 3), (&[f64::NEG_INFINITY], 2), (&[f64::NAN], 2)]
        {
            assert_eq!(finite(bounds, &vec![0; counts]), Err("the bounds do not ascend"), "{bounds:?}");
        }
        assert_eq!(finite(&[1.0], &[1]), Err("the buckets do not match the bounds"));
        assert_eq!(custom(&[1.0], &[1, u64::MAX], 0), None);
        assert_eq!(custom(&[1.0], &[1, u64::MAX, 1], 0), None);
    }

    fn spans(pairs: &[(i32, u32)]) -> Vec<Span> {
        pairs.iter().map(|&(offset, length)| Span { offset, length }).collect()
    }

    #[test]
    fn buckets_become_spans() {
        for (name, offset, counts, by, expected, deltas) in [
            ("none", 0, &[][..], 0, &[][..], &[][..]),
            ("all empty", 5, &[0, 0], 0, &[], &[]),
            ("adjacent", 0, &[4, 3, 2, 1], 0, &[(1, 4)], &[4, -1, -1, -1]),
            ("below one", -3, &[1, 2], 0, &[(-2, 2)], &[1, 1]),
            ("a short gap", 0, &[4, 0, 0, 1], 0, &[(1, 4)], &[4, -4, 0, 1]),
            ("a long gap", 0, &[4, 0, 0, 0, 1], 0, &[(1, 1), (3, 1)], &[4, -3]),
            ("leading zeros", 0, &[0, 0, 7], 0, &[(3, 1)], &[7]),
            ("merged by two", 0, &[4, 3, 2, 1], 1, &[(1, 2)], &[7, -4]),
            ("merged across the offset", -1, &[1, 2, 3], 1, &[(0, 2)], &[1, 4]),
            ("merged by all", -5, &[1, 2, 3, 4, 5, 6], 62, &[(0, 2)], &[15, -9]),
        ] {
            let made = convert(offset, counts, by).unwrap();
            assert_eq!((made.spans, &made.deltas[..]), (spans(expected), deltas), "{name}");
        }
        assert_eq!(convert(0, &[u64::MAX], 0), None);
        assert_eq!(convert(0, &[u64::MAX, 1], 1), None);
        assert_eq!(convert(i32::MAX, &[1], 0), None);
        assert_eq!(convert(i32::MIN, &[1], 0).unwrap().spans, spans(&[(i32::MIN + 1, 1)]));
    }
}
