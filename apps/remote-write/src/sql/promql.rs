//! Prometheus' functions over samples and buckets, as numbers in and numbers out. The rules are those of Prometheus 3.15.

use crate::store::gather::STALE;

/// A sample of one series.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// Milliseconds since the epoch.
    pub time: i64,
    /// The value.
    pub value: f64,
    /// When the counter began to count, in milliseconds since the epoch; 0 if it is not known.
    pub start: i64,
}

/// A function over the samples of one series in a window of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OverTime {
    /// The increase of a counter in a second.
    Rate,
    /// The increase of a counter.
    Increase,
    /// The difference of a gauge.
    Delta,
    /// The increase of a counter in a second, between its last two samples.
    Irate,
}

impl OverTime {
    /// All of them.
    pub const ALL: [OverTime; 4] = [OverTime::Rate, OverTime::Increase, OverTime::Delta, OverTime::Irate];

    /// Returns the name, which is Prometheus'.
    pub fn name(self) -> &'static str {
        match self {
            OverTime::Rate => "rate",
            OverTime::Increase => "increase",
            OverTime::Delta => "delta",
            OverTime::Irate => "irate",
        }
    }

    /// Computes it over points that are sorted by time, all after `begin` and none after `end`. `None` if there are too few.
    pub fn compute(self, points: &[Point], begin: i64, end: i64) -> Option<f64> {
        match self {
            OverTime::Irate => irate(points),
            OverTime::Rate => extrapolated(points, begin, end, true).map(|increase| increase / seconds(end - begin)),
            OverTime::Increase => extrapolated(points, begin, end, true),
            OverTime::Delta => extrapolated(points, begin, end, false),
        }
    }
}

/// Returns whether a value says that the series ended. It is no sample.
pub fn is_stale(value: f64) -> bool {
    value.to_bits() == STALE
}

fn seconds(ms: i64) -> f64 {
    ms as f64 / 1000.0
}

fn irate(points: &[Point]) -> Option<f64> {
    let [.., before, last] = points else { return None };
    let change = if was_reset(before, last) { last.value } else { last.value - before.value };
    let interval = last.time - before.time;
    (interval != 0).then(|| change / (interval as f64 / 1000.0))
}

/// A counter begins again at zero: its value falls, or its start is after the sample before.
fn was_reset(before: &Point, now: &Point) -> bool {
    if now.value < before.value {
        return true;
    }
    let unknown = now.start == before.start || now.start == 0 || now.start >= now.time;
    if unknown || now.start < before.time {
        return false;
    }
    // A start at the sample before is a new start only if that sample's own start is known.
    now.start > before.time || before.start != 0 && before.start < before.time
}

/// The change between the first and the last sample, extended to the bounds of the window where the samples are close to
/// them, and by half the mean distance of two samples where they are not.
fn extrapolated(points: &[Point], begin: i64, end: i64, counter: bool) -> Option<f64> {
    let (first, last) = (points.first()?, points.last()?);
    let mut change = last.value - first.value;
    if counter {
        for pair in points.windows(2).filter(|pair| was_reset(&pair[0], &pair[1])) {
            change += pair[0].value;
        }
    }
    let (mut to_begin, mut to_end) = (seconds(first.time - begin), seconds(end - last.time));
    let mut sampled = seconds(last.time - first.time);
    let mean = if points.len() > 1 { sampled / (points.len() - 1) as f64 } else { 0.0 };
    let limit = mean * 1.1;
    if counter && first.start > begin && first.start < first.time && first.start != 0 {
        // It began at zero inside the window.
        (to_begin, sampled) = (0.0, seconds(last.time - first.start));
        change += first.value;
    } else if points.len() < 2 {
        return None;
    } else {
        if to_begin >= limit {
            to_begin = mean / 2.0;
        }
        // A counter is never below zero, so it cannot have counted for longer than from zero.
        if counter && change > 0.0 && first.value >= 0.0 {
            to_begin = to_begin.min(sampled * (first.value / change));
        }
    }
    if to_end >= limit {
        to_end = mean / 2.0;
    }
    let factor = if sampled == 0.0 { 1.0 } else { (sampled + to_begin + to_end) / sampled };
    Some(change * factor)
}

