//! Random scripts of calls on generated writers: every output gets the intended bytes (WTR-1, WTR-2, WRT-1 to WRT-9).

use hotpb_tests::mutate::Rng;
use hotpb_tests::writing::scripts;

#[test]
fn any_script_gives_the_message_that_it_says_whatever_the_output() {
    let (mut rng, mut patches) = (Rng::new(31), 0);
    for round in 0..400 {
        let script: Vec<u8> = (0..rng.below(40 + round)).map(|_| rng.number() as u8).collect();
        patches += scripts(&script, &mut rng);
    }
    assert!(patches > 1000, "only {patches} patches: chunks were too large");
}
