//! The requests of the receiver's functions of Prometheus' compliance suite (prometheus/compliance, `remotewrite`), written
//! again: the names are those of the suite, the values are ours.

use super::common::v2::histogram::{Count, ZeroCount};
use super::common::v2::{BucketSpan, Histogram};
use super::model::{Series, series};

/// A function of the suite, and its requests by name.
pub type Function = (&'static str, Vec<(String, Vec<Series>)>);

const TRACE: (&str, &str) = ("trace_id", "4bf92f3577b34da6a3ce929d0e0e4736");
const SPAN: (&str, &str) = ("span_id", "00f067aa0ba902b7");
const HOUR: i64 = 3_600_000;

/// Prometheus' stale marker.
pub const STALE: f64 = f64::from_bits(0x7ff0_0000_0000_0002);

fn span(offset: i32, length: u32) -> BucketSpan {
    BucketSpan { offset, length }
}

/// Two observations near zero, four below and six above.
fn basic(timestamp: i64) -> Histogram {
    Histogram {
        count: Some(Count::CountInt(12)),
        sum: 18.5,
        schema: 3,
        zero_threshold: 0.001,
        zero_count: Some(ZeroCount::ZeroCountInt(2)),
        negative_spans: vec![span(-1, 1)],
        negative_deltas: vec![4],
        positive_spans: vec![span(0, 2), span(1, 1)],
        positive_deltas: vec![1, 1, 1],
        timestamp,
        ..Histogram::default()
    }
}

fn custom(timestamp: i64) -> Histogram {
    Histogram {
        count: Some(Count::CountInt(6)),
        sum: 9.25,
        schema: -53,
        positive_spans: vec![span(0, 1), span(1, 2)],
        positive_deltas: vec![1, 1, 1],
        custom_values: vec![0.1, 0.5, 2.5],
        timestamp,
        ..Histogram::default()
    }
}

fn one_side(negative: bool, timestamp: i64) -> Histogram {
    let (spans, deltas) = (vec![span(-2, 1), span(2, 2)], vec![3, -1, 2]);
    let mut made = Histogram {
        count: Some(Count::CountFloat(9.0)),
        zero_count: Some(ZeroCount::ZeroCountFloat(0.0)),
        sum: if negative { -20.0 } else { 20.0 },
        timestamp,
        ..Histogram::default()
    };
    if negative {
        (made.count, made.zero_count) = (Some(Count::CountInt(9)), None);
        (made.negative_spans, made.negative_deltas) = (spans, deltas);
    } else {
        (made.positive_spans, made.positive_counts) = (spans, vec![3.0, 2.0, 4.0]);
    }
    made
}

fn empty(timestamp: i64) -> Histogram {
    Histogram { count: Some(Count::CountInt(0)), timestamp, ..Histogram::default() }
}

const JOB: &[(&str, &str)] = &[("job", "api"), ("instance", "localhost:8080"), ("zone", "a")];

/// Returns all functions that send a request and expect it to be written or refused.
pub fn functions(now: i64) -> Vec<Function> {
    let mut all = metrics(now);
    all.extend(histograms(now));
    all.extend(exemplars(now));
    all.extend(metadata(now));
    all.extend(combined(now));
    all
}

fn function(name: &'static str, request: Vec<Series>) -> Function {
    (name, vec![(String::new(), request)])
}

fn many(name: &'static str, requests: Vec<(&str, Series)>) -> Function {
    (name, requests.into_iter().map(|(case, series)| (case.to_owned(), vec![series])).collect())
}

fn metrics(now: i64) -> Vec<Function> {
    let (mut single, mut multiple) = (Vec::new(), Vec::new());
    for (of, value) in
        [("1.0", 1.0), ("StaleNaN", STALE), ("NaN", f64::NAN), ("Inf", f64::INFINITY), ("-Inf", f64::NEG_INFINITY)]
    {
        for (case, sent) in [
            ("simple metric", series("test_metric", &[])),
            ("with multiple labels", series("test_metric", JOB)),
            ("with newlines", series("test_metric", &[("text", "one\ntwo\n")])),
            ("with dots", series("test.metric", &[("http.status", "200")])),
            ("with spaces", series("test metric", &[("http status", "200")])),
            ("without name label", Series { labels: super::model::labels(JOB), ..Series::default() }.bad()),
            ("empty metric", series("", &[("job", "api")]).bad()),
        ] {
            single.push((format!("{of} {case}"), vec![sent.sample(value, now)]));
        }
        let four = |bad: &[usize]| {
            let numbered = |at: usize| {
                let sent = series(&format!("test_metric_{at}"), JOB).sample(value, now);
                match bad.contains(&at) {
                    true => Series { labels: super::model::labels(JOB), ..sent }.bad(),
                    false => sent,
                }
            };
            (0..4).map(numbered).collect::<Vec<Series>>()
        };
        multiple.push((format!("{of} multiple metrics"), four(&[])));
        multiple.push((format!("{of} without name label"), four(&[0, 1, 2, 3])));
        multiple.push((format!("{of} 1 without name label"), four(&[2])));
    }
    let counter = series("test_counter_total", JOB).started_sample(100.0, now, now - HOUR);
    vec![
        ("TestSingleMetric", single),
        function("TestCounterWithCreatedTimestamp", vec![counter]),
        ("TestMultipleMetrics", multiple),
    ]
}

fn histograms(now: i64) -> Vec<Function> {
    let with_histogram = |name: &str, histogram| series(name, JOB).histogram(histogram);
    let bad = Histogram { count: Some(Count::CountInt(11)), ..basic(now) };
    let started = Histogram { start_timestamp: now - HOUR, ..basic(now) };
    vec![
        many(
            "TestHistograms",
            vec![
                ("basic_histogram", with_histogram("basic", basic(now))),
                ("custom_buckets_histogram", with_histogram("custom", custom(now))),
                ("positive_only_histogram", with_histogram("positive", one_side(false, now))),
                ("negative_only_histogram", with_histogram("negative", one_side(true, now))),
                ("minimal_histogram", with_histogram("minimal", empty(now))),
                ("bad_count_histogram", with_histogram("bad", bad).bad()),
            ],
        ),
        function(
            "TestHistogramWithCreatedTimestamp",
            vec![Series { created: Some(now - HOUR), ..with_histogram("h", started) }],
        ),
        function(
            "TestMultipleHistograms",
            vec![with_histogram("first", basic(now)), with_histogram("second", one_side(true, now))],
        ),
        function("TestEmptyHistogram", vec![with_histogram("empty", empty(now))]),
        function(
            "TestHistogramWithMetadata",
            vec![with_histogram("with_metadata", basic(now)).metadata(3, "Time", "seconds")],
        ),
        function("TestHistogramWithExemplar", vec![with_histogram("h", basic(now)).exemplar(&[TRACE], 0.5, now)]),
        function(
            "TestHistogramWithMetadataAndExemplar",
            vec![with_histogram("both", basic(now)).metadata(3, "Sizes", "bytes").exemplar(&[TRACE], 0.5, now)],
        ),
        function(
            "TestMultipleHistogramsWithMetadata",
            vec![
                with_histogram("request_size", basic(now)).metadata(3, "Requests", "bytes"),
                with_histogram("reply_size", custom(now)).metadata(4, "Replies", "bytes"),
            ],
        ),
    ]
}

fn exemplars(now: i64) -> Vec<Function> {
    let counter = || series("requests_total", JOB).sample(100.0, now);
    let with_exemplar = |own: &[(&str, &str)]| counter().exemplar(own, 1.0, now);
    let value = |value: f64| counter().exemplar(&[TRACE], value, now);
    let unnamed = || Series { labels: super::model::labels(JOB), ..with_exemplar(&[TRACE]) };
    let at = |time: i64| series("requests_total", JOB).sample(1.0, time).exemplar(&[TRACE], 1.0, time);
    vec![
        many(
            "TestExemplars",
            vec![
                ("basic_exemplar", with_exemplar(&[TRACE])),
                ("exemplar_with_span_id", with_exemplar(&[TRACE, SPAN])),
                ("exemplar_without_trace_id", with_exemplar(&[("request", "7")])),
                ("exemplar_with_multiple_labels", with_exemplar(&[TRACE, SPAN, ("user", "x"), ("method", "GET")])),
                ("exemplar_no_labels", with_exemplar(&[])),
                ("exemplar_with_special_chars", with_exemplar(&[("path", "/a?b=\"c\"\\\n\t&")])),
                ("exemplar_with_unicode", with_exemplar(&[("größe", "日本 🙂")])),
            ],
        ),
        function(
            "TestExemplarWithCreatedTimestamp",
            vec![series("c_total", JOB).started_sample(5.0, now, now - HOUR).exemplar(&[TRACE], 1.0, now)],
        ),
        function(
            "TestMultipleExemplars",
            (0..3)
                .map(|n| {
                    series(&format!("m{n}_total"), JOB).sample(n as f64, now).exemplar(&[TRACE], 0.1 * n as f64, now)
                })
                .collect(),
        ),
        function("TestExemplarTimestamps", vec![at(now - HOUR), at(now - 60_000), at(now)]),
        many(
            "TestExemplarValidation",
            vec![
                ("exemplar_without_name_label", unnamed().bad()),
                ("exemplar_with_empty_name", series("", JOB).sample(1.0, now).exemplar(&[TRACE], 1.0, now).bad()),
                ("exemplar_with_valid_name", with_exemplar(&[TRACE])),
            ],
        ),
        many(
            "TestExemplarSpecialValues",
            vec![
                ("zero_value", value(0.0)),
                ("negative_value", value(-5.5)),
                ("large_value", value(1e308)),
                ("small_value", value(5e-324)),
                ("nan_value", value(f64::NAN)),
                ("inf_value", value(f64::INFINITY)),
                ("-inf_value", value(f64::NEG_INFINITY)),
            ],
        ),
    ]
}

fn metadata(now: i64) -> Vec<Function> {
    let described =
        |name: &str, kind, help: &str, unit: &str| series(name, JOB).sample(1.0, now).metadata(kind, help, unit);
    let unnamed = Series { labels: super::model::labels(JOB), ..described("", 1, "h", "u") };
    vec![
        many(
            "TestMetadata",
            vec![
                ("counter_metadata", described("c_total", 1, "Requests", "requests")),
                ("gauge_metadata", described("g", 2, "Heat", "celsius")),
                ("histogram_metadata", described("h", 3, "Time", "seconds")),
                ("metadata_no_help_no_unit", described("n_total", 1, "", "")),
                ("metadata_with_special_chars", described("s", 2, "a \"b\"\\\n\tc", "bytes/s")),
                ("unspecified_metadata_type", described("u", 0, "?", "")),
                ("info_metadata_type", described("i_info", 6, "Build", "")),
                ("stateset_metadata_type", described("st", 7, "State", "")),
                ("summary_metadata_type", described("su", 5, "Summary", "seconds")),
                ("gauge_histogram_metadata_type", described("gh", 4, "Queue", "items")),
            ],
        ),
        function(
            "TestCounterMetadataWithCreatedTimestamp",
            vec![series("cc_total", JOB).started_sample(1.0, now, now - HOUR).metadata(1, "Started", "")],
        ),
        function("TestMetadataWithSamples", vec![described("ms_total", 1, "Both", "").sample(2.0, now + 1)]),
        function(
            "TestMultipleMetadata",
            (0..3).map(|n| described(&format!("mm{n}"), n, "One of three", "u")).collect(),
        ),
        function(
            "TestMetadataWithComplexLabels",
            vec![
                series("complex", &[("path", "/a/{b}"), ("le", "+Inf"), ("größe", "ä"), ("service.name", "x y")])
                    .sample(1.0, now)
                    .metadata(2, "Complex", "1"),
            ],
        ),
        many(
            "TestMetadataValidation",
            vec![
                ("metadata_without_name_label", unnamed.bad()),
                ("metadata_with_empty_name", described("", 1, "h", "u").bad()),
                ("metadata_with_valid_name", described("valid_total", 1, "h", "u")),
            ],
        ),
    ]
}

fn combined(now: i64) -> Vec<Function> {
    let sample = |name: &str, kind| series(name, JOB).sample(42.0, now).metadata(kind, "Help", "u");
    let histogram = |name: &str| series(name, JOB).histogram(basic(now)).metadata(3, "Help", "seconds");
    let traced = |series: Series, value| series.exemplar(&[TRACE, SPAN], value, now);
    let number = |n: usize| vec![("number".to_owned(), n.to_string())];
    let numbered = |n: usize, mut sent: Series| {
        sent.labels.extend(number(n));
        sent
    };
    vec![
        function("TestSamplesWithMetadataAndExemplars", vec![traced(sample("a_total", 1), 1.0)]),
        function("TestHistogramsWithMetadataAndExemplars", vec![traced(histogram("a_seconds"), 0.25)]),
        function("TestComplexSamplesRequest", vec![traced(sample("b_total", 1), 1.0), sample("b_gauge", 2)]),
        function("TestComplexHistogramsRequest", vec![traced(histogram("b_seconds"), 0.5), histogram("c_seconds")]),
        function("TestMultipleMetricFamiliesSamples", vec![traced(sample("d_total", 1), 2.0), sample("d_gauge", 2)]),
        function(
            "TestMultipleMetricFamiliesHistograms",
            vec![traced(histogram("e_seconds"), 0.5), traced(histogram("f_seconds"), 0.75)],
        ),
        (
            "TestEdgeCaseCombinations",
            vec![
                ("metadata_without_data".into(), vec![series("only_metadata", JOB).metadata(1, "Nothing", "")]),
                ("exemplars_without_data".into(), vec![traced(series("only_exemplar", JOB), 1.0)]),
                ("mixed_timestamp_data".into(), vec![sample("mixed", 2).sample(43.0, now - HOUR)]),
            ],
        ),
        function("TestManySamples", (0..50).map(|n| numbered(n, traced(sample("many_total", 1), n as f64))).collect()),
        function(
            "TestManyHistograms",
            (0..50).map(|n| numbered(n, traced(histogram("many_seconds"), n as f64))).collect(),
        ),
        function(
            "TestSpecialCharactersCombined",
            vec![
                series("special", &[("path", "/\"\\\n"), ("名", "値 🙂"), ("a.b", "c d")])
                    .sample(1.0, now)
                    .metadata(2, "line\n\"quoted\"", "µ")
                    .exemplar(&[("schlüssel", "\u{1}\\\"")], 1.0, now),
            ],
        ),
        function(
            "TestCustomBucketsHistogramWithExemplar",
            vec![traced(series("custom_seconds", JOB).histogram(custom(now)), 0.3)],
        ),
    ]
}
