//! A long chain of straight messages: code of one must not be generic over the next, because rustc limits how deep such code goes.
//! The limit is low here, so that a short chain shows it.
#![recursion_limit = "32"]

use hotpb::pool::Encode;
use hotpb_tests_across::chain::chain::{M0Pool, M120Pool};

/// The bytes of message `first`, which nests to message `last`; that is empty, or is `end`.
fn nested(first: usize, last: usize, end: &[u8]) -> Vec<u8> {
    (first..last).rev().fold(end.to_vec(), |inner, i| {
        let mut out = if i % 4 == 3 { vec![8, 1, 0x12, inner.len() as u8] } else { vec![] };
        out.extend(inner);
        [vec![0x0a, out.len() as u8], out].concat()
    })
}

#[test]
fn messages_of_a_long_chain_are_read_and_written() {
    let (from_start, to_end) = (nested(0, 40, &[]), nested(120, 160, &[8, 7]));
    assert!(to_end.len() < 128, "lengths have one byte");
    assert_eq!(M0Pool::new().decode(&from_start).unwrap().encode_to_vec().unwrap(), from_start);
    assert_eq!(M120Pool::new().decode(&to_end).unwrap().encode_to_vec().unwrap(), to_end);
}