/// The quantile of a classic histogram. A bucket is its upper bound and the observations up to it. `None` without buckets.
pub fn bucket_quantile(q: f64, mut buckets: Vec<(f64, f64)>) -> Option<f64> {
    buckets.retain(|&(bound, _)| !bound.is_nan());
    if buckets.is_empty() {
        return None;
    }
    if let Some(result) = outside(q) {
        return Some(result);
    }
    buckets.sort_by(|a, b| a.0.total_cmp(&b.0));
    // Buckets with one bound are one bucket, such as those of several series.
    buckets.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        if same {
            kept.1 += next.1;
        }
        same
    });
    // Counts that fall, or differ by rounding only, count as equal.
    let mut before = buckets[0].1;
    for (_, count) in &mut buckets[1..] {
        match *count < before || almost_equal(*count, before) {
            true => *count = before,
            false => before = *count,
        }
    }
    let [.., below, (f64::INFINITY, all)] = buckets[..] else { return Some(f64::NAN) };
    if all == 0.0 {
        return Some(f64::NAN);
    }
    let rank = q * all;
    let Some(at) = buckets[..buckets.len() - 1].iter().position(|&(_, count)| count >= rank) else {
        return Some(below.0);
    };
    let (bound, count) = buckets[at];
    if at == 0 {
        return Some(if bound <= 0.0 { bound } else { bound * (rank / count) });
    }
    let (lower, before) = buckets[at - 1];
    Some(lower + (bound - lower) * ((rank - before) / (count - before)))
}

/// Returns the result for a quantile that is not between 0 and 1.
fn outside(q: f64) -> Option<f64> {
    match q {
        q if q.is_nan() => Some(f64::NAN),
        q if q < 0.0 => Some(f64::NEG_INFINITY),
        q if q > 1.0 => Some(f64::INFINITY),
        _ => None,
    }
}

fn almost_equal(a: f64, b: f64) -> bool {
    const TOLERANCE: f64 = 1e-12;
    if a == b || a.is_nan() && b.is_nan() {
        return true;
    }
    let (sum, difference) = (a.abs() + b.abs(), (a - b).abs());
    if a == 0.0 || b == 0.0 || sum < f64::MIN_POSITIVE {
        return difference < TOLERANCE * f64::MIN_POSITIVE;
    }
    difference / sum.min(f64::MAX) < TOLERANCE
}

/// Custom buckets have bounds of their own.
const CUSTOM: i32 = -53;

/// A native histogram.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Native {
    /// The layout of the buckets: bounds are powers of 2^(2^-schema); -53 for custom ones.
    pub schema: i32,
    /// All observations.
    pub count: f64,
    /// Their sum.
    pub sum: f64,
    /// The zero bucket reaches this far.
    pub zero_threshold: f64,
    /// Its observations.
    pub zero_count: f64,
    /// Buckets below zero.
    pub negative: Vec<(i32, f64)>,
    /// Buckets above zero.
    pub positive: Vec<(i32, f64)>,
    /// The bounds of custom buckets.
    pub custom: Vec<f64>,
}

/// One bucket.
#[derive(Clone, Copy, Debug, Default)]
struct Bucket {
    lower: f64,
    upper: f64,
    count: f64,
}

impl Native {
    /// Numbers the buckets of one side: `spans` are the gap before each run of buckets, and its length. `None` if there are
    /// other numbers of counts than of buckets.
    pub fn side(spans: impl IntoIterator<Item = (i32, u32)>, counts: &[f64]) -> Option<Vec<(i32, f64)>> {
        let mut side = Vec::with_capacity(counts.len());
        let (mut counts, mut index) = (counts.iter(), 0i32);
        for (gap, length) in spans {
            index = index.checked_add(gap)?;
            for _ in 0..length {
                side.push((index, *counts.next()?));
                index = index.checked_add(1)?;
            }
        }
        counts.next().is_none().then_some(side)
    }

    fn is_custom(&self) -> bool {
        self.schema == CUSTOM
    }

