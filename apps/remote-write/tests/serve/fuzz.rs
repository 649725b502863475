//! Any headers and any body: an answer that the protocol has, never a 5xx, never a panic, in bounded memory.
//! `REMOTE_WRITE_FUZZ_SECONDS` sets the duration, `REMOTE_WRITE_FUZZ_SEED` the requests.

use super::common::{V1, V2, snappy};
use super::library::mutate::{Rng, mutate};
use super::library::random::Making;
use super::otlp::{JSON, gzip};
use super::otlp_messages::Status;
use super::otlp_random;
use super::stored::read;
use axum::body::Body;
use axum::http::{Request, header};
use prost::Message;
use remote_write_server::config::Config;
use remote_write_server::http::router;
use remote_write_server::live::Live;
use remote_write_server::server::Server;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tower::ServiceExt;

/// The most memory that the test's process may use, with everything that tests in other threads use.
const MEMORY: u64 = 1 << 30;

fn number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

const TYPES: [&str; 9] = [
    V1,
    V2,
    "application/x-protobuf; proto=\"io.prometheus.write.v2.Request\"",
    "application/x-protobuf;proto=prometheus.WriteRequest;x=y",
    "application/json",
    "application/x-protobuf;proto=",
    ";;==\"",
    "application/x-protobuf;proto=io.prometheus.write.v3.Request",
    "",
];
const ENCODINGS: [&str; 5] = ["snappy", "SNAPPY ", "gzip", "snappy, snappy", ""];

#[test]
fn any_request_gets_an_answer_of_the_protocol() {
    check(&[]);
}

#[test]
fn any_request_gets_an_answer_with_the_other_options_of_otlp() {
    check(&[
        "--otlp-promote-all",
        "--otlp-promote-except=le",
        "--otlp-histograms=custom",
        "--otlp-scope",
        "--otlp-delta=keep",
    ]);
}

/// Sends random requests to a server with these options, for half of the time.
fn check(more: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().to_str().unwrap();
    let options =
        ["--durability=os", "--seal-after=300ms", "--accept-past=99999d", "--max-body=16KiB", "--max-rows=3000"];
    let args = ["remote-write", "serve", "--workers=2", "--data", data].into_iter().chain(options);
    let args = args.chain(more.iter().copied());
    let config = Config::load(&args.map(OsString::from).collect::<Vec<_>>()).unwrap();
    let start = || Server::start(&config.serve, Arc::new(Live::new(&config).unwrap()), None).unwrap();
    let server = start();
    let router = router(Arc::clone(&server.shared));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let until = Instant::now() + Duration::from_secs(number("REMOTE_WRITE_FUZZ_SECONDS", 2)) / 2;
    let mut rng = Rng::new(number("REMOTE_WRITE_FUZZ_SEED", 11));
    let (mut statuses, mut requests) = (BTreeMap::<u16, u64>::new(), 0u64);
    let mut exported = BTreeMap::<u16, u64>::new();
    while Instant::now() < until {
        let faulty = rng.below(2) == 0;
        let mut making = Making { rng: &mut rng, faulty };
        let (v1, v2) = (making.v1().encode_to_vec(), making.v2().encode_to_vec());
        let otlp = [otlp_random::request(&mut rng).encode_to_vec(), otlp_random::json(&mut rng).into_bytes()];
        for _ in 0..10 {
            let (content_type, encoding, body) = otlp_request(&mut rng, &otlp);
            let status = runtime.block_on(export(router.clone(), content_type, encoding, body.clone()));
            assert!([200, 400, 413, 415].contains(&status), "{status}: {content_type} {encoding} {body:02x?}");
            *exported.entry(status).or_default() += 1;
        }
        for _ in 0..20 {
            let (content_type, encoding, body) = request(&mut rng, &v1, &v2);
            let status = runtime.block_on(async {
                let mut request = Request::post("/api/v1/write");
                if !content_type.is_empty() {
                    request = request.header(header::CONTENT_TYPE, content_type);
                }
                if !encoding.is_empty() {
                    request = request.header(header::CONTENT_ENCODING, encoding);
                }
                let response = router.clone().oneshot(request.body(Body::from(body.clone())).unwrap()).await.unwrap();
                let (parts, body) = response.into_parts();
                let text = axum::body::to_bytes(body, 1 << 20).await.unwrap();
                let counts = ["samples", "histograms", "exemplars"]
                    .map(|kind| parts.headers.contains_key(format!("x-prometheus-remote-write-{kind}-written")));
                let text = std::str::from_utf8(&text).unwrap();
                // A body of 1.0 is refused after it was read, as one of 2.0.
                let read = parts.status.as_u16() != 415 || text.contains("which Content-Type states");
                let two = content_type.contains("write.v2.Request") && read;
                assert_eq!(counts, [two; 3], "{content_type} {}", parts.status);
                assert_eq!(text.is_empty(), parts.status.as_u16() == 204, "{text}");
                parts.status.as_u16()
            });
            assert!([204, 400, 413, 415].contains(&status), "{status}: {content_type} {encoding} {body:02x?}");
            *statuses.entry(status).or_default() += 1;
            requests += 1;
        }
        let memory = resident();
        assert!(memory < MEMORY, "{} MiB after {requests} requests", memory >> 20);
    }
    println!("{requests} requests, by status {statuses:?}; OTLP: {exported:?}; {} MiB", resident() >> 20);
    assert_eq!((statuses.len(), exported.len()), (4, 4), "{statuses:?} {exported:?}");
    drop(router);
    drop(runtime);
    server.stop().unwrap();
    // What was written to files can be read.
    _ = read(folder.path(), "samples");
    // A new start reads the log back.
    start().stop().unwrap();
}

