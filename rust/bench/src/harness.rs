//! Runs one contender of one task in a process of its own, so that nothing it keeps is charged to a neighbour.
//! `bench/run` starts one such process per contender and lets them take turns; the protocol is a line `round` on
//! stdin and one JSON object per line on stdout.

use std::hint::black_box;
use std::io::{BufRead, Write};
use std::time::{Duration, Instant};

use crate::allocations;

/// One rival in one task, bound to its input.
pub trait Contender {
    /// What is timed; returns a checksum of what it read, 0 if it reads nothing.
    fn op(&mut self) -> Result<u64, String>;
    /// Compares the outcome with the stock runtime's and says what differs.
    fn verify(&mut self) -> Result<(), String>;
    /// Stands in the result row; no quotes or backslashes.
    fn note(&self) -> &'static str;
}

const ROUND: Duration = Duration::from_millis(60);

/// Verifies the contender, warms it up and answers rounds until the input ends.
pub fn serve(contender: &mut dyn Contender) -> Result<(), String> {
    let checksum = contender.op()?;
    let verified = contender.verify();
    let note = match &verified {
        Ok(()) => contender.note().to_owned(),
        Err(why) => format!("not verified: {}", why.replace(['"', '\\'], "'")),
    };
    answer(format_args!(
        r#"{{"ready":true,"verified":{},"note":"{note}","checksum":"{checksum:016x}"}}"#,
        verified.is_ok(),
    ))?;
    if let Err(why) = verified {
        eprintln!("not verified: {why}");
        return Ok(()); // what is wrong is not timed
    }
    let iterations = calibrate(contender)?;
    for line in std::io::stdin().lock().lines() {
        match line.map_err(|e| e.to_string())?.as_str() {
            "round" => round(contender, iterations)?,
            other => return Err(format!("unknown request {other:?}")),
        }
    }
    Ok(())
}

/// Runs that many operations and nothing else, for a profiler.
pub fn bare(contender: &mut dyn Contender, operations: u32) -> Result<(), String> {
    for _ in 0..operations {
        black_box(contender.op()?);
    }
    Ok(())
}

fn answer(line: std::fmt::Arguments<'_>) -> Result<(), String> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}").and_then(|()| out.flush()).map_err(|e| e.to_string())
}

/// Warms the contender up and finds how many operations fill a round.
fn calibrate(contender: &mut dyn Contender) -> Result<u32, String> {
    let mut iterations = 1u32;
    loop {
        let start = Instant::now();
        bare(contender, iterations)?;
        let took = start.elapsed();
        if took >= ROUND / 4 {
            let fill = f64::from(iterations) * ROUND.as_secs_f64() / took.as_secs_f64();
            return Ok((fill as u32).max(2));
        }
        iterations *= 2;
    }
}

fn round(contender: &mut dyn Contender, iterations: u32) -> Result<(), String> {
    let start = Instant::now();
    bare(contender, iterations)?;
    let took = start.elapsed();
    let (done, allocs, bytes) = allocations::of(|| contender.op());
    done?;
    let ns = took.as_nanos() as f64 / f64::from(iterations);
    answer(format_args!(r#"{{"ns_per_op":{ns},"iterations":{iterations},"allocs":{allocs},"bytes_per_op":{bytes}}}"#))
}
