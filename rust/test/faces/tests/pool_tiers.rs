//! Straight code and tables have the same results for records of all kinds, valid and damaged (FCE-10). It is quick
//! here; Miri (`rust/check-all.sh miri`) runs it to check each access through a table.

use hotpb::pool::DecodeOptions;
use hotpb_tests::mutate::{Rng, mutate, records};
use hotpb_tests::properties::{Pools, Tiers};

/// Returns a field number that the messages of the vectors usually have; small numbers are dense, others are looked up.
fn number(rng: &mut Rng) -> usize {
    [1 + rng.below(20), 1 + rng.below(130), 1 + rng.below(20_000)][rng.below(3)]
}

#[test]
fn records_of_all_kinds_are_read_and_written_the_same_straight_and_by_table() {
    let (mut tiers, names, mut rng) = (Tiers::default(), Pools::names(), Rng::new(16));
    let wide = ["hotpb.vectors.p3.All", "hotpb.vectors.p2.Numbers"];
    assert!(wide.iter().all(|name| names.contains(name)), "{names:?}");
    let mut before = Vec::new();
    for round in 0..if cfg!(miri) { 150 } else { 20_000 } {
        let name = if round % 2 == 0 { wide[rng.below(2)] } else { names[rng.below(names.len())] };
        let mut input = records(&mut rng, number);
        for _ in 0..rng.below(3) {
            input.extend(records(&mut rng, number));
        }
        if rng.below(3) == 0 {
            input = mutate(&mut rng, &input, &before);
        }
        let memory = [None, None, Some(rng.below(3000))][rng.below(3)];
        let (strict, allow_partial) = (rng.below(3) == 0, rng.below(3) != 0);
        let depth = [100, 2][rng.below(2)];
        tiers.agree(name, &input, &DecodeOptions { strict, allow_partial, memory, depth, ..DecodeOptions::default() });
        before = input;
    }
}
