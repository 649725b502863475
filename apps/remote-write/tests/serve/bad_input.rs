//! Bytes that mean harm: the status that the specification asks for, a body that says why and where, and bounded memory.

use super::common::*;
use super::model::{Series, labels, request_v1, request_v2, series};
use super::raw::{answers, connect, exchange, head, peak_memory};
use super::stored::read;
use std::io::Write;
use std::net::Shutdown;
use std::time::{Duration, Instant};

fn field(number: u32, bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    hotpb::wire::append_tag(&mut out, number, hotpb::wire::LEN);
    hotpb::wire::append_bytes(&mut out, bytes);
    out
}

/// Bombs and floods of a few megabytes: refused, in memory that the limits bound.
#[test]
fn bombs_and_floods_cost_bounded_memory() {
    let folder = tempfile::tempdir().unwrap();
    let options = [
        "--workers=1",
        "--seal-after=10ms",
        "--max-body=4MiB",
        "--memory=128MiB",
        "--max-rows=50000",
        "--max-label-names=64",
    ];
    let server = Server::start(folder.path(), &options);
    let good = [series("m", &[("a", "b")]).sample(1.0, now())];
    assert_eq!(server.send(V1, &snappy(&request_v1(&good))).unwrap().status, 204);
    let before = peak_memory(&server);

    // A zero, and copies of it, 64 at a time: three bytes each.
    let zeros = |declared: usize, copies: usize| {
        let mut block = Vec::new();
        hotpb::wire::append_varint(&mut block, declared as u64);
        block.extend([0, 0]);
        block.extend([0xfe, 1, 0].repeat(copies));
        block
    };
    let many = 1_300_000;
    let (bomb, lying, fits) = (zeros(1 + 64 * many, many), zeros(1000, many), zeros(1 + 64 * 65_535, 65_535));
    let named = |rest: &[Vec<u8>]| {
        let name = field(1, &[field(1, b"__name__"), field(2, b"m")].concat());
        snappy(&field(1, &[&[name][..], rest].concat().concat()))
    };
    let label = |n: usize| field(1, &[field(1, format!("l{n:06}").as_bytes()), field(2, b"x")].concat());
    let one_each: Vec<Series> = (0..2000).map(|n| series("m", &[(&format!("n{n}"), "x")]).sample(0.0, now())).collect();
    let symbols = [field(4, b"").repeat(1_000_000), field(5, b"")].concat();
    let references = [field(4, b""), field(5, &field(1, &vec![0; 3 << 20]))].concat();
    let requests = [
        (V1, "a block of 4 GiB", b"\xff\xff\xff\xff\x0f\x00\x00".to_vec(), 413, "longer than 4194304 bytes"),
        (V1, "a bomb", bomb, 413, "longer than 4194304 bytes"),
        (V1, "a bomb that lies", lying, 400, "snappy block"),
        (V2, "as long as allowed", fits, 400, "malformed: InvalidTag at byte 0"),
        (V1, "samples", named(&[field(2, b"").repeat(1_000_000)]), 400, "more than 50000 rows in one request"),
        (V1, "exemplars", named(&[field(3, b"").repeat(1_000_000)]), 400, "more than 50000 rows in one request"),
        (V1, "histograms", named(&[field(4, b"").repeat(1_000_000)]), 400, "more than 50000 rows in one request"),
        (V1, "buckets", named(&[field(4, &field(9, &vec![0; 3 << 20]))]), 400, "more than 50000 rows in one request"),
        (V1, "labels", named(&(0..100_000).map(label).collect::<Vec<_>>()), 400, "the series has too many labels"),
        (V1, "empty labels", named(&[field(1, b"").repeat(1_000_000)]), 400, "the series has too many labels"),
        (V1, "label names", snappy(&request_v1(&one_each)), 204, ""),
        (V2, "symbols", snappy(&symbols), 400, "more than 50000 rows in one request"),
        (V2, "references", snappy(&references), 400, "the series has too many labels"),
        (V1, "series", snappy(&field(1, b"").repeat(1_000_000)), 400, "more than 50000 rows in one request"),
        (V2, "series of 2.0", snappy(&field(5, b"").repeat(1_000_000)), 400, "more than 50000 rows in one request"),
    ];
    for round in 0..2 {
        for (content_type, name, body, status, text) in &requests {
            assert!(body.len() <= 4 << 20, "{name}");
            let heard = server.send(content_type, body).unwrap();
            assert_eq!(heard.status, *status, "{name}, round {round}: {}", heard.text);
            assert!(heard.text.contains(text), "{name}: {}", heard.text);
            assert!(heard.text.len() < 8 << 10, "{name}: an answer of {} bytes", heard.text.len());
        }
    }
    let grown = peak_memory(&server) - before;
    assert!(grown < 96 << 20, "{} MiB more", grown >> 20);
    // The server is as it was.
    let good = [series("n", &[("a", "b")]).sample(1.0, now())];
    assert_eq!(server.send(V2, &snappy(&request_v2(&good))).unwrap().status, 204);
    assert!(server.stop());
}

