//! Unit tests that Miri can run: every `unsafe` of the view, on messages that ship with the crate.

use super::{DecodeOptions, Scratch, Unknown, View};
use crate::Code;
use crate::wkt::google::protobuf::value::KindView;
use crate::wkt::{FieldMaskView, Int64ValueView, ListValueView, StructView, TimestampView, ValueView};
use alloc::vec::Vec;

/// `{"a": 2.0, "b": [true, "né"]}`, with the value of "b" in two records.
fn message() -> Vec<u8> {
    let mut bytes = b"\x0a\x0e\x0a\x01a\x12\x09\x11\0\0\0\0\0\0\0\x40".to_vec();
    bytes.extend(b"\x0a\x15\x12\x06\x32\x04\x0a\x02\x20\x01\x0a\x01b\x12\x08\x32\x06\x0a\x04\x1a\x02\xc3\xa9");
    bytes
}

#[test]
fn maps_lists_and_oneofs_are_read_where_they_are() {
    let bytes = message();
    let scratch = Scratch::new();
    let view = StructView::decode(&bytes).unwrap();
    view.validate().unwrap();
    view.check_initialized().unwrap();
    assert!(view.fields().map(|(key, _)| key).eq(["a", "b"]));
    let number = view.fields().get("a").unwrap().open(&scratch).unwrap();
    assert!(number.has_number_value() && number.number_value() == 2.0 && number.string_value().is_empty());
    let list = view.fields().get("b").unwrap();
    assert!(list.is_split());
    let list = list.open(&scratch).unwrap();
    let Some(KindView::ListValue(list)) = list.kind() else { panic!("a list") };
    // Its two records merge, too.
    let list = list.open(&scratch).unwrap();
    let texts: Vec<_> = list.values().map(|value| value.open().unwrap()).collect();
    assert!(texts[0].bool_value() && texts[1].string_value() == "é");
    assert_eq!(view.fields().collect_by_key().len(), 2);
}

#[test]
fn strings_are_checked_when_the_level_is_opened() {
    let mask = FieldMaskView::decode(b"\x0a\x01a\x0a\x02\xc3\xa9\x0a\x00").unwrap();
    assert!(mask.paths().eq(["a", "é", ""]));
    assert_eq!((mask.paths().get(1), mask.paths().get(3), mask.paths().len()), (Some("é"), None, 3));
    let error = FieldMaskView::decode(b"\x0a\x01a\x0a\x02\xc3\x28").unwrap_err();
    assert_eq!((error.code(), error.offset(), error.path()), (Code::InvalidUtf8, 5, "paths[1]"));
    // The key of an entry is on the level, its value is not.
    assert_eq!(StructView::decode(b"\x0a\x03\x0a\x01\xff").unwrap_err().code(), Code::InvalidUtf8);
    let view = StructView::decode(b"\x0a\x05\x12\x03\x1a\x01\xff").unwrap();
    let scratch = Scratch::new();
    assert_eq!(view.fields().get("").unwrap().open(&scratch).unwrap_err().offset(), 2);
    assert!(view.validate().is_err());
}

#[test]
fn all_truncations_and_changes_of_a_message_are_read_or_refused() {
    let bytes = message();
    let step = if cfg!(miri) { 7 } else { 1 };
    for at in (0..bytes.len()).step_by(step) {
        for value in (0..=255u8).step_by(if cfg!(miri) { 51 } else { 1 }) {
            let mut changed = bytes.clone();
            changed[at] = value;
            read(&changed);
            read(&changed[..at]);
        }
    }
}

/// Reads all that can be read.
fn read(bytes: &[u8]) {
    let scratch = Scratch::new();
    let options = DecodeOptions { depth: 9, ..DecodeOptions::default() };
    let Ok(view) = StructView::decode_with(bytes, &options) else { return };
    let valid = view.validate().is_ok();
    let mut opened = true;
    for (key, value) in view.fields() {
        assert!(key.len() <= bytes.len());
        match value.open(&scratch) {
            Ok(value) => opened &= values(&value, &scratch),
            Err(_) => opened = false,
        }
    }
    // A valid message can be opened; an entry whose value is replaced may hide a fault from the accessors.
    assert!(opened || !valid);
    for field in view.unknown_fields() {
        assert!(matches!(field.content, Unknown::Record(record) if !record.is_empty()));
    }
}

fn values(value: &ValueView<'_>, scratch: &Scratch) -> bool {
    match value.kind() {
        Some(KindView::ListValue(list)) => match list.open(scratch) {
            Ok(list) => list_values(&list, scratch),
            Err(_) => false,
        },
        Some(KindView::StructValue(inner)) => inner.open(scratch).is_ok(),
        Some(KindView::StringValue(text)) => text.chars().count() <= text.len(),
        _ => true,
    }
}

fn list_values(list: &ListValueView<'_>, scratch: &Scratch) -> bool {
    list.values().all(|value| value.open().is_ok_and(|value| values(&value, scratch)))
}

/// VIW-5.
#[test]
fn everything_but_scratch_can_be_shared_by_threads() {
    fn shared<T: Send + Sync>(_: T) {}
    fn send<T: Send>(_: T) {}
    let bytes = message();
    let view = StructView::decode(&bytes).unwrap();
    shared((view.fields(), view.unknown_fields(), FieldMaskView::decode(b"").unwrap().paths(), view.clone()));
    shared((ListValueView::decode(b"").unwrap().values(), ValueView::decode(b"").unwrap().kind()));
    shared(TimestampView::decode(b"").unwrap().overwrite_nanos());
    send(Scratch::new());
}

#[test]
fn values_are_overwritten_in_place() {
    let mut bytes = b"\x08\x96\x01\x10\x05".to_vec();
    let time = TimestampView::decode(&bytes).unwrap();
    let (seconds, nanos) = (time.overwrite_seconds(), time.overwrite_nanos());
    assert!(!nanos.write(&mut bytes, 300) && nanos.write(&mut bytes, 7) && seconds.write(&mut bytes, 129));
    assert!(!seconds.write(&mut bytes[2..], 130) && !seconds.write(&mut [], 130));
    let time = TimestampView::decode(&bytes).unwrap();
    assert_eq!((time.seconds(), time.nanos()), (129, 7));
    assert!(!Int64ValueView::decode(b"").unwrap().overwrite_value().is_present());
}
