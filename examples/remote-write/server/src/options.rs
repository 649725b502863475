//! The command line. Every option can also come from the environment (`REMOTE_WRITE_…`).

use crate::log::Durability;
use clap::{Args, Parser, Subcommand};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

/// A receiver of Prometheus remote write.
#[derive(Debug, Parser)]
#[command(name = "remote-write", version, about, max_term_width = 100)]
pub struct Command {
    /// What to do.
    #[command(subcommand)]
    pub action: Action,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Action {
    /// Take requests over HTTP, and write them to Parquet files.
    Serve(Box<Serve>),
}

/// The options of `serve`.
#[derive(Args, Clone, Debug)]
pub struct Serve {
    /// The folder of the log and the files; created if it is not there.
    #[arg(long, env = "REMOTE_WRITE_DATA", default_value = "remote-write-data", value_name = "FOLDER")]
    pub data: PathBuf,
    /// Address and port to listen at.
    #[arg(long, env = "REMOTE_WRITE_LISTEN", default_value = "127.0.0.1:9201", value_name = "ADDRESS")]
    pub listen: SocketAddr,
    /// Threads that decode; 0 is one for each core.
    #[arg(long, env = "REMOTE_WRITE_WORKERS", default_value_t = 0, value_name = "N")]
    pub workers: usize,
    /// When a request counts as written: `sync` after fdatasync; `os` after write, as Prometheus does, so that a power
    /// cut loses what the system had not written yet; `interval=200ms` after write, with a sync that often, so that a
    /// power cut loses at most that much.
    #[arg(long, env = "REMOTE_WRITE_DURABILITY", default_value = "sync", value_parser = durability, value_name = "WHEN")]
    pub durability: Durability,
    /// The longest body, before and after inflating, in bytes; KiB, MiB and GiB may follow.
    #[arg(long, env = "REMOTE_WRITE_MAX_BODY", default_value = "32MiB", value_parser = bytes, value_name = "BYTES")]
    pub max_body: u64,
    /// Bytes of all requests that are being handled.
    #[arg(long, env = "REMOTE_WRITE_MAX_IN_FLIGHT", default_value = "256MiB", value_parser = bytes, value_name = "BYTES")]
    pub max_in_flight: u64,
    /// Connections at a time.
    #[arg(long, env = "REMOTE_WRITE_MAX_CONNECTIONS", default_value_t = 1024, value_name = "N")]
    pub max_connections: usize,
    /// Rows that one request may add.
    #[arg(long, env = "REMOTE_WRITE_MAX_ROWS", default_value_t = 1_000_000, value_name = "N")]
    pub max_rows: usize,
    /// Label names that one metric may have.
    #[arg(long, env = "REMOTE_WRITE_MAX_LABEL_NAMES", default_value_t = 256, value_name = "N")]
    pub max_label_names: usize,
    /// Memory of each worker for recognising series, in bytes.
    #[arg(long, env = "REMOTE_WRITE_MAX_SERIES_BYTES", default_value = "256MiB", value_parser = bytes, value_name = "BYTES")]
    pub max_series_bytes: u64,
    /// Rows in memory at which they are written to files.
    #[arg(long, env = "REMOTE_WRITE_SEAL_ROWS", default_value_t = 2_000_000, value_name = "N")]
    pub seal_rows: u64,
    /// Time after which rows are written to files.
    #[arg(long, env = "REMOTE_WRITE_SEAL_AFTER", default_value = "2min", value_parser = duration, value_name = "TIME")]
    pub seal_after: Duration,
    /// The age of the oldest sample that is accepted.
    #[arg(long, env = "REMOTE_WRITE_ACCEPT_PAST", default_value = "31d", value_parser = duration, value_name = "TIME")]
    pub accept_past: Duration,
    /// How far ahead of this machine's clock a sample may be.
    #[arg(long, env = "REMOTE_WRITE_ACCEPT_AHEAD", default_value = "10min", value_parser = duration, value_name = "TIME")]
    pub accept_ahead: Duration,
    /// Length of a segment of the log.
    #[arg(long, env = "REMOTE_WRITE_SEGMENT", default_value = "128MiB", value_parser = bytes, value_name = "BYTES")]
    pub segment: u64,
    /// Time to finish requests after SIGTERM.
    #[arg(long, env = "REMOTE_WRITE_DRAIN", default_value = "30s", value_parser = duration, value_name = "TIME")]
    pub drain: Duration,
    /// Log lines as JSON.
    #[arg(long, env = "REMOTE_WRITE_LOG_JSON")]
    pub log_json: bool,
}

fn durability(text: &str) -> Result<Durability, String> {
    match text.split_once('=') {
        None if text == "sync" => Ok(Durability::Sync),
        None if text == "os" => Ok(Durability::Os),
        Some(("interval", every)) => duration(every).map(Durability::Interval),
        _ => Err("it is `sync`, `os` or `interval=TIME`".to_owned()),
    }
}

/// Splits a number from its unit.
fn parts(text: &str) -> Result<(u64, &str), String> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let number = text[..end].parse().map_err(|_| "it begins with a whole number".to_owned())?;
    Ok((number, text[end..].trim()))
}

fn bytes(text: &str) -> Result<u64, String> {
    let (number, unit) = parts(text)?;
    let shift = match unit {
        "" | "B" => 0,
        "KiB" => 10,
        "MiB" => 20,
        "GiB" => 30,
        _ => return Err("its unit is KiB, MiB or GiB".to_owned()),
    };
    number.checked_mul(1 << shift).ok_or_else(|| "it is too large".to_owned())
}

fn duration(text: &str) -> Result<Duration, String> {
    let (number, unit) = parts(text)?;
    let ms = match unit {
        "ms" => 1,
        "s" => 1000,
        "min" | "m" => 60_000,
        "h" => 3_600_000,
        "d" => 86_400_000,
        _ => return Err("its unit is ms, s, min, h or d".to_owned()),
    };
    number.checked_mul(ms).map(Duration::from_millis).ok_or_else(|| "it is too large".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_sound() {
        use clap::CommandFactory;
        Command::command().debug_assert();
        let of = |args: &[&str]| Command::try_parse_from([&["remote-write", "serve"], args].concat());
        let Action::Serve(serve) =
            of(&["--durability=interval=200ms", "--max-body=1KiB", "--seal-after", "3h"]).unwrap().action;
        assert_eq!(serve.durability, Durability::Interval(Duration::from_millis(200)));
        assert_eq!((serve.max_body, serve.seal_after), (1024, Duration::from_secs(3 * 3600)));
        for bad in ["--max-body=x", "--max-body=1TB", "--max-body=99999999999GiB", "--durability=never", "--drain=5"] {
            assert!(of(&[bad]).is_err(), "{bad}");
        }
    }
}
