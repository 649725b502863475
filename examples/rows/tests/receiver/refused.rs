//! Rejected requests, and their error messages; and that no bytes do harm.

use crate::common::mutate::{Rng, mutate};
use crate::common::random::Making;
use crate::common::stock::{v1, v2};
use crate::common::{Rows, capture, ours};
use prost::Message;
use rows::{Options, Proto, Reason, Receiver, RequestError, Rules, Version};

fn label(name: &str, value: &str) -> v1::Label {
    v1::Label { name: name.into(), value: value.into() }
}

fn series(labels: &[(&str, &str)]) -> v1::TimeSeries {
    let sample = v1::Sample { value: 1.0, timestamp: 5 };
    let labels = labels.iter().map(|(name, value)| label(name, value)).collect();
    v1::TimeSeries { labels, samples: vec![sample], ..Default::default() }
}

fn request(bad: v1::TimeSeries) -> Vec<u8> {
    let good = series(&[("__name__", "up"), ("job", "x")]);
    v1::WriteRequest { timeseries: vec![good.clone(), bad, good], ..Default::default() }.encode_to_vec()
}

fn refused(body: &[u8]) -> (Option<Reason>, String) {
    let error = Receiver::default().request(body, Proto::Auto).unwrap_err();
    (error.reason(), error.to_string())
}

/// Returns the offset of the second series, and of some bytes in it.
fn place(body: &[u8], bytes: &[u8]) -> usize {
    let start = body[1] as usize + 4;
    start + body[start..].windows(bytes.len()).position(|window| window == bytes).unwrap()
}

