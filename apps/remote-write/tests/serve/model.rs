//! Requests as tests describe them: sent in either version, and the rows that must be in the files afterwards.

use super::common::{v1, v2};
use super::stored::{self, Row, bits, list};
use prost::Message;
use remote_write_server::store::columns::may_be_column;
use std::collections::{BTreeMap, BTreeSet};

pub type Label = (String, String);

#[derive(Clone, Debug, Default)]
pub struct Series {
    pub labels: Vec<Label>,
    /// Values, times, start times.
    pub samples: Vec<(f64, i64, i64)>,
    pub histograms: Vec<v2::Histogram>,
    /// Labels, values, times.
    pub exemplars: Vec<(Vec<Label>, f64, i64)>,
    /// Type, help, unit.
    pub metadata: Option<(i32, String, String)>,
    /// Whether the server must refuse it.
    pub bad: bool,
    /// A field that 2.0 had in an earlier draft: when the series was created.
    pub created: Option<i64>,
}

pub fn labels(pairs: &[(&str, &str)]) -> Vec<Label> {
    pairs.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect()
}

/// A series with these labels and a name.
pub fn series(name: &str, pairs: &[(&str, &str)]) -> Series {
    Series { labels: labels(&[&[("__name__", name)][..], pairs].concat()), ..Series::default() }
}

impl Series {
    pub fn sample(mut self, value: f64, time: i64) -> Series {
        self.samples.push((value, time, 0));
        self
    }
    pub fn started_sample(mut self, value: f64, time: i64, start: i64) -> Series {
        self.samples.push((value, time, start));
        self.created = Some(start);
        self
    }
    pub fn histogram(mut self, histogram: v2::Histogram) -> Series {
        self.histograms.push(histogram);
        self
    }
    pub fn exemplar(mut self, pairs: &[(&str, &str)], value: f64, time: i64) -> Series {
        self.exemplars.push((labels(pairs), value, time));
        self
    }
    pub fn metadata(mut self, kind: i32, help: &str, unit: &str) -> Series {
        self.metadata = Some((kind, help.to_owned(), unit.to_owned()));
        self
    }
    pub fn bad(mut self) -> Series {
        self.bad = true;
        self
    }
}

/// Puts labels in a random order.
pub fn shuffle(labels: &mut [Label], next: &mut impl FnMut(usize) -> usize) {
    for at in (1..labels.len()).rev() {
        labels.swap(at, next(at + 1));
    }
}

