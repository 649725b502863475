//! The memory of a decode is bounded for any bytes (LIM-3), and the error names the field that exceeds the limit
//! (OFF-7).

use hotpb::pool::{DecodeOptions, Message, Pool};
use hotpb::wire::{self, END_GROUP, LEN, START_GROUP, VARINT};
use hotpb::{Code, Error};
use hotpb_tests::counting::measure;
use hotpb_tests::vectors::hotpb::vectors::{p2, p3};

fn varint(number: u32, value: u64) -> Vec<u8> {
    let mut out = Vec::new();
    wire::append_tag(&mut out, number, VARINT);
    wire::append_varint(&mut out, value);
    out
}

fn record(number: u32, payload: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    wire::append_tag(&mut out, number, LEN);
    wire::append_bytes(&mut out, payload);
    out
}

fn group(number: u32, inside: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    wire::append_tag(&mut out, number, START_GROUP);
    out.extend(inside);
    wire::append_tag(&mut out, number, END_GROUP);
    out
}

/// Records that need much memory for few bytes. The numbers are those of the vector messages, the same in proto2 and
/// proto3.
fn hostile() -> Vec<(&'static str, Vec<u8>)> {
    let taking_turns: Vec<u8> = [301, 303, 305, 313].iter().flat_map(|&number| varint(number, 1)).collect();
    vec![
        ("empty strings", record(314, b"")),
        ("empty children", record(318, b"")),
        ("empty messages of the widest type", record(319, b"")),
        ("packed bools", record(413, &[1; 60])),
        ("packed numbers of one byte in eight", record(404, &[1; 60])),
        ("scalars that take turns", taking_turns),
        ("children that take turns", [record(318, b""), record(319, b"")].concat()),
        ("children with one element each", record(318, &[0x22, 1, 1])),
        ("children of children", record(318, &[0x4a, 0, 0x4a, 0])),
        ("entries with one key", record(701, b"\x08\x01")),
        ("entries with messages under one key", record(719, b"\x12\0")),
        ("unknown fields that do not touch", [varint(90_000, 1), varint(1, 1)].concat()),
        ("unknown fields in children", record(318, &varint(90_000, 1))),
        ("members of a oneof that take turns", [record(818, b""), record(819, b"")].concat()),
        ("undefined enum values, packed", record(417, &[99; 60])),
        ("undefined enum values", varint(317, 99)),
        ("undefined enum values in entries", [record(717, &[0x08, 1, 0x10, 99]), varint(1, 1)].concat()),
        ("groups", group(911, b"")),
        ("groups in groups", group(911, &group(912, b""))),
        ("one child in many parts", record(18, &[0x22, 1, 1])),
    ]
}

/// Returns entries with different keys.
fn many_keys() -> Vec<u8> {
    let key = |n: u32| [b'a' + (n >> 12) as u8, (n >> 6 & 63) as u8, (n & 63) as u8];
    (0..40_000).flat_map(|n| record(719, &[&[0x0a, 3][..], &key(n)].concat())).collect()
}

fn decode<M: Message>(pool: &mut Pool<M>, input: &[u8], memory: Option<usize>) -> Result<(), Error> {
    let options = DecodeOptions { memory, allow_partial: true, ..DecodeOptions::default() };
    pool.decode_with(input, &options).map(drop)
}

/// Decodes within a budget and checks the memory that it used; returns whether the budget was exceeded.
fn within<M: Message>(subject: &str, input: &[u8], memory: Option<usize>) -> bool {
    let budget = memory.unwrap_or(32 * input.len()).max(if memory.is_some() { 0 } else { 1 << 20 });
    let mut pool = Pool::<M>::new();
    let (result, measured) = measure(|| decode(&mut pool, input, memory));
    // Vectors double: at most twice the counted memory, and the old half during the copy. Empty tables cost a few
    // pages.
    let bound = 3 * budget as isize + 200_000;
    assert!(measured.peak < bound, "{subject}: {measured:?} for a budget of {budget}");
    let Err(error) = result else { return false };
    assert_eq!(error.code(), Code::CountExceeded, "{subject}: {error}");
    assert!(!error.path().is_empty(), "{subject}: {error}");
    assert_eq!(decode(&mut pool, input, memory), Err(error.clone()), "{subject}: a warm pool");
    if !error.path().contains('.') {
        // The error names the right record: all records before it fit, and with it they do not.
        let before = &input[..error.offset()];
        let memory = memory.or(Some(budget));
        assert_eq!(decode(&mut Pool::<M>::new(), before, memory), Ok(()), "{subject}: {error}");
        let mut reader = wire::Reader::new(&input[error.offset()..]);
        let tag = reader.tag().expect("a tag").expect("a record");
        reader.skip(tag).expect("a whole one");
        let whole = &input[..error.offset() + reader.offset()];
        assert_eq!(decode(&mut Pool::<M>::new(), whole, memory), Err(error), "{subject}");
    }
    true
}

#[test]
fn hostile_records_stop_within_the_budget_at_the_field_that_exceeds() {
    let mut exceeded = Vec::new();
    for (title, one) in hostile() {
        let input = one.repeat(200_000 / one.len());
        for memory in [None, Some(100_000), Some(3_000)] {
            let p2 = within::<p2::All<'static>>(title, &input, memory);
            let p3 = within::<p3::All<'static>>(title, &input, memory);
            if memory == Some(3_000) && (p2 || p3) {
                exceeded.push(title);
            }
        }
    }
    let never: Vec<_> = hostile().iter().map(|(title, _)| *title).filter(|title| !exceeded.contains(title)).collect();
    assert!(never.is_empty(), "{never:?} never exceed 3 kB: they prove nothing");
    assert!(within::<p3::All<'static>>("many keys", &many_keys(), Some(1 << 18)));
    within::<p3::All<'static>>("many keys", &many_keys(), None);
}

#[test]
fn a_length_above_the_limit_is_refused_at_its_field_before_anything_is_taken_for_it() {
    // single_child, whose length is 2^31 − 1; then a string inside it.
    for (input, offset) in
        [(&b"\x08\x01\x92\x01\xff\xff\xff\xff\x07"[..], 2), (b"\x08\x01\x92\x01\x0c\x12\xff\xff\xff\x03xxxxxxx", 5)]
    {
        let options = DecodeOptions { size: 1000, ..DecodeOptions::default() };
        let mut pool = p3::AllPool::new();
        let (error, measured) = measure(|| pool.decode_with(input, &options).map(drop).unwrap_err());
        assert_eq!((error.code(), error.offset()), (Code::SizeExceeded, offset), "{error}");
        assert!(measured.peak < 100_000, "{measured:?}");
    }
}
