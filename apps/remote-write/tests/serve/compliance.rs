//! The receiver's part of Prometheus' compliance suite, stricter: status and counts are exact, and whatever was written is
//! read back from the files, every column. All 39 functions, in both versions.

use super::common::*;
use super::compliance_cases::functions;
use super::model::{Expected, Series, counts, request_v1, request_v2, shuffle};
use super::stored::{Row, read};
use std::collections::BTreeSet;

/// The functions that have no rows to compare.
const OTHERS: [&str; 5] = [
    "TestBadContentTypes",
    "TestBadContentEncodings",
    "TestCorruptRequestBody",
    "TestRW1BasicCompatibility",
    "TestRW1ErrorHandling",
];

#[test]
fn requests_are_answered_and_stored() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &["--seal-after=1s", "--workers=2"]);
    let functions = functions(now() - 60_000);
    let names: BTreeSet<&str> = functions.iter().map(|(name, _)| *name).chain(OTHERS).collect();
    assert_eq!(names.len(), 39);
    let mut random = random();
    let mut expected = Expected::default();
    for (function, cases) in &functions {
        for (case, series) in cases {
            for version in [2, 1] {
                let name = format!("{function} {case} {version}.0");
                let mut series = series.clone();
                for sent in &mut series {
                    // So that no two requests have the same series.
                    sent.labels.push(("case".to_owned(), name.clone()));
                    shuffle(&mut sent.labels, &mut random);
                    sent.exemplars.iter_mut().for_each(|exemplar| shuffle(&mut exemplar.0, &mut random));
                }
                send(&server, &name, &series, version);
                expected.add(&series, version == 2);
            }
        }
    }
    server.wait_sealed();
    assert!(server.stop());
    for (kind, rows) in &mut expected.rows {
        rows.sort();
        let found = read(folder.path(), kind);
        for (found, expected) in found.iter().zip(rows.iter()) {
            assert_eq!(found, expected, "{kind}");
        }
        assert_eq!(found.len(), rows.len(), "{kind}");
    }
    assert!(["samples", "histograms", "exemplars"].iter().all(|kind| expected.rows[kind].len() > 100));
    let found: BTreeSet<Row> = read(folder.path(), "metadata").into_iter().collect();
    assert_eq!(found, expected.metadata);
}

/// Sends a request, and checks its answer.
fn send(server: &Server, name: &str, series: &[Series], version: u32) {
    let (content_type, body) = if version == 2 { (V2, request_v2(series)) } else { (V1, request_v1(series)) };
    let heard = server.send(content_type, &snappy(&body)).unwrap();
    let bad = series.iter().filter(|sent| sent.bad).count();
    let status = if bad == 0 { 204 } else { 400 };
    let counts = (version == 2).then(|| counts(series));
    assert_eq!((heard.status, heard.counts), (status, counts), "{name}: {}", heard.text);
    if bad == 0 {
        assert_eq!(heard.text, "", "{name}");
    } else {
        assert!(heard.text.starts_with(&format!("{bad} series were refused")), "{name}: {}", heard.text);
        assert!(heard.text.contains(" at byte ") && heard.text.contains("timeseries["), "{name}: {}", heard.text);
    }
}

/// A generator of numbers below a limit.
fn random() -> impl FnMut(usize) -> usize {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    move |below| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below as u64) as usize
    }
}

/// TestBadContentTypes, TestBadContentEncodings, TestCorruptRequestBody, TestRW1BasicCompatibility, TestRW1ErrorHandling.
#[test]
fn headers_and_damage_are_answered() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &["--seal-after=10ms", "--workers=1"]);
    let series = [super::model::series("m", &[("a", "b")]).sample(1.5, now())];
    let (first, second) = (snappy(&request_v1(&series)), snappy(&request_v2(&series)));
    for content_type in ["application/json", "image/png"] {
        let headers = [("Content-Type", content_type), ("Content-Encoding", "snappy")];
        assert_eq!(server.send_as(&headers, &second).unwrap().status, 415, "{content_type}");
    }
    for encoding in ["gzip", "deflate"] {
        let headers = [("Content-Type", V2), ("Content-Encoding", encoding)];
        assert_eq!(server.send_as(&headers, b"\xff\xff\xff\xff").unwrap().status, 415, "{encoding}");
    }
    for (content_type, body, counts) in [(V2, &second, Some([0; 3])), (V1, &first, None)] {
        for flip in [1u8, 2, 0x40] {
            let mut damaged = body.clone();
            damaged[0] ^= flip;
            let heard = server.send(content_type, &damaged).unwrap();
            assert_eq!((heard.status, heard.counts), (400, counts), "{content_type} {flip} {}", heard.text);
        }
    }
    // Without the header that says 0.1.0.
    let heard = server.send(V1, &first).unwrap();
    assert_eq!((heard.status, heard.counts, heard.text.as_str()), (204, None, ""));
    let heard = server.send(V1, b"no snappy block").unwrap();
    assert_eq!((heard.status, heard.counts), (400, None));
    server.wait_sealed();
    assert!(server.stop());
    let mut expected = Expected::default();
    expected.add(&series, false);
    assert_eq!(read(folder.path(), "samples"), expected.rows["samples"]);
}
