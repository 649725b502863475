//! The rules of native histograms, one by one, in both versions.

use crate::common::stock::v1::histogram::{Count, ZeroCount};
use crate::common::stock::{v1, v2};
use crate::common::{Histogram, ours};
use prost::Message;
use rows::{Options, Proto, Reason, Receiver, Version};

const STALE: u64 = 0x7ff0_0000_0000_0002;

fn span(offset: i32, length: u32) -> v1::BucketSpan {
    v1::BucketSpan { offset, length }
}

/// Two observations near zero, four below and six above.
fn good() -> v1::Histogram {
    v1::Histogram {
        count: Some(Count::CountInt(12)),
        sum: 18.5,
        schema: 3,
        zero_threshold: 0.001,
        zero_count: Some(ZeroCount::ZeroCountInt(2)),
        negative_spans: vec![span(-1, 1)],
        negative_deltas: vec![4],
        positive_spans: vec![span(0, 2), span(1, 1)],
        positive_deltas: vec![1, 1, 1],
        timestamp: 1_700_000_000_000,
        ..Default::default()
    }
}

fn float() -> v1::Histogram {
    v1::Histogram {
        count: Some(Count::CountFloat(12.0)),
        zero_count: Some(ZeroCount::ZeroCountFloat(2.0)),
        negative_deltas: vec![],
        negative_counts: vec![4.0],
        positive_deltas: vec![],
        positive_counts: vec![1.0, 2.0, 3.0],
        ..good()
    }
}

/// Three observations up to 1, 2.5, and above.
fn custom() -> v1::Histogram {
    v1::Histogram {
        count: Some(Count::CountInt(3)),
        sum: 9.0,
        schema: -53,
        positive_spans: vec![span(0, 3)],
        positive_deltas: vec![1, 0, 0],
        custom_values: vec![1.0, 2.5],
        timestamp: 1_700_000_000_000,
        ..Default::default()
    }
}

/// A request of three series in a version, the one in the middle with a histogram, and the histogram's place.
fn request(histogram: &v1::Histogram, version: Version) -> (Vec<u8>, usize) {
    let place = |body: &[u8], part: &[u8]| body.windows(part.len()).position(|window| window == part).unwrap();
    match version {
        Version::V1 => {
            let labels = vec![v1::Label { name: "__name__".into(), value: "m".into() }];
            let good = v1::TimeSeries {
                labels: labels.clone(),
                samples: vec![v1::Sample { value: 1.0, timestamp: 5 }],
                ..Default::default()
            };
            let second = v1::TimeSeries { labels, histograms: vec![histogram.clone()], ..Default::default() };
            let request = v1::WriteRequest { timeseries: vec![good.clone(), second, good], ..Default::default() };
            let body = request.encode_to_vec();
            let at = place(&body, &histogram.encode_to_vec());
            (body, at)
        }
        Version::V2 => {
            let good = v2::TimeSeries {
                labels_refs: vec![1, 2],
                samples: vec![v2::Sample { value: 1.0, timestamp: 5, start_timestamp: 0 }],
                ..Default::default()
            };
            // The two have the same field numbers.
            let histogram = v2::Histogram::decode(&*histogram.encode_to_vec()).unwrap();
            let at = histogram.encode_to_vec();
            let second = v2::TimeSeries { labels_refs: vec![1, 2], histograms: vec![histogram], ..Default::default() };
            let symbols = ["", "__name__", "m"].map(str::to_owned).to_vec();
            let body = v2::Request { symbols, timeseries: vec![good.clone(), second, good] }.encode_to_vec();
            let at = place(&body, &at);
            (body, at)
        }
    }
}

/// Sends a histogram in both versions, and returns its row.
fn accepted(histogram: &v1::Histogram) -> Histogram {
    let rows = [Version::V1, Version::V2].map(|version| {
        let mut receiver = Receiver::default();
        let report = receiver.request(&request(histogram, version).0, Proto::Is(version));
        let report = report.unwrap_or_else(|error| panic!("{error}: {histogram:?}"));
        assert_eq!((report.samples, report.histograms), (2, 1));
        ours::rows(receiver.store())["m"].histograms[0].clone()
    });
    assert_eq!(rows[0], rows[1]);
    let [row, _] = rows;
    row
}

