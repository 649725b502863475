//! Requests in a topic of Kafka.

mod brokers;

use super::common::*;
use super::otlp_messages::{self as otlp, gauge, number};
use super::stored;
use brokers::{Broker, Read};
use prost::Message;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

fn option(broker: &Broker) -> String {
    format!("--kafka={}", broker.address())
}

fn metric(server: &Server, name: &str) -> i64 {
    let text = server.get("/metrics").text;
    let line = text.lines().find_map(|line| line.strip_prefix(&format!("hotpb_rw_{name} ")));
    line.unwrap_or_else(|| panic!("no {name}:\n{text}")).parse().unwrap()
}

/// Waits until the topic has all that the log has, but for a mark at its end.
fn wait_delivered(server: &Server) {
    wait("all is in the topic", || metric(server, "kafka_sequence") + 1 >= metric(server, "log_next_sequence"));
}

fn wait(name: &str, mut done: impl FnMut() -> bool) {
    let began = Instant::now();
    while !done() {
        assert!(began.elapsed() < Duration::from_secs(120), "it did not happen: {name}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// XXH64 of `__name__`, 0xff, `good`, 0xff.
const GOOD: &str = "a8e58d4593e52f27";

fn label(name: &str, value: &str) -> v1::Label {
    v1::Label { name: name.into(), value: value.into() }
}

/// Both kinds of native histograms, one of them with bounds of its own, and an exemplar.
fn histograms(time: i64) -> v1::WriteRequest {
    use v1::histogram::{Count, ZeroCount};
    let span = |offset, length| v1::BucketSpan { offset, length };
    let integer = v1::Histogram {
        count: Some(Count::CountInt(12)),
        sum: 18.4,
        schema: 1,
        zero_threshold: 0.001,
        zero_count: Some(ZeroCount::ZeroCountInt(2)),
        negative_spans: vec![span(-2, 1)],
        negative_deltas: vec![1],
        positive_spans: vec![span(0, 2), span(3, 1)],
        positive_deltas: vec![1, 3, 0],
        reset_hint: 2,
        timestamp: time,
        ..Default::default()
    };
    let float = v1::Histogram {
        count: Some(Count::CountFloat(3.5)),
        sum: f64::INFINITY,
        schema: -53,
        zero_count: Some(ZeroCount::ZeroCountFloat(0.0)),
        positive_spans: vec![span(0, 2)],
        positive_counts: vec![1.25, 2.25],
        custom_values: vec![0.5, 7.0],
        timestamp: time + 1,
        ..Default::default()
    };
    let exemplar = v1::Exemplar { labels: vec![label("trace_id", "é1")], value: 0.25, timestamp: time };
    v1::WriteRequest {
        timeseries: vec![v1::TimeSeries {
            labels: vec![label("__name__", "native"), label("job", "a\n\u{1f600}")],
            histograms: vec![integer, float],
            exemplars: vec![exemplar],
            ..Default::default()
        }],
        ..Default::default()
    }
}

fn exemplars_alone(time: i64) -> v1::WriteRequest {
    let mut request = one_sample("only_exemplars", time, 0.0);
    request.timeseries[0].samples.clear();
    let exemplar = |labels, at| v1::Exemplar { labels, value: 1.0, timestamp: time + at };
    request.timeseries[0].exemplars = vec![exemplar(vec![], 0), exemplar(vec![label("a", "only_exemplars")], 1)];
    request
}

fn metadata_alone() -> v1::WriteRequest {
    let metadata = v1::MetricMetadata {
        r#type: 1,
        metric_family_name: "described_total".into(),
        help: "Said apart.".into(),
        unit: "seconds".into(),
    };
    v1::WriteRequest { metadata: vec![metadata], ..Default::default() }
}

/// Returns the series of a message, with its labels.
fn series(message: &Read) -> (BTreeMap<String, String>, v2::TimeSeries) {
    let mut request = v2::Request::decode(&message.value[..]).unwrap();
    assert_eq!((request.timeseries.len(), request.symbols[0].as_str()), (1, ""));
    let series = request.timeseries.remove(0);
    let symbol = |at: u32| request.symbols[at as usize].clone();
    (series.labels_refs.chunks(2).map(|pair| (symbol(pair[0]), symbol(pair[1]))).collect(), series)
}

/// Compares rows, and shows the first ones that differ.
fn same(kind: &str, rows: &[stored::Row], expected: &[stored::Row]) {
    let first = rows.iter().zip(expected).position(|(a, b)| a != b);
    let at = first.unwrap_or(rows.len().min(expected.len()));
    assert_eq!((rows.len(), rows.get(at)), (expected.len(), expected.get(at)), "{kind}");
}

#[test]
fn a_topic_has_all_that_the_store_has() {
    let folder = tempfile::tempdir().unwrap();
    let (data, copy) = (folder.path().join("data"), folder.path().join("copy"));
    let broker = Broker::start();
    let server = Server::start(&data, &["--accept-past=99999d", &option(&broker)]);
    let time = now() - 60_000;
    assert_eq!(server.send(V1, &capture(1)).unwrap().status, 204);
    assert_eq!(server.send(V2, &capture(2)).unwrap().status, 204);
    let points = vec![number(time, 1.5, &[("a", "b")]), number(time + 1, 2.5, &[("a", "c")])];
    let request = otlp::request(&[("service.name", "s")], vec![gauge("g", points)]).encode_to_vec();
    assert_eq!(server.send_otlp(&[("Content-Type", V1)], &request).status, 200);
    for request in [histograms(time), exemplars_alone(time), metadata_alone()] {
        assert_eq!(server.send(V1, &pack(&request)).unwrap().status, 204);
    }
    // One bad series among good ones.
    let mut request = one_sample("good", time, 1.0);
    request.timeseries.push(v1::TimeSeries::default());
    request.timeseries.extend(one_sample("good", time + 1, 2.0).timeseries);
    assert_eq!(server.send(V1, &pack(&request)).unwrap().status, 400);
    let sent = now();
    wait_delivered(&server);
    assert!(server.stop());
    let messages = broker.read();
    assert!(messages.iter().all(|message| (time..=sent).contains(&message.time)));
    // Another server makes the same files of the messages.
    let second = Server::start(&copy, &["--accept-past=99999d"]);
    let mut partition_of = BTreeMap::new();
    for message in &messages {
        let heard = second.send(V2, &snappy(&message.value)).unwrap();
        assert_eq!(heard.status, 204, "{} {:?}", heard.text, series(message));
        let (labels, series) = series(message);
        assert!(series.samples.is_empty() || series.histograms.is_empty());
        assert_eq!(*partition_of.entry((message.key.clone(), labels)).or_insert(message.partition), message.partition);
    }
    assert!(second.stop());
    // All rows of a store at once, so that those of one series and time become one.
    for data in [&data, &copy] {
        let server = Server::start(data, &["--accept-past=99999d", "--seal-after=1ms"]);
        server.wait_sealed();
        assert!(server.stop());
    }
    for kind in ["samples", "histograms", "exemplars"] {
        let rows = [&data, &copy].map(|data| stored::read(data, kind));
        assert!(!rows[0].is_empty(), "{kind}");
        same(kind, &rows[0], &rows[1]);
    }
    let distinct = |data: &PathBuf| {
        stored::read(data, "metadata").into_iter().collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>()
    };
    let metadata = [&data, &copy].map(distinct);
    assert!(metadata[0].len() > 10);
    same("metadata", &metadata[0], &metadata[1]);
    // A key is of one series.
    let keys: HashSet<&String> = partition_of.keys().map(|(key, _)| key).collect();
    assert_eq!(keys.len(), partition_of.len());
    let good = messages.iter().find(|message| series(message).0.get("__name__").is_some_and(|name| name == "good"));
    assert_eq!(good.unwrap().key, GOOD);
}

/// Reads the topic and checks what a reader may rely on: a message that comes again equals the first one, and without those,
/// the requests of a series come in order. Returns the messages without those that come again.
fn read_once(broker: &Broker) -> Vec<Read> {
    let (mut seen, mut last, mut kept) = (BTreeMap::new(), BTreeMap::new(), Vec::new());
    let all = broker.read();
    for message in all.iter().cloned() {
        let content = (message.partition, message.value.clone(), message.headers.clone(), message.time);
        let first = seen.entry(message.id()).or_insert_with(|| content.clone());
        assert_eq!(*first, content, "{:?}", message.id());
        let sequence: u64 = message.header("sequence").parse().unwrap();
        let before = last.entry(message.key.clone()).or_insert(0u64);
        if sequence >= *before {
            *before = sequence;
            if seen.len() > kept.len() {
                kept.push(message);
            }
        } else {
            assert!(seen.len() == kept.len(), "a request comes late: {sequence} after {before}");
        }
    }
    println!("{} messages, {} of them again", all.len(), all.len() - kept.len());
    kept
}

#[test]
fn nothing_that_was_answered_is_missing_after_kills_of_server_and_broker() {
    let folder = tempfile::tempdir().unwrap();
    let mut broker = Broker::start();
    let rounds: u64 = std::env::var("REMOTE_WRITE_KAFKA_KILLS").ok().and_then(|n| n.parse().ok()).unwrap_or(4);
    let option = option(&broker);
    let options = ["--seal-after=60ms", "--segment=64KiB", "--workers=2", &option];
    let base = now() - 3_600_000;
    // A sender repeats a request until it is answered, across restarts.
    let mut next = 0;
    for round in 0..rounds {
        let server = Server::start(folder.path(), &options);
        let stop = AtomicBool::new(false);
        next = std::thread::scope(|scope| {
            let sender = scope.spawn(|| {
                let mut number = next;
                while !stop.load(Ordering::Relaxed) {
                    let mut request = one_sample("counted", base + number, number as f64);
                    request.timeseries.extend(one_sample("also", base + number, number as f64).timeseries);
                    match server.send(V1, &pack(&request)) {
                        Ok(heard) => {
                            assert_eq!(heard.status, 204, "{}", heard.text);
                            number += 1;
                        }
                        Err(_) => break,
                    }
                }
                number
            });
            std::thread::sleep(Duration::from_millis(500 + round * 791 % 1000));
            if round % 2 == 0 {
                broker.kill();
                std::thread::sleep(Duration::from_millis(round * 397 % 800));
            }
            server.signal("KILL");
            let number = sender.join().unwrap();
            stop.store(true, Ordering::Relaxed);
            number
        });
        server.kill();
        if round % 2 == 0 {
            broker.restart();
        }
    }
    assert!(next > 0, "no request was answered");
    let server = Server::start(folder.path(), &options);
    assert_eq!(server.send(V1, &pack(&one_sample("last", base, 0.0))).unwrap().status, 204);
    wait_delivered(&server);
    assert!(server.stop());
    let messages = read_once(&broker);
    for name in ["counted", "also"] {
        let times = |message: &Read| {
            let (labels, series) = series(message);
            (labels["__name__"] == name)
                .then(|| series.samples.iter().map(|sample| sample.timestamp).collect::<Vec<_>>())
        };
        let found: Vec<i64> = messages.iter().filter_map(times).flatten().map(|time| time - base).collect();
        // The request that was on its way when a kill came may be there, or not.
        assert!(found.len() as i64 - next <= 1, "{} of {next}", found.len());
        assert_eq!(found[..next as usize], (0..next).collect::<Vec<_>>(), "{name}");
    }
    assert!(messages.iter().any(|message| series(message).0["__name__"] == "last"));
}

#[test]
fn without_a_broker_the_log_waits_and_then_the_server_is_busy() {
    let folder = tempfile::tempdir().unwrap();
    let mut broker = Broker::start();
    broker.kill();
    let option = option(&broker);
    let limit = ["--segment=16KiB", "--kafka-max-backlog=100000", "--seal-after=20ms", &option];
    let server = Server::start(folder.path(), &limit);
    let base = now() - 60_000;
    let mut number = 0;
    let began = Instant::now();
    let heard = loop {
        let heard = server.send(V1, &pack(&one_sample("counted", base + number, 1.0))).unwrap();
        if heard.status != 204 {
            break heard;
        }
        number += 1;
        assert!(began.elapsed() < Duration::from_secs(60), "the log takes more and more");
    };
    assert_eq!((heard.status, heard.retry_after.is_some()), (503, true), "{}", heard.text);
    assert!(metric(&server, "kafka_backlog_bytes") > 100_000);
    // Not even a restart loses what waits.
    assert!(server.stop());
    broker.restart();
    let server = Server::start(folder.path(), &limit);
    wait("it takes requests again", || {
        let request = one_sample("counted", base + number, 1.0);
        server.send(V1, &pack(&request)).unwrap().status == 204
    });
    wait_delivered(&server);
    assert_eq!(
        (metric(&server, "kafka_dropped_records_total"), metric(&server, "kafka_refused_messages_total")),
        (0, 0)
    );
    assert!(server.stop());
    let times: Vec<i64> =
        read_once(&broker).iter().map(|message| series(message).1.samples[0].timestamp - base).collect();
    assert_eq!(times, (0..=number).collect::<Vec<_>>());
}

/// While Kafka is away, all rows come into files, and senders do not send so old requests again. Then only Kafka needs the log.
#[test]
fn a_start_keeps_old_segments_that_kafka_does_not_have() {
    let folder = tempfile::tempdir().unwrap();
    let mut broker = Broker::start();
    broker.kill();
    let option = option(&broker);
    let options = ["--segment=1KiB", "--seal-after=20ms", &option];
    let server = Server::start(folder.path(), &options);
    let base = now() - 60_000;
    for number in 0..40 {
        assert_eq!(server.send(V1, &pack(&one_sample("counted", base + number, 1.0))).unwrap().status, 204);
    }
    server.wait_sealed();
    assert!(server.stop());
    date_segments(folder.path(), -3_600_000);
    broker.restart();
    let server = Server::start(folder.path(), &options);
    wait_delivered(&server);
    assert!(server.stop());
    let times: Vec<i64> =
        read_once(&broker).iter().map(|message| series(message).1.samples[0].timestamp - base).collect();
    assert_eq!(times, (0..40).collect::<Vec<_>>());
}

/// A segment that is longer than what may wait stays open while all of it is delivered.
#[test]
fn what_is_delivered_does_not_wait() {
    let folder = tempfile::tempdir().unwrap();
    let broker = Broker::start();
    let server = Server::start(folder.path(), &["--segment=8MiB", "--kafka-max-backlog=64KiB", &option(&broker)]);
    let base = now() - 60_000;
    for number in 0..1000 {
        let request = pack(&one_sample("counted", base + number, 1.0));
        wait("it takes requests", || server.send(V1, &request).unwrap().status == 204);
    }
    wait_delivered(&server);
    let log = std::fs::read_dir(folder.path().join("log")).unwrap();
    let longest = log.map(|segment| segment.unwrap().metadata().unwrap().len()).max();
    assert!(longest > Some(65_536), "{longest:?}");
    wait("nothing waits", || metric(&server, "kafka_backlog_bytes") == 0);
    assert_eq!(server.send(V1, &pack(&one_sample("last", base, 1.0))).unwrap().status, 204);
}

#[test]
fn what_is_dropped_is_counted_and_in_the_files() {
    let folder = tempfile::tempdir().unwrap();
    let mut broker = Broker::start();
    broker.kill();
    let option = option(&broker);
    let options = ["--segment=16KiB", "--kafka-max-backlog=64KiB", "--kafka-full=drop", "--seal-after=20ms", &option];
    let server = Server::start(folder.path(), &options);
    let base = now() - 60_000;
    let mut number = 0;
    let began = Instant::now();
    while metric(&server, "kafka_dropped_records_total") == 0 {
        for _ in 0..100 {
            assert_eq!(server.send(V1, &pack(&one_sample("counted", base + number, 1.0))).unwrap().status, 204);
            number += 1;
        }
        assert!(began.elapsed() < Duration::from_secs(60), "nothing is dropped");
    }
    broker.restart();
    wait_delivered(&server);
    let dropped = metric(&server, "kafka_dropped_records_total");
    assert!(server.stop());
    let times: Vec<i64> =
        read_once(&broker).iter().map(|message| series(message).1.samples[0].timestamp - base).collect();
    // The newest are there, without a gap. Records of the log are requests and marks.
    assert_eq!(times, (number - times.len() as i64..number).collect::<Vec<_>>());
    assert!(times.len() as i64 + dropped >= number, "{} and {dropped} of {number}", times.len());
    assert_eq!(samples(folder.path()).len() as i64, number);
}

#[test]
fn long_series_become_several_messages_and_one_that_no_broker_takes_stops_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let broker = Broker::start();
    let properties = folder.path().join("kafka.properties");
    std::fs::write(&properties, "message.max.bytes=1000000\nlinger.ms=1\n").unwrap();
    let file = format!("--kafka-properties={}", properties.display());
    let server =
        Server::start(&folder.path().join("data"), &["--tenant-header=X-Scope-OrgID", &option(&broker), &file]);
    let base = now() - 3_600_000;
    let mut request = one_sample("long", base, 0.0);
    request.timeseries[0].samples =
        (0..30_000).map(|number| v1::Sample { value: number as f64, timestamp: base + number }).collect();
    let headers = [("Content-Type", V1), ("Content-Encoding", "snappy"), ("X-Scope-OrgID", "team")];
    let send = |request: &v1::WriteRequest| assert_eq!(server.send_as(&headers, &pack(request)).unwrap().status, 204);
    send(&request);
    // A label that is too long for a message.
    let mut request = one_sample("large", base, 0.0);
    request.timeseries[0].labels.push(label("x", &"x".repeat(1_200_000)));
    send(&request);
    send(&one_sample("after", base, 0.0));
    wait_delivered(&server);
    assert_eq!(metric(&server, "kafka_refused_messages_total"), 1);
    server.wait_said("a message is too large for Kafka");
    assert!(server.stop());
    let messages = read_once(&broker);
    assert!(messages.iter().all(|message| message.header("tenant") == "team"));
    let long: Vec<&Read> = messages.iter().filter(|message| series(message).0["__name__"] == "long").collect();
    let parts: Vec<&str> = long.iter().map(|message| message.header("part")).collect();
    assert!(parts.len() > 2 && parts[..3] == ["", "1", "2"], "{parts:?}");
    let samples = long.iter().flat_map(|message| series(message).1.samples);
    assert!(samples.map(|sample| sample.timestamp - base).eq(0..30_000));
    assert!(messages.iter().any(|message| series(message).0["__name__"] == "after"));
}

#[test]
fn wrong_settings_are_said_at_the_start() {
    let folder = tempfile::tempdir().unwrap();
    let properties = folder.path().join("kafka.properties");
    for (text, why) in [("acks=0", "sets `acks` itself"), ("no.such=1", "no.such"), ("linger.ms=often", "linger.ms")] {
        std::fs::write(&properties, text).unwrap();
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_remote-write"));
        command
            .args(["serve", "--listen=127.0.0.1:0", "--kafka=127.0.0.1:1", "--data"])
            .arg(folder.path().join("data"));
        command.arg(format!("--kafka-properties={}", properties.display()));
        let server = spawn(command.stderr(std::process::Stdio::piped())).wait_with_output().unwrap();
        let said = String::from_utf8(server.stderr).unwrap();
        assert_eq!(server.status.code(), Some(1), "{said}");
        assert!(said.lines().last().unwrap().contains(why), "{said}");
    }
}
