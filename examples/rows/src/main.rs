//! The program; `rows --help` describes it. The library [`rows`] does the work.

use rows::args::{Asked, HELP, parse};
use rows::body::said;
use rows::run::{FAILED, Io, TAKEN, run};
use std::io::{BufWriter, ErrorKind, Write, stderr, stdin, stdout};
use std::process::ExitCode;

fn main() -> ExitCode {
    let (mut out, mut err) = (BufWriter::new(stdout().lock()), stderr());
    let done = match parse(std::env::args_os().skip(1)) {
        Ok(Asked::Help) => out.write_all(HELP.as_bytes()).map(|()| TAKEN),
        Ok(Asked::Version) => writeln!(out, "rows {}", env!("CARGO_PKG_VERSION")).map(|()| TAKEN),
        Ok(Asked::Run(args)) => run(&args, Io { stdin: &mut stdin().lock(), stdout: &mut out, stderr: &mut err }),
        Err(error) => {
            let _ = writeln!(err, "rows: {error}\ntry rows --help");
            return ExitCode::from(2);
        }
    };
    match done.and_then(|status| out.flush().map(|()| status)) {
        Ok(status) => ExitCode::from(status),
        // The reader of the output has closed it.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(err, "rows: {}", said(&error));
            ExitCode::from(FAILED)
        }
    }
}