/// A histogram that breaks a rule is refused with its series; the other series stay.
#[track_caller]
fn refused(histogram: &v1::Histogram, reason: Reason, detail: &str) {
    for version in [Version::V1, Version::V2] {
        let (body, at) = request(histogram, version);
        let message = format!("{} at byte {at}: timeseries[1].histograms[0]: {detail}", reason.text());
        let mut receiver = Receiver::new(Options { skip_bad: true, ..Options::default() });
        let report = receiver.request(&body, Proto::Is(version)).unwrap();
        let first = report.problems.first().first().map(ToString::to_string);
        assert_eq!(first.as_ref(), Some(&message));
        assert_eq!((report.samples, report.histograms, report.bad), (2, 0, 1));
        assert_eq!(report.refused, [1]);
        assert_eq!(ours::rows(receiver.store())["m"].histograms, []);
        let error = Receiver::default().request(&body, Proto::Is(version)).unwrap_err();
        assert_eq!((error.reason(), error.to_string()), (Some(reason), message));
        // A record of the log from before a rule is read back as it was accepted.
        let replayed = receiver.replay(&body, version, &[]).unwrap();
        assert_eq!((replayed.samples, replayed.histograms, replayed.bad), (2, 1, 0));
    }
}

#[test]
fn buckets_and_zero_count_are_the_count() {
    accepted(&good());
    accepted(&v1::Histogram { timestamp: 5, ..Default::default() });
    let more = "buckets and zero count have 12 observations, ";
    for (count, sum, expected) in [
        (Some(Count::CountInt(11)), 18.5, Some("11")),
        (Some(Count::CountInt(13)), 18.5, Some("13")),
        (None, 18.5, Some("0")),
        // Observations that are not a number are in no bucket.
        (Some(Count::CountInt(13)), f64::NAN, None),
        (Some(Count::CountInt(12)), f64::NAN, None),
        (Some(Count::CountInt(11)), f64::NAN, Some("at least 11")),
        (Some(Count::CountInt(13)), f64::INFINITY, Some("13")),
    ] {
        let histogram = v1::Histogram { count, sum, ..good() };
        match expected {
            None => _ = accepted(&histogram),
            Some(what) => refused(&histogram, Reason::CountMismatch, &format!("{more}{what} expected")),
        }
    }
    // Sums of floats depend on their order.
    accepted(&v1::Histogram { count: Some(Count::CountFloat(12.000_001)), ..float() });
    let stale = v1::Histogram { sum: f64::from_bits(STALE), timestamp: 5, ..Default::default() };
    assert_eq!(accepted(&stale).sum, STALE);
}

#[test]
fn spans_cover_the_buckets_and_ascend() {
    let spans = |positive_spans| v1::Histogram { positive_spans, ..good() };
    refused(&spans(vec![span(0, 2)]), Reason::BucketsMismatch, "positive spans cover 2 buckets, but there are 3");
    refused(
        &spans(vec![span(0, u32::MAX), span(0, u32::MAX)]),
        Reason::BucketsMismatch,
        "positive spans cover 8589934590 buckets, but there are 3",
    );
    refused(
        &v1::Histogram { negative_spans: vec![], ..good() },
        Reason::BucketsMismatch,
        "negative spans cover 0 buckets, but there are 1",
    );
    refused(&spans(vec![span(0, 2), span(-1, 1)]), Reason::SpansInvalid, "positive_spans[1].offset is -1");
    // Spans that touch, and empty ones, are allowed.
    accepted(&spans(vec![span(-7, 2), span(0, 0), span(0, 1)]));
    // At schema 3, 8192 is the bucket of the largest number, and 8193 that of infinity.
    accepted(&spans(vec![span(8191, 3)]));
    refused(
        &spans(vec![span(0, 1), span(8192, 2)]),
        Reason::SpansInvalid,
        "positive_spans[1] has the buckets 8193 to 8194; the last one is 8193",
    );
}

