//! The command line.

use crate::body::Encoding;
use crate::detect::{Proto, Version};
use crate::output::Format;
use crate::receiver::Options;
use crate::validate::Names;
use lexopt::prelude::*;
use std::ffi::OsString;
use std::path::PathBuf;

/// The output of `--help`.
pub const HELP: &str = "\
rows reads Prometheus remote-write requests into one columnar table per metric.

Usage: rows [OPTION…] [FILE…]
  Each FILE is one request; - or no FILE reads standard input.

Input:
  --proto auto|v1|v2          version of the protocol; auto decides by the body's fields (default auto)
  --encoding auto|snappy|raw  auto means snappy if the body inflates completely, else raw (default auto)
  --lenient                   accept unsorted labels, empty values and empty series, as Prometheus does
  --names legacy|utf8         valid metric and label names (default: legacy for 1.0, any UTF-8 for 2.0)
  --skip-bad                  accept a request's good series and count the bad ones (default: reject the request)

Output:
  --rows N                    print the first N rows of each table (default 3)
  --out FOLDER                write the tables to files in FOLDER instead; every file there is complete
  --format csv|jsonl          format of these files (default csv)
  --metric NAME               write only this metric's tables; may be repeated

Limits:
  --max-body BYTES            size of a request, compressed or not (default 64 MiB)
  --max-rows N                rows that one request may add (default 4000000)
  --max-label-names N         labels that one series may have (default 512)
  --max-series-bytes BYTES    memory for recognising series again (default 256 MiB)
  --flush-rows N              print or write the tables, and empty them, at N rows (default 4000000)

  -h, --help                  print this help
  -V, --version               print the version

BYTES may end in KiB, MiB or GiB.

Exit status:
  0  everything was accepted
  1  a request was rejected, or something failed
  2  the command line is wrong
  3  all requests were accepted, but some bad series were left out
";

/// The arguments of a run.
#[derive(Debug)]
pub struct Args {
    /// The files, `-` for standard input; never empty.
    pub files: Vec<OsString>,
    /// The version of the protocol.
    pub proto: Proto,
    /// The compression.
    pub encoding: Encoding,
    /// The options of the receiver.
    pub options: Options,
    /// The length of the longest body.
    pub max_body: usize,
    /// The number of rows after which tables are emptied.
    pub flush_rows: usize,
    /// The number of rows of each table to print.
    pub rows: usize,
    /// The folder for files.
    pub out: Option<PathBuf>,
    /// The format of the files.
    pub format: Format,
    /// The metrics to write; all if it is empty.
    pub metrics: Vec<String>,
}

/// The request of a command line.
#[derive(Debug)]
pub enum Asked {
    /// To run.
    Run(Box<Args>),
    /// `--help`.
    Help,
    /// `--version`.
    Version,
}

/// Parses a command line without the program's name.
pub fn parse(args: impl IntoIterator<Item = impl Into<OsString>>) -> Result<Asked, lexopt::Error> {
    let mut parser = lexopt::Parser::from_args(args);
    let mut out = Args {
        files: Vec::new(),
        proto: Proto::Auto,
        encoding: Encoding::Auto,
        options: Options::default(),
        max_body: 64 << 20,
        flush_rows: 4_000_000,
        rows: 3,
        out: None,
        format: Format::Csv,
        metrics: Vec::new(),
    };
    let mut format = None;
    while let Some(arg) = parser.next()? {
        match arg {
            Short('h') | Long("help") => return Ok(Asked::Help),
            Short('V') | Long("version") => return Ok(Asked::Version),
            Long("proto") => {
                let choices = [("auto", Proto::Auto), ("v1", Proto::Is(Version::V1)), ("v2", Proto::Is(Version::V2))];
                out.proto = choice(&mut parser, "--proto", &choices)?;
            }
            Long("encoding") => {
                let choices = [("auto", Encoding::Auto), ("snappy", Encoding::Snappy), ("raw", Encoding::Raw)];
                out.encoding = choice(&mut parser, "--encoding", &choices)?;
            }
            Long("lenient") => out.options.rules.lenient = true,
            Long("names") => {
                let choices = [("legacy", Names::Legacy), ("utf8", Names::Utf8)];
                out.options.rules.names = choice(&mut parser, "--names", &choices)?;
            }
            Long("skip-bad") => out.options.skip_bad = true,
            Long("rows") => out.rows = parser.value()?.parse()?,
            Long("out") => out.out = Some(parser.value()?.into()),
            Long("format") => {
                let choices = [("csv", Format::Csv), ("jsonl", Format::JsonLines)];
                format = Some(choice(&mut parser, "--format", &choices)?);
            }
            Long("metric") => out.metrics.push(parser.value()?.string()?),
            Long("max-body") => out.max_body = bytes(&mut parser, "--max-body")?,
            Long("max-rows") => out.options.max_rows = parser.value()?.parse()?,
            Long("max-label-names") => out.options.max_label_names = parser.value()?.parse()?,
            Long("max-series-bytes") => out.options.max_series_bytes = bytes(&mut parser, "--max-series-bytes")?,
            Long("flush-rows") => out.flush_rows = parser.value()?.parse()?,
            Value(file) => out.files.push(file),
            _ => return Err(arg.unexpected()),
        }
    }
    if format.is_some() && out.out.is_none() {
        return Err("--format applies to files: it needs --out".into());
    }
    out.format = format.unwrap_or_default();
    if out.files.is_empty() {
        out.files.push("-".into());
    }
    if out.files.iter().filter(|file| *file == "-").count() > 1 {
        return Err("standard input (-) can be read only once".into());
    }
    Ok(Asked::Run(Box::new(out)))
}

