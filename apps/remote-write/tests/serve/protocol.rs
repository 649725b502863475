//! Requests, one by one: what the specifications ask for, and what the server answers.

use super::common::*;
use std::collections::BTreeMap;

fn start() -> (tempfile::TempDir, Server) {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &["--seal-after=1ms", "--accept-past=99999d", "--max-body=1MiB"]);
    (folder, server)
}

/// What a real Prometheus sent, in both versions, is in the files to the last bit.
#[test]
fn captured_requests_come_back_from_the_files() {
    use prost::Message;
    let inflate = |block: &[u8]| snap::raw::Decoder::new().decompress_vec(block).unwrap();
    let mut expected = BTreeMap::new();
    for series in v1::WriteRequest::decode(&inflate(&capture(1))[..]).unwrap().timeseries {
        let labels: BTreeMap<_, _> = series.labels.into_iter().map(|label| (label.name, label.value)).collect();
        for sample in series.samples {
            expected.insert((labels.clone(), sample.timestamp), sample.value.to_bits());
        }
    }
    for series in v2::Request::decode(&inflate(&capture(2))[..]).map(|r| (r.symbols, r.timeseries)).into_iter() {
        let (symbols, all) = series;
        for series in all {
            let word = |at: u32| symbols[at as usize].clone();
            let labels: BTreeMap<_, _> =
                series.labels_refs.chunks(2).map(|pair| (word(pair[0]), word(pair[1]))).collect();
            for sample in series.samples {
                expected.insert((labels.clone(), sample.timestamp), sample.value.to_bits());
            }
        }
    }
    let (folder, server) = start();
    assert_eq!(server.send(V1, &capture(1)).unwrap().status, 204);
    let heard = server.send(V2, &capture(2)).unwrap();
    assert_eq!((heard.status, heard.counts), (204, Some([788, 0, 0])));
    server.wait_sealed();
    // Retries get the same answer, and add nothing.
    assert_eq!(server.send(V2, &capture(2)).unwrap(), heard);
    assert!(server.stop());
    let found = samples(folder.path());
    // The rows of 2.0 are among those of 1.0; on a busy machine they come into another file.
    assert!([expected.len(), expected.len() + 788].contains(&found.len()), "{} rows", found.len());
    for row in found {
        assert_eq!(expected.get(&(row.labels.clone(), row.time)), Some(&row.value), "{row:?}");
    }
}

#[test]
fn headers_and_bodies_that_are_wrong_are_refused() {
    let (folder, server) = start();
    let body = capture(2);
    let status = |headers: &[(&str, &str)], body: &[u8]| {
        let heard = server.send_as(headers, body).unwrap();
        (heard.status, heard.text)
    };
    let snappy_of = |content_type| [("Content-Type", content_type), ("Content-Encoding", "snappy")];
    for content_type in ["application/json", "image/png", "application/x-protobuf;proto=prometheus.v9"] {
        let (code, text) = status(&snappy_of(content_type), &body);
        assert_eq!(code, 415);
        assert!(text.contains("io.prometheus.write.v2.Request"), "{text}");
    }
    for encoding in ["gzip", "deflate"] {
        let (code, text) = status(&[("Content-Type", V2), ("Content-Encoding", encoding)], &[0xff; 9]);
        assert!(code == 415 && text.contains("snappy"), "{text}");
    }
    let mut damaged = body.clone();
    damaged[0] ^= 1;
    for (body, part) in [
        (&damaged[..], "snappy block"),
        (&[], "snappy block"),
        (b"\xff\x06\x00\x00sNaPpY....", "framed format"),
        (&snappy(b"\x2a\x05\x08\x01\x10")[..], "malformed: Truncated at byte"),
        (&snappy(b"\x22\x01\xff")[..], "malformed: InvalidUtf8 at byte 2: symbols[0]"),
    ] {
        let heard = server.send(V2, body).unwrap();
        assert_eq!((heard.status, heard.counts), (400, Some([0, 0, 0])), "{heard:?}");
        assert!(heard.text.contains(part), "{heard:?}");
    }
    // Too long: as it is, by its header, and by what the block declares.
    assert_eq!(server.send(V1, &vec![0; (1 << 20) + 1]).unwrap().status, 413);
    assert_eq!(server.send(V1, &snappy(&vec![0; (1 << 20) + 1])).unwrap().status, 413);
    // A block of 4 GiB - 1 in seven bytes.
    assert_eq!(server.send(V1, b"\xff\xff\xff\xff\x0f\x00\x00").unwrap().status, 413);
    // 1.0 never gets the counts of 2.0; an empty request is valid in both.
    let empty = snappy(b"");
    let heard = server.send(V1, &empty).unwrap();
    assert_eq!((heard.status, heard.counts), (204, None));
    assert_eq!(server.send(V2, &empty).unwrap().counts, Some([0, 0, 0]));
    assert_eq!(server.get("/api/v1/write").status, 405);
    assert_eq!(server.get("/-/ready").status, 200);
    assert!(server.stop());
    assert_eq!(samples(folder.path()), []);
}

#[test]
fn one_process_uses_a_store() {
    let (folder, _server) = start();
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_remote-write"))
        .args(["serve", "--listen=127.0.0.1:0", "--data"])
        .arg(folder.path())
        .output()
        .unwrap();
    assert!(!output.status.success());
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(text.contains("another process uses this store"), "{text}");
}

/// Of two values for one series and time the last one stays, but a stale marker never replaces a number.
#[test]
fn duplicates_are_kept_once() {
    let (folder, server) = start();
    let time = now();
    let request = |value: f64| v1::WriteRequest {
        timeseries: vec![v1::TimeSeries {
            labels: vec![v1::Label { name: "__name__".into(), value: "m".into() }],
            samples: vec![v1::Sample { value, timestamp: time }],
            ..Default::default()
        }],
        ..Default::default()
    };
    drop(server);
    let server = Server::start(folder.path(), &["--seal-after=3s"]);
    for value in [1.0, 2.0, f64::from_bits(0x7ff0_0000_0000_0002)] {
        assert_eq!(server.send(V1, &pack(&request(value))).unwrap().status, 204);
    }
    server.wait_sealed();
    assert!(server.stop());
    let found = samples(folder.path());
    assert_eq!(found.iter().map(|row| f64::from_bits(row.value)).collect::<Vec<_>>(), [2.0]);
}

/// Engines take the bounds of a column for those of all its values, NaN included: values have none.
#[test]
fn values_have_no_bounds() {
    use parquet::file::reader::{FileReader, SerializedFileReader};
    let (folder, server) = start();
    assert_eq!(server.send(V1, &capture(1)).unwrap().status, 204);
    server.wait_sealed();
    assert!(server.stop());
    let manifest = remote_write_server::store::manifest::Manifest::read(folder.path()).unwrap().unwrap();
    let mut seen = 0;
    for file in manifest.files.iter().filter(|file| file.path.starts_with("samples/")) {
        let file = std::fs::File::open(folder.path().join("data").join(&file.path)).unwrap();
        for group in SerializedFileReader::new(file).unwrap().metadata().row_groups() {
            for column in group.columns() {
                let name = column.column_path().string();
                assert_eq!(column.statistics().is_none(), name == "__value__", "{name}");
                seen += 1;
            }
        }
    }
    assert!(seen > 3);
}