#[test]
fn no_bucket_has_a_negative_count() {
    refused(
        &v1::Histogram { positive_deltas: vec![1, -2, 1], ..good() },
        Reason::CountOutOfRange,
        "bucket 1 of the positive side has -1 observations",
    );
    refused(
        &v1::Histogram { negative_counts: vec![-0.5], ..float() },
        Reason::CountOutOfRange,
        "bucket 0 of the negative side has -0.5 observations",
    );
    refused(
        &v1::Histogram { zero_count: Some(ZeroCount::ZeroCountFloat(-1.0)), ..float() },
        Reason::CountOutOfRange,
        "the zero count is -1",
    );
    refused(
        &v1::Histogram { count: Some(Count::CountFloat(-1.0)), ..float() },
        Reason::CountOutOfRange,
        "the count is -1",
    );
    refused(
        &v1::Histogram { positive_deltas: vec![i64::MAX, 0, 0], ..good() },
        Reason::CountOutOfRange,
        &format!("bucket 1 of the positive side has {} observations", i64::MAX),
    );
}

#[test]
fn integers_and_floats_are_not_mixed() {
    accepted(&float());
    for (histogram, detail) in [
        (
            v1::Histogram { zero_count: Some(ZeroCount::ZeroCountFloat(2.0)), ..good() },
            "the zero count is a float, the count an integer",
        ),
        (
            v1::Histogram { zero_count: Some(ZeroCount::ZeroCountInt(2)), ..float() },
            "the zero count is an integer, the count a float",
        ),
        (v1::Histogram { count: None, ..float() }, "the zero count is a float, the count an integer"),
        (v1::Histogram { positive_counts: vec![1.0], ..good() }, "an integer histogram has 1 positive float counts"),
        (v1::Histogram { negative_deltas: vec![1, 2], ..float() }, "a float histogram has 2 negative deltas"),
    ] {
        refused(&histogram, Reason::CountsMixed, detail);
    }
}

#[test]
fn schemas_are_known_ones_and_fine_ones_are_reduced() {
    for schema in -4..=8 {
        assert_eq!(accepted(&v1::Histogram { schema, ..good() }).schema, schema);
    }
    for schema in [-54, -52, -5, 53, i32::MIN, i32::MAX] {
        refused(&v1::Histogram { schema, ..good() }, Reason::SchemaUnknown, &schema.to_string());
    }
    // Buckets 0, 1 and 3, twice as fine as at 8, are 0, 1 and 2; -1 is 0.
    let row = accepted(&v1::Histogram { schema: 9, ..good() });
    assert_eq!((row.schema, row.count, row.zero_count), (8, Some((false, 12)), Some((false, 2))));
    assert_eq!((row.positive.spans, row.positive.deltas), (vec![(0, 3)], vec![1, 1, 1]));
    assert_eq!((row.negative.spans, row.negative.deltas), (vec![(0, 1)], vec![4]));
    // At 52, all of them are 0 or 1.
    let row = accepted(&v1::Histogram { schema: 52, ..good() });
    assert_eq!((row.schema, row.positive.spans, row.positive.deltas), (8, vec![(0, 2)], vec![1, 4]));
    let row = accepted(&v1::Histogram { schema: 52, ..float() });
    assert_eq!(row.positive.counts, [1.0f64.to_bits(), 5.0f64.to_bits()]);
    assert_eq!((row.positive.deltas, row.negative.counts), (vec![], vec![4.0f64.to_bits()]));
}

