//! The properties that fuzzing checks, on the messages of the vectors and on a few that are damaged (RTX-1, RTX-7, RTX-9, JSN-1,
//! JSN-2, JSN-10).

use hotpb_json_tests::properties::{Checks, all};
use hotpb_json_tests::{canonical_messages, functions};
use hotpb_tests::mutate;
use hotpb_tests_corpus::on_a_large_stack;

#[test]
fn messages_of_the_vectors_are_shown_compared_and_walked_and_their_json_is_read() {
    on_a_large_stack(|| {
        let (checks, mut previous) = (all(), Vec::new());
        let (mut shown, mut read) = (0, 0);
        for (name, bytes) in canonical_messages() {
            let Some(check) = checks.iter().find(|check| check.name == name) else { continue };
            assert!((check.shown)(&bytes, &previous), "{name}: {bytes:02x?}");
            (shown, read) = (shown + 1, read + usize::from((check.json_of_bytes)(&bytes)));
            previous = bytes;
        }
        // The others hold a string that is not UTF-8.
        assert!(shown > 800 && read > shown * 9 / 10, "{shown} {read}");
    });
}

#[test]
fn damaged_messages_keep_these_properties() {
    on_a_large_stack(|| {
        let (checks, seeds, mut rng) = (all(), canonical_messages(), mutate::Rng::new(7));
        let (mut shown, mut read) = (0, 0);
        for _ in 0..4000 {
            let (_, a) = &seeds[rng.below(seeds.len())];
            let (_, b) = &seeds[rng.below(seeds.len())];
            let bytes = mutate::mutate(&mut rng, a, b);
            let check = &checks[rng.below(checks.len())];
            shown += usize::from((check.shown)(&bytes, b));
            read += usize::from((check.json_of_bytes)(&bytes));
        }
        assert!(shown > 400 && read > 100, "{shown} {read}");
    });
}

/// What JSON's own writer wrote, with parts that are changed: it is read as a message, or refused.
#[test]
fn damaged_json_is_a_message_or_an_error() {
    on_a_large_stack(|| {
        let (checks, mut rng) = (all(), mutate::Rng::new(11));
        let mut seeds = Vec::new();
        for (name, bytes) in canonical_messages() {
            functions(&name).0(&bytes, &mut |message| {
                seeds.extend(serde_json::to_string(&message).ok().map(|t| (name.clone(), t)))
            });
        }
        let (mut read, mut refused) = (0, 0);
        for _ in 0..4000 {
            let (name, a) = &seeds[rng.below(seeds.len())];
            let b = &seeds[rng.below(seeds.len())].1;
            let bytes = mutate::mutate(&mut rng, a.as_bytes(), b.as_bytes());
            let check: &Checks = checks.iter().find(|c| c.name == name).unwrap_or(&checks[rng.below(checks.len())]);
            match (check.bytes_of_json)(&String::from_utf8_lossy(&bytes), rng.below(2) == 0) {
                Ok(_) => read += 1,
                Err(_) => refused += 1,
            }
        }
        assert!(read > 100 && refused > 1000, "{read} {refused}");
    });
}
