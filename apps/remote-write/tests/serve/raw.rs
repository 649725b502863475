//! Bytes on a connection, for requests that no client library sends.

use super::common::Server;
use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

/// What came back: the status of each answer, and everything as text.
#[derive(Debug, Default)]
pub struct Raw {
    pub statuses: Vec<u16>,
    pub text: String,
}

pub fn connect(server: &Server) -> TcpStream {
    let stream = TcpStream::connect(server.url.trim_start_matches("http://")).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    stream
}

/// The head of a request, with the length that it declares.
pub fn head(method: &str, path: &str, headers: &[&str]) -> Vec<u8> {
    let lines: String = headers.iter().map(|line| format!("{line}\r\n")).collect();
    format!("{method} {path} HTTP/1.1\r\nHost: x\r\n{lines}\r\n").into_bytes()
}

/// Sends bytes, and reads all answers until the server closes.
pub fn exchange(server: &Server, bytes: &[u8]) -> Raw {
    let mut stream = connect(server);
    // The server may answer and close before it has read everything.
    _ = stream.write_all(bytes);
    answers(&mut stream)
}

/// Reads all answers, until the server closes.
pub fn answers(stream: &mut TcpStream) -> Raw {
    let (mut all, mut part) = (Vec::new(), [0; 4096]);
    loop {
        match stream.read(&mut part) {
            Ok(0) => break,
            Ok(len) => all.extend_from_slice(&part[..len]),
            Err(error) if error.kind() == ErrorKind::ConnectionReset => break,
            Err(error) => panic!("{error}: {}", String::from_utf8_lossy(&all)),
        }
    }
    let text = String::from_utf8_lossy(&all).into_owned();
    let statuses = text.split("HTTP/1.1 ").skip(1).filter_map(|part| part.get(..3)?.parse().ok()).collect();
    Raw { statuses, text }
}

/// Returns the most memory that the server has used, in bytes.
pub fn peak_memory(server: &Server) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.id())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() << 10
}
