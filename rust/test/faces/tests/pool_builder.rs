//! Builders (POL-12, POL-16): created empty, from a handle, from bytes; edited; encoded.

use hotpb::Code;
use hotpb::pool::{Builder, Encode, EncodeBuffer, EncodeOptions, Pool, ProtoString};
use hotpb_tests::vectors::hotpb::vectors::{p2, p3};

#[test]
fn a_message_is_made_edited_and_encoded() {
    let mut all = p3::AllBuilder { single_int32: -1, single_string: "é".into(), ..Default::default() };
    all.repeated_int32.extend([1, 2, 300]);
    all.value_int32.extend([(3, 4), (1, 2)]);
    all.single_child = Some(p3::ChildBuilder { name: "n".into(), ..Default::default() });
    let bytes = all.encode_to_vec().unwrap();
    let mut pool = p3::AllPool::new();
    let read = pool.decode(&bytes).unwrap();
    assert_eq!((read.single_int32(), read.single_string()), (-1, "é"));
    assert_eq!(read.repeated_int32(), [1, 2, 300]);
    assert_eq!(read.value_int32().iter().collect::<Vec<_>>(), [(1, 2), (3, 4)]);
    assert_eq!(read.single_child().unwrap().name(), "n");

    let mut rebuilt = p3::AllBuilder::from(read);
    assert_eq!(rebuilt, all);
    rebuilt.repeated_int32.pop();
    rebuilt.single_child = None;
    assert_ne!(rebuilt.encode_to_vec().unwrap(), bytes);
    let mut second = p3::AllPool::new();
    let bytes = rebuilt.encode_to_vec().unwrap();
    let read = second.decode(&bytes).unwrap();
    assert_eq!((read.repeated_int32(), read.has_single_child()), (&[1, 2][..], false));
    assert_eq!(p3::AllBuilder::decode(&bytes).unwrap(), rebuilt);
    assert_eq!(p3::AllBuilder::decode(&[0x0f]).unwrap_err().code(), Code::InvalidWireType);
}

/// POL-33.
#[test]
fn an_absent_required_field_is_refused_with_its_path_also_in_maps_and_oneofs() {
    let must = p2::MustBuilder { id: Some(1), name: Some("n".into()), ..Default::default() };
    let absent = p2::MustBuilder { id: Some(1), ..Default::default() };
    let path = |needs: p2::NeedsBuilder| {
        let error = needs.encode_to_vec().unwrap_err();
        assert_eq!((error.code(), error.offset()), (Code::MissingRequired, 0));
        let options = EncodeOptions { allow_partial: true, ..EncodeOptions::default() };
        let mut buffer = EncodeBuffer::new();
        assert!(needs.encode_with(&mut buffer, &options).is_ok());
        error.path().to_string()
    };
    let needs = p2::NeedsBuilder { one: Some(absent.clone()), ..Default::default() };
    assert_eq!(path(needs), "one.name");
    let needs = p2::NeedsBuilder { many: vec![must.clone(), absent.clone()], ..Default::default() };
    assert_eq!(path(needs), "many[1].name");
    let needs = p2::NeedsBuilder { by_id: [(7, absent.clone()), (5, must.clone())].into(), ..Default::default() };
    assert_eq!(path(needs), "by_id[1].value.name");
    let needs = p2::NeedsBuilder { pick: Some(p2::needs::PickBuilder::Picked(absent)), ..Default::default() };
    assert_eq!(path(needs), "picked.name");
    let needs = p2::NeedsBuilder { needs: Some(Box::default()), one: Some(must), ..Default::default() };
    assert!(needs.encode_to_vec().is_ok());
}

/// POL-34.
#[test]
fn a_string_that_the_schema_leaves_unchecked_is_any_bytes_unless_the_encode_is_strict() {
    let all = p2::AllBuilder { single_string: Some(ProtoString::from(vec![0xff])), ..Default::default() };
    assert_eq!(all.encode_to_vec().unwrap(), [0x72, 1, 0xff]);
    let mut buffer = EncodeBuffer::new();
    let strict = EncodeOptions { strict: true, ..EncodeOptions::default() };
    let error = all.encode_with(&mut buffer, &strict).unwrap_err();
    assert_eq!(error.to_string(), "InvalidUtf8 at byte 2: single_string");
    let map = p2::AllBuilder { value_string: [(1, vec![b'a', 0x80].into())].into(), ..Default::default() };
    let error = map.encode_with(&mut buffer, &strict).unwrap_err();
    assert_eq!((error.code(), error.path()), (Code::InvalidUtf8, "value_string[0].value"));
}

