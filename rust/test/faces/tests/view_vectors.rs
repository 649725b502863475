//! The vectors of the repository, for the face `view`: an input that opens must encode again to the canonical bytes; one
//! that does not must return the error, offset and path of the vector. An unexpected pass fails, too.

use hotpb::pool::DecodeOptions;
use hotpb_tests::mutate::{Rng, mutate};
use hotpb_tests::properties::Views;
use hotpb_tests_corpus::*;

/// Encodes the input of a vector again.
fn reencode(views: &mut Views, v: &Value, input: &[u8]) -> Result<Vec<u8>, hotpb::Error> {
    views.reencode(v["message"].as_str().expect("message"), input, &options(v))
}

#[test]
fn every_good_vector_encodes_to_its_canonical_bytes() {
    on_a_large_stack(|| {
        let mut views = Views::default();
        good("view", "as views", &mut |v, input| reencode(&mut views, v, input));
    });
}

#[test]
fn every_bad_vector_gives_its_error_offset_and_path() {
    on_a_large_stack(|| {
        let mut views = Views::default();
        bad("view", "as views", &mut |v, input| reencode(&mut views, v, input));
    });
}

/// VIW-29, VIW-30.
#[test]
fn view_and_pool_agree_on_every_vector_and_on_damaged_ones() {
    on_a_large_stack(|| {
        let (mut views, mut rng, mut before, mut total) = (Views::default(), Rng::new(35), Vec::new(), 0);
        for file in ["wire.jsonl", "invalid.jsonl"] {
            for v in binding(file, "view") {
                let (name, input) = (v["message"].as_str().expect("message"), bytes(&v["input"]));
                let options = DecodeOptions { memory: Some(1 << 30), ..options(&v) };
                for damaged in [input.clone(), mutate(&mut rng, &input, &before), mutate(&mut rng, &input, &input)] {
                    views.agree(name, &damaged, &options);
                    total += 1;
                }
                before = input;
            }
        }
        report("vectors and damaged ones, as view and in the pool", Vec::new(), total);
    });
}

#[test]
fn every_stream_gives_its_messages_and_then_its_error() {
    let mut views = Views::default();
    streams("view", &mut |v, input| reencode(&mut views, v, input));
}
