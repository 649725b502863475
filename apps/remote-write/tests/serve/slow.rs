//! Senders that are slow, silent or many, and the end of the server.

use super::common::*;
use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

const SHORT: &[&str] =
    &["--header-timeout=300ms", "--body-timeout=300ms", "--idle-timeout=20s", "--seal-after=1ms", "--drain=10s"];

fn start(options: &[&str]) -> (tempfile::TempDir, Server) {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &[SHORT, options].concat());
    (folder, server)
}

fn connect(server: &Server) -> TcpStream {
    let stream = TcpStream::connect(server.address()).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    stream
}

/// A request of HTTP/1.1 as its bytes.
fn raw(body: &[u8]) -> Vec<u8> {
    let head = format!(
        "POST /api/v1/write HTTP/1.1\r\nHost: x\r\nContent-Type: {V1}\r\nContent-Encoding: snappy\r\n\
         Content-Length: {}\r\n\r\n",
        body.len()
    );
    [head.as_bytes(), body].concat()
}

/// Reads until the server closes the connection, and returns what came.
fn rest(mut stream: TcpStream) -> String {
    let mut bytes = Vec::new();
    match stream.read_to_end(&mut bytes) {
        Ok(_) => (),
        // The server closed the connection while our bytes were on their way.
        Err(error) if error.kind() == ErrorKind::ConnectionReset => (),
        Err(error) => panic!("{error}: {}", String::from_utf8_lossy(&bytes)),
    }
    String::from_utf8(bytes).unwrap()
}

/// Reads one answer without a body.
fn answer(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    while !bytes.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        assert_eq!(stream.read(&mut byte).unwrap(), 1, "{}", String::from_utf8_lossy(&bytes));
        bytes.extend(byte);
    }
    String::from_utf8(bytes).unwrap()
}

