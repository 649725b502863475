//! Random requests of OTLP, of few strings, so that series repeat.

use super::library::mutate::Rng;
use super::otlp_messages::*;
use prost::Message;
use remote_write_server::otlp::{self, Format, Reader};
use rows::{Names, Options, Receiver, Rules};

const METRICS: [&str; 6] = ["http.requests", "size", "rpc:seconds", "größe", "9", ""];
const UNITS: [&str; 5] = ["", "By", "1", "m/s", "{x}/s"];
const KEYS: [&str; 8] = ["service.name", "service.instance.id", "host.name", "le", "a.b", "a_b", "_", "größe"];
/// Milliseconds around which the times are.
pub const TIME: i64 = 1_700_000_000_000;

fn number_of(rng: &mut Rng) -> f64 {
    match rng.below(6) {
        0 => f64::NAN,
        1 => f64::INFINITY,
        2 => -0.0,
        _ => f64::from_bits(rng.number()),
    }
}

fn attributes(rng: &mut Rng, depth: u32) -> Vec<KeyValue> {
    (0..rng.below(4))
        .map(|_| {
            let key = KEYS[rng.below(KEYS.len())];
            let value = match rng.below(if depth == 0 { 6 } else { 8 }) {
                0 => return KeyValue { key: key.to_owned(), value: None },
                1 => Any::Bool(rng.below(2) == 0),
                2 => Any::Int(rng.number() as i64 >> rng.below(64)),
                3 => Any::Double(number_of(rng)),
                4 => Any::Bytes(vec![0xfe; rng.below(5)]),
                6 => Any::Map(Map { values: attributes(rng, depth - 1) }),
                7 => {
                    let values = attributes(rng, depth - 1).into_iter();
                    Any::List(List { values: values.filter_map(|attribute| attribute.value).collect() })
                }
                _ => Any::Text(["", "api", "1", "ö\n\""][rng.below(4)].to_owned()),
            };
            any(key, value)
        })
        .collect()
}

fn time(rng: &mut Rng) -> u64 {
    match rng.below(30) {
        0 => 0,
        1 => rng.number(),
        _ => nanos(TIME + rng.below(5) as i64 * 100_000),
    }
}

fn exemplars(rng: &mut Rng) -> Vec<Exemplar> {
    let exemplar = |rng: &mut Rng| Exemplar {
        time: time(rng),
        value: [None, Some(ExemplarValue::Int(3)), Some(ExemplarValue::Double(number_of(rng)))][rng.below(3)].clone(),
        trace_id: vec![rng.number() as u8; [0, 16][rng.below(2)]],
        span_id: vec![7; [0, 8, 3][rng.below(3)]],
        attributes: attributes(rng, 1),
    };
    (0..rng.below(8) / 5).map(|_| exemplar(rng)).collect()
}

fn numbers(rng: &mut Rng) -> Vec<Number> {
    let number_point = |rng: &mut Rng| Number {
        start: time(rng),
        time: time(rng),
        value: [Some(NumberValue::Int(rng.number() as i64)), Some(NumberValue::Double(number_of(rng))), None]
            [rng.below(20) / 9]
            .clone(),
        flags: rng.below(10) as u32 / 9,
        attributes: attributes(rng, 2),
        exemplars: exemplars(rng),
    };
    (0..rng.below(4)).map(|_| number_point(rng)).collect()
}

fn histogram(rng: &mut Rng) -> HistogramPoint {
    let bounds = rng.below(4);
    HistogramPoint {
        start: time(rng),
        time: time(rng),
        count: rng.number() >> rng.below(64),
        sum: [None, Some(number_of(rng))][rng.below(2)],
        bucket_counts: (0..=bounds + rng.below(10) / 9).map(|_| rng.number() >> rng.below(64)).collect(),
        explicit_bounds: (0..bounds).map(|bound| bound as f64 - (rng.below(10) / 9) as f64).collect(),
        exemplars: exemplars(rng),
        attributes: attributes(rng, 1),
        flags: rng.below(10) as u32 / 9,
    }
}

