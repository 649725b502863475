//! Bounded loops on stable Rust: the damage to the seeds is deterministic, and time bounds the run.
//!
//! `PROGRAM SECONDS [TARGET…]`; `HOTPB_FUZZ_SEED` selects another sequence. A finding is printed in hex, so that it
//! can become a vector.

use crate::mutate::{Rng, mutate};
use std::cell::RefCell;
use std::time::{Duration, Instant};

/// The check of one input; the generator makes all choices that the input does not determine.
pub type Run = Box<dyn FnMut(&[u8], &mut Rng)>;

/// A target: its name, its seeds, and its check.
pub struct Target {
    /// The name, as in `rust/fuzz.sh`.
    pub name: &'static str,
    /// The first inputs.
    pub seeds: fn() -> Vec<Vec<u8>>,
    /// Creates the state that is warm from then on.
    pub start: fn() -> Run,
}

thread_local! {
    static CURRENT: RefCell<(&'static str, Vec<u8>)> = const { RefCell::new(("", Vec::new())) };
}

/// Runs the targets that the arguments name, or all of them, and ends the program.
pub fn main(targets: &'static [Target]) {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let seconds = args.first().and_then(|s| s.parse().ok());
    let seconds: f64 = seconds.unwrap_or_else(|| panic!("usage: hotpb-fuzz SECONDS [TARGET…]"));
    let names: Vec<_> = targets.iter().map(|t| t.name).collect();
    let named = |name: &String| {
        targets.iter().find(|t| t.name == name).unwrap_or_else(|| panic!("no {name:?} among {names:?}"))
    };
    let wanted: Vec<_> = if args.len() > 1 { args[1..].iter().map(named).collect() } else { targets.iter().collect() };
    let seed = std::env::var("HOTPB_FUZZ_SEED").ok().and_then(|s| s.parse().ok()).unwrap_or(1);
    let report = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        report(info);
        CURRENT.with_borrow(|(name, bytes)| {
            let hex: String = bytes.iter().map(|b| format!("{b:02x}")).collect();
            eprintln!("fuzz target {name}, input {hex}");
        });
    }));
    // Messages nest deeply, and unoptimised code needs stack for that.
    let all = move || wanted.iter().for_each(|t| run(t, seconds, seed));
    let thread = std::thread::Builder::new().stack_size(256 << 20).spawn(all).expect("a thread");
    std::process::exit(thread.join().is_err().into());
}

fn run(target: &Target, seconds: f64, seed: u64) {
    let (seeds, mut run, mut rng) = ((target.seeds)(), (target.start)(), Rng::new(seed));
    let (begin, mut inputs, mut slowest) = (Instant::now(), 0u64, Duration::ZERO);
    while begin.elapsed().as_secs_f64() < seconds {
        let (a, b) = (rng.below(seeds.len()), rng.below(seeds.len()));
        let bytes = mutate(&mut rng, &seeds[a], &seeds[b]);
        CURRENT.with_borrow_mut(|current| *current = (target.name, bytes.clone()));
        let start = Instant::now();
        run(&bytes, &mut rng);
        slowest = slowest.max(start.elapsed());
        inputs += 1;
    }
    println!("fuzz {}: {inputs} inputs in {seconds} s, slowest {:.1} ms", target.name, slowest.as_secs_f64() * 1e3);
    assert!(inputs > 0);
}