fn choice<T: Copy>(parser: &mut lexopt::Parser, option: &str, choices: &[(&str, T)]) -> Result<T, lexopt::Error> {
    let value = parser.value()?.string()?;
    choices.iter().find(|(name, _)| *name == value).map(|(_, choice)| *choice).ok_or_else(|| {
        let names: Vec<_> = choices.iter().map(|(name, _)| *name).collect();
        format!("{option} must be one of {}, not {value:?}", names.join(", ")).into()
    })
}

/// Parses a number of bytes, with or without a unit.
fn bytes(parser: &mut lexopt::Parser, option: &str) -> Result<usize, lexopt::Error> {
    let value = parser.value()?.string()?;
    let units = [("KiB", 10), ("MiB", 20), ("GiB", 30), ("", 0)];
    let found = units.iter().find_map(|(unit, shift)| {
        let number: usize = value.strip_suffix(unit)?.trim_end().parse().ok()?;
        number.checked_mul(1 << shift)
    });
    found.ok_or_else(|| format!("{option} must be a number of bytes, such as 65536 or 64MiB, not {value:?}").into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(args: &[&str]) -> Result<Args, String> {
        match parse(args).map_err(|e| e.to_string())? {
            Asked::Run(args) => Ok(*args),
            other => Err(format!("{other:?}")),
        }
    }

    #[test]
    fn options_are_read() {
        let args = run(&["--proto", "v2", "a", "--max-body=2KiB", "--out", "o", "--format=jsonl", "-", "--rows", "9"]);
        let args = args.unwrap();
        assert_eq!((args.proto, args.max_body, args.rows), (Proto::Is(Version::V2), 2048, 9));
        assert_eq!(args.files, ["a", "-"]);
        assert_eq!(args.format, Format::JsonLines);
        assert_eq!(run(&[]).unwrap().files, ["-"]);
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (args, message) in [
            (&["--proto", "v3"][..], "--proto must be one of auto, v1, v2, not \"v3\""),
            (
                &["--max-body", "9 elephants"],
                "--max-body must be a number of bytes, such as 65536 or 64MiB, not \"9 elephants\"",
            ),
            (
                &["--max-body", "99999999999GiB"],
                "--max-body must be a number of bytes, such as 65536 or 64MiB, not \"99999999999GiB\"",
            ),
            (&["--format", "csv"], "--format applies to files: it needs --out"),
            (&["-", "-"], "standard input (-) can be read only once"),
            (&["--bogus"], "invalid option '--bogus'"),
            (&["--help"], "Help"),
            (&["-V"], "Version"),
        ] {
            assert_eq!(run(args).unwrap_err(), message);
        }
    }

    #[test]
    fn help_names_the_defaults() {
        let args = run(&[]).unwrap();
        assert_eq!((args.max_body, args.options.max_series_bytes), (64 << 20, 256 << 20));
        for default in
            [args.options.max_rows, args.options.max_label_names, args.flush_rows, args.rows].map(|n| n.to_string())
        {
            assert!(HELP.contains(&format!("(default {default})")), "{default}");
        }
    }
}