#[test]
fn a_bad_label_is_said_with_reason_offset_and_path() {
    let long = "x".repeat(61);
    // The labels, the bytes at the offset, the reason, and the rest of the message.
    for (labels, at, reason, rest) in [
        (
            &[("__name__", "up"), ("b", "1"), ("a", "2")][..],
            &b"a\x12\x012"[..],
            Reason::LabelsUnsorted,
            r#"labels[2].name: "a" after "b""#,
        ),
        (&[("__name__", "up"), ("b", "1"), ("b", "2")], b"b\x12\x012", Reason::LabelRepeated, r#"labels[2].name: "b""#),
        (
            &[("__name__", "up"), ("", "\x1b[2J")],
            b"\x12\x04\x1b[2J", // at the label, because it has no name
            Reason::LabelNameEmpty,
            r#"labels[1].name: value "\u{1b}[2J""#,
        ),
        (&[("__name__", "up"), ("b", "")], b"\x0a\x01b\x12\x0b", Reason::LabelValueEmpty, r#"labels[1].value: "b""#),
        (&[("__name__", "up"), ("b.c", "1")], b"b.c", Reason::LabelNameInvalid, r#"labels[1].name: "b.c""#),
        (&[("__name__", "größe")], "größe".as_bytes(), Reason::MetricNameInvalid, r#"labels[0].value: "größe""#),
        (&[("job", "x")], b"\x0a\x08\x0a\x03job", Reason::MetricNameMissing, ""),
        (&[], b"\x12\x0b\x09", Reason::MetricNameMissing, ""),
        (
            &[("__name__", "up"), (&long, "1"), (&long, "2")],
            format!("{long}\x12\x012").as_bytes(),
            Reason::LabelRepeated,
            &format!(r#"labels[2].name: "{}"…"#, &long[..60]),
        ),
    ] {
        let body = request(series(labels));
        let dot = if rest.is_empty() { "" } else { "." };
        let message = format!("{} at byte {}: timeseries[1]{dot}{rest}", reason.text(), place(&body, at));
        assert_eq!(refused(&body), (Some(reason), message), "{labels:?}");
    }
}

#[test]
fn other_faults_of_1_0() {
    let mut bad = series(&[("__name__", "up")]);
    let span = v1::BucketSpan { offset: 0, length: 3 };
    bad.histograms.push(v1::Histogram::default());
    bad.histograms.push(v1::Histogram {
        positive_spans: vec![span],
        positive_deltas: vec![1, 2],
        ..Default::default()
    });
    let body = request(bad);
    let at = place(&body, b"\x5a\x02\x10\x03"); // the span
    assert_eq!(
        refused(&body).1,
        format!(
            "a histogram's spans do not match its buckets at byte {at}: timeseries[1].histograms[1]: \
             positive spans cover 3 buckets, but there are 2"
        )
    );
    let entry =
        |family: &str| v1::MetricMetadata { metric_family_name: family.into(), help: "?".into(), ..Default::default() };
    let body = v1::WriteRequest { metadata: vec![entry("up"), entry("")], ..Default::default() }.encode_to_vec();
    assert_eq!(refused(&body).1, "the metric's name is missing at byte 11: metadata[1].metric_family_name");
}

fn request_v2(symbols: &[&str], series: v2::TimeSeries) -> Vec<u8> {
    let symbols = symbols.iter().map(|s| (*s).to_owned()).collect();
    v2::Request { symbols, timeseries: vec![series] }.encode_to_vec()
}

#[test]
fn faults_of_2_0() {
    let symbols = ["", "__name__", "up"];
    let good = v2::TimeSeries { labels_refs: vec![1, 2], samples: vec![v2::Sample::default()], ..Default::default() };
    assert!(Receiver::default().request(&request_v2(&symbols, good.clone()), Proto::Auto).is_ok());
    let check = |series: v2::TimeSeries, message: &str| {
        assert_eq!(refused(&request_v2(&symbols, series)).1, message);
    };
    let changed = |change: &dyn Fn(&mut v2::TimeSeries)| {
        let mut series = good.clone();
        change(&mut series);
        series
    };
    check(
        changed(&|s| s.labels_refs = vec![1, 3]),
        "a reference points beyond the symbols at byte 20: timeseries[0].labels_refs[1]: 3, of 3 symbols",
    );
    check(
        changed(&|s| s.labels_refs = vec![1, 2, 1]),
        "the number of label references is odd at byte 20: timeseries[0].labels_refs: 3",
    );
    check(changed(&|s| s.labels_refs = vec![]), "the metric's name is missing at byte 18: timeseries[0]");
    check(
        changed(&|s| s.labels_refs = vec![1, 2, 2, 0]),
        r#"a label has no value at byte 20: timeseries[0].labels_refs[3]: "up""#,
    );
    check(
        changed(&|s| s.labels_refs = vec![1, 2, 1, 2]),
        r#"a label is repeated at byte 20: timeseries[0].labels_refs[2]: "__name__""#,
    );
    check(
        changed(&|s| s.samples.clear()),
        "the series has no samples, histograms or exemplars at byte 18: timeseries[0]",
    );
    check(
        changed(&|s| s.histograms.push(v2::Histogram::default())),
        "the series has both samples and histograms at byte 18: timeseries[0]",
    );
    check(
        changed(&|s| s.metadata = Some(v2::Metadata { unit_ref: 9, ..Default::default() })),
        "a reference points beyond the symbols at byte 26: timeseries[0].metadata.unit_ref: 9, of 3 symbols",
    );
    let exemplars = vec![v2::Exemplar::default(), v2::Exemplar { labels_refs: vec![1, 7], ..Default::default() }];
    check(
        changed(&|s| s.exemplars = exemplars.clone()),
        "a reference points beyond the symbols at byte 28: timeseries[0].exemplars[1].labels_refs[1]: 7, of 3 symbols",
    );
    let body = request_v2(&["job", "__name__", "up"], good);
    assert_eq!(refused(&body).1, r#"the first symbol is not the empty string at byte 2: symbols[0]: "job""#);
    // This holds even if bad series are left out: no reference can be trusted.
    let mut lenient = Receiver::new(Options { skip_bad: true, ..Options::default() });
    assert_eq!(lenient.request(&body, Proto::Auto).unwrap_err().reason(), Some(Reason::SymbolsStart));
}

#[test]
fn symbols_may_stand_behind_the_series_but_must_be_there() {
    let series = v2::TimeSeries { labels_refs: vec![1, 2], samples: vec![v2::Sample::default()], ..Default::default() };
    let late = |symbols: &[&str]| {
        let mut body = request_v2(&[], series.clone());
        body.extend(
            v2::Request { symbols: symbols.iter().map(|s| (*s).to_owned()).collect(), ..Default::default() }
                .encode_to_vec(),
        );
        body
    };
    for skip_bad in [false, true] {
        let mut receiver = Receiver::new(Options { skip_bad, ..Options::default() });
        let report = receiver.request(&late(&["", "__name__", "up"]), Proto::Auto).unwrap();
        assert_eq!((report.series, report.samples, report.bad), (1, 1, 0));
        assert_eq!(receiver.store().table("up").unwrap().samples.len(), 1);
    }
    assert_eq!(
        refused(&late(&["", "__name__"])).1,
        "a reference points beyond the symbols at byte 4: timeseries[0].labels_refs[1]: 2, of 2 symbols"
    );
}

#[test]
fn malformed_bytes_are_refused_in_every_mode_and_leave_nothing() {
    let mut body = capture(1);
    let whole = body.len();
    body[100_000] = 0xff; // in a string
    for skip_bad in [false, true] {
        let mut receiver = Receiver::new(Options { skip_bad, ..Options::default() });
        let error = receiver.request(&body, Proto::Auto).unwrap_err();
        let RequestError::Malformed(error) = error else { panic!("{error}") };
        assert_eq!((error.code(), error.offset()), (hotpb::Code::InvalidUtf8, 100_000));
        assert!(error.path().starts_with("timeseries[7") && error.path().contains(".labels["), "{}", error.path());
        let error = receiver.request(&body[..whole - 1], Proto::Auto).unwrap_err();
        assert!(error.to_string().starts_with("malformed: "), "{error}");
        assert_eq!((receiver.store().rows(), ours::rows(receiver.store())), (0, Rows::new()));
    }
}

#[test]
fn a_body_of_both_versions_is_refused_unless_somebody_says_which_it_is() {
    let mut body = request(series(&[("__name__", "up")]));
    body.extend(request_v2(&[""], v2::TimeSeries::default()));
    assert_eq!(Receiver::default().request(&body, Proto::Auto), Err(RequestError::BothVersions));
    let report = Receiver::default().request(&body, Proto::Is(Version::V1)).unwrap();
    assert_eq!(report.series, 3);
}

/// Nothing of it would be written, and the sender would hear of a success.
#[test]
fn a_body_of_the_other_version_is_refused() {
    let (v1, two) = (request(series(&[("__name__", "up")])), request_v2(&[""], v2::TimeSeries::default()));
    let metadata = v1::WriteRequest { metadata: vec![v1::MetricMetadata::default()], ..Default::default() };
    let symbols = v2::Request { symbols: vec![String::new()], ..Default::default() };
    let unknown = [0x7a, 1, b'x']; // field 15
    let around = |body: &[u8]| [&unknown[..], body, &unknown[..]].concat();
    for (version, body) in [
        (Version::V2, v1.clone()),
        (Version::V2, around(&v1)),
        (Version::V2, metadata.encode_to_vec()),
        (Version::V1, two.clone()),
        (Version::V1, around(&two)),
        (Version::V1, symbols.encode_to_vec()),
    ] {
        for skip_bad in [false, true] {
            let mut receiver = Receiver::new(Options { skip_bad, ..Options::default() });
            let refused = receiver.request(&body, Proto::Is(version));
            assert_eq!(refused, Err(RequestError::OtherVersion { version }), "{body:02x?}");
        }
    }
    for version in [Version::V1, Version::V2] {
        for body in [&[][..], &unknown] {
            assert_eq!(Receiver::default().request(body, Proto::Is(version)).unwrap().series, 0);
        }
    }
}

/// A series of two bytes takes as long as a row, and longer if it is bad.
#[test]
fn series_without_rows_count_as_rows() {
    let named = v1::TimeSeries { samples: vec![], ..series(&[("__name__", "up")]) };
    let exemplars = v1::TimeSeries { exemplars: vec![v1::Exemplar::default()], ..named.clone() };
    for (series, bad) in [(named, 0), (v1::TimeSeries::default(), 100), (exemplars, 0)] {
        let body = v1::WriteRequest { timeseries: vec![series; 100], ..Default::default() }.encode_to_vec();
        let read = |max_rows| {
            let mut receiver = Receiver::new(Options { max_rows, skip_bad: true, ..Options::default() });
            receiver.request(&body, Proto::Is(Version::V1))
        };
        assert_eq!(read(99), Err(RequestError::TooManyRows { limit: 99 }));
        let report = read(200).unwrap();
        assert_eq!((report.series, report.bad), (100, bad));
    }
    let series = vec![v2::TimeSeries { labels_refs: vec![1, 2], ..Default::default() }; 100];
    let symbols = ["", "__name__", "up"].map(str::to_owned).to_vec();
    let body = v2::Request { symbols, timeseries: series }.encode_to_vec();
    for (max_rows, refused) in [(99, true), (100, false)] {
        let mut receiver = Receiver::new(Options { max_rows, skip_bad: true, ..Options::default() });
        assert_eq!(receiver.request(&body, Proto::Is(Version::V2)).is_err(), refused);
    }
}

#[test]
fn limits_refuse_the_request() {
    let many = v1::TimeSeries { samples: vec![v1::Sample::default(); 1000], ..series(&[("__name__", "up")]) };
    let body = v1::WriteRequest { timeseries: vec![many.clone()], ..Default::default() }.encode_to_vec();
    let limited = |max_rows| Receiver::new(Options { max_rows, skip_bad: true, ..Options::default() });
    assert_eq!(limited(1000).request(&body, Proto::Auto).unwrap().samples, 1000);
    assert_eq!(limited(999).request(&body, Proto::Auto), Err(RequestError::TooManyRows { limit: 999 }));

    let timeseries = (0..20).map(|n| series(&[("__name__", "up"), (&format!("l{n:02}"), "x")])).collect();
    let body = v1::WriteRequest { timeseries, ..Default::default() }.encode_to_vec();
    let last = v1::WriteRequest { timeseries: vec![series(&[("__name__", "up"), ("l19", "x")])], ..Default::default() };

    // Beyond the number of series, those that are known go on, and new ones are refused until the rows are cleared.
    let mut receiver = Receiver::new(Options { max_series: 15, skip_bad: true, ..Options::default() });
    for _ in 0..2 {
        let report = receiver.request(&body, Proto::Auto).unwrap();
        assert_eq!(report.problems.counts().collect::<Vec<_>>(), [(Reason::SeriesOverLimit, 5)]);
        assert_eq!((report.samples, &report.refused[..]), (15, &[15, 16, 17, 18, 19][..]));
        let first = report.problems.first()[0].to_string();
        assert!(first.ends_with("timeseries[15]: more than 15"), "{first}");
        // A replay accepts what was accepted before, whatever the limit is now.
        let mut counted = Receiver::new(Options { max_series: 0, ..Options::default() });
        assert_eq!(counted.replay(&body, Version::V1, &report.refused).unwrap().samples, 15);
    }
    receiver.clear_rows();
    assert_eq!(receiver.request(&last.encode_to_vec(), Proto::Auto).unwrap().samples, 1);
    receiver.limit_series(1, usize::MAX);
    assert_eq!(receiver.request(&body, Proto::Auto).unwrap().samples, 1);
}

#[test]
fn the_lenient_rules_take_what_prometheus_takes() {
    let rules = Rules { lenient: true, ..Rules::default() };
    let mut receiver = Receiver::new(Options { rules, ..Options::default() });
    let unsorted = series(&[("job", "x"), ("le", ""), ("__name__", "up")]);
    let report = receiver.request(&request(unsorted), Proto::Auto).unwrap();
    assert_eq!(report.samples, 3);
    // All three series are the same.
    assert_eq!(receiver.store().label_sets().len(), 1);
    let empty = v2::TimeSeries { labels_refs: vec![1, 2], ..Default::default() };
    assert_eq!(receiver.request(&request_v2(&["", "__name__", "up"], empty), Proto::Auto).unwrap().series, 1);
    let twice = series(&[("job", "x"), ("__name__", "up"), ("job", "y")]);
    assert_eq!(receiver.request(&request(twice), Proto::Auto).unwrap_err().reason(), Some(Reason::LabelRepeated));
}

/// Any bytes: never a panic, an offset inside the body, nothing kept of a rejected request, and the next request is
/// read as by a new receiver. `ROWS_FUZZ_SECONDS` sets the duration.
#[test]
fn damaged_bodies_do_no_harm() {
    let seconds = std::env::var("ROWS_FUZZ_SECONDS").ok().and_then(|s| s.parse().ok()).unwrap_or(3);
    let until = std::time::Instant::now() + std::time::Duration::from_secs(seconds);
    let seed = std::env::var("ROWS_FUZZ_SEED").ok().and_then(|s| s.parse().ok()).unwrap_or(7);
    let mut rng = Rng::new(seed);
    let rules = Rules { lenient: true, ..Rules::default() };
    let options = [
        Options::default(),
        Options { skip_bad: true, ..Options::default() },
        Options { skip_bad: true, rules, max_rows: 100, ..Options::default() },
    ];
    let mut receivers = options.clone().map(Receiver::new);
    let (mut turns, mut refused, mut accepted) = (0u64, 0u64, 0u64);
    while std::time::Instant::now() < until {
        let mut making = Making { rng: &mut rng, faulty: false };
        let (v1, v2) = (making.v1().encode_to_vec(), making.v2().encode_to_vec());
        for _ in 0..20 {
            let (this, second) = if rng.below(2) == 0 { (&v1, &v2) } else { (&v2, &v1) };
            let bytes = mutate(&mut rng, this, second);
            let which = rng.below(3);
            let receiver = &mut receivers[which];
            let before = receiver.store().rows();
            match receiver.request(&bytes, Proto::Auto) {
                Ok(_) => accepted += 1,
                Err(error) => {
                    refused += 1;
                    let offset = match &error {
                        RequestError::Malformed(error) => error.offset(),
                        RequestError::Invalid(problem) => problem.offset,
                        _ => 0,
                    };
                    assert!(offset <= bytes.len(), "{error}: {bytes:02x?}");
                    assert_eq!(receiver.store().rows(), before);
                }
            }
        }
        // Whatever the receiver has seen, a good request yields the same rows as in a new receiver.
        for (receiver, options) in receivers.iter_mut().zip(&options) {
            receiver.clear_rows();
            assert_eq!(ours::rows(receiver.store()), Rows::new());
            let mut fresh = Receiver::new(options.clone());
            let (a, b) = (receiver.request(&v1, Proto::Auto), fresh.request(&v1, Proto::Auto));
            assert_eq!(a.map(|report| report.samples), b.map(|report| report.samples));
            assert_eq!(ours::rows(receiver.store()), ours::rows(fresh.store()));
            receiver.clear_rows();
            if rng.below(50) == 0 {
                *receiver = fresh;
            }
        }
        turns += 20;
    }
    assert!(refused > turns / 4 && accepted > turns / 100, "{turns}: {refused} refused, {accepted} taken");
}

/// The number of labels is that of a series: many series of a metric may have other names each.
#[test]
fn labels_are_limited_in_each_series() {
    let names: Vec<String> = (0..1000).map(|n| format!("l{n:03}")).collect();
    let labelled = |names: &[String]| -> v1::TimeSeries {
        let labels = names.iter().map(|name| (name.as_str(), "x"));
        series(&std::iter::once(("__name__", "up")).chain(labels).collect::<Vec<_>>())
    };
    let alone: Vec<v1::TimeSeries> = names.iter().map(|name| labelled(std::slice::from_ref(name))).collect();
    let wide = [labelled(&names[..15]), labelled(&names[..16]), labelled(&names[500..900])];
    let limit = Options { max_label_names: 15, skip_bad: true, ..Options::default() };
    for orders in [[&alone[..], &wide[..]], [&wide[..], &alone[..]]] {
        let timeseries = orders.concat();
        let expected: Vec<u32> = (0..).zip(&timeseries).filter(|(_, s)| s.labels.len() > 16).map(|(n, _)| n).collect();
        let v1 = v1::WriteRequest { timeseries, ..Default::default() }.encode_to_vec();
        let mut receiver = Receiver::new(limit.clone());
        for _ in 0..2 {
            let report = receiver.request(&v1, Proto::Auto).unwrap();
            assert_eq!(report.problems.counts().collect::<Vec<_>>(), [(Reason::TooManyLabelNames, 2)]);
            assert_eq!((report.samples, &report.refused), (1001, &expected));
            let first = report.problems.first()[0].to_string();
            assert!(first.ends_with("more than 15 (--max-label-names)"), "{first}");
        }
        assert_eq!(receiver.store().table("up").unwrap().label_names().len(), 1000);
    }
}

/// A request that is read again has the rows that it had the first time, though other rules and limits hold by then.
#[test]
fn a_replay_refuses_the_same_series() {
    let options = Options { skip_bad: true, max_label_names: 4, ..Options::default() };
    let mut first = Receiver::new(options.clone());
    let body = capture(1);
    let report = first.request(&body, Proto::Auto).unwrap();
    assert!(report.bad > 0 && report.samples > 0);
    assert_eq!(report.refused.len() as u64, report.bad);
    assert!(report.refused.is_sorted());
    let mut second = Receiver::new(Options { max_label_names: 1, max_rows: 1, ..options });
    let replayed = second.replay(&body, report.version, &report.refused).unwrap();
    assert_eq!((replayed.samples, replayed.bad), (report.samples, report.bad));
    assert_eq!(ours::rows(second.store()), ours::rows(first.store()));
    // The limits hold again afterwards.
    assert!(matches!(second.request(&body, Proto::Auto), Err(RequestError::TooManyRows { limit: 1 })));
}

#[test]
fn rows_outside_of_the_accepted_times_are_bad() {
    let body = capture(1);
    let mut receiver = Receiver::new(Options { skip_bad: true, ..Options::default() });
    let all = receiver.request(&body, Proto::Auto).unwrap();
    let time = receiver.store().tables().iter().find_map(|t| t.samples.timestamps().first().copied()).unwrap();
    receiver.accept_times(time + 3_600_000..=i64::MAX);
    let report = receiver.request(&body, Proto::Auto).unwrap();
    assert_eq!((report.samples, report.bad), (0, all.series));
    let first = &report.problems.first()[0];
    assert_eq!(first.reason, Reason::TimeOutside);
    assert!(first.to_string().starts_with("a timestamp is too old or in the future at byte "), "{first}");
}

/// Of the lenient rules, a series of two kinds can be an exception.
#[test]
fn one_kind_can_be_asked_for() {
    let rules = Rules { lenient: true, one_kind: true, ..Rules::default() };
    let mut receiver = Receiver::new(Options { rules, ..Options::default() });
    let series = v2::TimeSeries {
        labels_refs: vec![1, 2],
        samples: vec![v2::Sample::default()],
        histograms: vec![v2::Histogram::default()],
        ..Default::default()
    };
    let words = ["", "__name__", "m"].map(str::to_owned).to_vec();
    let request = |series| v2::Request { symbols: words.clone(), timeseries: vec![series] }.encode_to_vec();
    let error = receiver.request(&request(series.clone()), Proto::Is(Version::V2)).unwrap_err();
    assert_eq!(error.reason(), Some(Reason::SamplesAndHistograms));
    let empty = v2::TimeSeries { samples: vec![], histograms: vec![], ..series };
    assert!(receiver.request(&request(empty), Proto::Is(Version::V2)).is_ok());
}
