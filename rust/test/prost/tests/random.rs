//! hotpb and prost on random messages: the same structs, whatever the struct held before; the same refusals, except where
//! prost differs from the specification.

use hotpb::Code;
use hotpb::codec::DecodeOptions;
use hotpb_prost_tests::damage::{Rng, mutate, records};
use hotpb_prost_tests::{PAIRS, Pair};
use std::time::Instant;

/// Returns well-formed messages of a pair: random records, and what prost makes of them.
fn seeds(pair: &Pair, rng: &mut Rng) -> Vec<Vec<u8>> {
    let mut hotpb = (pair.hotpb)();
    let numbers = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 18, 19, 21, 31, 48, 49, 56, 57, 69, 75, 114];
    let more =
        [115, 118, 301, 302, 311, 313, 314, 315, 318, 319, 401, 505, 508, 601, 613, 614, 714, 718, 719, 801, 814];
    let mut seeds = vec![Vec::new()];
    while seeds.len() < 60 {
        let bytes = records(rng, |rng| {
            let all = numbers.len() + 2 * more.len();
            let at = rng.below(all);
            numbers.get(at).copied().unwrap_or_else(|| more[(at - numbers.len()) % more.len()])
        });
        if hotpb.quietly(&bytes).is_ok() {
            let mut joined = hotpb.encoded();
            joined.extend_from_slice(&seeds[rng.below(seeds.len())].clone());
            seeds.push(bytes);
            seeds.push(joined);
        }
    }
    seeds
}

/// prost refuses a known field of an unexpected wire type, which the specification calls unknown, and a depth that it
/// counts in another way, and a varint whose tenth byte is above 1; it accepts tags in more forms (COD-71, COD-75).
fn compare(
    pair: &Pair,
    input: &[u8],
    theirs: Result<String, prost::DecodeError>,
    hotpb_text: Result<String, hotpb::Error>,
) -> bool {
    match (theirs, hotpb_text) {
        (Ok(theirs), Ok(hotpb_text)) => {
            assert_eq!(hotpb_text, theirs, "{}: {input:02x?}", pair.name);
            true
        }
        (Ok(theirs), Err(hotpb_text)) => {
            let allowed = matches!(hotpb_text.code(), Code::InvalidTag | Code::InvalidWireType | Code::GroupMismatch);
            assert!(allowed || theirs.is_empty(), "{}: {hotpb_text}, but prost accepts {input:02x?}", pair.name);
            false
        }
        (Err(theirs), Ok(_)) => {
            let theirs = theirs.to_string();
            let allowed =
                theirs.contains("wire type") || theirs.contains("recursion limit") || theirs.contains("invalid varint");
            assert!(allowed, "{}: prost refuses {input:02x?}: {theirs}", pair.name);
            false
        }
        (Err(_), Err(_)) => false,
    }
}

fn number(name: &str) -> Option<f64> {
    std::env::var(name).ok()?.parse().ok()
}

/// HOTPB_FUZZ_SECONDS=60 goes on for a minute; HOTPB_FUZZ_SEED selects another sequence.
#[test]
fn random_and_damaged_messages_become_the_structs_that_prost_decodes() {
    let seconds: f64 = number("HOTPB_FUZZ_SECONDS").unwrap_or_default() / PAIRS.len() as f64;
    let first: f64 = number("HOTPB_FUZZ_SEED").unwrap_or(1.0);
    let options = DecodeOptions { stack: usize::MAX, ..DecodeOptions::default() };
    for (i, pair) in PAIRS.iter().enumerate() {
        let rng = &mut Rng::new(i as u64 + first as u64);
        let seeds = seeds(pair, rng);
        let mut hotpb = (pair.hotpb)();
        let (mut rounds, mut equal, begin) = (0, 0, Instant::now());
        while rounds < 400 || begin.elapsed().as_secs_f64() < seconds {
            rounds += 1;
            let (a, b) = (rng.below(seeds.len()), rng.below(seeds.len()));
            let whole = seeds[a].clone();
            let damaged = mutate(rng, &whole, &seeds[b]);
            for input in [&whole, &damaged] {
                equal += compare(pair, input, (pair.prost)(input), hotpb.decode(input, &options)) as usize;
            }
            // A merge into a struct, after a decode that replaced an older content.
            if hotpb.decode(&whole, &options).is_ok() {
                let merged = hotpb.merge(&damaged);
                compare(pair, &damaged, (pair.prost_merged)(&whole, &damaged), merged);
            }
        }
        println!("{}: {equal} of {} equal", pair.name, 2 * rounds);
        assert!(equal > rounds / 4, "{}: only {equal}", pair.name);
    }
}