/// Returns a type, an encoding and a body; most of them are nearly right.
fn request(rng: &mut Rng, v1: &[u8], v2: &[u8]) -> (&'static str, &'static str, Vec<u8>) {
    let two = rng.below(2) == 1;
    let (this, second) = if two { (v2, v1) } else { (v1, v2) };
    let content_type = if rng.below(20) == 0 { TYPES[rng.below(TYPES.len())] } else { TYPES[usize::from(two)] };
    let encoding = if rng.below(20) == 0 { ENCODINGS[rng.below(ENCODINGS.len())] } else { ENCODINGS[0] };
    let bytes = if rng.below(3) == 0 { this.to_vec() } else { mutate(rng, this, second) };
    let body = match rng.below(12) {
        0 => mutate(rng, &snappy(&bytes), b"\xff\xff\xff\xff\x0f\x00\xfe\xff\xff"),
        1 => bytes,
        2 => snappy(&bytes.repeat(1 + rng.below(40))),
        _ => snappy(&bytes),
    };
    (content_type, encoding, body)
}

/// Sends a request of OTLP, and checks the form of the answer.
async fn export(router: axum::Router, content_type: &str, encoding: &str, body: Vec<u8>) -> u16 {
    let request = Request::post("/v1/metrics")
        .header(header::CONTENT_TYPE, content_type)
        .header(header::CONTENT_ENCODING, encoding)
        .body(Body::from(body));
    let response = router.oneshot(request.unwrap()).await.unwrap();
    let (parts, body) = response.into_parts();
    let body = axum::body::to_bytes(body, 1 << 20).await.unwrap();
    let form = parts.headers[header::CONTENT_TYPE].to_str().unwrap();
    match (form == JSON, parts.status.as_u16()) {
        (true, 200) => drop(serde_json::from_slice::<serde_json::Value>(&body).unwrap()),
        (false, 200) => drop(super::otlp_messages::Response::decode(&*body).unwrap()),
        (true, _) => {
            let status: serde_json::Value = serde_json::from_slice(&body).unwrap();
            assert!(!status["message"].as_str().unwrap().is_empty(), "{status}");
        }
        (false, _) => assert!(!Status::decode(&*body).unwrap().message.is_empty()),
    }
    parts.status.as_u16()
}

/// Returns a type, an encoding and a body of OTLP.
fn otlp_request(rng: &mut Rng, bodies: &[Vec<u8>; 2]) -> (&'static str, &'static str, Vec<u8>) {
    let json = rng.below(2);
    let this = &bodies[json];
    let bytes = match rng.below(4) {
        0 | 1 => this.clone(),
        2 => mutate(rng, this, &bodies[1 - json]),
        _ => this.repeat(1 + rng.below(60)),
    };
    let types = [V1, JSON];
    let content_type = if rng.below(20) == 0 { TYPES[rng.below(TYPES.len())] } else { types[json] };
    let (encoding, body) = match rng.below(12) {
        0 => ("snappy", snappy(&bytes)),
        1 => ("gzip", mutate(rng, &gzip(&bytes), b"\x1f\x8b\x08\x00\xff\xff")),
        2..=5 => ("gzip", gzip(&bytes)),
        6 => ("identity", bytes),
        _ => ("", bytes),
    };
    (content_type, encoding, body)
}

fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() << 10
}