/// Requests that end early, or lie about their length, do not reach the log.
#[test]
fn half_requests_and_wrong_lengths_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &["--workers=1", "--seal-after=10ms", "--max-body=1MiB"]);
    let body = snappy(&request_v1(&[series("half", &[]).sample(1.0, now())]));
    let request = |headers: &[&str], body: &[u8]| [head("POST", "/api/v1/write", headers), body.to_vec()].concat();
    let close = "Connection: close";
    // Half of a body, and half of the headers: nobody is there to hear an answer.
    for bytes in [request(&["Content-Length: 1000"], &body), b"POST /api/v1/write HTTP/1.1\r\nHost:".to_vec()] {
        let mut stream = connect(&server);
        stream.write_all(&bytes).unwrap();
        stream.shutdown(Shutdown::Both).unwrap();
    }
    let shorter = format!("Content-Length: {}", body.len() - 1);
    let chunk = |len: &str| [format!("{len}\r\n").as_bytes(), &body, b"\r\n0\r\n\r\n"].concat();
    let long = format!("Content-Length: {}", 99u64 << 30);
    for (name, bytes, status) in [
        ("a length that is too small", request(&[&shorter, close], &body), 400),
        ("a negative length", request(&["Content-Length: -1", close], &body), 400),
        ("no number", request(&["Content-Length: ten", close], &body), 400),
        ("a number of 80 bits", request(&["Content-Length: 1208925819614629174706175", close], &body), 400),
        ("two lengths", request(&["Content-Length: 5", "Content-Length: 9", close], &body), 400),
        ("a chunk without a length", request(&["Transfer-Encoding: chunked", close], &chunk("zz")), 400),
        ("99 GiB declared", request(&[&long, close], &body), 413),
        ("no request", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n".to_vec(), 400),
        ("many headers", request(&["X: y"; 200], &body), 431),
    ] {
        let heard = exchange(&server, &bytes);
        assert_eq!(heard.statuses, [status], "{name}: {}", heard.text);
    }
    // A body in chunks that is longer than the limit, without saying so.
    let mut stream = connect(&server);
    stream.write_all(&request(&["Transfer-Encoding: chunked", close], b"")).unwrap();
    let piece = [format!("{:x}\r\n", 64 << 10).into_bytes(), vec![0; 64 << 10], b"\r\n".to_vec()].concat();
    for _ in 0..64 {
        if stream.write_all(&piece).is_err() {
            break;
        }
    }
    let heard = answers(&mut stream);
    assert!(heard.statuses == [413] || heard.statuses.is_empty(), "{}", heard.text);
    // A whole request in chunks is one.
    let whole = format!("{:x}", body.len());
    let heard = exchange(&server, &request(&["Transfer-Encoding: chunked", close], &chunk(&whole)));
    assert_eq!(heard.statuses, [204], "{}", heard.text);
    server.wait_sealed();
    assert!(server.stop());
    assert_eq!(read(folder.path(), "samples").len(), 1);
}

