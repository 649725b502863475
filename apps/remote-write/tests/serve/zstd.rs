//! Bodies of vmagent: zstd, and its question whether it may send them.

use super::common::*;
use super::model::{request_v1, request_v2, series};

const ZSTD: (&str, &str) = ("Content-Encoding", "zstd");

fn pressed(bytes: &[u8], level: i32) -> Vec<u8> {
    zstd::encode_all(bytes, level).unwrap()
}

#[test]
fn both_versions_come_with_zstd() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &["--seal-after=1h"]);
    let time = now();
    let rows: Vec<_> = (0..2000).map(|n| series("m", &[("n", &n.to_string())]).sample(n as f64, time)).collect();
    let (v1, v2) = (request_v1(&rows[..1000]), request_v2(&rows[1000..1900]));
    let vmagent = ("X-VictoriaMetrics-Remote-Write-Version", "1");
    let heard = server.send_as(&[("Content-Type", V1), ZSTD, vmagent], &pressed(&v1, 1)).unwrap();
    assert_eq!(heard.status, 204, "{heard:?}");
    // Several frames, of which some are skipped.
    let body = request_v1(&rows[1900..]);
    let (first, second) = body.split_at(body.len() / 3);
    let skipped = [&b"\x50\x2a\x4d\x18\x03\0\0\0abc"[..]].concat();
    let frames = [skipped.clone(), pressed(first, 3), skipped, pressed(b"", 1), pressed(second, 19)].concat();
    assert_eq!(server.send_as(&[("Content-Type", V1), ZSTD], &frames).unwrap().status, 204);
    let heard = server.send_as(&[("Content-Type", V2), ("Content-Encoding", "ZSTD")], &pressed(&v2, 19)).unwrap();
    assert_eq!((heard.status, heard.counts), (204, Some([900, 0, 0])));
    // The same request again, and after a restart: the log has it as it came.
    let heard = server.send_as(&[("Content-Type", V1), ZSTD], &frames).unwrap();
    assert_eq!((heard.status, server.metric("hotpb_rw_retries_answered_total")), (204, 1.0));
    // The same bytes are another request when they should be something else.
    assert_eq!(server.send_as(&[("Content-Type", V1), ("Content-Encoding", "snappy")], &frames).unwrap().status, 400);
    server.kill();
    let server = Server::start(folder.path(), &["--seal-after=1ms"]);
    server.wait_sealed();
    assert!(server.stop());
    let found = samples(folder.path());
    assert_eq!(found.len(), 2000);
    assert!(found.iter().all(|row| row.labels["n"] == f64::from_bits(row.value).to_string()));
}

#[test]
fn bad_zstd_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &["--seal-after=1h", "--max-body=1MiB"]);
    let body = request_v1(&[series("m", &[("a", "b")]).sample(1.0, now())]);
    let good = pressed(&body, 1);
    // A frame of one block that is not compressed; the descriptor says whether the number of a dictionary follows.
    let plain = |descriptor: u8, dictionary: &[u8]| {
        let (len, block) = ([u8::try_from(body.len()).unwrap()], (body.len() as u32) << 3 | 1);
        [b"\x28\xb5\x2f\xfd", &[descriptor][..], dictionary, &len, &block.to_le_bytes()[..3], &body].concat()
    };
    let with_window = |log: u32| {
        let mut encoder = zstd::Encoder::new(Vec::new(), 1).unwrap();
        encoder.window_log(log).unwrap();
        std::io::Write::write_all(&mut encoder, &body).unwrap();
        encoder.finish().unwrap()
    };
    let bomb = pressed(&vec![0; 64 << 20], 1);
    let bombs = pressed(&vec![0; 600 << 10], 1).repeat(2);
    assert!(bomb.len() < 64 << 10 && bombs.len() < 64 << 10);
    let mut flipped = good.clone();
    flipped[good.len() / 2] ^= 1;
    for (name, body, status) in [
        ("nothing", Vec::new(), 400),
        ("snappy", snappy(&body), 400),
        ("the request itself", body.clone(), 400),
        ("half a frame", good[..good.len() - 3].to_vec(), 400),
        ("half a header", good[..5].to_vec(), 400),
        ("bytes after the frame", [&good[..], b"abc"].concat(), 400),
        ("no dictionary", plain(0x20, &[]), 204),
        ("a dictionary", plain(0x21, &[7]), 400),
        ("a window of 16 MiB", with_window(24), 400),
        ("a window of 8 MiB", with_window(23), 204),
        ("a bomb", bomb, 413),
        ("two frames that are too long together", bombs, 413),
    ] {
        let heard = server.send_as(&[("Content-Type", V1), ZSTD], &body).unwrap();
        assert_eq!(heard.status, status, "{name}: {}", heard.text);
    }
    assert_ne!(server.send_as(&[("Content-Type", V1), ZSTD], &flipped).unwrap().status, 500);
    // Zstd that says snappy, and another encoding.
    let heard = server.send(V1, &good).unwrap();
    assert_eq!(heard.status, 400);
    let heard = server.send_as(&[("Content-Type", V1), ("Content-Encoding", "br")], &good).unwrap();
    assert_eq!(heard.status, 415);
    assert!(heard.text.contains("snappy, in its block format, and zstd"), "{}", heard.text);
    assert!(server.stop());
}

#[test]
fn older_vmagents_ask_first() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &["--seal-after=1h"]);
    for path in ["/api/v1/write?get_vm_proto_version=1", "/api/v1/push?x=y&get_vm_proto_version=1"] {
        for heard in [server.post(path), server.get(path)] {
            assert_eq!((heard.status, heard.text.as_str()), (200, "1"));
        }
    }
    assert_eq!(server.get("/api/v1/write").status, 405);
    assert_eq!(server.post("/api/v1/write?proto=1").status, 400);
    assert!(server.stop());
}
