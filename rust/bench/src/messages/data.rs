//! Seeded inputs, encoded by the stock runtime.

use prost::Message;

use super::generated::prost::{
    AnyValue, ArrayValue, KeyValue, Listing, LogRecord, LogsRequest, Node, Packed, Peer, Point, Quality, Resource,
    ResourceLogs, Scope, ScopeLogs, Severity, Span, any_value::Value,
};
use crate::random::Random;

/// Returns lower-case words of `len` bytes in all.
fn text(r: &mut Random, len: u64) -> String {
    (0..len).map(|i| if i % 7 == 6 { ' ' } else { char::from(b'a' + r.below(26) as u8) }).collect()
}

fn bytes(r: &mut Random, len: usize) -> Vec<u8> {
    (0..len).map(|_| r.next() as u8).collect()
}

/// Returns a value in five cases of six.
fn often<T>(r: &mut Random, value: impl FnOnce(&mut Random) -> T) -> Option<T> {
    (r.below(6) > 0).then(|| value(r))
}

fn flag(r: &mut Random) -> Option<bool> {
    often(r, |r| r.below(2) == 1)
}

/// Returns a number of random length; seldom a negative one, which takes ten bytes.
fn number(r: &mut Random) -> Option<i32> {
    often(r, |r| {
        let value = (r.any_length() >> 33) as i32;
        if r.below(50) == 0 { -value } else { value }
    })
}

fn short_text(r: &mut Random) -> Option<String> {
    often(r, |r| {
        let len = 4 + r.below(24);
        text(r, len)
    })
}

pub fn listings() -> Vec<Vec<u8>> {
    let mut r = Random::new();
    (0..256).map(|_| listing(&mut r).encode_to_vec()).collect()
}

fn listing(r: &mut Random) -> Listing {
    Listing {
        id: text(r, 12),
        rank: number(r),
        clicks: number(r),
        title: text(r, 31),
        shards: (0..r.below(4)).map(|_| r.next()).collect(),
        cached: flag(r),
        url: short_text(r),
        verified: flag(r),
        host: short_text(r),
        score: number(r),
        adult: flag(r),
        local: flag(r),
        quality: often(r, quality),
        crawled: number(r),
        language: number(r),
        country: short_text(r),
        mobile: flag(r),
        secure: flag(r),
        retries: number(r),
        region: number(r),
        etag: short_text(r),
        compressed: flag(r),
        fingerprint: often(r, Random::next),
        sitemap: flag(r),
        depth: number(r),
        fetch_ms: number(r),
        redirect: flag(r),
        robots: flag(r),
        weight: number(r),
        position: number(r),
        page: number(r),
        snippet: short_text(r),
        author: short_text(r),
        pixels: number(r),
        bytes: number(r),
        links: number(r),
        anchor: short_text(r),
        words: number(r),
        images: number(r),
        checksum: number(r),
        variant: number(r),
        version: number(r),
    }
}

fn quality(r: &mut Random) -> Quality {
    Quality {
        links: number(r),
        text: number(r),
        spam: flag(r),
        reason: short_text(r),
        model: often(r, Random::next),
        topic: short_text(r),
        entity: short_text(r),
        embedding: often(r, |r| bytes(r, 24)),
        freshness: number(r),
        reviewed: flag(r),
        authority: number(r),
        bucket: often(r, |r| r.next() as u32),
        pinned: flag(r),
        updated: often(r, Random::any_length),
        votes: number(r),
        editor: short_text(r),
        expires: often(r, Random::any_length),
        seen: often(r, Random::any_length),
        total: often(r, Random::any_length),
    }
}

fn attribute(key: &str, value: Value) -> KeyValue {
    KeyValue { key: key.into(), value: Some(AnyValue { value: Some(value) }) }
}

/// 1,000 records of five services.
pub fn logs() -> Vec<u8> {
    let r = &mut Random::new();
    let resource_logs = (0..5).map(|service| ResourceLogs {
        resource: Some(Resource {
            attributes: vec![
                attribute("service.name", Value::StringValue(format!("service-{service}"))),
                attribute("service.instance.id", Value::StringValue(text(r, 36))),
                attribute("host.name", Value::StringValue(format!("host-{}", r.below(900)))),
                attribute("process.pid", Value::IntValue(r.below(65_536) as i64)),
            ],
            dropped_attributes_count: 0,
        }),
        scope_logs: (0..2)
            .map(|scope| ScopeLogs {
                scope: Some(Scope { name: format!("library.{scope}"), version: "1.4.2".into(), ..Scope::default() }),
                log_records: (0..100).map(|_| log_record(r)).collect(),
                schema_url: "https://example.org/schemas/1.26.0".into(),
            })
            .collect(),
        schema_url: String::new(),
    });
    LogsRequest { resource_logs: resource_logs.collect() }.encode_to_vec()
}