#[test]
fn custom_buckets_have_ascending_bounds_and_one_side() {
    assert_eq!(accepted(&custom()).custom_values, [1.0f64.to_bits(), 2.5f64.to_bits()]);
    let bounds = |custom_values: &[f64]| v1::Histogram { custom_values: custom_values.to_vec(), ..custom() };
    for (histogram, detail) in [
        (bounds(&[1.0, 1.0]), "custom_values[1] is 1, after 1"),
        (bounds(&[2.0, 1.0]), "custom_values[1] is 1, after 2"),
        (bounds(&[1.0, f64::NAN]), "custom_values[1] is NaN, after 1"),
        (bounds(&[f64::NEG_INFINITY, 1.0]), "custom_values[0] is -inf, after -inf"),
        (bounds(&[1.0, f64::INFINITY]), "custom_values[1] is infinite"),
        (v1::Histogram { zero_threshold: 0.5, ..custom() }, "the zero threshold is 0.5"),
        (v1::Histogram { zero_count: Some(ZeroCount::ZeroCountInt(1)), ..custom() }, "there is a zero count"),
        (v1::Histogram { negative_spans: vec![span(0, 0)], ..custom() }, "there are negative spans"),
        (v1::Histogram { custom_values: vec![1.0], ..good() }, "schema 3 with 1 custom values"),
    ] {
        refused(&histogram, Reason::BoundsInvalid, detail);
    }
    for (spans, detail) in [
        (vec![span(1, 3)], "positive_spans[0] has the buckets 1 to 3; the last one is 2"),
        (vec![span(-1, 3)], "positive_spans[0] has the buckets -1 to 1; the last one is 2"),
    ] {
        refused(&v1::Histogram { positive_spans: spans, ..custom() }, Reason::SpansInvalid, detail);
    }
}

/// No limit on rows applies when a log is read back, not even to the first row.
#[test]
fn a_histogram_may_be_the_first_row_of_a_replay() {
    let labels = vec![v1::Label { name: "__name__".into(), value: "m".into() }];
    let series = v1::TimeSeries { labels, histograms: vec![good()], ..Default::default() };
    let body = v1::WriteRequest { timeseries: vec![series], ..Default::default() }.encode_to_vec();
    let report = Receiver::default().replay(&body, Version::V1, &[]).unwrap();
    assert_eq!((report.histograms, report.bad), (1, 0));
}

/// An exemplar without a timestamp is left out, and its series stays.
#[test]
fn an_exemplar_without_a_timestamp_is_left_out_alone() {
    let exemplar = |timestamp| v2::Exemplar { value: 0.5, timestamp, labels_refs: vec![3, 4] };
    let series = v2::TimeSeries {
        labels_refs: vec![1, 2],
        samples: vec![v2::Sample { value: 1.0, timestamp: 5, start_timestamp: 0 }],
        exemplars: vec![exemplar(6), exemplar(0), exemplar(7)],
        ..Default::default()
    };
    let symbols = ["", "__name__", "m", "trace_id", "x"].map(str::to_owned).to_vec();
    let body = v2::Request { symbols, timeseries: vec![series] }.encode_to_vec();
    let mut receiver = Receiver::new(Options { skip_bad: true, ..Options::default() });
    let report = receiver.request(&body, Proto::Is(Version::V2)).unwrap();
    assert_eq!((report.samples, report.exemplars, report.bad, report.bad_exemplars), (1, 2, 0, 1));
    let message = report.problems.first()[0].to_string();
    assert!(message.starts_with("an exemplar has no timestamp at byte "), "{message}");
    assert!(message.ends_with(": timeseries[0].exemplars[1].timestamp"), "{message}");
    let own = |row: &crate::common::Exemplar| (row.timestamp, row.own.clone());
    let trace = vec![("trace_id".to_owned(), "x".to_owned())];
    let rows = ours::rows(receiver.store());
    assert_eq!(rows["m"].exemplars.iter().map(own).collect::<Vec<_>>(), [(6, trace.clone()), (7, trace)]);
    let error = Receiver::default().request(&body, Proto::Is(Version::V2)).unwrap_err();
    assert_eq!(error.to_string(), message);
    // The same again from a log.
    let replayed = receiver.replay(&body, Version::V2, &report.refused).unwrap();
    assert_eq!((replayed.exemplars, replayed.bad_exemplars), (2, 1));
}