/// Where a proxy lost the parameter of the type, or a sender states the wrong one, nothing would be kept.
#[test]
fn bodies_of_the_other_version_are_refused_and_counted() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &["--workers=1"]);
    let rows = [series("m", &[]).sample(1.0, now())];
    let (first, second) = (snappy(&request_v1(&rows)), snappy(&request_v2(&rows)));
    let plain = "application/x-protobuf";
    for (content_type, body, text) in [
        (plain, &second, "fields of remote write 2.0 and none of 1.0, which Content-Type states, or has no proto="),
        (V1, &second, "fields of remote write 2.0 and none of 1.0"),
        (V2, &first, "fields of remote write 1.0 and none of 2.0, which Content-Type states"),
    ] {
        let heard = server.send(content_type, body).unwrap();
        assert_eq!(heard.status, 415, "{content_type}: {}", heard.text);
        assert!(heard.text.contains(text), "{content_type}: {}", heard.text);
    }
    let metrics = server.get("/metrics").text;
    assert!(metrics.contains("hotpb_rw_refused_requests_total{kind=\"other version\"} 3\n"), "{metrics}");
    assert_eq!(server.send(plain, &first).unwrap().status, 204);
    assert_eq!(server.send(V2, &second).unwrap().status, 204);
    assert!(server.stop());
}

/// While one sender's bytes take all the room for bodies, another one is refused for now; afterwards there is room again.
/// What a sender only declares takes no room.
#[test]
fn requests_without_room_are_asked_to_come_back() {
    let folder = tempfile::tempdir().unwrap();
    let server =
        Server::start(folder.path(), &["--workers=1", "--seal-after=10ms", "--max-body=60KiB", "--memory=512KiB"]);
    let body = snappy(&request_v1(&[series("m", &[]).sample(1.0, now())]));
    let mut slow = connect(&server);
    slow.write_all(&[head("POST", "/api/v1/write", &["Content-Length: 60000"]), body.clone()].concat()).unwrap();
    assert_eq!(server.send(V1, &body).unwrap().status, 204);
    slow.write_all(&[0; 40_000]).unwrap();
    let until = Instant::now() + Duration::from_secs(20);
    while !server.get("/metrics").text.contains("\nhotpb_rw_in_flight_bytes 65536\n") {
        assert!(Instant::now() < until, "the slow request holds no room");
        std::thread::sleep(Duration::from_millis(10));
    }
    let heard = server.send(V2, &snappy(&request_v2(&[series("n", &[]).sample(1.0, now())]))).unwrap();
    assert_eq!((heard.status, heard.counts), (503, Some([0; 3])), "{}", heard.text);
    let seconds: u32 = heard.retry_after.unwrap().parse().unwrap();
    assert!((1..=30).contains(&seconds));
    slow.shutdown(Shutdown::Both).unwrap();
    assert_eq!(server.send(V1, &body).unwrap().status, 204);
    server.wait_sealed();
    assert!(server.stop());
    let found: Vec<String> = read(folder.path(), "samples").iter().map(|row| row["__name__"].clone()).collect();
    assert_eq!(found, ["m"]);
}

#[test]
fn strings_that_are_not_utf_8_are_refused_with_their_place() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &["--workers=1"]);
    let good = Series { labels: labels(&[("__name__", "good")]), ..Series::default() }.sample(1.0, now());
    let marked = [good, series("marked", &[("job", "@@@@")]).sample(1.0, now())];
    for (content_type, mut body, path) in
        [(V1, request_v1(&marked), "timeseries[1].labels[1].value"), (V2, request_v2(&marked), "symbols[5]")]
    {
        let at = body.windows(4).position(|window| window == b"@@@@").unwrap();
        body[at + 2] = 0xff;
        let heard = server.send(content_type, &snappy(&body)).unwrap();
        assert_eq!(heard.status, 400);
        assert!(heard.text.contains(&format!("malformed: InvalidUtf8 at byte {}: {path}", at + 2)), "{}", heard.text);
    }
    assert!(server.stop());
    assert_eq!(read(folder.path(), "samples").len(), 0);
}