#[test]
fn slow_headers_and_silent_connections_are_closed() {
    let (_folder, server) = start(&[]);
    let request = raw(&pack(&one_sample("m", now(), 1.0)));
    // Silence, a part of a request line, a part of the headers, a part of the preface of HTTP/2, and its whole.
    for begin in [&b""[..], b"PO", &request[..60], b"PRI * HT", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"] {
        let began = Instant::now();
        let mut stream = connect(&server);
        stream.write_all(begin).unwrap();
        let mut bytes = Vec::new();
        _ = stream.read_to_end(&mut bytes);
        let took = began.elapsed();
        assert!((Duration::from_millis(250)..Duration::from_secs(10)).contains(&took), "{took:?}, {begin:?}");
        assert!(!bytes.starts_with(b"HTTP/1.1 2"), "{bytes:?}");
    }
    // After a request there is more time; the first byte of the next one begins its headers.
    let mut stream = connect(&server);
    for _ in 0..3 {
        stream.write_all(&request).unwrap();
        assert!(answer(&mut stream).starts_with("HTTP/1.1 204"));
        std::thread::sleep(Duration::from_millis(350));
    }
    stream.write_all(b"POST /api").unwrap();
    assert_eq!(rest(stream), "");
    // One byte at a time does not help.
    let mut stream = connect(&server);
    for byte in &request {
        if stream.write_all(&[*byte]).is_err() {
            break;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(rest(stream), "");
    // Whoever sends its request in time is not disturbed.
    assert_eq!(server.send(V1, &pack(&one_sample("m", now(), 1.0))).unwrap().status, 204);
}

#[test]
fn idle_connections_are_closed() {
    let (_folder, server) = start(&["--idle-timeout=300ms", "--header-timeout=20s"]);
    let began = Instant::now();
    let mut stream = connect(&server);
    stream.write_all(&raw(&pack(&one_sample("m", now(), 1.0)))).unwrap();
    assert!(answer(&mut stream).starts_with("HTTP/1.1 204"));
    assert_eq!(rest(stream), "");
    assert!((Duration::from_millis(250)..Duration::from_secs(15)).contains(&began.elapsed()));
}

#[test]
fn slow_and_half_bodies_are_refused() {
    let (folder, server) = start(&[]);
    let request = raw(&pack(&one_sample("m", now(), 1.0)));
    let mut stream = connect(&server);
    stream.write_all(&request[..request.len() - 3]).unwrap();
    let heard = rest(stream);
    assert!(heard.starts_with("HTTP/1.1 408") && heard.contains("the body did not come in time"), "{heard}");
    let mut stream = connect(&server);
    stream.write_all(&request[..request.len() - 3]).unwrap();
    stream.shutdown(std::net::Shutdown::Write).unwrap();
    let heard = rest(stream);
    assert!(heard.is_empty() || heard.starts_with("HTTP/1.1 400"), "{heard}");
    // A body in chunks that never ends.
    let mut stream = connect(&server);
    stream
        .write_all(b"POST /api/v1/write HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n")
        .unwrap();
    assert!(rest(stream).starts_with("HTTP/1.1 408"));
    assert!(server.stop());
    assert_eq!(samples(folder.path()), []);
}

#[test]
fn connections_have_a_limit() {
    let (_folder, server) = start(&["--max-connections=2", "--header-timeout=2s"]);
    let silent = [connect(&server), connect(&server)];
    // The third one is not served until another one has ended.
    let mut third = connect(&server);
    third.write_all(&raw(&pack(&one_sample("m", now(), 1.0)))).unwrap();
    third.set_read_timeout(Some(Duration::from_millis(400))).unwrap();
    let waited = third.read(&mut [0; 1]).unwrap_err();
    assert!(matches!(waited.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut), "{waited}");
    drop(silent);
    third.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    assert!(answer(&mut third).starts_with("HTTP/1.1 204"));
}

/// A request that has begun is finished and answered after SIGTERM; a new connection is refused; then the server ends.
#[test]
fn requests_in_flight_are_finished_at_the_end() {
    let (folder, server) = start(&["--body-timeout=20s", "--header-timeout=20s"]);
    let request = raw(&pack(&one_sample("late", now(), 7.0)));
    let (mut first, mut idle) = (connect(&server), connect(&server));
    idle.write_all(&raw(&pack(&one_sample("early", now(), 7.0)))).unwrap();
    assert!(answer(&mut idle).starts_with("HTTP/1.1 204"));
    first.write_all(&request[..request.len() - 5]).unwrap();
    std::thread::sleep(Duration::from_millis(200));
    let address = server.address();
    server.signal("TERM");
    server.wait_said("stopping");
    for attempt in 0.. {
        if TcpStream::connect(&address).is_err() {
            break;
        }
        assert!(attempt < 200, "new connections are accepted");
        std::thread::sleep(Duration::from_millis(10));
    }
    // An idle connection is closed, and takes no request any more.
    _ = idle.write_all(&request);
    assert_eq!(rest(idle), "");
    first.write_all(&request[request.len() - 5..]).unwrap();
    assert!(rest(first).starts_with("HTTP/1.1 204"));
    assert!(server.wait());
    // Its rows are in the log.
    let server = Server::start(folder.path(), &["--seal-after=1ms"]);
    server.wait_sealed();
    drop(server);
    let names: Vec<String> = samples(folder.path()).iter().map(|row| row.labels["__name__"].clone()).collect();
    assert_eq!(names, ["early", "late"]);
}

#[test]
fn the_end_waits_for_a_while_and_a_second_signal_ends_it() {
    for (drain, second) in [("--drain=300ms", false), ("--drain=60s", true)] {
        let (_folder, server) = start(&[drain, "--body-timeout=60s", "--header-timeout=60s"]);
        let mut stream = connect(&server);
        let request = raw(&pack(&one_sample("m", now(), 1.0)));
        stream.write_all(&request[..request.len() - 5]).unwrap();
        std::thread::sleep(Duration::from_millis(200));
        let began = Instant::now();
        server.signal("TERM");
        server.wait_said("stopping");
        // At once it is the same signal, which `timeout` and a terminal pass on twice.
        server.signal("TERM");
        std::thread::sleep(Duration::from_millis(300));
        if second {
            server.signal("TERM");
            server.wait_said("second signal");
        }
        assert_eq!(server.wait(), !second);
        assert!(began.elapsed() < Duration::from_secs(20));
    }
}
