//! JSON of callers that lie or fail, and of messages that nest deeper than a stack.

use hotpb::json::{ReadOptions, Types, Written, read, to_wire};
use hotpb::pool::{Builder as _, Encode as _};
use hotpb::wkt;
use hotpb_tests::vectors::hotpb::vectors::{p2, p3};
use serde::de::{self, Deserializer, MapAccess, SeqAccess, Visitor, value};
use std::io;

/// The content of an `Any` in an `Any` … of so many levels.
fn nested(levels: usize) -> Vec<u8> {
    let mut any = wkt::AnyBuilder::default();
    for _ in 0..levels {
        let value = any.encode_to_vec().unwrap();
        any =
            wkt::AnyBuilder { type_url: "type.googleapis.com/google.protobuf.Any".into(), value, ..Default::default() };
    }
    any.encode_to_vec().unwrap()
}

/// JSN-15: a decode limits the depth of the content of each `Any` alone.
#[test]
fn an_any_inside_an_any_counts_as_a_level_of_both_directions() {
    let types = Types::new().add::<wkt::Any<'static>>().add::<p3::All<'static>>();
    let mut pool = wkt::AnyPool::new();
    let mut write = |bytes: &[u8]| {
        let any = pool.decode(bytes).unwrap();
        serde_json::to_string(&Written::new(any.into()).types(&types)).map_err(|e| e.to_string())
    };
    let options = ReadOptions { types: Some(&types), ..ReadOptions::default() };
    let reading = |text: &str| {
        let mut from = serde_json::Deserializer::from_str(text);
        from.disable_recursion_limit();
        to_wire::<wkt::Any<'static>, _>(&mut from, &options).map_err(|e| e.to_string())
    };
    let deepest = nested(100);
    let text = write(&deepest).unwrap();
    assert!(reading(&text).unwrap() == deepest, "it is read as another message");
    // One level more, and so many that no stack has room for them.
    for levels in [101, 102, 2_000] {
        assert!(write(&nested(levels)).unwrap_err().contains("too deep"), "{levels}");
    }
    let level = |text: &str| format!(r#"{{"@type":"type.googleapis.com/google.protobuf.Any","value":{text}}}"#);
    assert!(reading(&level(&text)).unwrap_err().contains("too deep"));
    // A message below an `Any` has the levels that are left.
    let all = |levels: usize, any: usize| {
        let mut bytes = Vec::new();
        for _ in 0..levels {
            let mut outer = Vec::new();
            hotpb::wire::append_tag(&mut outer, 19, 2);
            hotpb::wire::append_bytes(&mut outer, &bytes);
            bytes = outer;
        }
        let mut url = "a/hotpb.vectors.p3.All";
        for _ in 0..any {
            bytes =
                wkt::AnyBuilder { type_url: url.into(), value: bytes, ..Default::default() }.encode_to_vec().unwrap();
            url = "a/google.protobuf.Any";
        }
        bytes
    };
    let text = write(&all(60, 40)).unwrap();
    assert!(reading(&text).unwrap() == all(60, 40), "it is read as another message");
    assert!(write(&all(61, 40)).unwrap_err().contains("DepthExceeded"));
}

/// JSN-11: the content of an `Any` is written without its required fields, as any other message.
#[test]
fn an_any_may_lack_required_fields_when_it_is_written() {
    let types = Types::new().add::<p2::Must<'static>>();
    let any =
        wkt::AnyBuilder { type_url: "a/hotpb.vectors.p2.Must".into(), ..Default::default() }.encode_to_vec().unwrap();
    let mut pool = wkt::AnyPool::new();
    let written = Written::new(pool.decode(&any).unwrap().into()).types(&types);
    assert_eq!(serde_json::to_string(&written).unwrap(), r#"{"@type":"a/hotpb.vectors.p2.Must"}"#);
}

/// JSN-14.
#[test]
fn a_string_that_is_not_utf8_is_an_error_of_writing_and_of_reading() {
    // proto2 leaves strings unchecked.
    let mut pool = p2::AllPool::new();
    let all = pool.decode(b"\x72\x02\xc3\x28").unwrap();
    assert_eq!(serde_json::to_string(&all).unwrap_err().to_string(), "a string that is not UTF-8");
    let entry = p2::AllBuilder::decode(b"\x72\x01a").unwrap();
    assert!(serde_json::to_string(&entry).unwrap().contains(r#""a""#));
    // Half of a surrogate pair stands for no character.
    for text in [r#"{"singleString":"\ud800"}"#, r#"{"singleString":"\udc00\ud800"}"#] {
        assert!(serde_json::from_str::<p2::AllBuilder>(text).is_err(), "{text}");
    }
    assert!(serde_json::from_slice::<p2::AllBuilder>(b"{\"singleString\":\"\xc3\x28\"}").is_err());
}

/// JSN-9: paths that would be read as another mask.
#[test]
fn a_field_mask_that_could_not_be_read_back_is_an_error() {
    let written = |paths: &[&str]| {
        let mask = wkt::FieldMaskBuilder { paths: paths.iter().map(|&p| p.into()).collect(), ..Default::default() };
        let bytes = mask.encode_to_vec().unwrap();
        let mut pool = wkt::FieldMaskPool::new();
        serde_json::to_string(&pool.decode(&bytes).unwrap()).map_err(|e| e.to_string())
    };
    assert_eq!(written(&["a_b.c", "d"]).unwrap(), r#""aB.c,d""#);
    assert_eq!(written(&[]).unwrap(), r#""""#);
    for paths in [&["a,b"][..], &[""], &["a", "", "b"], &["aB"], &["a_"], &["a__b"], &["a_1"]] {
        let error = written(paths).unwrap_err();
        assert!(error.contains("a FieldMask with the path"), "{paths:?}: {error}");
    }
}

/// A program's own data that says it has far more elements than it has.
struct Lies(usize);

impl<'de> SeqAccess<'de> for Lies {
    type Error = value::Error;
    fn next_element_seed<T: de::DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, value::Error> {
        if self.0 == 0 {
            return Ok(None);
        }
        self.0 -= 1;
        seed.deserialize(de::IntoDeserializer::into_deserializer(self.0 as u32)).map(Some)
    }
    fn size_hint(&self) -> Option<usize> {
        Some(usize::MAX)
    }
}

/// An object with a member of that list.
struct Object(bool);

impl<'de> MapAccess<'de> for Object {
    type Error = value::Error;
    fn next_key_seed<K: de::DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, value::Error> {
        if std::mem::replace(&mut self.0, true) {
            return Ok(None);
        }
        seed.deserialize(de::value::StrDeserializer::new("repeatedUint32")).map(Some)
    }
    fn next_value_seed<V: de::DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, value::Error> {
        seed.deserialize(de::value::SeqAccessDeserializer::new(Lies(3)))
    }
    fn size_hint(&self) -> Option<usize> {
        Some(usize::MAX)
    }
}

struct Source;

impl<'de> Deserializer<'de> for Source {
    type Error = value::Error;
    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, value::Error> {
        visitor.visit_map(Object(false))
    }
    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 char str string bytes byte_buf option unit unit_struct newtype_struct seq tuple
        tuple_struct map struct enum identifier ignored_any
    }
}

#[test]
fn a_source_that_lies_about_lengths_costs_no_memory() {
    let all: p3::AllBuilder = read(Source, &ReadOptions::default()).unwrap();
    assert_eq!(all.repeated_uint32, [2, 1, 0]);
}

/// A source without end of nested options, as a format of a program's own may have.
struct Endless;

impl<'de> Deserializer<'de> for Endless {
    type Error = value::Error;
    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, value::Error> {
        visitor.visit_seq(Endless)
    }
    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 char str string bytes byte_buf option unit unit_struct newtype_struct seq tuple
        tuple_struct map struct enum identifier ignored_any
    }
}

impl<'de> SeqAccess<'de> for Endless {
    type Error = value::Error;
    fn next_element_seed<T: de::DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, value::Error> {
        seed.deserialize(Endless).map(Some)
    }
}

#[test]
fn a_source_that_nests_without_end_is_an_error() {
    let error = read::<wkt::ListValueBuilder, _>(Endless, &ReadOptions::default()).unwrap_err().to_string();
    assert!(error.contains("nests too deep"), "{error}");
}

/// Accepts so many bytes, and fails then.
struct Narrow(usize);

impl io::Write for Narrow {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let room = bytes.len().min(self.0).min(3);
        self.0 -= room;
        if room == 0 && !bytes.is_empty() { Err(io::Error::other("full")) } else { Ok(room) }
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn an_output_that_fails_at_any_byte_is_an_error() {
    let bytes = b"\x08\x01\x72\x03a\"\n\x92\x01\x02\x08\x07\xea\x12\x02\x01\x02\xca\x25\x04\x08\x01\x10\x02";
    let mut pool = p3::AllPool::new();
    let all = pool.decode(bytes).unwrap();
    let text = serde_json::to_string(&all).unwrap();
    for room in 0..text.len() {
        assert!(serde_json::to_writer(Narrow(room), &all).is_err(), "{room}");
    }
    serde_json::to_writer(Narrow(text.len()), &all).unwrap();
    // The handle is as before.
    assert_eq!(serde_json::to_string(&all).unwrap(), text);
    // An output that panics leaves the pool as it was, too.
    struct Panics;
    impl io::Write for Panics {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            panic!("an output's own fault")
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| drop(serde_json::to_writer(Panics, &all))));
    assert!(caught.is_err());
    assert_eq!(serde_json::to_string(&pool.decode(bytes).unwrap()).unwrap(), text);
}