fn buckets(rng: &mut Rng) -> (Option<Buckets>, u64) {
    let bucket_counts: Vec<u64> = (0..rng.below(12)).map(|_| rng.number() % 4).collect();
    let (all, offset) = (bucket_counts.iter().sum(), rng.below(40) as i32 - 20);
    (Some(Buckets { offset, bucket_counts }), all)
}

fn exponential(rng: &mut Rng) -> ExponentialPoint {
    let ((positive, above), (negative, below)) = (buckets(rng), buckets(rng));
    let zero_count = rng.number() % 5;
    ExponentialPoint {
        start: time(rng),
        time: time(rng),
        count: above + below + zero_count + rng.below(10) as u64 / 9,
        sum: [None, Some(number_of(rng))][rng.below(2)],
        scale: [3, 0, -4, 8, 20, -5, i32::MAX, i32::MIN][rng.below(8)],
        zero_count,
        positive,
        negative,
        flags: rng.below(10) as u32 / 9,
        exemplars: exemplars(rng),
        attributes: attributes(rng, 1),
        zero_threshold: [0.0, 0.5, -1.0, f64::NAN][rng.below(4)],
    }
}

fn summary(rng: &mut Rng) -> SummaryPoint {
    let quantile = |rng: &mut Rng| Quantile { quantile: number_of(rng), value: number_of(rng) };
    SummaryPoint {
        start: time(rng),
        time: time(rng),
        count: rng.number(),
        sum: number_of(rng),
        quantiles: (0..rng.below(4)).map(|_| quantile(rng)).collect(),
        attributes: attributes(rng, 1),
        flags: rng.below(10) as u32 / 9,
    }
}

fn some<T>(rng: &mut Rng, make: impl Fn(&mut Rng) -> T) -> Vec<T> {
    (0..rng.below(3)).map(|_| make(rng)).collect()
}

/// A request; most of its points can be accepted.
pub fn request(rng: &mut Rng) -> Request {
    let metric = |rng: &mut Rng| {
        let temporality = [2, 2, 2, 1, 0, 7][rng.below(6)];
        let data = match rng.below(6) {
            0 => Data::Gauge(Gauge { data_points: numbers(rng) }),
            1 | 2 => Data::Sum(Sum { data_points: numbers(rng), temporality, is_monotonic: rng.below(2) == 0 }),
            3 => Data::Histogram(Histogram { data_points: some(rng, histogram), temporality }),
            4 => Data::Exponential(Exponential { data_points: some(rng, exponential), temporality }),
            _ => Data::Summary(Summary { data_points: some(rng, summary) }),
        };
        metric(METRICS[rng.below(METRICS.len())], UNITS[rng.below(UNITS.len())], data)
    };
    let scope = |rng: &mut Rng| ScopeMetrics {
        scope: [None, Some(Scope { name: "lib".into(), version: String::new(), attributes: attributes(rng, 1) })]
            [rng.below(2)]
        .clone(),
        metrics: (0..rng.below(5)).map(|_| metric(rng)).collect(),
        schema_url: String::new(),
    };
    let resource = |rng: &mut Rng| ResourceMetrics {
        resource: [None, Some(Resource { attributes: attributes(rng, 2) })][rng.below(2)].clone(),
        scope_metrics: (0..1 + rng.below(2)).map(|_| scope(rng)).collect(),
    };
    Request { resource_metrics: (0..1 + rng.below(3)).map(|_| resource(rng)).collect() }
}