    /// Returns the upper bound of a bucket above zero.
    fn bound(&self, index: i64) -> f64 {
        if self.is_custom() {
            return match usize::try_from(index) {
                Err(_) => f64::NEG_INFINITY,
                Ok(at) => self.custom.get(at).copied().unwrap_or(f64::INFINITY),
            };
        }
        // The largest number is no power of two; the bucket after it is that of infinity.
        let last = 1024i64 << self.schema.max(0) >> (-self.schema).max(0);
        if index == last {
            return f64::MAX;
        }
        match self.schema {
            schema @ ..0 => (index as f64 * f64::from(1u32 << -schema)).exp2(),
            schema => {
                let (whole, part) = (index >> schema, index & ((1 << schema) - 1));
                let fraction = (part as f64 / f64::from(1u32 << schema)).exp2();
                fraction / 2.0 * ((whole + 1) as f64).exp2()
            }
        }
    }

    /// Returns all buckets, from the lowest to the highest.
    fn buckets(&self) -> Vec<Bucket> {
        let mut all: Vec<Bucket> = Vec::with_capacity(self.negative.len() + self.positive.len() + 1);
        let threshold = self.zero_threshold;
        for &(index, count) in self.negative.iter().rev() {
            let index = i64::from(index);
            let (lower, upper) = (-self.bound(index), -self.bound(index - 1));
            all.push(Bucket { lower, upper: if upper < 0.0 { upper.min(-threshold) } else { upper }, count });
        }
        if self.zero_count > 0.0 {
            all.push(Bucket { lower: -threshold, upper: threshold, count: self.zero_count });
        }
        for &(index, count) in &self.positive {
            let index = i64::from(index);
            let (lower, upper) = (self.bound(index - 1), self.bound(index));
            all.push(Bucket { lower: if lower > 0.0 { lower.max(threshold) } else { lower }, upper, count });
        }
        all
    }

