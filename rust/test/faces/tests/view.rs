//! The view: what its accessors return, what borrows what, what allocates, and overwriting in place.

use hotpb::Code;
use hotpb::view::{DecodeOptions, Scratch, Unknown, View};
use hotpb::wire::ProtoStr;
use hotpb_tests::counting::measure;
use hotpb_tests::dropped_view::hotpb::vectors::{p2 as dropped, p3 as dropped_p3};
use hotpb_tests::kept_view::hotpb::vectors::p2 as kept;
use hotpb_tests::views::hotpb::vectors::p2;
use hotpb_tests::views::hotpb::vectors::p3::{AllView, ChildView, Open, child::PickView};

/// A child: id 7, name "né", numbers packed and not, counts, a oneof, two children.
fn child() -> Vec<u8> {
    let mut bytes = b"\x08\x07\x12\x03n\xc3\xa9\x22\x02\x01\x02\x20\x03".to_vec();
    bytes.extend(b"\x2a\x05\x0a\x01a\x10\x01\x2a\x05\x0a\x01b\x10\x02\x2a\x05\x0a\x01a\x10\x03");
    bytes.extend(b"\x40\x05\x4a\x02\x08\x01\x4a\x02\x08\x02");
    bytes
}

/// VIW-1, VIW-2, VIW-8, VIW-28: nothing is allocated, whatever is read.
#[test]
fn reading_every_kind_of_field_allocates_nothing() {
    let bytes = child();
    let (sum, measured) = measure(|| {
        let view = ChildView::decode(&bytes).unwrap();
        assert!(view.id() == 7 && view.name() == "né" && view.numbers().eq([1, 2, 3]));
        assert!(view.counts().eq([("a", 1), ("b", 2), ("a", 3)]));
        assert_eq!((view.counts().get("a"), view.counts().get("c")), (Some(3), None));
        assert!(matches!(view.pick(), Some(PickView::PickId(5))) && view.has_pick_id() && !view.has_pick_name());
        assert!(view.child().is_none() && !view.has_child());
        view.validate().unwrap();
        view.check_initialized().unwrap();
        view.children().map(|child| child.open().unwrap().id()).sum::<i32>()
    });
    assert_eq!((sum, measured.calls), (3, 0));
    assert_eq!(ChildView::decode(&bytes).unwrap().counts().collect_by_key(), [("a", 3), ("b", 2)]);
}

/// VIW-11, VIW-37.
#[test]
fn elements_have_a_length_an_order_and_an_index() {
    let bytes = child();
    let view = ChildView::decode(&bytes).unwrap();
    let numbers = view.numbers();
    assert_eq!((numbers.len(), numbers.is_empty()), (3, false));
    assert_eq!([0, 1, 2, 3].map(|i| numbers.get(i)), [Some(1), Some(2), Some(3), None]);
    let mut rest = numbers;
    assert_eq!((rest.next(), rest.len(), rest.get(1), rest.nth(5), rest.next()), (Some(1), 2, Some(3), None, None));
    let children = view.children();
    let id = |child: Option<hotpb::view::Element<'_, ChildView<'_>>>| child.map(|child| child.open().unwrap().id());
    assert_eq!([0, 1, 2].map(|i| id(children.get(i))), [Some(1), Some(2), None]);
    assert_eq!((id(children.clone().last()), id(children.clone().nth(1))), (Some(2), Some(2)));
    let mut rest = view.children();
    assert_eq!(
        (id(rest.next()), rest.len(), id(rest.get(0)), id(rest.get(1)), id(rest.last())),
        (Some(1), 1, Some(2), None, Some(2))
    );
    // Fixed width: fields 307 (fixed32) packed in two records with an empty one between, then one unpacked.
    let mut bytes = Vec::new();
    for part in [&[1u32, 2, 3][..], &[], &[4, 5]] {
        hotpb::wire::append_tag(&mut bytes, 307, 2);
        hotpb::wire::append_bytes(&mut bytes, &part.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<_>>());
        bytes.extend(b"\x08\x01");
    }
    hotpb::wire::append_tag(&mut bytes, 307, 5);
    hotpb::wire::append_fixed32(&mut bytes, 6);
    let fixed = AllView::decode(&bytes).unwrap().repeated_fixed32();
    assert!(fixed.len() == 6 && fixed.eq(1..=6));
    assert!((0..6).all(|i| fixed.get(i) == Some(i as u32 + 1)) && fixed.get(6).is_none());
}

