//! Random requests, with and without faults, of few strings, so that series, symbols and metadata repeat.

use super::mutate::Rng;
use super::stock::{v1, v2};
use prost::Message;

const METRICS: [&str; 6] = ["up", "http_requests_total", "rpc:seconds", "größe.m", "9up", ""];
const NAMES: [&str; 7] = ["a", "job", "le", "instance", "x.y", "Ω", ""];
const VALUES: [&str; 7] = ["api", "127.0.0.1:9090", "0.5", "größer, \"als\"\n", "\u{1b}[2J", "+Inf", ""];
/// The number of leading entries of each kind without a fault.
const SOUND: (usize, usize, usize) = (3, 4, 6);

pub struct Making<'r> {
    pub rng: &'r mut Rng,
    /// Whether there may be faults.
    pub faulty: bool,
}

impl Making<'_> {
    fn one_in(&mut self, n: usize) -> bool {
        self.rng.below(n) == 0
    }

    fn word(&mut self, words: &[&'static str], sound: usize) -> &'static str {
        let faulty = self.faulty && self.one_in(12);
        words[self.rng.below(if faulty { words.len() } else { sound })]
    }

    fn float(&mut self) -> f64 {
        match self.rng.below(6) {
            0 => f64::from_bits(0x7ff0_0000_0000_0002),
            1 => f64::INFINITY,
            2 => -0.0,
            _ => f64::from_bits(self.rng.number()),
        }
    }

    fn labels(&mut self) -> Vec<(&'static str, &'static str)> {
        let mut labels = Vec::new();
        for name in &NAMES[..SOUND.1] {
            if self.one_in(2) {
                labels.push((*name, self.word(&VALUES, SOUND.2)));
            }
        }
        if self.faulty && self.one_in(8) {
            labels.push((self.word(&NAMES, NAMES.len()), self.word(&VALUES, SOUND.2)));
        }
        if !self.faulty || !self.one_in(20) {
            labels.push(("__name__", self.word(&METRICS, SOUND.0)));
        }
        if !self.faulty || !self.one_in(10) {
            labels.sort();
        }
        labels
    }

    fn timestamp(&mut self) -> i64 {
        1_700_000_000_000 + self.rng.below(1000) as i64 * [1, -1, 0][self.rng.below(3)]
    }

    /// Spans and counts of one side, the latter as integers.
    fn buckets(&mut self, custom: bool) -> (Vec<v1::BucketSpan>, Vec<i64>) {
        let mut spans = Vec::new();
        for at in 0..self.rng.below(4) {
            let offset = self.rng.below(5) as i32 - if at == 0 && !custom { 3 } else { 0 };
            spans.push(v1::BucketSpan { offset, length: self.rng.below(4) as u32 });
        }
        let buckets: u32 = spans.iter().map(|span| span.length).sum();
        (spans, (0..buckets).map(|_| self.rng.number() as i64 >> 1 & 0xff_ffff).collect())
    }

    /// A histogram that the rules allow; a faulty one breaks one of them.
    fn histogram(&mut self) -> v1::Histogram {
        use v1::histogram::{Count, ZeroCount};
        let (float, custom) = (self.one_in(2), self.one_in(4));
        let (positive_spans, positive) = self.buckets(custom);
        let (negative_spans, negative) = if custom { Default::default() } else { self.buckets(false) };
        let zero = if custom { 0 } else { self.rng.below(9) as u64 };
        let sum = self.float();
        let all = positive.iter().chain(&negative).sum::<i64>() as u64 + zero;
        let count = all + if sum.is_nan() { self.rng.below(3) as u64 } else { 0 };
        let deltas = |counts: &[i64]| counts.iter().scan(0, |last, &n| Some(n - std::mem::replace(last, n))).collect();
        let end: i64 = positive_spans.iter().map(|span| i64::from(span.offset) + i64::from(span.length)).sum();
        let mut made = v1::Histogram {
            count: Some(Count::CountInt(count)),
            zero_count: Some(ZeroCount::ZeroCountInt(zero)),
            sum,
            schema: if custom { -53 } else { self.rng.below(20) as i32 - 4 },
            zero_threshold: if custom { 0.0 } else { 1e-128 },
            negative_spans,
            negative_deltas: deltas(&negative),
            positive_spans,
            positive_deltas: deltas(&positive),
            reset_hint: self.rng.below(5) as i32,
            timestamp: self.timestamp(),
            custom_values: (0..if custom { end } else { 0 }).map(|n| n as f64 * 1.5 - 3.0).collect(),
            ..Default::default()
        };
        if float {
            (made.count, made.zero_count) = (Some(Count::CountFloat(self.float().abs())), None);
            made.zero_count = Some(ZeroCount::ZeroCountFloat(if custom { 0.0 } else { self.float().abs() }));
            (made.positive_deltas, made.negative_deltas) = Default::default();
            made.positive_counts = positive.iter().map(|_| self.float().abs()).collect();
            made.negative_counts = negative.iter().map(|_| self.float().abs()).collect();
        }
        if self.faulty && self.one_in(4) {
            self.spoil(&mut made);
        }
        made
    }

    fn spoil(&mut self, made: &mut v1::Histogram) {
        use v1::histogram::{Count, ZeroCount};
        match self.rng.below(12) {
            0 => made.positive_spans.push(v1::BucketSpan { offset: 0, length: 1 }),
            1 => made.count = Some(Count::CountInt(self.rng.below(9) as u64)),
            2 => made.zero_count = Some(ZeroCount::ZeroCountFloat(0.5)),
            3 => made.positive_deltas.iter_mut().for_each(|delta| *delta = -*delta),
            4 => made.negative_counts.iter_mut().for_each(|count| *count = -*count),
            5 => made.schema = [-5, 53, 52, -52, -4, 8][self.rng.below(6)],
            6 => made.positive_spans.iter_mut().for_each(|span| span.offset = -span.offset),
            7 => made.custom_values.reverse(),
            8 => made.custom_values.push([f64::NAN, f64::INFINITY, 1.0][self.rng.below(3)]),
            9 => made.zero_threshold = 0.25,
            10 => made.positive_spans.iter_mut().for_each(|span| span.offset += [70, 20_000][span.offset as usize % 2]),
            _ => made.negative_counts.push(1.0),
        }
    }

    pub fn v1(&mut self) -> v1::WriteRequest {
        let mut request = v1::WriteRequest::default();
        for _ in 0..self.rng.below(12) {
            let label = |(name, value): (&str, &str)| v1::Label { name: name.into(), value: value.into() };
            let mut ts =
                v1::TimeSeries { labels: self.labels().into_iter().map(label).collect(), ..Default::default() };
            for _ in 0..self.rng.below(3) {
                ts.samples.push(v1::Sample { value: self.float(), timestamp: self.timestamp() });
            }
            for _ in 0..self.rng.below(5).saturating_sub(2) {
                let labels = (0..self.rng.below(3)).map(|_| label(("trace_id", self.word(&VALUES, SOUND.2)))).collect();
                let timestamp = if self.faulty && self.one_in(9) { 0 } else { self.timestamp() };
                ts.exemplars.push(v1::Exemplar { labels, value: self.float(), timestamp });
            }
            for _ in 0..self.rng.below(5).saturating_sub(2) {
                let histogram = self.histogram();
                ts.histograms.push(histogram);
            }
            request.timeseries.push(ts);
        }
        for _ in 0..self.rng.below(4) {
            request.metadata.push(v1::MetricMetadata {
                r#type: self.rng.below(9) as i32,
                metric_family_name: METRICS[self.rng.below(SOUND.0)].into(),
                help: self.word(&VALUES, SOUND.2).into(),
                unit: self.word(&VALUES, SOUND.2).into(),
            });
        }
        request
    }

    fn symbol(&mut self, request: &mut v2::Request, text: &str) -> u32 {
        if self.faulty && self.one_in(60) {
            return 1000;
        }
        match request.symbols.iter().position(|symbol| symbol == text) {
            Some(at) => at as u32,
            None => {
                request.symbols.push(text.into());
                request.symbols.len() as u32 - 1
            }
        }
    }

    fn refs(&mut self, request: &mut v2::Request, labels: &[(&str, &str)]) -> Vec<u32> {
        let mut refs = Vec::new();
        for (name, value) in labels {
            refs.push(self.symbol(request, name));
            refs.push(self.symbol(request, value));
        }
        if self.faulty && self.one_in(30) {
            refs.push(0);
        }
        refs
    }

    pub fn v2(&mut self) -> v2::Request {
        let mut request = v2::Request { symbols: vec![String::new()], timeseries: Vec::new() };
        for old in self.v1().timeseries {
            let labels: Vec<_> = old.labels.iter().map(|l| (l.name.as_str(), l.value.as_str())).collect();
            let mut ts = v2::TimeSeries { labels_refs: self.refs(&mut request, &labels), ..Default::default() };
            let mixed = self.faulty && self.one_in(10);
            if mixed || old.histograms.is_empty() {
                ts.samples = old
                    .samples
                    .iter()
                    .map(|s| v2::Sample {
                        value: s.value,
                        timestamp: s.timestamp,
                        start_timestamp: self.timestamp() * self.rng.below(2) as i64,
                    })
                    .collect();
            }
            for e in &old.exemplars {
                let labels: Vec<_> = e.labels.iter().map(|l| (l.name.as_str(), l.value.as_str())).collect();
                let labels_refs = self.refs(&mut request, &labels);
                ts.exemplars.push(v2::Exemplar { labels_refs, value: e.value, timestamp: e.timestamp });
            }
            for h in &old.histograms {
                // The two have the same field numbers except for the last one.
                let mut new = v2::Histogram::decode(&*h.encode_to_vec()).unwrap();
                new.start_timestamp = self.timestamp() * self.rng.below(2) as i64;
                ts.histograms.push(new);
            }
            if !self.faulty && ts.samples.is_empty() && ts.histograms.is_empty() && ts.exemplars.is_empty() {
                ts.samples.push(v2::Sample::default());
            }
            if self.one_in(2) {
                let (help, unit) = (self.word(&VALUES, SOUND.2), self.word(&VALUES, SOUND.2));
                let (help_ref, unit_ref) = (self.symbol(&mut request, help), self.symbol(&mut request, unit));
                ts.metadata = Some(v2::Metadata { r#type: self.rng.below(9) as i32, help_ref, unit_ref });
            }
            request.timeseries.push(ts);
        }
        request
    }

    /// Returns the same message with its fields in any order and its runs in pieces: the fields of `parts`, one after
    /// the other.
    pub fn shuffled(&mut self, message: &[u8]) -> Vec<u8> {
        let mut records: Vec<&[u8]> = Vec::new();
        let mut reader = hotpb::wire::Reader::new(message);
        let mut start = 0;
        while let Some(tag) = reader.tag().unwrap() {
            reader.skip(tag).unwrap();
            records.push(&message[start..reader.offset()]);
            start = reader.offset();
        }
        // Records of one field keep their order, because they are a list.
        let mut fields: Vec<Vec<&[u8]>> = Vec::new();
        for record in records {
            match fields.iter_mut().find(|field| field[0][0] == record[0]) {
                Some(field) => field.push(record),
                None => fields.push(vec![record]),
            }
        }
        let mut out = Vec::new();
        while !fields.is_empty() {
            let at = self.rng.below(fields.len());
            out.extend_from_slice(fields[at].remove(0));
            fields.retain(|field| !field.is_empty());
        }
        out
    }
}
