//! `remote-write --help` says what it does; [`remote_write`] is where it is done.

use remote_write::args::{Asked, HELP, parse};
use remote_write::body::said;
use remote_write::run::{FAILED, Io, TAKEN, run};
use std::io::{BufWriter, ErrorKind, Write, stderr, stdin, stdout};
use std::process::ExitCode;

fn main() -> ExitCode {
    let (mut out, mut err) = (BufWriter::new(stdout().lock()), stderr());
    let done = match parse(std::env::args_os().skip(1)) {
        Ok(Asked::Help) => out.write_all(HELP.as_bytes()).map(|()| TAKEN),
        Ok(Asked::Version) => writeln!(out, "remote-write {}", env!("CARGO_PKG_VERSION")).map(|()| TAKEN),
        Ok(Asked::Run(args)) => run(&args, Io { stdin: &mut stdin().lock(), stdout: &mut out, stderr: &mut err }),
        Err(error) => {
            let _ = writeln!(err, "remote-write: {error}\nremote-write --help says more");
            return ExitCode::from(2);
        }
    };
    match done.and_then(|status| out.flush().map(|()| status)) {
        Ok(status) => ExitCode::from(status),
        // Whoever reads has read enough.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(err, "remote-write: {}", said(&error));
            ExitCode::from(FAILED)
        }
    }
}
