//! "Decode A or fail, then B" is a fresh decode of B (POL-2), for random pairs and all calls of a pool. The results of
//! a visitor or an extension do not depend on earlier inputs.

use hotpb_tests::mutate::{Rng, mutate};
use hotpb_tests::{extensions, properties, reset};
use hotpb_tests_corpus::{bytes, lines, on_a_large_stack};

/// Returns inputs of the vectors, good and bad: those of some messages, and occasionally one of another message.
fn inputs(names: &[&str]) -> Vec<Vec<u8>> {
    let (mut inputs, mut all) = (Vec::new(), 0);
    for file in ["wire.jsonl", "invalid.jsonl"] {
        for vector in lines(file) {
            all += 1;
            if names.iter().any(|name| vector["message"] == *name) || all % 29 == 0 {
                inputs.push(bytes(&vector["input"]));
            }
        }
    }
    assert!(inputs.len() > 100, "{names:?}: {}", inputs.len());
    inputs
}

#[test]
fn a_decode_after_another_or_a_failed_one_is_a_fresh_decode() {
    on_a_large_stack(|| {
        let mut rng = Rng::new(17);
        for (name, make) in reset::MESSAGES {
            let (inputs, mut check) = (inputs(&[name]), make());
            let (mut good, rounds) = (0, 500);
            for _ in 0..rounds {
                let pick = |rng: &mut Rng| &inputs[rng.below(inputs.len())];
                let (a, b, c) = (pick(&mut rng), pick(&mut rng), pick(&mut rng));
                let damaged = |rng: &mut Rng, bytes: &[u8]| match rng.below(3) {
                    0 => mutate(rng, bytes, c),
                    _ => bytes.to_vec(),
                };
                let (a, b) = (damaged(&mut rng, a), damaged(&mut rng, b));
                good += usize::from(check(&mut rng, &a, &b));
            }
            assert!(
                good > rounds / 8 && good < rounds,
                "{name}: {good} of {rounds} decode: one-sided inputs prove little"
            );
        }
    });
}

#[test]
fn the_messages_of_any_stream_are_decoded_as_each_alone() {
    let (inputs, mut rng) = (inputs(&["hotpb.vectors.p3.All"]), Rng::new(23));
    let (mut whole, mut cut) = (0, 0);
    for round in 0..600 {
        let mut stream = Vec::new();
        for _ in 0..1 + rng.below(5) {
            hotpb::wire::append_delimited(&mut stream, &inputs[rng.below(inputs.len())]);
        }
        if round % 2 == 0 {
            stream = mutate(&mut rng, &stream, &inputs[0]);
        }
        let size = if round % 3 == 0 { 30 } else { hotpb::wire::MAX_SIZE };
        let options = hotpb::pool::DecodeOptions { size, ..Default::default() };
        match properties::stream(&stream, &options) {
            0 => cut += 1,
            _ => whole += 1,
        }
    }
    assert!(whole > 100 && cut > 20, "{whole} streams had a message, {cut} none");
}

#[test]
fn extensions_of_damaged_messages_are_the_same_to_a_handle_and_a_builder() {
    on_a_large_stack(|| {
        let inputs = inputs(&["hotpb.vectors.p2.All", "hotpb.vectors.p2.MessageSet", "hotpb.vectors.p2.Needs"]);
        let mut rng = Rng::new(29);
        for _ in 0..1500 {
            let (a, b) = (rng.below(inputs.len()), rng.below(inputs.len()));
            extensions::extensions(&mutate(&mut rng, &inputs[a], &inputs[b]));
        }
    });
}