fn log_record(r: &mut Random) -> LogRecord {
    let time = 1_795_250_863_868_000_000 + r.below(1 << 36);
    let (number, name) = r.pick(&[
        (Severity::Debug, "DEBUG"),
        (Severity::Info, "INFO"),
        (Severity::Info, "INFO"),
        (Severity::Error, "ERROR"),
    ]);
    let len = 40 + r.below(100);
    let mut attributes = vec![
        attribute("http.request.method", Value::StringValue(r.pick(&["GET", "GET", "POST", "PUT"]).into())),
        attribute("http.response.status_code", Value::IntValue(r.pick(&[200, 200, 200, 204, 404, 503]))),
        attribute("url.path", Value::StringValue(format!("/api/v1/{}", text(r, 6)))),
        attribute("duration_ms", Value::DoubleValue(r.below(1 << 20) as f64 / 1024.0)),
        attribute("cached", Value::BoolValue(r.below(2) == 1)),
    ];
    if r.below(8) == 0 {
        let values = (0..4).map(|_| AnyValue { value: Some(Value::StringValue(text(r, 9))) }).collect();
        attributes.push(attribute("tags", Value::ArrayValue(ArrayValue { values })));
    }
    LogRecord {
        time_unix_nano: time,
        severity_number: number as i32,
        severity_text: name.into(),
        body: Some(AnyValue { value: Some(Value::StringValue(text(r, len))) }),
        attributes,
        dropped_attributes_count: 0,
        flags: 1,
        trace_id: bytes(r, 16),
        span_id: bytes(r, 8),
        observed_time_unix_nano: time + r.below(1 << 24),
        event_name: String::new(),
    }
}

pub fn packed() -> Vec<u8> {
    let r = &mut Random::new();
    Packed {
        small: (0..1000).map(|_| r.below(128) as i32).collect(),
        large: (0..1000).map(|_| r.any_length() as i64).collect(),
        counts: (0..1000).map(|_| (r.any_length() >> 32) as u32).collect(),
        deltas: (0..1000).map(|_| r.below(2000) as i64 - 1000).collect(),
        flags: (0..1000).map(|_| r.below(2) == 1).collect(),
        hashes: (0..1000).map(|_| r.next() as u32).collect(),
        values: (0..1000).map(|_| r.below(1 << 40) as f64 / 1024.0).collect(),
    }
    .encode_to_vec()
}

/// The wire form of `Maps`: entries in a list, so that their order does not depend on a hash function.
#[derive(Clone, PartialEq, Message)]
struct MapsOnTheWire {
    #[prost(message, repeated, tag = "1")]
    labels: Vec<StringEntry>,
    #[prost(message, repeated, tag = "2")]
    counters: Vec<CounterEntry>,
    #[prost(message, repeated, tag = "3")]
    points: Vec<PointEntry>,
}

#[derive(Clone, PartialEq, Message)]
struct StringEntry {
    #[prost(string, tag = "1")]
    key: String,
    #[prost(string, tag = "2")]
    value: String,
}

#[derive(Clone, PartialEq, Message)]
struct CounterEntry {
    #[prost(string, tag = "1")]
    key: String,
    #[prost(int64, tag = "2")]
    value: i64,
}

#[derive(Clone, PartialEq, Message)]
struct PointEntry {
    #[prost(uint32, tag = "1")]
    key: u32,
    #[prost(message, optional, tag = "2")]
    value: Option<Point>,
}

pub fn maps() -> Vec<u8> {
    let r = &mut Random::new();
    let point = |r: &mut Random| Point { x: r.below(1 << 30) as f64, y: r.below(1 << 30) as f64, name: text(r, 8) };
    MapsOnTheWire {
        labels: (0..200).map(|_| StringEntry { key: text(r, 12), value: text(r, 20) }).collect(),
        counters: (0..200).map(|_| CounterEntry { key: text(r, 16), value: r.any_length() as i64 }).collect(),
        points: (0..200).map(|_| PointEntry { key: r.below(1 << 20) as u32, value: Some(point(r)) }).collect(),
    }
    .encode_to_vec()
}

/// A chain of 80 nodes with a tree of 40 at its end.
pub fn deep() -> Vec<u8> {
    let r = &mut Random::new();
    let mut node = tree(r, 3);
    for _ in 0..80 {
        node = Node { next: Some(Box::new(node)), ..leaf(r) };
    }
    node.encode_to_vec()
}

fn leaf(r: &mut Random) -> Node {
    let len = 6 + r.below(12);
    Node { id: r.below(1 << 40) as i64, name: text(r, len), ..Node::default() }
}

fn tree(r: &mut Random, below: u32) -> Node {
    let children = if below == 0 { Vec::new() } else { (0..3).map(|_| tree(r, below - 1)).collect() };
    Node { children, ..leaf(r) }
}

pub fn spans() -> Vec<Vec<u8>> {
    let mut r = Random::new();
    (0..1024).map(|_| span(&mut r).encode_to_vec()).collect()
}

fn span(r: &mut Random) -> Span {
    let (name, route) = (18 + r.below(16), 30 + r.below(20));
    Span {
        trace_high: r.next(),
        trace_low: r.next(),
        span: r.next(),
        name: text(r, name),
        service: text(r, 14),
        start_ns: 1_795_250_863_868_000_000 + r.below(1 << 40),
        duration_ns: r.below(1 << 30),
        status: r.pick(&[0, 0, 0, 2]),
        route: text(r, route),
        host: format!("host-{}.example.org", r.below(1000)),
        sampled: r.below(4) > 0,
        peer: (r.below(5) > 0).then(|| Peer {
            address: format!("10.{}.{}.{}", r.below(256), r.below(256), r.below(256)),
            port: 1024 + r.below(60_000) as u32,
            zone: "eu-central-1b".into(),
        }),
    }
}
