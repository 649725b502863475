//! Fuzz targets on stable Rust, each bounded in time: seeds are the vectors, damage is deterministic.
//!
//! `rust/fuzz.sh SECONDS [TARGET…]`; `HOTPB_FUZZ_SEED` gives another sequence.
//! What is found is printed in hex: it becomes a vector.

use hotpb::pool::DecodeOptions;
use hotpb_tests::mutate::{Rng, mutate};
use hotpb_tests::properties::{self, Pools};
use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// What is tried on each input.
type Run = Box<dyn FnMut(&[u8], &mut Rng)>;

/// A target: what it is called, where its seeds come from, and what it tries.
struct Target {
    name: &'static str,
    seeds: fn() -> Vec<Vec<u8>>,
    start: fn() -> Run,
}

const TARGETS: [Target; 5] = [
    Target { name: "wire", seeds: vectors, start: || Box::new(|bytes, _| properties::wire(bytes)) },
    Target { name: "check", seeds: vectors, start: || Box::new(|bytes, _| properties::check(bytes)) },
    Target { name: "pool", seeds: vectors, start: pool },
    Target { name: "visit", seeds: vectors, start: visit },
    Target { name: "generator", seeds: descriptors, start: || Box::new(|bytes, _| generator(bytes)) },
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The inputs of all vectors; a few records when they are not compiled.
fn vectors() -> Vec<Vec<u8>> {
    let mut seeds = vec![vec![0x08, 0x01], b"\x0a\x04text\x1a\x02\x08\x01".to_vec()];
    for name in ["wire", "invalid", "stream", "primitive"] {
        let text = std::fs::read_to_string(root().join(format!("build/vectors/{name}.jsonl"))).unwrap_or_default();
        // Only one key is wanted of each line, and its value is hex: no JSON reader is needed for that.
        let inputs = text
            .lines()
            .filter_map(|l| l.split("\"input\":").nth(1)?.trim_start().strip_prefix('"')?.split('"').next());
        seeds.extend(inputs.map(unhex));
    }
    seeds
}

fn unhex(hex: &str) -> Vec<u8> {
    (0..hex.len() / 2).filter_map(|i| u8::from_str_radix(hex.get(2 * i..2 * i + 2)?, 16).ok()).collect()
}

fn descriptors() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for dir in ["vectors/plans", "vectors/plans/invalid"] {
        let Ok(entries) = std::fs::read_dir(root().join(dir)) else { continue };
        let mut paths: Vec<_> = entries.flatten().map(|e| e.path()).collect();
        paths.sort();
        paths.retain(|p| p.extension().is_some_and(|e| e == "fds"));
        seeds.extend(paths.iter().filter_map(|p| std::fs::read(p).ok()).filter(|b| b.len() < 20_000));
    }
    assert!(!seeds.is_empty(), "no descriptor sets in vectors/plans");
    seeds
}

fn pool() -> Run {
    let (mut pools, names) = (Pools::default(), Pools::names());
    Box::new(move |bytes, rng| {
        let options = DecodeOptions {
            strict: rng.below(4) == 0,
            allow_partial: rng.below(2) == 0,
            depth: [100, 100, 3][rng.below(3)],
            elements: [None, None, Some(5)][rng.below(3)],
            ..DecodeOptions::default()
        };
        let name = names[rng.below(names.len())];
        let result = pools.round_trip_unless_limited(name, bytes, &options);
        if let Err(error) = result {
            assert!(error.offset() <= bytes.len());
        }
    })
}

/// Handle, builder and visitor on the same bytes.
fn visit() -> Run {
    let (mut pools, names) = (Pools::default(), Pools::names());
    Box::new(move |bytes, rng| {
        let options = DecodeOptions {
            strict: rng.below(4) == 0,
            allow_partial: rng.below(2) == 0,
            depth: [100, 3][rng.below(2)],
            elements: [None, None, Some(5)][rng.below(3)],
            ..DecodeOptions::default()
        };
        pools.three_ways(names[rng.below(names.len())], bytes, &options);
    })
}

fn generator(bytes: &[u8]) {
    if let Ok(files) = hotpb_codegen::descriptor::read_set(bytes) {
        if let Ok(plan) = hotpb_codegen::analyse(&files, &[]) {
            let options =
                hotpb_codegen::Options::parse("faces=pool+builder+visitor+reencode").expect("these options exist");
            let _ = hotpb_codegen::generate(&plan, &options);
        }
    }
    let _ = hotpb_codegen::respond(bytes);
}

thread_local! {
    static CURRENT: RefCell<(&'static str, Vec<u8>)> = const { RefCell::new(("", Vec::new())) };
}

fn main() {
    let mut args = std::env::args().skip(1);
    let seconds: f64 =
        args.next().and_then(|s| s.parse().ok()).unwrap_or_else(|| panic!("usage: hotpb-fuzz SECONDS [TARGET…]"));
    let wanted: Vec<String> = args.collect();
    let seed = std::env::var("HOTPB_FUZZ_SEED").ok().and_then(|s| s.parse().ok()).unwrap_or(1);
    if let Some(odd) = wanted.iter().find(|w| !TARGETS.iter().any(|t| t.name == *w)) {
        panic!("no target {odd:?}; there are {:?}", TARGETS.map(|t| t.name));
    }
    let report = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        report(info);
        CURRENT.with_borrow(|(name, bytes)| {
            let hex: String = bytes.iter().map(|b| format!("{b:02x}")).collect();
            eprintln!("fuzz target {name}, input {hex}");
        });
    }));
    for target in TARGETS.iter().filter(|t| wanted.is_empty() || wanted.iter().any(|w| w == t.name)) {
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
}
