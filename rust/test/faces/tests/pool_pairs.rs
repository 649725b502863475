//! Messages of two strings, repeated in other messages: each is read in one step, and checked like any other.

use hotpb::Code;
use hotpb::pool::{DecodeOptions, Encode};
use hotpb::wire::{self, LEN};
use hotpb_tests::pairs::hotpb::nasty::pairs::*;

/// Appends a record that contains a string in each of two fields.
fn pair(out: &mut Vec<u8>, number: u32, first: (u32, &[u8]), second: (u32, &[u8])) {
    let mut inner = Vec::new();
    for (number, text) in [first, second] {
        wire::append_tag(&mut inner, number, LEN);
        wire::append_bytes(&mut inner, text);
    }
    wire::append_tag(out, number, LEN);
    wire::append_bytes(out, &inner);
}

/// Returns runs of pairs, with `text` among them.
fn series(text: &[u8], place: u32) -> Vec<u8> {
    let mut out = Vec::new();
    let at = |number| if number == place { text } else { &b"t"[..] };
    for round in 0..3 {
        let at = |number| if round == 1 { at(number) } else { b"u" };
        pair(&mut out, 1, (1, at(1)), (2, b"v"));
    }
    pair(&mut out, 3, (1, b"k"), (15, at(3)));
    pair(&mut out, 4, (1, b"a"), (2, at(4)));
    pair(&mut out, 5, (1, at(5)), (2, b"\xff"));
    pair(&mut out, 6, (1, b"b"), (2, at(6)));
    pair(&mut out, 16, (5, at(16)), (7, b"\xfe"));
    out
}

#[test]
fn pairs_of_other_messages_and_packages_are_read_and_checked() {
    let mut pool = SeriesPool::new();
    for place in [1, 3, 4, 5, 6, 16] {
        let good = series("ä".as_bytes(), place);
        let message = pool.decode(&good).expect("UTF-8");
        assert_eq!(message.labels().iter().map(|label| label.value()).collect::<String>(), "vvv");
        assert_eq!(message.encode_to_vec(), Ok(good));
        let bad = series(b"\xc3", place);
        let strict = DecodeOptions { strict: true, ..DecodeOptions::default() };
        let code = |options| pool.decode_with(&bad, &options).map(drop).map_err(|e| e.code());
        // Only a strict decode checks strings that the schema leaves unchecked.
        let mut code = code;
        let unchecked = code(DecodeOptions::default());
        assert_eq!(unchecked, if place == 6 { Ok(()) } else { Err(Code::InvalidUtf8) }, "{place}");
        assert_eq!(code(strict), Err(Code::InvalidUtf8), "{place}");
    }
}

#[test]
fn pairs_of_another_message_are_read_one_level_deeper() {
    let mut inside = Vec::new();
    pair(&mut inside, 1, (1, b"n"), (2, b"v"));
    pair(&mut inside, 2, (1, b"k"), (15, b"t"));
    let mut bytes = Vec::new();
    wire::append_tag(&mut bytes, 1, LEN);
    wire::append_bytes(&mut bytes, &inside);
    let mut pool = HolderPool::new();
    let holder = pool.decode(&bytes).expect("a message");
    let inside = holder.inside().expect("it is present");
    assert_eq!((inside.labels().len(), inside.notes().len()), (1, 1));
    assert_eq!(inside.notes().iter().next().map(|note| note.text()), Some("t"));
}
