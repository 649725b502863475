//! From handles and builders to prost's structs, and from these to builders (COD-81 to COD-83).

use hotpb::pool::{DecodeOptions, Encode, EncodeOptions, Pool};
use hotpb_prost_tests::ordered;
use hotpb_tests_corpus::{bytes, lines};
use prost::Message;

/// Reports whether a struct has undefined values of closed enums: these are unknown fields for a pool, and values in prost,
/// which prints their numbers.
fn has_undefined(text: &str) -> bool {
    let number = |c: char| c.is_ascii_digit() || c == '-';
    text.split("losed").skip(1).any(|rest| {
        let value = rest.trim_start_matches([':', ' ', '(']);
        let value = value.strip_prefix("Some(").unwrap_or(value);
        let (list, map) = (value.strip_prefix('['), value.strip_prefix('{'));
        match (list.and_then(|l| l.split(']').next()), map.and_then(|m| m.split('}').next())) {
            (Some(list), _) => list.contains(number),
            (_, Some(map)) => map.split(": ").skip(1).any(|value| value.starts_with(number)),
            _ => value.starts_with(number),
        }
    })
}

/// Returns the inputs of the good vectors of a message.
fn inputs(message: &str) -> Vec<Vec<u8>> {
    lines("wire.jsonl").iter().filter(|v| v["message"] == message).map(|v| bytes(&v["input"])).collect()
}

macro_rules! round_trips {
    ($($test:ident $name:literal $message:ty, $handle:ty, $builder:ty;)*) => {$(
        #[test]
        fn $test() {
            std::thread::Builder::new().stack_size(256 << 20).spawn(|| {
                let mut pool = Pool::<$handle>::new();
                let options = DecodeOptions { allow_partial: true, ..DecodeOptions::default() };
                let partial = EncodeOptions { allow_partial: true, ..EncodeOptions::default() };
                let (mut equal, mut undefined) = (0, 0);
                for input in inputs($name) {
                    let Ok(want) = <$message>::decode(&input[..]) else { continue };
                    let text = format!("{want:?}");
                    if has_undefined(&text) {
                        undefined += 1;
                        continue;
                    }
                    let Ok(handle) = pool.decode_with(&input, &options) else { continue };
                    // An undefined value may also have been a member of a oneof that prost has replaced since.
                    if $name.contains("p2") && handle.unknown_fields().next().is_some() {
                        undefined += 1;
                        continue;
                    }
                    let converted = <$message>::from(handle);
                    assert_eq!(format!("{converted:?}"), text, "{input:02x?}");
                    let built = <$builder>::from(handle);
                    assert_eq!(format!("{:?}", <$message>::from(built)), text, "{input:02x?}");
                    let mut buffer = hotpb::pool::EncodeBuffer::new();
                    let bytes = <$builder>::from(converted).encode_with(&mut buffer, &partial).unwrap();
                    let stock = <$message>::decode(bytes).unwrap();
                    assert_eq!(format!("{stock:?}"), text, "{input:02x?}");
                    equal += 1;
                }
                assert!(equal > 300 && undefined < equal / 2, "{equal} {undefined}");
            }).unwrap().join().unwrap();
        }
    )*};
}

round_trips! {
    all_of_proto3 "hotpb.vectors.p3.All" ordered::pb::hotpb::vectors::p3::All, ordered::hotpb::vectors::p3::All<'static>,
        ordered::hotpb::vectors::p3::AllBuilder;
    all_of_proto2 "hotpb.vectors.p2.All" ordered::pb::hotpb::vectors::p2::All, ordered::hotpb::vectors::p2::All<'static>,
        ordered::hotpb::vectors::p2::AllBuilder;
}

/// COD-83: values of a builder that no handle can have, and required fields that it lacks.
#[test]
fn a_builder_becomes_the_struct() {
    use hotpb_prost_tests::names::{odd::pkg_name::r#type as hot, pb::odd::pkg_name::r#type as pb};
    assert_eq!(pb::HttpServer2Url::from(hot::HttpServer2UrlBuilder::default()), pb::HttpServer2Url::default());
    let inner = pb::HttpServer2Url { foo_bar: Some(2), raw: vec![0xff], ..Default::default() };
    let want = pb::HttpServer2Url {
        super_: Some(Box::new(inner.clone())),
        choice: Some(pb::http_server2_url::ChoiceOneOf::Recursive(Box::new(inner))),
        label: String::new(),
        levels: [("low".to_string(), 2), ("undefined".to_string(), 77)].into(),
        chosen: pb::http_server2_url::Choice { text: Some("chosen".into()), ..Default::default() },
        grouped: Some(pb::http_server2_url::Grouped {
            inside: None,
            again: vec![pb::http_server2_url::grouped::Again { n: vec![1, -2] }, Default::default()],
        }),
        ..Default::default()
    };
    let mut builder = hot::HttpServer2UrlBuilder::from(want.clone());
    assert_eq!(pb::HttpServer2Url::from(builder.clone()), want);
    builder.label = Some("a\u{e9}".into());
    builder.self_ = Some(b"ill-formed \xff".to_vec().into());
    builder.must = None;
    let changed = pb::HttpServer2Url::from(builder);
    assert_eq!((&*changed.label, changed.self_(), changed.must), ("a\u{e9}", "ill-formed \u{fffd}", 2));
    let known = pb::Known {
        time: Some(prost_types::Timestamp { seconds: 5, nanos: 6 }),
        empty: Some(()),
        text: Some("wrapped".into()),
        numbers: vec![7, 0, -7],
        blobs: [("k".to_string(), vec![1u8, 2])].into(),
        one: Some(pb::known::One::Flag(true)),
        ..Default::default()
    };
    assert_eq!(pb::Known::from(hot::KnownBuilder::from(known.clone())), known);
}
