//! The vectors' messages, read and shown without their type.

use hotpb::pool::walk::{AnyMessage, Described};
use hotpb::pool::{DecodeOptions, Message, Pool};
use hotpb_tests::vectors;
use hotpb_tests_corpus::{bytes, lines};
use std::collections::BTreeSet;

pub mod properties;
pub mod walked;

/// The messages of the vectors in their canonical form: each once, with its full name.
pub fn canonical_messages() -> Vec<(String, Vec<u8>)> {
    let mut all = BTreeSet::new();
    for v in lines("wire.jsonl") {
        // Vectors of limits nest a thousand levels deep.
        if v["options"].is_null() {
            all.insert((v["message"].as_str().expect("message").to_string(), bytes(&v["canonical"])));
        }
    }
    assert!(all.len() > 1000, "{} messages", all.len());
    all.into_iter().collect()
}

/// Calls a function with a decoded message of any type.
pub type Decode = fn(&[u8], &mut dyn FnMut(AnyMessage<'_>));

fn decode<M: Message>(bytes: &[u8], then: &mut dyn FnMut(AnyMessage<'_>)) {
    let options = DecodeOptions { allow_partial: true, ..DecodeOptions::default() };
    let mut pool = Pool::<M>::new();
    then(pool.decode_with(bytes, &options).expect("a canonical message").into());
}

/// Reads a message's JSON and returns its encoding.
pub type FromJson = fn(&str) -> Result<Vec<u8>, serde_json::Error>;

fn from_json<M: Described>(text: &str) -> Result<Vec<u8>, serde_json::Error> {
    let mut from = serde_json::Deserializer::from_str(text);
    hotpb::json::to_wire::<M, _>(&mut from, &Default::default())
}

/// Returns both for the message type with a full name.
pub fn functions(name: &str) -> (Decode, FromJson) {
    use vectors::hotpb::vectors::{e23, e24, p2, p3};
    macro_rules! find {
        ($($package:ident::$message:ident),*) => {
            match name.strip_prefix("hotpb.vectors.").and_then(|name| name.split_once('.')) {
                $(Some((stringify!($package), stringify!($message))) => {
                    (decode::<$package::$message<'static>>, from_json::<$package::$message<'static>>)
                })*
                _ => panic!("no message {name}"),
            }
        };
    }
    find!(
        p3::All,
        p2::All,
        e23::All,
        e24::All,
        p3::Numbers,
        p2::Numbers,
        e23::Numbers,
        e24::Numbers,
        p3::Empty,
        p2::Empty,
        e23::Empty,
        e24::Empty,
        p2::Must,
        e23::Must,
        e24::Must,
        p2::Needs,
        e23::Needs,
        e24::Needs,
        p2::MustAll,
        e23::MustAll,
        e24::MustAll,
        p2::MessageSet,
        e23::MessageSet,
        e24::MessageSet
    )
}
