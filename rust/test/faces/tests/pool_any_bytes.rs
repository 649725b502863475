//! Pools on damaged inputs: no panic, warm equals fresh, and the encoded bytes decode to the same.
//! `rust/test/fuzz` does the same for longer.

use hotpb::pool::DecodeOptions;
use hotpb_tests::mutate::{Rng, mutate, records};
use hotpb_tests::properties::{self, Pools};

/// Returns messages of every shape, built by hand so that the test needs no files: fields of `All` in all wire types.
fn seeds() -> Vec<Vec<u8>> {
    let mut seeds = vec![Vec::new()];
    let mut rng = Rng::new(7);
    for _ in 0..300 {
        seeds.push(records(&mut rng, |rng| {
            [1 + rng.below(30), 100 * (1 + rng.below(9)) + rng.below(24), 1000 + rng.below(60)][rng.below(3)]
        }));
    }
    seeds
}

#[test]
fn decoding_with_a_used_pool_is_decoding_with_a_fresh_one_also_after_errors() {
    let (mut pools, mut rng) = (Pools::default(), Rng::new(1));
    let (seeds, names) = (seeds(), Pools::names());
    let (mut good, mut bad) = (0, 0);
    // Miri, which looks for undefined behaviour, is some thousand times slower.
    let rounds = if cfg!(miri) { 150 } else { 6000 };
    for round in 0..rounds {
        let name = names[rng.below(names.len())];
        let (a, b) = (rng.below(seeds.len()), rng.below(seeds.len()));
        let bytes = if round % 4 == 0 { seeds[a].clone() } else { mutate(&mut rng, &seeds[a], &seeds[b]) };
        let strict = rng.below(4) == 0;
        let options = DecodeOptions { strict, allow_partial: rng.below(2) == 0, ..DecodeOptions::default() };
        pools.three_ways(name, &bytes, &options);
        match pools.round_trip(name, &bytes, &options) {
            Ok(_) => good += 1,
            Err(error) => {
                assert!(error.offset() <= bytes.len());
                bad += 1;
            }
        }
    }
    assert!(good > rounds / 12 && bad > rounds / 12, "one-sided inputs prove little: {good} good, {bad} bad");
}

#[test]
fn the_wire_layer_reads_any_bytes_the_same_way_whichever_way_it_reads() {
    let (mut rng, seeds) = (Rng::new(3), seeds());
    for _ in 0..if cfg!(miri) { 300 } else { 20_000 } {
        let (a, b) = (rng.below(seeds.len()), rng.below(seeds.len()));
        let bytes = mutate(&mut rng, &seeds[a], &seeds[b]);
        properties::wire(&bytes);
        properties::check(&bytes);
    }
}