/// The request in 2.0. Symbols are shared.
pub fn request_v2(all: &[Series]) -> Vec<u8> {
    let mut symbols = vec![String::new()];
    let mut symbol = |text: &str| match symbols.iter().position(|symbol| symbol == text) {
        Some(at) => at as u32,
        None => {
            symbols.push(text.to_owned());
            symbols.len() as u32 - 1
        }
    };
    let mut refs = |labels: &[Label]| labels.iter().flat_map(|(n, v)| [symbol(n), symbol(v)]).collect::<Vec<u32>>();
    let mut encoded = Vec::new();
    for series in all {
        let labels_refs = refs(&series.labels);
        let sample =
            |&(value, timestamp, start_timestamp): &(f64, i64, i64)| v2::Sample { value, timestamp, start_timestamp };
        let exemplars = series.exemplars.iter();
        let exemplars = exemplars
            .map(|(own, value, timestamp)| v2::Exemplar {
                labels_refs: refs(own),
                value: *value,
                timestamp: *timestamp,
            })
            .collect();
        let metadata = series.metadata.as_ref().map(|(kind, help, unit)| {
            let words = refs(&[(help.clone(), unit.clone())]);
            v2::Metadata { r#type: *kind, help_ref: words[0], unit_ref: words[1] }
        });
        let mut bytes = v2::TimeSeries {
            labels_refs,
            samples: series.samples.iter().map(sample).collect(),
            histograms: series.histograms.clone(),
            exemplars,
            metadata,
        }
        .encode_to_vec();
        if let Some(created) = series.created {
            hotpb::wire::append_tag(&mut bytes, 6, hotpb::wire::VARINT);
            hotpb::wire::append_varint(&mut bytes, created as u64);
        }
        encoded.push(bytes);
    }
    let mut body = v2::Request { symbols, timeseries: vec![] }.encode_to_vec();
    for bytes in encoded {
        hotpb::wire::append_tag(&mut body, 5, hotpb::wire::LEN);
        hotpb::wire::append_bytes(&mut body, &bytes);
    }
    body
}

/// The request in 1.0, which has no start times; metadata is apart.
pub fn request_v1(all: &[Series]) -> Vec<u8> {
    let label = |(name, value): &Label| v1::Label { name: name.clone(), value: value.clone() };
    let sent_labels = |labels: &[Label]| labels.iter().map(label).collect::<Vec<_>>();
    let message = |series: &Series| v1::TimeSeries {
        labels: sent_labels(&series.labels),
        samples: series.samples.iter().map(|&(value, timestamp, _)| v1::Sample { value, timestamp }).collect(),
        // The two have the same field numbers.
        histograms: series.histograms.iter().map(|h| v1::Histogram::decode(&*h.encode_to_vec()).unwrap()).collect(),
        exemplars: series
            .exemplars
            .iter()
            .map(|(own, value, timestamp)| v1::Exemplar {
                labels: sent_labels(own),
                value: *value,
                timestamp: *timestamp,
            })
            .collect(),
    };
    let metadata = all.iter().filter(|series| !series.bad).filter_map(|series| {
        let (kind, help, unit) = series.metadata.clone()?;
        Some(v1::MetricMetadata { r#type: kind, metric_family_name: metric(series).to_owned(), help, unit })
    });
    v1::WriteRequest { timeseries: all.iter().map(message).collect(), metadata: metadata.collect() }.encode_to_vec()
}

fn metric(series: &Series) -> &str {
    series.labels.iter().find(|(name, _)| name == "__name__").map_or("", |(_, value)| value)
}

/// The samples, histograms and exemplars that a request must write.
pub fn counts(all: &[Series]) -> [u64; 3] {
    let good = || all.iter().filter(|series| !series.bad);
    let histograms = good().map(|series| series.histograms.len() as u64).sum();
    [
        good().map(|series| series.samples.len() as u64).sum(),
        histograms,
        good().map(|series| series.exemplars.len() as u64).sum(),
    ]
}

/// The rows of all files, by kind.
#[derive(Default)]
pub struct Expected {
    pub rows: BTreeMap<&'static str, Vec<Row>>,
    pub metadata: BTreeSet<Row>,
}

impl Expected {
    /// Adds the rows of a request; 1.0 has no start times.
    pub fn add(&mut self, all: &[Series], starts: bool) {
        for series in all.iter().filter(|series| !series.bad) {
            let row = |more: Vec<(&str, String)>| -> Row {
                let labels = series.labels.iter().filter(|(_, value)| !value.is_empty()).cloned();
                let (labels, rest): (Vec<_>, Vec<_>) =
                    labels.partition(|(name, _)| name == "__name__" || may_be_column(name));
                let rest = stored::map(rest.iter().map(|(n, v)| (n.as_str(), v.as_str())));
                let rest = (!rest.is_empty()).then(|| ("__labels__".to_owned(), rest));
                labels
                    .into_iter()
                    .chain(rest)
                    .chain(more.into_iter().map(|(name, value)| (name.to_owned(), value)))
                    .collect()
            };
            let start = |start: i64| (starts && start != 0).then(|| ("__start__", start.to_string()));
            for &(value, time, began) in &series.samples {
                let fixed = [("__time__", time.to_string()), ("__value__", bits(value))];
                self.rows.entry("samples").or_default().push(row(fixed.into_iter().chain(start(began)).collect()));
            }
            for (own, value, time) in &series.exemplars {
                let own = stored::map(own.iter().map(|(n, v)| (n.as_str(), v.as_str())));
                let fixed = [("__time__", time.to_string()), ("__value__", bits(*value)), ("__exemplar__", own)];
                self.rows.entry("exemplars").or_default().push(row(fixed.into_iter().collect()));
            }
            for histogram in &series.histograms {
                let columns = histogram_columns(histogram).into_iter().chain(start(histogram.start_timestamp));
                self.rows.entry("histograms").or_default().push(row(columns.collect()));
            }
            if let Some((kind, help, unit)) = &series.metadata {
                const TYPES: [&str; 8] =
                    ["unknown", "counter", "gauge", "histogram", "gaugehistogram", "summary", "info", "stateset"];
                let columns =
                    [("__name__", metric(series)), ("type", TYPES[*kind as usize]), ("help", help), ("unit", unit)];
                self.metadata.insert(columns.map(|(name, value)| (name.to_owned(), value.to_owned())).into());
            }
        }
    }
}

fn histogram_columns(h: &v2::Histogram) -> Vec<(&'static str, String)> {
    use v2::histogram::{Count, ZeroCount};
    let floats = |values: &[f64]| list(values.iter().map(|&value| bits(value)));
    // Files have the count of each bucket.
    let counts = |deltas: &[i64], counts: &[f64]| {
        let mut count = 0;
        let integers = deltas.iter().map(|delta| {
            count += delta;
            count as f64
        });
        floats(&integers.chain(counts.iter().copied()).collect::<Vec<f64>>())
    };
    let offsets = |spans: &[v2::BucketSpan]| list(spans.iter().map(|span| span.offset.to_string()));
    let lengths = |spans: &[v2::BucketSpan]| list(spans.iter().map(|span| span.length.to_string()));
    let mut columns = vec![
        ("__time__", h.timestamp.to_string()),
        ("__schema__", h.schema.to_string()),
        ("__reset_hint__", h.reset_hint.to_string()),
        ("__sum__", bits(h.sum)),
        ("__zero_threshold__", bits(h.zero_threshold)),
        ("__negative_offsets__", offsets(&h.negative_spans)),
        ("__negative_lengths__", lengths(&h.negative_spans)),
        ("__negative_counts__", counts(&h.negative_deltas, &h.negative_counts)),
        ("__positive_offsets__", offsets(&h.positive_spans)),
        ("__positive_lengths__", lengths(&h.positive_spans)),
        ("__positive_counts__", counts(&h.positive_deltas, &h.positive_counts)),
        ("__custom_values__", floats(&h.custom_values)),
    ];
    columns.extend(h.count.map(|count| match count {
        Count::CountInt(n) => ("__count__", n.to_string()),
        Count::CountFloat(n) => ("__count_float__", bits(n)),
    }));
    columns.extend(h.zero_count.map(|count| match count {
        ZeroCount::ZeroCountInt(n) => ("__zero_count__", n.to_string()),
        ZeroCount::ZeroCountFloat(n) => ("__zero_count_float__", bits(n)),
    }));
    columns
}
