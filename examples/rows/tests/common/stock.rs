//! The rows as prost decodes them: the whole request into structs, which are then taken apart. The checks are written
//! independently.

use super::*;
use prost::Message;
use std::collections::BTreeSet;

pub use prometheus_prost::{v1, v2};

/// Returns the rows of the good series, and the indexes of the bad ones, by the strict rules.
pub fn rows_v1(body: &[u8]) -> (Rows, Vec<usize>) {
    let request = v1::WriteRequest::decode(body).unwrap();
    let (mut rows, mut bad) = (Rows::new(), Vec::new());
    for (index, ts) in request.timeseries.iter().enumerate() {
        let labels: Labels = ts.labels.iter().map(|l| (l.name.clone(), l.value.clone())).collect();
        let Some((metric, labels)) = good(labels, true).filter(|_| ts.histograms.iter().all(good_v1)) else {
            bad.push(index);
            continue;
        };
        let metric_rows = rows.entry(metric).or_default();
        metric_rows.samples.extend(ts.samples.iter().map(|s| Sample {
            labels: labels.clone(),
            timestamp: s.timestamp,
            value: s.value.to_bits(),
            start: 0,
        }));
        metric_rows.exemplars.extend(ts.exemplars.iter().filter(|e| e.timestamp != 0).map(|e| Exemplar {
            labels: labels.clone(),
            own: e.labels.iter().map(|l| (l.name.clone(), l.value.clone())).collect(),
            value: e.value.to_bits(),
            timestamp: e.timestamp,
        }));
        metric_rows.histograms.extend(ts.histograms.iter().map(|h| histogram_v1(h, &labels)));
    }
    for m in &request.metadata {
        let metric_rows = rows.entry(m.metric_family_name.clone()).or_default();
        metric_rows.metadata.push(Metadata { kind: m.r#type, help: m.help.clone(), unit: m.unit.clone() });
    }
    (finished(rows), bad)
}

pub fn rows_v2(body: &[u8]) -> (Rows, Vec<usize>) {
    let request = v2::Request::decode(body).unwrap();
    let (mut rows, mut bad) = (Rows::new(), Vec::new());
    for (index, ts) in request.timeseries.iter().enumerate() {
        if series_v2(&request, ts, &mut rows).is_none() {
            bad.push(index);
        }
    }
    (finished(rows), bad)
}

fn series_v2(request: &v2::Request, ts: &v2::TimeSeries, rows: &mut Rows) -> Option<()> {
    let (metric, labels) = good(by_reference(request, &ts.labels_refs)?, false)?;
    let mut metric_rows = MetricRows::default();
    metric_rows.samples.extend(ts.samples.iter().map(|s| Sample {
        labels: labels.clone(),
        timestamp: s.timestamp,
        value: s.value.to_bits(),
        start: s.start_timestamp,
    }));
    for e in &ts.exemplars {
        let own = by_reference(request, &e.labels_refs)?;
        if e.timestamp == 0 {
            continue;
        }
        metric_rows.exemplars.push(Exemplar {
            labels: labels.clone(),
            own,
            value: e.value.to_bits(),
            timestamp: e.timestamp,
        });
    }
    for h in &ts.histograms {
        good_v2(h).then_some(())?;
        metric_rows.histograms.push(histogram_v2(h, &labels));
    }
    if let Some(m) = &ts.metadata {
        let symbol = |n: u32| request.symbols.get(n as usize).cloned();
        metric_rows.metadata.push(Metadata { kind: m.r#type, help: symbol(m.help_ref)?, unit: symbol(m.unit_ref)? });
    }
    let kinds = (ts.samples.is_empty(), ts.histograms.is_empty(), ts.exemplars.is_empty());
    if matches!(kinds, (false, false, _) | (true, true, true)) {
        return None;
    }
    let all = rows.entry(metric).or_default();
    all.samples.append(&mut metric_rows.samples);
    all.histograms.append(&mut metric_rows.histograms);
    all.exemplars.append(&mut metric_rows.exemplars);
    all.metadata.append(&mut metric_rows.metadata);
    Some(())
}

/// Keeps only metadata that differs from earlier metadata, as the tables do.
fn finished(mut rows: Rows) -> Rows {
    for table in rows.values_mut() {
        table.metadata.dedup();
    }
    rows.retain(|_, table| *table != MetricRows::default());
    rows
}

/// Returns the metric and the other labels, if the specification allows them.
fn good(labels: Labels, legacy: bool) -> Option<(String, Labels)> {
    let names: Vec<&String> = labels.iter().map(|(name, _)| name).collect();
    let distinct: BTreeSet<&String> = names.iter().copied().collect();
    let in_order = distinct.len() == names.len() && names.is_sorted();
    let full = labels.iter().all(|(name, value)| !name.is_empty() && !value.is_empty());
    let metric = labels.iter().find(|(name, _)| name == "__name__")?.1.clone();
    let word = |text: &str, colon: bool| {
        let first = |c: char| c.is_ascii_alphabetic() || c == '_' || colon && c == ':';
        text.starts_with(first) && text.chars().all(|c| first(c) || c.is_ascii_digit())
    };
    let named = !legacy || word(&metric, true) && names.iter().all(|name| word(name, false));
    (in_order && full && named).then(|| (metric, labels.into_iter().filter(|(n, _)| n != "__name__").collect()))
}

fn by_reference(request: &v2::Request, refs: &[u32]) -> Option<Labels> {
    let symbol = |n: u32| request.symbols.get(n as usize).cloned();
    if refs.len() % 2 == 1 {
        return None;
    }
    refs.chunks(2).map(|pair| Some((symbol(pair[0])?, symbol(pair[1])?))).collect()
}

fn absolute(deltas: &[i64]) -> Vec<i128> {
    deltas
        .iter()
        .scan(0i128, |count, &delta| {
            *count += i128::from(delta);
            Some(*count)
        })
        .collect()
}

/// Returns the index of each bucket.
fn indices(spans: &[(i32, u32)]) -> Vec<i64> {
    let (mut all, mut next) = (Vec::new(), 0i64);
    for &(offset, length) in spans {
        next += i64::from(offset);
        all.extend(next..next + i64::from(length));
        next += i64::from(length);
    }
    all
}

/// Returns buckets of a schema above 8 as those of schema 8: a bucket's new index is its upper bound's, rounded up.
fn coarser(buckets: Buckets, schema: i32) -> Buckets {
    if schema <= 8 {
        return buckets;
    }
    let width = f64::from(schema - 8).exp2();
    let at = indices(&buckets.spans).into_iter().map(|index| (index as f64 / width).ceil() as i64);
    let (mut integers, mut floats) = (BTreeMap::<i64, i128>::new(), BTreeMap::<i64, f64>::new());
    at.clone().zip(absolute(&buckets.deltas)).for_each(|(at, n)| *integers.entry(at).or_default() += n);
    for (at, n) in at.zip(buckets.counts.iter().map(|&n| f64::from_bits(n))) {
        floats.entry(at).and_modify(|sum| *sum += n).or_insert(n);
    }
    let mut made = Buckets { counts: floats.values().map(|n| n.to_bits()).collect(), ..Buckets::default() };
    let mut last = 0;
    for &n in integers.values() {
        made.deltas.push((n - last) as i64);
        last = n;
    }
    let mut next = 0;
    for at in integers.into_keys().chain(floats.into_keys()) {
        match made.spans.last_mut().filter(|_| at == next) {
            Some(span) => span.1 += 1,
            None => made.spans.push(((at - next) as i32, 1)),
        }
        next = at + 1;
    }
    made
}

/// The code for messages that have the same names in both versions.
macro_rules! histograms {
    ($version:ident, $good:ident, $convert:ident, $start:expr) => {
        fn $good(h: &$version::Histogram) -> bool {
            use $version::histogram::{Count, ZeroCount};
            let float = matches!(h.count, Some(Count::CountFloat(_)));
            let one_kind = match h.zero_count {
                Some(ZeroCount::ZeroCountFloat(_)) => float,
                Some(ZeroCount::ZeroCountInt(_)) => !float,
                None => true,
            };
            let spans = |spans: &[$version::BucketSpan]| spans.iter().map(|s| (s.offset, s.length)).collect();
            let sides = [
                (spans(&h.negative_spans), absolute(&h.negative_deltas), &h.negative_counts),
                (spans(&h.positive_spans), absolute(&h.positive_deltas), &h.positive_counts),
            ];
            let (custom, exponential) = (h.schema == -53, (-4..=52).contains(&h.schema));
            let last = if custom { h.custom_values.len() as f64 } else { 1024.0 * (h.schema as f64).exp2() + 1.0 };
            let fits = |(spans, deltas, counts): &(Vec<(i32, u32)>, Vec<i128>, &Vec<f64>)| {
                let at = indices(spans);
                let (these, others) = if float { (counts.len(), deltas.len()) } else { (deltas.len(), counts.len()) };
                at.len() == these
                    && others == 0
                    && spans.iter().skip(1).all(|span| span.0 >= 0)
                    && at.iter().all(|&at| at as f64 <= last && (!custom || at >= 0))
                    && deltas.iter().all(|&count| count >= 0)
                    && !counts.iter().any(|&count| count < 0.0)
            };
            let bounds = match custom {
                true => {
                    h.custom_values.iter().all(|bound| bound.is_finite())
                        && h.custom_values.windows(2).all(|two| two[0] < two[1])
                        && h.zero_threshold == 0.0
                        && h.negative_spans.is_empty()
                        && match h.zero_count {
                            Some(ZeroCount::ZeroCountFloat(n)) => n == 0.0,
                            Some(ZeroCount::ZeroCountInt(n)) => n == 0,
                            None => true,
                        }
                }
                false => h.custom_values.is_empty(),
            };
            let zero = if let Some(ZeroCount::ZeroCountInt(n)) = h.zero_count { n } else { 0 };
            let all = sides.iter().flat_map(|side| &side.1).sum::<i128>() + i128::from(zero);
            let adds_up = match h.count {
                Some(Count::CountFloat(_)) => true,
                Some(Count::CountInt(n)) if h.sum.is_nan() => all <= i128::from(n),
                Some(Count::CountInt(n)) => all == i128::from(n),
                None => all == 0,
            };
            one_kind && (custom || exponential) && sides.iter().all(fits) && bounds && adds_up
        }

        fn $convert(h: &$version::Histogram, labels: &Labels) -> Histogram {
            use $version::histogram::{Count, ZeroCount};
            let side = |spans: &[$version::BucketSpan], deltas: &[i64], counts: &[f64]| {
                let spans = spans.iter().map(|s| (s.offset, s.length)).collect();
                coarser(Buckets { spans, deltas: deltas.to_vec(), counts: bits(counts) }, h.schema)
            };
            let start: fn(&$version::Histogram) -> i64 = $start;
            Histogram {
                labels: labels.clone(),
                timestamp: h.timestamp,
                start: start(h),
                count: h.count.map(|count| match count {
                    Count::CountInt(n) => (false, n),
                    Count::CountFloat(n) => (true, n.to_bits()),
                }),
                zero_count: h.zero_count.map(|count| match count {
                    ZeroCount::ZeroCountInt(n) => (false, n),
                    ZeroCount::ZeroCountFloat(n) => (true, n.to_bits()),
                }),
                sum: h.sum.to_bits(),
                schema: if h.schema > 8 { 8 } else { h.schema },
                zero_threshold: h.zero_threshold.to_bits(),
                reset_hint: h.reset_hint,
                negative: side(&h.negative_spans, &h.negative_deltas, &h.negative_counts),
                positive: side(&h.positive_spans, &h.positive_deltas, &h.positive_counts),
                custom_values: bits(&h.custom_values),
            }
        }
    };
}
histograms!(v1, good_v1, histogram_v1, |_| 0);
histograms!(v2, good_v2, histogram_v2, |h| h.start_timestamp);