    /// Returns a quantile.
    pub fn quantile(&self, q: f64) -> f64 {
        if let Some(result) = outside(q) {
            return result;
        }
        let schema = self.schema;
        if self.count == 0.0 || !(self.is_custom() || (-4..=8).contains(&schema)) {
            return f64::NAN;
        }
        // Observations of NaN count, but are in no bucket: then from below.
        let up = self.sum.is_nan() || q < 0.5;
        let mut rank = if up { q * self.count } else { (1.0 - q) * self.count };
        let (mut bucket, mut count) = (Bucket::default(), 0.0);
        let mut buckets = self.buckets();
        if !up {
            buckets.reverse();
        }
        for next in buckets {
            bucket = next;
            count += bucket.count;
            if bucket.count != 0.0 && count >= rank {
                break;
            }
        }
        if self.is_custom() {
            if bucket.lower == f64::NEG_INFINITY {
                if bucket.upper <= 0.0 {
                    return bucket.upper;
                }
                bucket.lower = 0.0;
            } else if bucket.upper == f64::INFINITY {
                return bucket.lower;
            }
        } else if bucket.lower < 0.0 && bucket.upper > 0.0 {
            // The zero bucket, of a histogram with one side.
            match (self.negative.is_empty(), self.positive.is_empty()) {
                (true, false) => bucket.lower = 0.0,
                (false, true) => bucket.upper = 0.0,
                _ => (),
            }
        }
        count = count.min(self.count);
        if count < rank {
            return if self.sum.is_nan() { f64::NAN } else { bucket.upper };
        }
        rank = if up { rank - (count - bucket.count) } else { count - rank };
        let fraction = rank / bucket.count;
        if self.is_custom() || bucket.lower <= 0.0 && bucket.upper >= 0.0 {
            return bucket.lower + (bucket.upper - bucket.lower) * fraction;
        }
        let (lower, upper) = (bucket.lower.abs().log2(), bucket.upper.abs().log2());
        match bucket.lower > 0.0 {
            true => (lower + (upper - lower) * fraction).exp2(),
            false => -(upper + (lower - upper) * (1.0 - fraction)).exp2(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(pairs: &[(i64, f64)]) -> Vec<Point> {
        pairs.iter().map(|&(seconds, value)| Point { time: seconds * 1000, value, start: 0 }).collect()
    }

    fn close(found: Option<f64>, expected: f64) {
        let found = found.expect("a result");
        let same = found == expected
            || (found - expected).abs() <= expected.abs() * 1e-12
            || found.is_nan() && expected.is_nan();
        assert!(same, "{found} is not {expected}");
    }

    /// Worked out by hand from the documentation: samples every 15 s, window of a minute.
    #[test]
    fn rates_are_those_of_prometheus() {
        let result = |function: OverTime, pairs: &[(i64, f64)]| function.compute(&points(pairs), 0, 60_000);
        // From 5 to 50 s: 5 s to the begin, 10 s to the end, both closer than 16.5 s. 30 in 45 s are 40 in 60 s.
        let steady = [(5, 100.0), (20, 110.0), (35, 120.0), (50, 130.0)];
        close(result(OverTime::Increase, &steady), 40.0);
        close(result(OverTime::Rate, &steady), 40.0 / 60.0);
        close(result(OverTime::Delta, &steady), 40.0);
        close(result(OverTime::Irate, &steady), 10.0 / 15.0);
        // The counter began again: 10, then 4 from zero, then 10: 24 in 45 s are 32.
        let reset = [(5, 100.0), (20, 110.0), (35, 4.0), (50, 14.0)];
        close(result(OverTime::Increase, &reset), 32.0);
        // A gauge falls: 14 - 100 in 45 s.
        close(result(OverTime::Delta, &reset), -86.0 / 45.0 * 60.0);
        // Irate after a reset counts from zero.
        close(result(OverTime::Irate, &[(35, 9.0), (50, 3.0)]), 3.0 / 15.0);
        // It was zero 3 s before the first sample (2 of 30 in 45 s), so it is not extended by 5 s: 45 + 3 + 10.
        let young = [(5, 2.0), (20, 12.0), (35, 22.0), (50, 32.0)];
        close(result(OverTime::Increase, &young), 30.0 * 58.0 / 45.0);
        // 35 s before the first sample: further than 1.1 times the 10 s between samples, so half of these, at both ends.
        let late = [(35, 100.0), (45, 110.0)];
        close(result(OverTime::Increase, &late), 10.0 * (5.0 + 10.0 + 5.0) / 10.0);
        // As late, and zero 2 s before the first sample.
        close(result(OverTime::Increase, &[(35, 2.0), (45, 12.0)]), 10.0 * (2.0 + 10.0 + 5.0) / 10.0);
        // 11 s of 10 s are just too far, 10.9 s are not.
        let at = |ms: i64| {
            let points = [(ms, 100.0), (ms + 10_000, 110.0)].map(|(time, value)| Point { time, value, start: 0 });
            OverTime::Increase.compute(&points, 0, ms + 10_000)
        };
        close(at(11_000), 10.0 * (5.0 + 10.0) / 10.0);
        close(at(10_900), 10.0 * (10.9 + 10.0) / 10.0);
        // No change, and no division by it.
        close(result(OverTime::Rate, &[(5, 7.0), (20, 7.0)]), 0.0);
        for function in OverTime::ALL {
            assert_eq!(result(function, &[(5, 7.0)]), None);
            assert_eq!(result(function, &[]), None);
        }
    }

    #[test]
    fn starts_inside_the_window_count_from_zero() {
        let result = |function: OverTime, samples: &[(i64, f64, i64)]| {
            let points =
                samples.iter().map(|&(time, value, start)| Point { time: time * 1000, value, start: start * 1000 });
            function.compute(&points.collect::<Vec<_>>(), 0, 60_000)
        };
        // From zero at 10 s to 40 at 50 s; 10 s to the end are closer than 16.5 s.
        let begun = [(20, 10.0, 10), (35, 25.0, 10), (50, 40.0, 10)];
        close(result(OverTime::Increase, &begun), 40.0 * 50.0 / 40.0);
        // One sample is enough, and is not extended.
        close(result(OverTime::Increase, &[(20, 10.0, 10)]), 10.0);
        assert_eq!(result(OverTime::Increase, &[(20, 10.0, 0)]), None);
        assert_eq!(result(OverTime::Delta, &[(20, 10.0, 10)]), None);
        // A reset that the values do not show: 5, then 6 from zero.
        let hidden = [(20, 5.0, -100), (35, 6.0, 30)];
        close(result(OverTime::Increase, &hidden), 6.0 * (15.0 + 7.5 + 7.5) / 15.0);
        close(result(OverTime::Irate, &hidden), 6.0 / 15.0);
        // The start before the window says nothing.
        let old = [(5, 100.0, -50), (20, 110.0, -50), (35, 120.0, -50), (50, 130.0, -50)];
        close(result(OverTime::Increase, &old), 40.0);
    }

    #[test]
    fn quantiles_of_buckets_are_those_of_prometheus() {
        let inf = f64::INFINITY;
        let buckets = || vec![(inf, 10.0), (1.0, 4.0), (2.0, 8.0)];
        let quantile = |q, buckets| bucket_quantile(q, buckets);
        // The fifth of ten is the first of four between 1 and 2.
        close(quantile(0.5, buckets()), 1.25);
        close(quantile(0.2, buckets()), 0.5);
        close(quantile(0.8, buckets()), 2.0);
        // In the last bucket nothing is known but its lower bound.
        close(quantile(0.9, buckets()), 2.0);
        close(quantile(1.0, buckets()), 2.0);
        close(quantile(-0.1, buckets()), -inf);
        close(quantile(1.1, buckets()), inf);
        close(quantile(f64::NAN, buckets()), f64::NAN);
        // Below zero there is no lower bound.
        close(quantile(0.1, vec![(-1.0, 5.0), (inf, 10.0)]), -1.0);
        // Two series of one bound are added; a count that falls is lifted.
        close(quantile(0.5, vec![(1.0, 2.0), (1.0, 2.0), (2.0, 8.0), (inf, 10.0)]), 1.25);
        close(quantile(0.5, vec![(1.0, 4.0), (2.0, 3.0), (3.0, 8.0), (inf, 10.0)]), 2.25);
        close(quantile(0.5, vec![(1.0, 4.0), (2.0, 8.0)]), f64::NAN);
        close(quantile(0.5, vec![(inf, 8.0)]), f64::NAN);
        close(quantile(0.5, vec![(1.0, 0.0), (inf, 0.0)]), f64::NAN);
        assert_eq!(quantile(0.5, Vec::new()), None);
    }

    #[test]
    fn quantiles_of_native_histograms_are_those_of_prometheus() {
        let close = |found: f64, expected: f64| close(Some(found), expected);
        // Schema 0: (1, 2] with 4, (2, 4] with 4; 2 in the zero bucket.
        let positive = Native::side([(1, 2)], &[4.0, 4.0]).unwrap();
        let h = Native { count: 10.0, sum: 20.0, zero_threshold: 0.5, zero_count: 2.0, positive, ..Native::default() };
        // The fifth of ten, counted from above, is the third of four in (1, 2]: 2^(3/4).
        close(h.quantile(0.5), 0.75f64.exp2());
        close(h.quantile(0.8), 1.5f64.exp2());
        close(h.quantile(1.0), 4.0);
        // In the zero bucket it is linear, and from zero, because nothing is below.
        close(h.quantile(0.1), 0.25);
        // The mirror image.
        let mirror = Native { negative: h.positive.clone(), positive: Vec::new(), sum: -20.0, ..h.clone() };
        close(mirror.quantile(0.5), -0.75f64.exp2());
        close(mirror.quantile(0.0), -4.0);
        // Bounds: schema 1 has 2^(1/2); schema -1 has 4.
        let bound = |schema, index| Native { schema, ..Native::default() }.bound(index);
        close(bound(1, 1), 2f64.sqrt());
        close(bound(-1, 1), 4.0);
        close(bound(0, -3), 0.125);
        assert_eq!(bound(0, 1024), f64::MAX);
        assert_eq!((bound(3, 1024 << 3), bound(-2, 256)), (f64::MAX, f64::MAX));
        assert_eq!(bound(0, 1025), f64::INFINITY);
        // Custom buckets: up to 1, up to 2, above.
        let positive = Native::side([(0, 3)], &[4.0, 4.0, 2.0]).unwrap();
        let custom =
            Native { schema: -53, custom: vec![1.0, 2.0], count: 10.0, sum: 9.0, positive, ..Native::default() };
        close(custom.quantile(0.2), 0.5);
        close(custom.quantile(0.6), 1.5);
        close(custom.quantile(0.95), 2.0);
        // NaN was observed twice.
        let nan = Native { sum: f64::NAN, count: 12.0, ..h.clone() };
        close(nan.quantile(0.25), 0.25f64.exp2());
        close(nan.quantile(0.99), f64::NAN);
        close(Native::default().quantile(0.5), f64::NAN);
        assert_eq!((h.quantile(-1.0), h.quantile(2.0)), (f64::NEG_INFINITY, f64::INFINITY));
        // Counts and spans that do not fit.
        assert_eq!(Native::side([(1, 3)], &[4.0, 4.0]), None);
        assert_eq!(Native::side([(1, 1)], &[4.0, 4.0]), None);
        assert_eq!(Native::side([(i32::MAX, 1), (1, 1)], &[4.0, 4.0]), None);
    }

    /// What Prometheus' own engine computed: `tests/prometheus/main.go` wrote the file, and describes it.
    #[test]
    fn results_are_those_that_prometheus_computed() {
        let number = |text: &str| match text {
            "stale" => f64::from_bits(STALE),
            "-" => f64::NAN,
            text => text.parse().unwrap(),
        };
        let pairs = |text: &str| -> Vec<Vec<f64>> {
            text.split_whitespace().map(|pair| pair.split(':').map(number).collect()).collect()
        };
        let mut cases = [0; 3];
        for line in include_str!("../../tests/prometheus.txt").lines() {
            let fields: Vec<&str> = line.split('|').map(str::trim).collect();
            let results: Vec<f64> = fields.last().unwrap().split(' ').map(number).collect();
            let there: Vec<bool> = fields.last().unwrap().split(' ').map(|result| result != "-").collect();
            let check = |found: Option<f64>, at: usize| {
                assert_eq!(found.is_some(), there[at], "{line}: {at} {found:?}");
                if found.is_some() {
                    close(found, results[at]);
                }
            };
            match fields[0] {
                "rate" => {
                    cases[0] += 1;
                    let begin = 1_700_000_000_000;
                    let end = begin + fields[1].parse::<i64>().unwrap();
                    let all = pairs(fields[2]);
                    let points = |started: bool| -> Vec<Point> {
                        let start = |start: f64| if started && !start.is_nan() { begin + start as i64 } else { 0 };
                        let samples = all.iter().map(|s| (begin + s[0] as i64, s[1], start(s[2])));
                        let inside = samples.filter(|s| begin < s.0 && s.0 <= end && !is_stale(s.1));
                        inside.map(|(time, value, start)| Point { time, value, start }).collect()
                    };
                    for (at, function) in OverTime::ALL.into_iter().enumerate() {
                        check(function.compute(&points(false), begin, end), 2 * at);
                        check(function.compute(&points(true), begin, end), 2 * at + 1);
                    }
                }
                "buckets" => {
                    cases[1] += 1;
                    let buckets = pairs(fields[2]).iter().map(|bucket| (bucket[0], bucket[1])).collect();
                    check(bucket_quantile(number(fields[1]), buckets), 0);
                }
                _ => {
                    cases[2] += 1;
                    let first: Vec<f64> = fields[2].split(' ').map(number).collect();
                    let side = |text: &str| {
                        let runs = pairs(text);
                        let counts: Vec<f64> = runs.iter().flat_map(|run| run[1..].to_vec()).collect();
                        Native::side(runs.iter().map(|run| (run[0] as i32, run.len() as u32 - 1)), &counts).unwrap()
                    };
                    let native = Native {
                        schema: first[0] as i32,
                        count: first[1],
                        sum: first[2],
                        zero_threshold: first[3],
                        zero_count: first[4],
                        negative: side(fields[3]),
                        positive: side(fields[4]),
                        custom: fields[5].split_whitespace().map(number).collect(),
                    };
                    check(Some(native.quantile(number(fields[1]))), 0);
                }
            }
        }
        assert_eq!(cases, [150; 3]);
    }
}