/// A request in JSON, in the same few strings.
pub fn json(rng: &mut Rng) -> String {
    let point = |rng: &mut Rng| {
        let value = [r#""asInt":"-5""#, r#""asDouble":1e300"#, r#""asInt":7"#, r#""asDouble":"NaN""#, r#""flags":1"#]
            [rng.below(5)];
        format!(
            r#"{{"timeUnixNano":"{}",{value},"attributes":[{{"key":"{}","value":{{"arrayValue":{{"values":[{{"intValue":1}}]}}}}}}],"exemplars":[{{"timeUnixNano":{},"asInt":3,"traceId":"5B8EFFF798038103D269B633813FC60C","spanId":""}}]}}"#,
            time(rng),
            KEYS[rng.below(KEYS.len())],
            time(rng),
        )
    };
    let points = (0..rng.below(4)).map(|_| point(rng)).collect::<Vec<_>>().join(",");
    let metrics = ["gauge", "sum"].map(|kind| {
        let name = METRICS[rng.below(METRICS.len())];
        format!(r#"{{"name":"{name}","unit":"By","{kind}":{{"dataPoints":[{points}]}}}}"#)
    });
    format!(
        r#"{{"resourceMetrics":[{{"resource":{{"attributes":[]}},"scopeMetrics":[{{"metrics":[{}]}}]}}]}}"#,
        metrics.join(",").replace("\"sum\":{", "\"sum\":{\"aggregationTemporality\":2,")
    )
}

/// All rows of a receiver, as text.
fn rows(receiver: &Receiver) -> String {
    let store = receiver.store();
    let mut out = String::new();
    let series = |set: u32| {
        let labels = store.label_sets().get(set).iter();
        labels.map(|&(name, value)| [store.dictionary().get(name), store.dictionary().get(value)]).collect::<Vec<_>>()
    };
    for table in store.tables() {
        let samples = &table.samples;
        for row in 0..samples.len() {
            let value = samples.values()[row].to_bits();
            out += &format!(
                "{:?} {} {value} {}\n",
                series(samples.sets()[row]),
                samples.timestamps()[row],
                samples.start(row)
            );
        }
        let histograms = &table.histograms;
        for row in 0..histograms.len() {
            let sides = [histograms.positive(), histograms.negative()];
            let sides = sides.map(|side| (side.spans.get(row), side.deltas.get(row)));
            let counts = (histograms.counts()[row], histograms.zero_counts()[row], histograms.sums()[row].to_bits());
            out += &format!(
                "{:?} {} {counts:?} {sides:?}\n",
                series(histograms.sets()[row]),
                histograms.timestamps()[row]
            );
        }
        let exemplars = &table.exemplars;
        for row in 0..exemplars.len() {
            let own: Vec<_> =
                exemplars.labels(row).map(|(name, value)| (store.dictionary().get(name), value)).collect();
            out += &format!("{:?} {} {own:?}\n", series(exemplars.sets()[row]), exemplars.timestamps()[row]);
        }
        for row in table.metadata.rows() {
            out += &format!("{} {} {}\n", row.kind, store.dictionary().get(row.help), store.dictionary().get(row.unit));
        }
    }
    out
}

#[test]
fn a_replay_adds_the_same_rows() {
    let mut rng = Rng::new(5);
    let new = |max_series| {
        Receiver::new(Options {
            rules: Rules { lenient: true, one_kind: true, names: Names::Utf8 },
            skip_bad: true,
            times: TIME - 1000..=TIME + 300_000,
            max_label_names: 7,
            max_series,
            ..Options::default()
        })
    };
    let (mut reader, mut refused, mut accepted) = (Reader::default(), 0, 0);
    for _ in 0..500 {
        // All options, and some attributes.
        let mut rest = vec![rng.below(8) as u8];
        for _ in 0..rng.below(3) {
            hotpb::wire::append_bytes(&mut rest, KEYS[rng.below(KEYS.len())].as_bytes());
        }
        let options = otlp::Options::decode(otlp::MAPPING << 4 | rng.below(16) as u8, &rest).unwrap();
        let (format, body) = match rng.below(3) {
            0 => (Format::Json, json(&mut rng).into_bytes()),
            _ => (Format::Protobuf, request(&mut rng).encode_to_vec()),
        };
        let (mut first, mut second) = (new(9), new(1));
        let (report, refusals) = reader.read(&mut first, &body, format, 10_000, &options, None).unwrap();
        let (_, later) = reader.read(&mut second, &body, format, 10_000, &options, Some(&report.refused)).unwrap();
        assert_eq!(refusals.points(), later.points());
        assert_eq!(rows(&first), rows(&second));
        refused += report.bad;
        accepted += report.samples + report.histograms;
    }
    assert!(refused > 1000 && accepted > 1000, "{refused} refused, {accepted} accepted");
}