#[test]
fn unknown_fields_are_kept_added_and_removed() {
    let mut child = p3::ChildBuilder::decode(&[0xa0, 0x3f, 5, 8, 1, 0xa8, 0x3f, 6]).unwrap();
    assert_eq!(child.unknown_fields.iter().map(|f| f.number).collect::<Vec<_>>(), [1012, 1013]);
    child.unknown_fields.retain(|f| f.number != 1012);
    child.unknown_fields.push_records(&[0xb0, 0x3f, 7]).unwrap();
    assert_eq!(child.encode_to_vec().unwrap(), [8, 1, 0xa8, 0x3f, 6, 0xb0, 0x3f, 7]);
    assert_eq!(child.unknown_fields.push_records(&[0xb0, 0x3f]).unwrap_err().code(), Code::Truncated);
    child.unknown_fields.clear();
    assert_eq!(child.encode_to_vec().unwrap(), [8, 1]);
}

#[test]
fn extensions_are_set_read_replaced_and_cleared() {
    use p2::{scope, *};
    let must = MustBuilder { id: Some(1), name: Some("n".into()), ..Default::default() };
    let mut needs = NeedsBuilder::default();
    let fields = &mut needs.unknown_fields;
    assert_eq!(scope::MUST_EXTENSION.set(fields, &MustBuilder::default()).unwrap_err().code(), Code::MissingRequired);
    assert!(!fields.has_extension(&scope::MUST_EXTENSION));
    scope::MUST_EXTENSION.set(fields, &must).unwrap();
    scope::MUST_EXTENSION.set(fields, &must).unwrap();
    let bytes = needs.encode_to_vec().unwrap();
    let (mut pool, mut inner) = (NeedsPool::new(), MustPool::new());
    let read = pool.decode(&bytes).unwrap();
    let extension = read.extension(&scope::MUST_EXTENSION).unwrap().unwrap().decode(&mut inner).unwrap();
    assert_eq!((extension.id(), extension.name().to_str()), (1, Ok("n")));
    assert_eq!(bytes.len(), 2 + 1 + must.encode_to_vec().unwrap().len());

    // The items of a message set.
    let mut set = MessageSetBuilder::default();
    ITEM_MUST.set(&mut set.unknown_fields, &must).unwrap();
    let bytes = set.encode_to_vec().unwrap();
    assert_eq!(bytes[..2], [0x0b, 0x10]);
    let mut pool: Pool<MessageSet<'static>> = Pool::new();
    let mut inner = MustPool::new();
    let item = pool.decode(&bytes).unwrap().extension(&ITEM_MUST).unwrap().unwrap();
    assert_eq!(item.decode(&mut inner).unwrap().id(), 1);
    set.unknown_fields.clear_extension(&ITEM_MUST);
    assert!(set.unknown_fields.is_empty());
}

#[test]
fn extensions_of_values_are_written_as_the_schema_says() {
    use p2::*;
    let mut all = AllBuilder::default();
    let fields = &mut all.unknown_fields;
    EXT_INT32.set(fields, -1);
    EXT_SINT32.set(fields, -3);
    EXT_STRING.set(fields, hotpb::pool::ProtoStr::new(b"s"));
    EXT_REPEATED_INT32.set(fields, [1, 2, 300]);
    EXT_REPEATED_INT32.set(fields, [4, 5]);
    assert_eq!(fields.extension(&EXT_INT32).unwrap(), Some(-1));
    let mut pool = AllPool::new();
    let bytes = all.encode_to_vec().unwrap();
    let read = pool.decode(&bytes).unwrap();
    assert_eq!(read.extension(&EXT_SINT32).unwrap(), Some(-3));
    assert_eq!(read.extension(&EXT_STRING).unwrap().unwrap().to_str(), Ok("s"));
    assert_eq!(read.extension(&EXT_REPEATED_INT32).unwrap().collect::<Vec<_>>(), [4, 5]);
}
