//! The contenders of the tasks `arrow-…`; `bench/run` at the root of the repository starts it, as it does `rust/bench`.

#[path = "../../../bench/src/allocations.rs"]
mod allocations;
#[path = "../../../bench/src/clock.rs"]
mod clock;
#[path = "../../../bench/src/harness.rs"]
#[allow(dead_code)]
mod harness;
#[cfg(feature = "json")]
mod json;
mod logs;
#[path = "../../../bench/src/random.rs"]
#[allow(dead_code)]
mod random;
mod series;
mod tasks;

use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: allocations::Counting = allocations::Counting;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("bench (arrow): {message}");
            ExitCode::FAILURE
        }
    }
}

/// The command line is that of `rust/bench`.
fn run() -> Result<(), String> {
    let mut grid = harness::Grid::default();
    tasks::add_to(&mut grid);
    let args: Vec<String> = std::env::args().skip(1).collect();
    if args.first().is_some_and(|arg| arg == "-list") {
        println!("{}", grid.list());
        return Ok(());
    }
    let value = |flag: &str| args.chunks(2).find(|pair| pair[0] == flag).and_then(|pair| pair.get(1)).cloned();
    let need = |flag: &str| value(flag).ok_or(format!("{flag} is missing"));
    let input = value("-input").map(|path| std::fs::read(&path).map_err(|e| format!("{path}: {e}"))).transpose()?;
    let request =
        harness::Request { case: value("-case").unwrap_or_default(), input: input.unwrap_or_default().leak() };
    if let Some(path) = value("-input-to") {
        return std::fs::write(&path, tasks::input(&need("-task")?, &request)?).map_err(|e| format!("{path}: {e}"));
    }
    let mut contender = grid.bind(&need("-task")?, &need("-rival")?, &request)?;
    match value("-callgrind") {
        Some(operations) => contender.bare(operations.parse().map_err(|_| "-callgrind needs a number")?),
        None => harness::serve(&mut *contender),
    }
}
