use super::*;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

static ITEM: MessageSchema = MessageSchema::new(
    "t.Item",
    &[
        FieldSchema::new(1, "name", Kind::Utf8),
        FieldSchema::new(2, "text", Kind::Text),
        FieldSchema::new(3, "numbers", Kind::Int32).repeated(),
        FieldSchema::new(4, "points", Kind::Fixed32).repeated(),
        FieldSchema::new(5, "items", Kind::Message).repeated().child(&ITEM),
        FieldSchema::new(6, "group", Kind::Group).child(&ITEM),
        FieldSchema::new(7, "table", Kind::Map).repeated().child(&ENTRY),
        FieldSchema::new(8, "one", Kind::Message).child(&ITEM),
        FieldSchema::new(9, "small", Kind::Fixed64),
    ],
);
static ENTRY: MessageSchema = MessageSchema::new(
    "t.Item.TableEntry",
    &[FieldSchema::new(1, "key", Kind::Utf8), FieldSchema::new(2, "value", Kind::Message).child(&ITEM)],
);

fn limited(bytes: &[u8], limits: Limits) -> Option<(Code, usize, String)> {
    check(bytes, &ITEM, &limits).err().map(|e| (e.code(), e.offset(), e.path().to_string()))
}

fn checked(bytes: &[u8]) -> Option<(Code, usize, String)> {
    limited(bytes, Limits::default())
}

fn error(code: Code, offset: usize, path: &str) -> Option<(Code, usize, String)> {
    Some((code, offset, path.into()))
}

#[test]
fn a_good_message_has_no_error() {
    assert_eq!(checked(&[]), None);
    assert_eq!(checked(&[0x0a, 1, b'x', 0x1a, 2, 1, 2, 0x18, 3, 0x2a, 2, 0x18, 1, 0x33, 0x18, 1, 0x34]), None);
}

#[test]
fn a_bad_tag_has_the_path_of_the_message_that_holds_it() {
    assert_eq!(checked(&[0x00]), error(Code::InvalidTag, 0, ""));
    assert_eq!(checked(&[0x2a, 0, 0x2a, 1, 0x0e]), error(Code::InvalidWireType, 4, "items[1]"));
    assert_eq!(checked(&[0x2a, 1, 0x88]), error(Code::Truncated, 2, "items[0]"));
    assert_eq!(checked(&[0x0c]), error(Code::GroupMismatch, 0, ""));
    assert_eq!(checked(&[0x33, 0x3c]), error(Code::GroupMismatch, 1, "group"));
    assert_eq!(checked(&[0x9b, 0x06, 0x9b, 0x06, 0x0e]), error(Code::InvalidWireType, 4, "99.99"));
}

#[test]
fn a_group_that_is_not_ended_is_truncated_at_the_end_of_its_range() {
    assert_eq!(checked(&[0x33, 0x18, 1]), error(Code::Truncated, 3, "group"));
    assert_eq!(checked(&[0x42, 1, 0x33, 0x18, 1]), error(Code::Truncated, 3, "one.group"));
}

#[test]
fn lengths_are_checked_in_order_varint_limit_range_depth() {
    assert_eq!(checked(&[0x2a]), error(Code::Truncated, 1, "items[0]"));
    assert_eq!(checked(&[0x2a, 0xff, 0xff, 0xff, 0xff, 0x0f]), error(Code::SizeExceeded, 0, "items[0]"));
    assert_eq!(checked(&[0x2a, 2, 0]), error(Code::Truncated, 2, "items[0]"));
    let mut over = Vec::from([0x2a]);
    over.extend([0xff; 10]);
    assert_eq!(checked(&over), error(Code::VarintOverflow, 1, "items[0]"));
    let depth = |depth| limited(&[0x2a, 2, 0x42, 0], Limits { depth, ..Limits::default() });
    assert_eq!(depth(2), None);
    assert_eq!(depth(1), error(Code::DepthExceeded, 2, "items[0].one"));
    assert_eq!(depth(0), error(Code::DepthExceeded, 0, "items[0]"));
}

#[test]
fn elements_are_counted_over_packed_and_unpacked_records_of_one_message() {
    let bytes = [0x1a, 3, 1, 0x80, 2, 0x18, 5, 0x1a, 2, 7, 0x80];
    assert_eq!(checked(&bytes), error(Code::Truncated, 10, "numbers[4]"));
    assert_eq!(checked(&[0x25, 1, 2, 3, 4, 0x22, 5, 1, 2, 3, 4, 5]), error(Code::Truncated, 11, "points[2]"));
}

#[test]
fn a_known_number_with_another_wire_type_is_named_by_its_number() {
    assert_eq!(checked(&[0x08]), error(Code::Truncated, 1, "1"));
    assert_eq!(checked(&[0x4a, 5]), error(Code::Truncated, 2, "9"));
    assert_eq!(checked(&[0x35, 5]), error(Code::Truncated, 1, "6"));
}

#[test]
fn strings_are_checked_where_the_schema_or_strict_asks() {
    assert_eq!(checked(&[0x0a, 3, b'a', 0xc3, 0x28]), error(Code::InvalidUtf8, 3, "name"));
    assert_eq!(checked(&[0x12, 1, 0xff]), None);
    let strict = Limits { strict: true, ..Limits::default() };
    assert_eq!(limited(&[0x12, 1, 0xff], strict), error(Code::InvalidUtf8, 2, "text"));
    assert_eq!(checked(&[0x3a, 0, 0x3a, 3, 0x0a, 1, 0xff]), error(Code::InvalidUtf8, 6, "table[1].key"));
}

#[test]
fn the_element_that_exceeds_the_count_is_named() {
    let elements = |n, bytes: &[u8]| limited(bytes, Limits { elements: Some(n), ..Limits::default() });
    assert_eq!(elements(2, &[0x18, 1, 0x18, 1]), None);
    assert_eq!(elements(1, &[0x18, 1, 0x18, 1]), error(Code::CountExceeded, 2, "numbers[1]"));
    assert_eq!(elements(1, &[0x42, 2, 0x42, 0]), error(Code::CountExceeded, 2, "one.one"));
}

#[test]
fn the_record_with_the_anchor_is_named_when_memory_ran_out() {
    let bytes = [0x2a, 0, 0x2a, 2, 0x18, 1, 0x98, 0x06, 1];
    let at = |anchor| {
        let e = check_part(&bytes, 0, bytes.len(), &ITEM, &Limits::default(), Some(Spent::Memory(anchor))).unwrap_err();
        (e.code(), e.offset(), e.path().to_string())
    };
    assert_eq!(at(4), (Code::CountExceeded, 2, "items[1]".into()));
    assert_eq!(at(6), (Code::CountExceeded, 4, "items[1].numbers[0]".into()));
    assert_eq!(at(7), (Code::CountExceeded, 6, "99".into()));
}
