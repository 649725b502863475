//! prost's names, defaults of required fields, groups, and the well-known types as prost has them (COD-69, COD-76, COD-80).

use hotpb_prost_tests::names::odd::pkg_name::r#type as hot;
use hotpb_prost_tests::names::pb::odd::pkg_name::r#type as pb;
use prost::Message;

#[test]
fn names_change_as_in_prost_and_all_shapes_are_read() {
    let inner = pb::HttpServer2Url { foo_bar: Some(2), label: "x".into(), ..Default::default() };
    let want = pb::HttpServer2Url {
        foo_bar: Some(-1),
        self_: Some("self".into()),
        r#type: Some("type".into()),
        r#gen: vec![vec![1], vec![]],
        super_: Some(Box::new(inner.clone())),
        choice: Some(pb::http_server2_url::ChoiceOneOf::Recursive(Box::new(inner))),
        must: 3,
        raw: vec![9],
        chosen: pb::http_server2_url::Choice { text: Some("chosen".into()), ..Default::default() },
        levels: [("low".to_string(), 2), ("other".to_string(), 77)].into(),
        grouped: Some(pb::http_server2_url::Grouped {
            inside: Some("in a group".into()),
            again: vec![pb::http_server2_url::grouped::Again { n: vec![1, 2] }, Default::default()],
        }),
        d: Some("d".into()),
        c: Some("c".into()),
        of: Some("of".into()),
        merge: Some("merge".into()),
        spares: Some("spares".into()),
        tag: Some("tag".into()),
        group: Some("group".into()),
        ..Default::default()
    };
    let mut reuse = hot::HttpServer2UrlReuse::new();
    let mut message = pb::HttpServer2Url::default();
    for _ in 0..3 {
        reuse.decode(&mut message, &want.encode_to_vec()).unwrap();
        assert_eq!(message, want);
        // Absent fields have the defaults of the schema again.
        reuse.decode(&mut message, &[]).unwrap();
        assert_eq!(message, pb::HttpServer2Url::default());
        assert_eq!((message.must, message.may, &*message.label, message.ratio), (2, 3, "a \"label\"", 0.5));
    }
    // A value that is absent from an entry is the first of the enum.
    reuse.decode(&mut message, b"\x82\x01\x03\x0a\x01k").unwrap();
    assert_eq!(message.levels, [("k".to_string(), 2)].into());
    assert_eq!(message, pb::HttpServer2Url::decode(&b"\x82\x01\x03\x0a\x01k"[..]).unwrap());
}

#[test]
fn types_called_like_those_of_the_runtime_are_no_problem() {
    let message = pb::Message { list: vec![pb::List::default(); 2], maybe: Some(pb::Maybe {}) };
    let want = pb::List { codec: vec![message.clone(), pb::Message::default(), message] };
    let mut list = pb::List::default();
    hot::ListReuse::new().decode(&mut list, &want.encode_to_vec()).unwrap();
    assert_eq!(list, want);
}

#[test]
fn well_known_types_are_those_of_prost() {
    use prost_types::value::Kind;
    let value = |kind| prost_types::Value { kind: Some(kind) };
    let list = prost_types::ListValue { values: vec![value(Kind::NumberValue(1.5)), value(Kind::BoolValue(true))] };
    let object = prost_types::Struct {
        fields: [
            ("a".to_string(), value(Kind::StringValue("text".into()))),
            ("b".into(), value(Kind::ListValue(list))),
        ]
        .into(),
    };
    let want = pb::Known {
        time: Some(prost_types::Timestamp { seconds: 5, nanos: 6 }),
        durations: vec![prost_types::Duration { seconds: -1, nanos: 0 }, Default::default()],
        object: Some(object.clone()),
        values: vec![
            value(Kind::NullValue(0)),
            value(Kind::StructValue(object.clone())),
            value(Kind::StructValue(object)),
        ],
        any: Some(prost_types::Any { type_url: "type.googleapis.com/a.B".into(), value: vec![1, 2] }),
        empty: Some(()),
        text: Some("wrapped".into()),
        numbers: vec![7, 0, -7],
        blobs: [("k".to_string(), vec![1u8, 2])].into(),
        one: Some(pb::known::One::Flag(true)),
    };
    let (mut reuse, mut message) = (hot::KnownReuse::new(), pb::Known::default());
    for _ in 0..2 {
        reuse.decode(&mut message, &want.encode_to_vec()).unwrap();
        assert_eq!(message, want);
        reuse.decode(&mut message, b"\x62\x00").unwrap();
        assert_eq!(message, pb::Known { one: Some(pb::known::One::Nothing(())), ..Default::default() });
        let error = reuse.decode(&mut message, b"\x1a\x06\x0a\x04\x0a\x02\xc3\x28").unwrap_err();
        assert_eq!(error.to_string(), "InvalidUtf8 at byte 6: object.fields[0].key");
    }
}