/// VIW-9, VIW-36: presence and defaults.
#[test]
fn an_absent_field_returns_its_default() {
    let view = p2::AllView::decode(b"").unwrap();
    assert!(!view.has_default_int32() && view.default_int32() == i32::MIN && view.default_bool());
    assert_eq!(view.default_string(), "a \"quoted\" \\ word, café \n");
    assert_eq!(view.default_bytes(), b"\x00\x01\x7f\xff\"\\\n");
    assert!(view.kind().is_none() && view.repeated_string().is_empty() && view.unknown_fields().next().is_none());
    let view = AllView::decode(b"\x08\x00\x80\x01\x63").unwrap();
    assert_eq!((view.single_int32(), view.single_open(), view.has_optional_int32()), (0, Open(99), false));
    // A string of proto2 is not checked, and is no `&str`.
    let name: &ProtoStr = p2::ChildView::decode(b"\x12\x01\xff").unwrap().name();
    assert!(name.to_str().is_err());
    let strict = DecodeOptions { strict: true, ..DecodeOptions::default() };
    assert_eq!(p2::ChildView::decode_with(b"\x12\x01\xff", &strict).unwrap_err().code(), Code::InvalidUtf8);
}

/// VIW-3, VIW-30, VIW-31: a level is checked when it is opened, and its offsets count from its own first byte.
#[test]
fn a_fault_in_a_message_is_an_error_of_opening_it() {
    // child { child { name: bad } }
    let bytes = b"\x1a\x05\x1a\x03\x12\x01\xff";
    let scratch = Scratch::new();
    let view = ChildView::decode(bytes).unwrap();
    let inner = view.child().unwrap().open(&scratch).unwrap();
    let error = inner.child().unwrap().open(&scratch).unwrap_err();
    assert_eq!(error.to_string(), "InvalidUtf8 at byte 2: name");
    assert_eq!(view.validate().unwrap_err().to_string(), "InvalidUtf8 at byte 6: child.child.name");
    // A fault on the root level: the error of the whole tree comes first.
    let bytes = b"\x1a\x03\x12\x01\xff\x08";
    assert_eq!(ChildView::decode(bytes).unwrap_err().to_string(), "InvalidUtf8 at byte 4: child.name");
    let options = DecodeOptions { depth: 1, ..DecodeOptions::default() };
    let view = ChildView::decode_with(b"\x1a\x02\x1a\x00", &options).unwrap();
    let error = view.child().unwrap().open(&scratch).unwrap().child().unwrap().open(&scratch).unwrap_err();
    assert_eq!((error.code(), error.offset()), (Code::DepthExceeded, 0));
    let options = DecodeOptions { size: 3, ..DecodeOptions::default() };
    assert_eq!(ChildView::decode_with(b"\x08\x01\x08\x01", &options).unwrap_err().code(), Code::SizeExceeded);
}

/// VIW-7, VIW-32: records of one message merge in scratch, as many bytes as they have.
#[test]
fn a_message_in_several_records_is_merged_in_scratch() {
    let bytes = b"\x1a\x04\x08\x01\x20\x01\x08\x09\x1a\x05\x12\x01a\x20\x02\x1a\x00\x1a\x02\x08\x03".to_vec();
    let view = ChildView::decode(&bytes).unwrap();
    let message = view.child().unwrap();
    assert!(message.is_split());
    let mut scratch = Scratch::new();
    for _ in 0..3 {
        let merged = message.open(&scratch).unwrap();
        assert!(merged.id() == 3 && merged.name() == "a" && merged.numbers().eq([1, 2]));
        assert_eq!(scratch.capacity(), 11);
        scratch.clear();
    }
    let ((), measured) = measure(|| {
        message.open(&scratch).unwrap();
    });
    assert_eq!(measured.calls, 0);
    let mut joined = Vec::new();
    message.append_to(&mut joined);
    assert_eq!(joined, b"\x08\x01\x20\x01\x12\x01a\x20\x02\x08\x03");
    // Each record must be well-formed by itself: together these would be.
    let view = ChildView::decode(b"\x1a\x01\x12\x1a\x02\x01a").unwrap();
    assert_eq!(view.child().unwrap().open(&scratch).unwrap_err().code(), Code::Truncated);
    let view = ChildView::decode(b"\x1a\x02\x08\x01\x1a\x01\x12").unwrap();
    assert_eq!(view.child().unwrap().open(&scratch).unwrap_err().offset(), 3);
}

