//! Runs one contender of one task in its own process, so that memory it keeps does not affect another contender.
//! `bench/run` starts one such process per contender and lets them take turns. The protocol is a line `round` on stdin
//! and one JSON object per line on stdout.

use std::hint::black_box;
use std::io::{BufRead, Write};
use std::time::Duration;

use crate::allocations;
use crate::clock::processor_time;

/// One rival in one task, bound to its input.
pub trait Contender {
    /// The operation that is timed; returns a checksum of the data that it read, 0 if it reads nothing.
    fn op(&mut self) -> Result<u64, String>;
    /// Runs several operations in a row. (It is a method of the trait, so that `op` is inlined into the loop.)
    fn run(&mut self, operations: u32) -> Result<(), String> {
        for _ in 0..operations {
            black_box(self.op()?);
        }
        Ok(())
    }
    /// Does the same without the work that a case adds to an operation: a profiler counts this.
    fn bare(&mut self, operations: u32) -> Result<(), String> {
        self.run(operations)
    }
    /// Compares the result with the stock runtime's, and returns the difference.
    fn verify(&mut self) -> Result<(), String>;
    /// Returns a note for the result row, without quotes and backslashes.
    fn note(&self) -> &'static str;
    /// Returns the number of bytes of one operation, if they do not come from a file.
    fn size(&self) -> Option<usize> {
        None
    }
    /// Whether all of its memory comes from Rust's allocator, which is the one that is counted.
    fn counted(&self) -> bool {
        true
    }
}

/// The input for a contender.
pub struct Request {
    /// The case's name, for tasks that generate their input.
    pub case: String,
    /// The input file, for tasks that read one. (A process has one contender, so its input is never freed.)
    pub input: &'static [u8],
}

type Bind = Box<dyn Fn(&Request) -> Result<Box<dyn Contender>, String>>;

/// All tasks and their contenders.
#[derive(Default)]
pub struct Grid(Vec<(&'static str, &'static str, Bind)>);

impl Grid {
    /// Adds a contender to a task.
    pub fn add<C: Contender + 'static>(
        &mut self,
        task: &'static str,
        rival: &'static str,
        bind: impl Fn(&Request) -> Result<C, String> + 'static,
    ) {
        self.0.push((task, rival, Box::new(move |request| Ok(Box::new(bind(request)?)))));
    }

    /// Returns the rivals of every task, as JSON.
    pub fn list(&self) -> String {
        let mut tasks: Vec<_> = self.0.iter().map(|(task, ..)| *task).collect();
        tasks.dedup();
        let rivals = |task| {
            let rivals = self.0.iter().filter(|(group, ..)| *group == task).map(|(_, rival, _)| format!("{rival:?}"));
            format!("{task:?}:[{}]", rivals.collect::<Vec<_>>().join(","))
        };
        format!("{{{}}}", tasks.into_iter().map(rivals).collect::<Vec<_>>().join(","))
    }

    /// Returns a contender, bound to its input.
    pub fn bind(&self, task: &str, rival: &str, request: &Request) -> Result<Box<dyn Contender>, String> {
        let found = self.0.iter().find(|(group, name, _)| *group == task && *name == rival);
        found.ok_or_else(|| format!("no rival {rival:?} in task {task:?}"))?.2(request)
    }
}

/// Returns the duration of a turn; tests do not need meaningful times, so they request short rounds.
fn full_round() -> Duration {
    let requested = std::env::var("HOTPB_BENCH_ROUND_MS").ok().and_then(|ms| ms.parse().ok());
    Duration::from_millis(requested.unwrap_or(20))
}

/// Verifies the contender and answers rounds until the input ends; before the first it warms the contender up.
pub fn serve(contender: &mut dyn Contender) -> Result<(), String> {
    let checksum = contender.op()?;
    let verified = contender.verify();
    let note = match &verified {
        Ok(()) => contender.note().to_owned(),
        Err(why) => format!("not verified: {}", why.replace(['"', '\\'], "'")),
    };
    let size = contender.size().map_or(String::new(), |size| format!(r#","size":{size}"#));
    answer(format_args!(
        r#"{{"ready":true,"verified":{},"note":"{note}","checksum":"{checksum:016x}"{size}}}"#,
        verified.is_ok(),
    ))?;
    if let Err(why) = verified {
        eprintln!("not verified: {why}");
        return Ok(()); // wrong results are not timed
    }
    let mut iterations = None;
    for line in std::io::stdin().lock().lines() {
        match line.map_err(|e| e.to_string())?.as_str() {
            "round" => {
                // Now, because nobody else works in this contender's turn.
                let filling = iterations.map_or_else(|| calibrate(contender), Ok)?;
                iterations = Some(filling);
                round(contender, filling)?;
            }
            other => return Err(format!("unknown request {other:?}")),
        }
    }
    Ok(())
}

fn answer(line: std::fmt::Arguments<'_>) -> Result<(), String> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}").and_then(|()| out.flush()).map_err(|e| e.to_string())
}

/// Warms the contender up, and finds the number of operations that fill a round.
fn calibrate(contender: &mut dyn Contender) -> Result<u32, String> {
    let full = full_round();
    let mut iterations = 1u32;
    loop {
        let start = processor_time();
        contender.run(iterations)?;
        let took = processor_time() - start;
        if took >= full / 4 {
            let fill = f64::from(iterations) * full.as_secs_f64() / took.as_secs_f64();
            return Ok((fill as u32).max(2));
        }
        iterations *= 2;
    }
}

fn round(contender: &mut dyn Contender, iterations: u32) -> Result<(), String> {
    let start = processor_time();
    contender.run(iterations)?;
    let took = processor_time() - start;
    let (done, allocs, bytes) = allocations::count(|| contender.op());
    done?;
    let ns = took.as_nanos() as f64 / f64::from(iterations);
    let known = |count: u64| if contender.counted() { count.to_string() } else { "null".into() };
    let (allocs, bytes) = (known(allocs), known(bytes));
    answer(format_args!(r#"{{"ns_per_op":{ns},"iterations":{iterations},"allocs":{allocs},"bytes_per_op":{bytes}}}"#))
}
