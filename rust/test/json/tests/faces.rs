//! Text, equality and JSON where no stock runtime is needed to say what is right (rust/rules.md, RTX and JSN).

use hotpb::json::{ReadOptions, read};
use hotpb::pool::{Builder as _, Encode as _};
use hotpb::view::View as _;
use hotpb::wkt;
use hotpb_json_tests::{canonical_messages, functions};
use hotpb_tests::vectors::hotpb::vectors::{p2, p3};
use hotpb_tests::views;

/// RTX-1, RTX-3.
#[test]
fn a_handle_is_text_on_one_line_and_on_several() {
    let mut pool = p3::AllPool::new();
    let all = pool.decode(b"\x08\x01\x72\x03a\"\n\x92\x01\x02\x08\x07").unwrap();
    assert_eq!(format!("{all:?}"), r#"single_int32: 1 single_string: "a\"\n" single_child { id: 7 }"#);
    assert_eq!(format!("{all:#?}"), "single_int32: 1\nsingle_string: \"a\\\"\\n\"\nsingle_child {\n  id: 7\n}");
    // Inside of other values, too.
    assert_eq!(format!("{:?}", Some(all.single_child().unwrap())), "Some(id: 7)");
    assert_eq!(format!("{:?}", all.single_child()), "Some(id: 7)");
}

/// RTX-5.
#[test]
fn unknown_fields_are_shown_by_number_in_the_form_of_their_wire_type() {
    let mut pool = wkt::EmptyPool::new();
    let records = b"\x08\x05\x11\x01\0\0\0\0\0\0\0\x1a\x02\x08\x07\x22\x01\xff\x2b\x08\x01\x2c\x35\x02\0\0\0";
    let empty = pool.decode(records).unwrap();
    let text = r#"1: 5 2: 0x0000000000000001 3 { 1: 7 } 4: "\377" 5 { 1: 1 } 6: 0x00000002"#;
    assert_eq!(format!("{empty:?}"), text);
    assert_eq!(format!("{:?}", empty.unknown_fields()), text);
}

/// RTX-6.
#[test]
fn a_view_shows_its_records_as_they_came() {
    let view = views::hotpb::vectors::p3::AllView::decode(b"\x08\x02\x08\x03\x80\x01\x63\x92\x01\x02\x08\x07").unwrap();
    assert_eq!(format!("{view:?}"), "single_int32: 2 single_int32: 3 single_open: 99 single_child { id: 7 }");
    let child = view.single_child().unwrap();
    assert_eq!(format!("{child:?}"), "id: 7");
    assert!(views::hotpb::vectors::p3::AllView::decode(b"\x08").map(|_| ()).is_err());
}

/// RTX-7, RTX-8: each message equals itself, decoded again, and no other message of its type.
#[test]
fn messages_are_equal_if_their_content_is() {
    let all = canonical_messages();
    let mut previous: Option<&(String, Vec<u8>)> = None;
    for message in &all {
        let (name, bytes) = message;
        let decode = functions(name).0;
        decode(bytes, &mut |a| {
            // NaN differs from itself, as in Rust.
            let nan = format!("{a:?}").contains("nan");
            decode(bytes, &mut |b| assert_eq!(a == b, !nan, "{name} {a:?}"));
            let earlier = previous.filter(|(earlier, _)| earlier == name);
            // A zero equals a negative zero, as in Rust.
            let text = |value: &dyn std::fmt::Debug| format!("{value:?}").replace("-0", "0");
            earlier.inspect(|(_, earlier)| {
                decode(earlier, &mut |b| assert!(a != b || text(&a) == text(&b), "{name} {a:?}, {b:?}"))
            });
        });
        previous = Some(message);
    }
}

/// RTX-8, RTX-9, RTX-10.
#[test]
fn maps_are_equal_in_any_order_and_unknown_records_in_one() {
    let (first, second) = (b"\xca\x25\x04\x08\x01\x10\x02", b"\xca\x25\x04\x08\x03\x10\x04");
    let (mut a, mut b) = (p3::AllPool::new(), p3::AllPool::new());
    let forth = [&first[..], &second[..]].concat();
    let reversed = [&second[..], &first[..]].concat();
    let (x, y) = (a.decode(&forth).unwrap(), b.decode(&reversed).unwrap());
    assert_eq!(x.key_int32().len(), 2);
    assert_eq!(x, y);
    assert_eq!(x.key_int32(), y.key_int32());
    // A repeated field depends on the order.
    let (x, y) = (a.decode(b"\xea\x12\x02\x01\x02").unwrap(), b.decode(b"\xea\x12\x02\x02\x01").unwrap());
    assert_ne!(x, y);
    let (mut a, mut b) = (wkt::EmptyPool::new(), wkt::EmptyPool::new());
    assert_ne!(a.decode(b"\x08\x01\x10\x02").unwrap(), b.decode(b"\x10\x02\x08\x01").unwrap());
    // Presence counts: zero that is present is not an absent field.
    let (mut a, mut b) = (p3::AllPool::new(), p3::AllPool::new());
    assert_ne!(a.decode(b"\xa8\x06\x00").unwrap(), b.decode(b"").unwrap());
    assert_eq!(a.decode(b"\x08\x00").unwrap(), b.decode(b"").unwrap());
}

/// RTX-11.
#[test]
fn lists_maps_oneofs_and_owned_messages_are_printed_and_compared() {
    let mut pool = p3::AllPool::new();
    let all = pool.decode(b"\xea\x12\x02\x01\x02\xd2\x13\x01a\xca\x25\x04\x08\x01\x10\x02\x88\x32\x05").unwrap();
    assert_eq!(format!("{:?}", all.repeated_int32()), "[1, 2]");
    assert_eq!(format!("{:?}", all.repeated_string()), r#"["a"]"#);
    assert_eq!(format!("{:?}", all.key_int32()), "{1: 2}");
    assert_eq!(format!("{:?} {:?}", all.kind(), all.kind()), "Some(OneofInt32(5)) Some(OneofInt32(5))");
    assert_eq!(all.kind(), Some(p3::all::Kind::OneofInt32(5)));
    let owned = |bytes: &[u8]| wkt::TimestampPool::new().decode_owned(bytes.to_vec()).expect("a message");
    assert_eq!(owned(&[8, 1]), owned(&[8, 0, 8, 1]));
    assert_eq!(format!("{:?}", owned(&[8, 1])), "seconds: 1");
    assert_eq!(serde_json::to_string(&owned(&[8, 1])).unwrap(), r#""1970-01-01T00:00:01Z""#);
}

/// JSN-1, JSN-11.
#[test]
fn a_builder_is_written_as_its_message() {
    let mut builder = p2::MustBuilder::default();
    assert_eq!(serde_json::to_string(&builder).unwrap(), "{}");
    (builder.id, builder.name) = (Some(1), Some("a".into()));
    let text = serde_json::to_string(&builder).unwrap();
    assert_eq!(serde_json::from_str::<p2::MustBuilder>(&text).unwrap(), builder);
    // Without its required field it is written, but not read.
    let error = serde_json::from_str::<p2::MustBuilder>("{}").unwrap_err().to_string();
    assert!(error.contains("MissingRequired"), "{error}");
}

/// JSN-2, JSN-10, JSN-11: names, and what is refused, with its place.
#[test]
fn json_that_does_not_fit_is_an_error_with_its_place() {
    let fails = |text: &str| serde_json::from_str::<p3::AllBuilder>(text).unwrap_err().to_string();
    let reads = |text: &str| serde_json::from_str::<p3::AllBuilder>(text).unwrap();
    assert_eq!(reads(r#"{"singleInt32":1}"#), reads(r#"{"single_int32":"1"}"#));
    assert_eq!(reads(r#"{"singleChild":null}"#), reads("{}"));
    assert_eq!(reads(r#"{"singleBytes":"-_8="}"#).single_bytes, [0xfb, 0xff]);
    for (text, error) in [
        (r#"{"nothing":1}"#, "no field \"nothing\""),
        (r#"{"singleInt32":2147483648}"#, "singleInt32: the number is out of range"),
        (r#"{"singleInt32":1,"single_int32":1}"#, "appears again"),
        (r#"{"oneofInt32":1,"oneofInt64":"1"}"#, "second member of its oneof"),
        (r#"{"repeatedChild":[{},{"id":true}]}"#, "repeatedChild[1].id: expected an integer, found a bool"),
        (r#"{"repeatedInt32":[null]}"#, "repeatedInt32[0]: null is no element"),
        (r#"{"keyInt32":{"x":1}}"#, "keyInt32[\"x\"]: not a number"),
        (r#"{"singleOpen":"NO_SUCH_VALUE"}"#, "singleOpen: no value of the enum has this name"),
        (r#"{"singleFloat":1e39}"#, "singleFloat: the number is out of range"),
        (r#"{"singleBytes":"?"}"#, "singleBytes: not base64"),
    ] {
        assert!(fails(text).contains(error), "{text}: {}", fails(text));
    }
    let options = ReadOptions { ignore_unknown_fields: true, ..ReadOptions::default() };
    let text = r#"{"nothing":[1],"singleOpen":"NO_SUCH_VALUE","singleInt32":3}"#;
    let all: p3::AllBuilder = read(&mut serde_json::Deserializer::from_str(text), &options).unwrap();
    assert_eq!(all, reads(r#"{"singleInt32":3}"#));
}

/// JSN-9.
#[test]
fn well_known_types_have_their_own_json() {
    let value = r#"{"a":[1.5,"x",true,null,{}]}"#;
    let read: wkt::StructBuilder = serde_json::from_str(value).unwrap();
    assert_eq!(serde_json::to_string(&read).unwrap(), value);
    for (text, seconds, nanos) in [
        ("0001-01-01T00:00:00Z", -62_135_596_800, 0),
        ("1969-12-31T23:59:59.500Z", -1, 500_000_000),
        ("2000-02-29T12:00:00.000000001Z", 951_825_600, 1),
        ("9999-12-31T23:59:59.999999Z", 253_402_300_799, 999_999_000),
    ] {
        let time: wkt::TimestampBuilder = serde_json::from_str(&format!("{text:?}")).unwrap();
        assert_eq!((time.seconds, time.nanos), (seconds, nanos), "{text}");
        assert_eq!(serde_json::to_string(&time).unwrap(), format!("{text:?}"));
    }
    let offset: wkt::TimestampBuilder = serde_json::from_str(r#""1970-01-01T01:00:00+01:00""#).unwrap();
    assert_eq!(offset.seconds, 0);
    for bad in ["2001-02-29T00:00:00Z", "1970-01-01T24:00:00Z", "1970-01-01 00:00:00Z", "1970-01-01T00:00:00"] {
        assert!(serde_json::from_str::<wkt::TimestampBuilder>(&format!("{bad:?}")).is_err(), "{bad}");
    }
    // An `Any` of a type that nobody named is an error, both ways.
    let any = wkt::AnyBuilder { type_url: "a/b".into(), ..Default::default() };
    assert!(serde_json::to_string(&any).unwrap_err().to_string().contains("hotpb::json::Types"));
    assert!(serde_json::from_str::<wkt::AnyBuilder>(r#"{"@type":"a/b"}"#).is_err());
}

/// JSN-10: reading stays within the limits of a decode, and of the stack.
#[test]
fn deep_json_is_an_error() {
    let deep = |levels: usize| format!("{}{{}}{}", r#"{"singleAll":"#.repeat(levels), "}".repeat(levels));
    assert!(serde_json::from_str::<p3::AllBuilder>(&deep(90)).is_ok());
    let text = deep(100_000);
    let mut from = serde_json::Deserializer::from_str(&text);
    from.disable_recursion_limit();
    let error = read::<p3::AllBuilder, _>(&mut from, &ReadOptions::default()).unwrap_err().to_string();
    assert!(error.contains("too deep"), "{error}");
}

/// RTX-1: the calls of tests, which need `Debug` and `PartialEq`.
#[test]
fn handles_work_in_assertions() {
    let mut pool = wkt::TimestampPool::new();
    pool.decode(b"\x08").unwrap_err();
    let bytes = wkt::TimestampBuilder { seconds: 5, ..Default::default() }.encode_to_vec().unwrap();
    let mut timestamps = wkt::TimestampPool::new();
    assert_eq!(pool.decode(&bytes).unwrap(), timestamps.decode(&bytes).unwrap());
    assert_eq!(wkt::TimestampBuilder::decode(&bytes).unwrap().seconds, 5);
}