/// VIW-14, VIW-38.
#[test]
fn a_value_is_overwritten_by_one_of_the_same_length() {
    let mut bytes = child();
    let whole = bytes.clone();
    let view = ChildView::decode(&bytes).unwrap();
    let (id, name, number) = (view.overwrite_id(), view.overwrite_name(), view.overwrite_numbers(1));
    let (pick, absent, element) = (view.overwrite_pick_id(), view.overwrite_pick_name(), view.overwrite_numbers(3));
    let inner = view.children().get(1).unwrap().open().unwrap().overwrite_id();
    assert!(id.is_present() && !absent.is_present() && !element.is_present());
    // Nothing changes: another length, an absent value, text that is no UTF-8 cannot even be passed, other memory.
    assert!(!id.write(&mut bytes, 128) && !name.write(&mut bytes, "n") && !absent.write(&mut bytes, ""));
    assert!(!element.write(&mut bytes, 1) && !id.write(&mut whole.clone(), 8) && !id.write(&mut bytes[2..], 8));
    assert_eq!(bytes, whole);
    assert!(id.write(&mut bytes, 8) && name.write(&mut bytes, "abc") && number.write(&mut bytes, 9));
    assert!(pick.write(&mut bytes, 6) && inner.write(&mut bytes, 127));
    let view = ChildView::decode(&bytes).unwrap();
    assert!(view.id() == 8 && view.name() == "abc" && view.numbers().eq([1, 9, 3]) && view.pick_id() == 6);
    assert_eq!(view.children().get(1).unwrap().open().unwrap().id(), 127);
    // A closed enum refuses what it does not define; a fixed-width value takes any.
    let mut bytes = b"\x88\x01\x01\x5d\x00\x00\x80\x3f".to_vec();
    let view = p2::AllView::decode(&bytes).unwrap();
    let (closed, float) = (view.overwrite_single_closed(), view.overwrite_single_float());
    assert!(!closed.write(&mut bytes, p2::Closed(99)) && float.write(&mut bytes, f32::MIN));
    assert_eq!(p2::AllView::decode(&bytes).unwrap().single_float(), f32::MIN);
    // The place outlives the bytes; what is there by then is not damaged.
    bytes.fill(0xff);
    assert!(!closed.write(&mut bytes, p2::Closed(2)) && bytes.iter().all(|b| *b == 0xff));
}

/// VIW-10.
#[test]
fn required_fields_are_looked_for_when_the_program_asks() {
    // many { id: 1, name: "" }, many { id: 2 }
    let view = p2::NeedsView::decode(b"\x12\x04\x08\x01\x12\x00\x12\x02\x08\x02").unwrap();
    view.validate().unwrap();
    assert_eq!(view.check_initialized().unwrap_err().to_string(), "MissingRequired at byte 10: many[1].name");
    // by_id { 5: {} }, by_id { 5: { id: 1, name: "" } }: the later entry replaces the first.
    let view = p2::NeedsView::decode(b"\x1a\x04\x08\x05\x12\x00\x1a\x08\x08\x05\x12\x04\x08\x01\x12\x00").unwrap();
    view.check_initialized().unwrap();
    // needs { one: … } in two records, which together have what is required.
    let view = p2::NeedsView::decode(b"\x32\x04\x0a\x02\x08\x01\x32\x04\x0a\x02\x12\x00").unwrap();
    view.check_initialized().unwrap();
}

/// UNK-1, ENM-2, EXT-1, EXT-7.
#[test]
fn extensions_are_unknown_fields_until_they_are_asked_for() {
    // ext_int32 (1001) = 5, an undefined single_closed, field 9999
    let bytes = b"\xc8\x3e\x05\x88\x01\x63\xf8\xf0\x04\x01";
    let view = p2::AllView::decode(bytes).unwrap();
    assert!(view.has_extension(&p2::EXT_INT32_VIEW) && !view.has_extension(&p2::EXT_INT64_VIEW));
    assert_eq!(view.extension(&p2::EXT_INT32_VIEW).unwrap(), Some(5));
    assert_eq!(view.extension(&p2::EXT_INT64_VIEW).unwrap(), None);
    let numbers = |extensions: &[_]| view.unknown_fields().without(extensions).map(|f| f.number).collect::<Vec<_>>();
    assert_eq!((numbers(&[]), numbers(&[p2::EXT_INT32_VIEW.id()])), (vec![1001, 17, 9999], vec![17, 9999]));
    let value = view.unknown_fields().find(|f| f.number == 17).unwrap().content;
    assert_eq!(value, Unknown::EnumValue(99));
    assert!(!view.has_single_closed());
    // Malformed: only asking finds it.
    let view = p2::AllView::decode(b"\xca\x3e\x00\xf2\x3e\x01\xff").unwrap();
    assert!(view.extension(&p2::EXT_INT32_VIEW).unwrap().is_none());
}

/// FCE-18, FCE-19, FCE-20: `only=id,child,children` of Child.
#[test]
fn fields_left_out_are_dropped_or_kept() {
    let bytes = child();
    let view = dropped::ChildView::decode(&bytes).unwrap();
    assert_eq!((view.id(), view.children().len(), view.unknown_fields().count()), (7, 2, 0));
    let view = kept::ChildView::decode(&bytes).unwrap();
    assert_eq!((view.id(), view.children().len(), view.unknown_fields().count()), (7, 2, 7));
    // Their content is not checked, their form is.
    assert!(dropped_p3::AllView::decode(b"\x92\x07\x01\xff").is_ok());
    assert_eq!(dropped::ChildView::decode(b"\x12\x02a").unwrap_err().to_string(), "Truncated at byte 2: 2");
}

/// VIW-5: readers of several threads may share a view.
#[test]
fn views_can_be_sent_and_shared() {
    fn shared<T: Send + Sync>(_: T) {}
    let bytes = child();
    let view = ChildView::decode(&bytes).unwrap();
    shared((view.numbers(), view.children(), view.counts(), view.unknown_fields(), view.child(), view.overwrite_id()));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| assert_eq!(view.clone().name(), "né"));
        }
    });
    shared(view);
}
