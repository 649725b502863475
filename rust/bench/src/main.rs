//! The Rust part of the benchmark grid; `bench/run` at the root of the repository starts it.

mod allocations;
mod clock;
mod harness;
mod many;
mod messages;
mod protozero;
mod random;
mod rows;
mod rw1;
mod rw2;
mod slice;

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

/// The command line: `-list`, or `-task T -rival R [-case C] [-input FILE]`, and `-callgrind N` for N bare operations.
#[derive(Default)]
struct Arguments {
    list: bool,
    task: String,
    rival: String,
    case: String,
    input: Option<String>,
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
            "-case" => parsed.case = value()?,
            "-input" => parsed.input = Some(value()?),
            "-callgrind" => parsed.callgrind = Some(value()?.parse().map_err(|_| "-callgrind needs a number")?),
            _ => return Err(format!("unknown argument {flag}")),
        }
    }
    Ok(parsed)
}

fn run() -> Result<(), String> {
    let mut grid = harness::Grid::default();
    rw1::add_to(&mut grid);
    rows::add_to(&mut grid);
    rw2::add_to(&mut grid);
    slice::add_to(&mut grid);
    messages::add_to(&mut grid);
    many::add_to(&mut grid);
    protozero::add_to(&mut grid);

    let args = arguments()?;
    if args.list {
        println!("{}", grid.list());
        return Ok(());
    }
    let input = args.input.map(|path| fs::read(&path).map_err(|e| format!("{path}: {e}"))).transpose()?;
    let input = input.unwrap_or_default().leak();
    let mut contender = grid.bind(&args.task, &args.rival, &harness::Request { case: args.case, input })?;
    match args.callgrind {
        Some(operations) => contender.bare(operations),
        None => harness::serve(&mut *contender),
    }
}
