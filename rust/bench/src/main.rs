//! Rust's half of the benchmark grid; `bench/run` at the root of the repository starts it.

mod allocations;
mod harness;
mod rw1;

use std::fs;
use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: allocations::Counting = allocations::Counting;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("bench (rust): {message}");
            ExitCode::FAILURE
        }
    }
}

/// The command line: `-list`, or `-task T -rival R -input FILE`, and `-callgrind N` for N bare operations.
#[derive(Default)]
struct Arguments {
    list: bool,
    task: String,
    rival: String,
    input: String,
    callgrind: Option<u32>,
}

fn arguments() -> Result<Arguments, String> {
    let mut parsed = Arguments::default();
    let mut args = std::env::args().skip(1);
    while let Some(flag) = args.next() {
        let mut value = || args.next().ok_or(format!("{flag} needs a value"));
        match flag.as_str() {
            "-list" => parsed.list = true,
            "-task" => parsed.task = value()?,
            "-rival" => parsed.rival = value()?,
            "-input" => parsed.input = value()?,
            "-callgrind" => parsed.callgrind = Some(value()?.parse().map_err(|_| "-callgrind needs a number")?),
            _ => return Err(format!("unknown argument {flag}")),
        }
    }
    Ok(parsed)
}

fn run() -> Result<(), String> {
    let args = arguments()?;
    if args.list {
        println!("{}", rw1::list());
        return Ok(());
    }
    let input = fs::read(&args.input).map_err(|e| format!("{}: {e}", args.input))?;
    rw1::with_contender(&args.task, &args.rival, &input, |contender| match args.callgrind {
        Some(operations) => harness::bare(contender, operations),
        None => harness::serve(contender),
    })
}
