//! The benchmark tasks on gRPC calls; `bench/run` at the root of the repository starts it.

#[path = "../../../bench/src/allocations.rs"]
mod allocations;
#[path = "../../../bench/src/clock.rs"]
mod clock;
mod echo;
mod generated;
#[allow(dead_code)] // these tasks read no input file
#[path = "../../../bench/src/harness.rs"]
mod harness;
mod hotpb;
mod prost;
mod requests;
mod transport;

use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: allocations::Counting = allocations::Counting;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("bench (rust, gRPC): {message}");
            ExitCode::FAILURE
        }
    }
}

/// The command line is that of `rust/bench`.
fn run() -> Result<(), String> {
    let mut grid = harness::Grid::default();
    echo::add_to(&mut grid);
    let mut args = std::env::args().skip(1);
    let (mut task, mut rival, mut case, mut callgrind) = (String::new(), String::new(), String::new(), None);
    while let Some(flag) = args.next() {
        if flag == "-list" {
            println!("{}", grid.list());
            return Ok(());
        }
        let value = args.next().ok_or(format!("{flag} needs a value"))?;
        match flag.as_str() {
            "-task" => task = value,
            "-rival" => rival = value,
            "-case" => case = value,
            "-callgrind" => callgrind = Some(value.parse().map_err(|_| "-callgrind needs a number")?),
            _ => return Err(format!("unknown argument {flag}")),
        }
    }
    let mut contender = grid.bind(&task, &rival, &harness::Request { case, input: &[] })?;
    match callgrind {
        Some(operations) => contender.bare(operations),
        None => harness::serve(&mut *contender),
    }
}
