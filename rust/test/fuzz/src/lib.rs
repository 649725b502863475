//! Fuzz targets: the check of each input, and the first inputs. Bounded loops on stable Rust drive them
//! (`rust/fuzz.sh`).

pub mod drive;
mod json;

use drive::{Run, Target};
use hotpb::pool::DecodeOptions;
use hotpb_tests::mutate::{self, Rng};
use hotpb_tests::properties::{self, Pools, Tiers, Views};
use hotpb_tests::{extensions, hostile, reset, writing};
use hotpb_tests_corpus::{Value, bytes, lines, root};

/// All targets.
pub static TARGETS: [Target; 15] = [
    Target { name: "wire", seeds: vectors, start: || Box::new(|bytes, _| properties::wire(bytes)) },
    Target { name: "check", seeds: vectors, start: || Box::new(|bytes, _| properties::check(bytes)) },
    Target { name: "decode", seeds: vectors, start: decode },
    Target { name: "tiers", seeds: vectors, start: tiers },
    Target { name: "visit", seeds: vectors, start: visit },
    Target { name: "view", seeds: vectors, start: view },
    Target { name: "reset", seeds: vectors, start: reset },
    Target { name: "stream", seeds: streams, start: stream },
    Target { name: "extensions", seeds: vectors, start: || Box::new(|bytes, _| extensions::extensions(bytes)) },
    Target { name: "writer", seeds: vectors, start: writer },
    Target { name: "hostile", seeds: vectors, start: || Box::new(hostile::play::scripts) },
    Target { name: "json", seeds: vectors, start: json::of_bytes },
    Target { name: "json-text", seeds: json::texts, start: json::of_text },
    Target { name: "text", seeds: vectors, start: json::shown },
    Target { name: "generator", seeds: descriptors, start: || Box::new(|bytes, _| generator(bytes)) },
];

/// Returns the inputs of some files of vectors.
fn inputs(files: &[&str]) -> Vec<Vec<u8>> {
    let input = |v: Value| bytes(&v["input"]);
    let seeds: Vec<_> = files.iter().flat_map(|name| lines(&format!("{name}.jsonl"))).map(input).collect();
    assert!(seeds.len() > 50, "{} inputs in {files:?}", seeds.len());
    seeds
}

fn vectors() -> Vec<Vec<u8>> {
    inputs(&["wire", "invalid", "stream", "primitive"])
}

fn streams() -> Vec<Vec<u8>> {
    let mut seeds = inputs(&["stream"]);
    for message in inputs(&["wire", "invalid"]).chunks(3).step_by(17) {
        let mut stream = Vec::new();
        message.iter().for_each(|m| hotpb::wire::append_delimited(&mut stream, m));
        seeds.push(stream);
    }
    seeds
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

fn options(rng: &mut Rng) -> DecodeOptions {
    DecodeOptions {
        strict: rng.below(4) == 0,
        allow_partial: rng.below(2) == 0,
        depth: [100, 100, 3][rng.below(3)],
        elements: [None, None, Some(5)][rng.below(3)],
        ..DecodeOptions::default()
    }
}

/// Decodes, encodes and decodes again, with a warm pool and a fresh one; strict or not.
fn decode() -> Run {
    let (mut pools, names) = (Pools::default(), Pools::names());
    Box::new(move |bytes, rng| {
        let (name, options) = (names[rng.below(names.len())], options(rng));
        if let Err(error) = pools.round_trip_unless_limited(name, bytes, &options) {
            assert!(error.offset() <= bytes.len());
        }
        pools.strict_is_stricter(name, bytes);
    })
}

/// Compares straight code and tables on the same bytes, with memory that may not suffice.
fn tiers() -> Run {
    let (mut tiers, names) = (Tiers::default(), Pools::names());
    Box::new(move |bytes, rng| {
        let memory = [None, None, Some(rng.below(2000))][rng.below(3)];
        let options = DecodeOptions { memory, ..options(rng) };
        tiers.agree(names[rng.below(names.len())], bytes, &options);
    })
}

/// Compares handle, builder and visitor on the same bytes.
fn visit() -> Run {
    let (mut pools, names) = (Pools::default(), Pools::names());
    Box::new(move |bytes, rng| {
        let options = options(rng);
        pools.three_ways(names[rng.below(names.len())], bytes, &options);
    })
}

/// Compares view and pool on the same bytes.
fn view() -> Run {
    let (mut views, names) = (Views::default(), Pools::names());
    Box::new(move |bytes, rng| {
        let options = DecodeOptions { elements: None, memory: Some(1 << 30), ..options(rng) };
        views.agree(names[rng.below(names.len())], bytes, &options);
    })
}

/// Checks that the previous input has no effect, whatever calls of a pool it went through.
fn reset() -> Run {
    let mut checks = reset::MESSAGES.map(|(_, make)| make());
    let mut before = Vec::new();
    Box::new(move |bytes, rng| {
        checks[rng.below(checks.len())](rng, &before, bytes);
        before = bytes.to_vec();
    })
}

fn stream() -> Run {
    Box::new(|bytes, rng| {
        let size = [hotpb::wire::MAX_SIZE, 40][rng.below(2)];
        properties::stream(bytes, &DecodeOptions { size, ..options(rng) });
    })
}

fn writer() -> Run {
    Box::new(|script, rng| {
        writing::scripts(script, rng);
    })
}

fn generator(bytes: &[u8]) {
    if let Ok(files) = hotpb_codegen::descriptor::read_set(bytes) {
        if let Ok(plan) = hotpb_codegen::analyse(&files, &[]) {
            let faces = "faces=pool+builder+visitor+writer+view+reencode+reencode_view";
            // An error, or code; never text that is not valid Rust.
            if let Err(hotpb_codegen::Error::Emitter(problem)) = hotpb_tests_emitters::generate(&plan, faces) {
                panic!("{problem}");
            }
        }
    }
    let _ = hotpb_codegen::respond(bytes);
}
