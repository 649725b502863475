//! The program: reads one request after the other into one receiver, then prints the tables or writes them to files.

use crate::args::Args;
use crate::body::{Body, BodyError, How, Unpacked, said};
use crate::output::{Folder, print_tables, thousands};
use crate::problem::Problems;
use crate::receiver::{Receiver, Report};
use crate::table::Table;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read, Write};

/// The status if everything was accepted.
pub const TAKEN: u8 = 0;
/// The status if a request was rejected, or something failed.
pub const FAILED: u8 = 1;
/// The status if all requests were accepted, but without some bad series.
pub const PARTIAL: u8 = 3;

/// The inputs and outputs of a run.
pub struct Io<'io> {
    /// Standard input.
    pub stdin: &'io mut dyn Read,
    /// The output for tables, and for a line on each request.
    pub stdout: &'io mut dyn Write,
    /// The output for errors.
    pub stderr: &'io mut dyn Write,
}

/// Runs the program and returns the status. An error is one of the output; a request that is rejected is reported, and
/// the next one is read.
pub fn run(args: &Args, io: Io<'_>) -> io::Result<u8> {
    let mut folder = args.out.as_deref().map(|path| Folder::create(path, args.format)).transpose()?;
    let mut receiver = Receiver::new(args.options.clone());
    let mut body = Body::new(args.max_body);
    let Io { stdin, stdout, stderr } = io;
    let mut status = TAKEN;
    for file in &args.files {
        let name = if file == "-" { "standard input".into() } else { file.to_string_lossy() };
        let mut complain = |message: &str| writeln!(stderr, "rows: {name}: {message}");
        match take(&mut receiver, &mut body, stdin, file, args) {
            Ok((report, line)) => {
                writeln!(stdout, "{name}: {line}")?;
                if report.bad + report.bad_exemplars > 0 {
                    complain(&describe(&report.problems))?;
                    // A rejected request has priority.
                    status = if status == FAILED { FAILED } else { PARTIAL };
                }
            }
            Err(why) => {
                complain(&why)?;
                status = FAILED;
            }
        }
        if receiver.store().rows() >= args.flush_rows || receiver.is_full() {
            flush(&mut receiver, folder.as_mut(), args, stdout)?;
        }
    }
    if receiver.store().rows() > 0 || status != FAILED {
        flush(&mut receiver, folder.as_mut(), args, stdout)?;
    }
    stdout.flush()?;
    Ok(status)
}

/// Reads one request; returns its content, and a line that describes it. Otherwise returns the reason.
fn take(
    receiver: &mut Receiver,
    body: &mut Body,
    stdin: &mut dyn Read,
    file: &OsStr,
    args: &Args,
) -> Result<(Report, String), String> {
    let unpacked = if file == "-" {
        body.read(stdin, args.encoding)
    } else {
        File::open(file).map_err(|e| BodyError::Read(said(&e))).and_then(|mut file| body.read(&mut file, args.encoding))
    };
    let unpacked = unpacked.map_err(|e| e.to_string())?;
    let report = receiver.request(unpacked.bytes, args.proto).map_err(|e| match &unpacked.packing {
        How::NotSnappy(why) => format!("{why}; read uncompressed: {e}"),
        _ => e.to_string(),
    })?;
    let line = summary(&report, &unpacked);
    Ok((report, line))
}

fn summary(report: &Report, body: &Unpacked<'_>) -> String {
    let bytes = thousands(body.bytes.len() as u64);
    let packing = match body.packing {
        How::Snappy => format!("snappy, {} bytes, {bytes} inside", thousands(body.packed_len as u64)),
        _ => format!("uncompressed, {bytes} bytes"),
    };
    let mut line = format!("remote write {}, {packing}: {} series", report.version, thousands(report.series));
    for (count, what) in [
        (report.known, "known before"),
        (report.bad, "bad"),
        (report.bad_exemplars, "exemplars left out"),
        (report.samples, "samples"),
        (report.histograms, "histograms"),
        (report.exemplars, "exemplars"),
        (report.metadata, "metadata"),
    ] {
        if count > 0 {
            line += &format!(", {} {what}", thousands(count));
        }
    }
    line
}

/// Describes the bad series of a request that was accepted, in a few lines.
fn describe(problems: &Problems) -> String {
    let counts: Vec<String> =
        problems.counts().map(|(reason, count)| format!("{} x {}", thousands(count), reason.text())).collect();
    let mut text = format!("left out: {}", counts.join("; "));
    for problem in problems.first() {
        text += &format!("\n  {problem}");
    }
    let more = problems.total() - problems.first().len() as u64;
    if more > 0 {
        text += &format!("\n  … {} more", thousands(more));
    }
    text
}

/// Prints the tables or writes them to files, and empties them.
fn flush(receiver: &mut Receiver, folder: Option<&mut Folder>, args: &Args, stdout: &mut dyn Write) -> io::Result<()> {
    let store = receiver.store();
    let wanted = |table: &&Table| {
        !table.is_empty()
            && (args.metrics.is_empty()
                || args.metrics.iter().any(|metric| metric == store.dictionary().get(table.metric())))
    };
    let tables: Vec<&Table> = store.tables().iter().filter(wanted).collect();
    match folder {
        Some(folder) => {
            let files = folder.write(store, &tables)?;
            writeln!(stdout, "{} tables in {} files", thousands(tables.len() as u64), thousands(files as u64))?;
        }
        None => print_tables(stdout, store, &tables, args.rows)?,
    }
    receiver.clear_rows();
    Ok(())
}
