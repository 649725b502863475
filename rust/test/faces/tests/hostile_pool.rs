//! Pools, visitors, builders and buffers used by hostile callers: panics in each callback, errors that are kept and
//! returned elsewhere, iterators that lie. It is quick here; Miri (`rust/check-all.sh miri`) runs it to check each
//! access.

use hotpb::pool::__rt::Encoder;
use hotpb::pool::{DecodeOptions, Encode, EncodeBuffer, Flow, Pool, Records, Stop, UnknownSet, VisitError};
use hotpb::wkt::{
    DescriptorProtoPool, DescriptorProtoVisitor, FieldDescriptorProto, FieldDescriptorProtoVisitor, ListValue,
    ListValueBuilder, ListValuePool, ListValueVisitor, StructPool, Value, ValueBuilder, ValueVisitor, value,
};
use hotpb::{Code, wire};
use hotpb_tests::hostile::{caught, panic_here};
use std::cell::Cell;

/// Returns `depth` nested lists, with a number in the innermost.
fn lists(depth: usize) -> Vec<u8> {
    let mut bytes = vec![0x11, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f];
    for level in (0..2 * depth + 1).rev() {
        let mut outer = Vec::new();
        wire::append_tag(&mut outer, if level % 2 == 0 { 1 } else { 6 }, wire::LEN);
        wire::append_bytes(&mut outer, &bytes);
        bytes = outer;
    }
    bytes
}

/// Panics at the number, and catches the panic on the level with this number, counted from the innermost.
struct Catches {
    level: usize,
    caught: usize,
    numbers: usize,
    panics: usize,
}

impl Catches {
    fn at_number(&mut self) {
        self.numbers += 1;
        if self.panics > 0 {
            self.panics -= 1;
            panic_here();
        }
    }
}

impl<'a> ListValueVisitor<'a> for Catches {
    type Error = ();
    fn values(&mut self, values: &mut Records<'a, '_, Value<'static>>) -> Flow<()> {
        match caught(|| values.visit(self)) {
            Some(done) => done,
            None if self.level > 0 => {
                self.level -= 1;
                panic_here()
            }
            None => {
                self.caught += 1;
                // Tries again, from the present position.
                values.visit(self)
            }
        }
    }
}

impl<'a> ValueVisitor<'a> for Catches {
    type Error = ();
    fn number_value(&mut self, _: f64) -> Flow<()> {
        self.at_number();
        Ok(())
    }
    fn list_value(&mut self, list: &mut Records<'a, '_, ListValue<'static>>) -> Flow<()> {
        list.visit(self)
    }
}

#[test]
fn a_panic_that_a_visitor_catches_leaves_the_depth_as_it_was() {
    let bytes = lists(20);
    // Levels below the root: 20 lists, and 21 values.
    for depth in [41, 42] {
        let options = DecodeOptions { depth, ..DecodeOptions::default() };
        for level in 0..20 {
            for panics in 1..3 {
                let mut visitor = Catches { level, caught: 0, numbers: 0, panics };
                let done = caught(|| ListValuePool::visit_with(&bytes, &options, &mut visitor));
                if panics == 1 {
                    assert_eq!((done, visitor.caught, visitor.numbers), (Some(Ok(())), 1, 2), "{level} {depth}");
                }
            }
        }
    }
    let options = DecodeOptions { depth: 40, ..DecodeOptions::default() };
    let mut visitor = Catches { level: 0, caught: 0, numbers: 0, panics: 0 };
    let Err(VisitError::Decode(error)) = ListValuePool::visit_with(&bytes, &options, &mut visitor) else { panic!() };
    assert_eq!(error.code(), Code::DepthExceeded);
}

/// Keeps the first error of another visit, and returns it.
struct Hands(Option<Stop<()>>);

impl<'a> ListValueVisitor<'a> for Hands {
    type Error = ();
    fn values(&mut self, _: &mut Records<'a, '_, Value<'static>>) -> Flow<()> {
        self.0.take().map_or(Ok(()), Err)
    }
}

/// Keeps the error of a visit of its values, and continues as if there were none.
#[derive(Default)]
struct Keeps(Option<Stop<()>>);

impl<'a> ListValueVisitor<'a> for Keeps {
    type Error = ();
    fn values(&mut self, values: &mut Records<'a, '_, Value<'static>>) -> Flow<()> {
        self.0 = values.visit(&mut Catches { level: 0, caught: 0, numbers: 0, panics: 0 }).err();
        Ok(())
    }
}

#[test]
fn a_visitor_that_says_of_good_bytes_that_they_are_malformed_is_misuse() {
    let mut keeps = Keeps::default();
    let bad = [0x0a, 2, 0x11, 0];
    let Err(VisitError::Decode(error)) = ListValuePool::visit(&bad, &mut keeps) else { panic!("an error was hidden") };
    assert_eq!((error.code(), error.offset()), (Code::Truncated, 3));
    let good = lists(1);
    for stop in [keeps.0, Some(Stop::malformed())] {
        assert!(stop.is_some());
        let Err(VisitError::Decode(error)) = ListValuePool::visit(&good, &mut Hands(stop)) else { panic!() };
        assert_eq!((error.code(), error.offset()), (Code::HandleMisuse, 0));
    }
    // If the bytes are malformed elsewhere, that error is returned.
    let later = [&good[..], &[0x0a, 2, 0x11]].concat();
    let Err(VisitError::Decode(error)) = ListValuePool::visit(&later, &mut Hands(Some(Stop::malformed()))) else {
        panic!()
    };
    assert_eq!(error.code(), Code::Truncated);
}

/// Panics at a chosen call, in any of its methods.
struct Bomb(Cell<u32>);

impl Bomb {
    fn tick(&self) {
        self.0.set(self.0.get().wrapping_sub(1));
        if self.0.get() == u32::MAX {
            panic_here();
        }
    }
}

impl<'a> DescriptorProtoVisitor<'a> for Bomb {
    type Error = ();
    fn name(&mut self, _: &'a hotpb::pool::ProtoStr) -> Flow<()> {
        self.tick();
        Ok(())
    }
    fn field(&mut self, fields: &mut Records<'a, '_, FieldDescriptorProto<'static>>) -> Flow<()> {
        self.tick();
        while let Some(field) = fields.next_record() {
            self.tick();
            if self.0.get() % 2 == 0 {
                field.visit(self)?;
            }
        }
        let _ = caught(|| fields.visit(self));
        Ok(())
    }
    fn unknown_fields(&mut self, _: hotpb::pool::Unknown<'a>) -> Flow<()> {
        self.tick();
        Ok(())
    }
}

impl<'a> FieldDescriptorProtoVisitor<'a> for Bomb {
    type Error = ();
    fn name(&mut self, _: &'a hotpb::pool::ProtoStr) -> Flow<()> {
        self.tick();
        Ok(())
    }
    fn number(&mut self, _: i32) -> Flow<()> {
        self.tick();
        Ok(())
    }
}

#[test]
fn a_panic_in_any_method_of_a_visitor_hides_nothing_that_is_wrong() {
    let good = b"\x0a\x01m\x12\x05\x0a\x01a\x18\x01\x12\x05\x0a\x01b\x18\x02\xc0\x3e\x07\x12\x03\x0a\x01c";
    let bad = [&good[..], b"\x12\x03\x0a\x05c"].concat();
    for call in 0..24 {
        let _ = caught(|| assert_eq!(DescriptorProtoPool::visit(good, &mut Bomb(Cell::new(call))), Ok(())));
        let _ = caught(|| assert!(DescriptorProtoPool::visit(&bad, &mut Bomb(Cell::new(call))).is_err()));
    }
}

#[test]
fn a_pool_is_as_good_as_new_after_parts_that_panic_or_lie() {
    let mut pool = StructPool::new();
    let bytes = b"\x0a\x07\x0a\x01k\x12\x02\x20\x01\x0a\x07\x0a\x01l\x12\x02\x20\x00";
    for (start, end) in [(0, usize::MAX), (5, 2), (usize::MAX, usize::MAX)] {
        let error = pool.decode_parts(bytes, [(0, 9), (start, end)].into_iter(), &DecodeOptions::default()).map(drop);
        assert_eq!(error.map_err(|e| e.code()), Err(Code::Truncated), "{start} {end}");
    }
    let parts = (0..3).map(|part| if part == 2 { panic_here() } else { (9 * part, 9 * part + 9) });
    assert!(caught(|| pool.decode_parts(bytes, parts, &DecodeOptions::default()).is_ok()).is_none());
    let fresh = StructPool::new().decode(bytes).expect("a map").encode_to_vec();
    assert_eq!(pool.decode(bytes).expect("a map").encode_to_vec(), fresh);
    assert_eq!(pool.decode(&[]).expect("nothing").fields().len(), 0);
}

/// A message whose `write` panics after writing a part.
struct Half(bool);

impl Encode for Half {
    type Of = ListValue<'static>;
    fn write(&self, e: &mut Encoder) {
        e.raw(b"\x0a\x02\x20\x01");
        if self.0 {
            panic_here();
        }
    }
}

#[test]
fn a_buffer_whose_encode_panicked_holds_nothing() {
    let mut buffer = EncodeBuffer::new();
    assert_eq!(Half(false).encode_into(&mut buffer).map(<[u8]>::len), Ok(4));
    assert!(caught(|| Half(true).encode_into(&mut buffer).is_ok()).is_none());
    assert_eq!(buffer.bytes(), b"");
    assert_eq!(Half(false).encode_into(&mut buffer).map(<[u8]>::len), Ok(4));
    assert_eq!(buffer.bytes().len(), 4);
}

#[test]
fn a_buffer_that_was_used_shows_nothing_of_what_it_held() {
    // Test builds fill free memory with a pattern, which would show up. Lists of texts of many lengths are encoded
    // after encodes that succeed, fail at the end, or panic half-way.
    let list = |texts: &[usize]| {
        let text = |&len: &usize| value::KindBuilder::StringValue("x".repeat(len));
        let values = texts.iter().map(|len| ValueBuilder { kind: Some(text(len)), ..ValueBuilder::default() });
        ListValueBuilder { values: values.collect(), ..ListValueBuilder::default() }
    };
    let lengths = [0, 1, 2, 3, 7, 8, 15, 16, 31, 32, 33, 63, 64, 127, 128, 300];
    let strict = hotpb::pool::EncodeOptions { strict: true, ..Default::default() };
    let mut refused = list(&lengths);
    refused.unknown_fields.push_checked(&[0x0a, 0xff]);
    let (mut used, mut pool) = (EncodeBuffer::new(), ListValuePool::new());
    for first in 0..lengths.len() {
        for last in (first..=lengths.len()).step_by(if cfg!(miri) { 7 } else { 1 }) {
            match (first + last) % 3 {
                0 => assert!(refused.encode_with(&mut used, &strict).is_err()),
                1 => assert!(caught(|| Half(true).encode_into(&mut used).is_ok()).is_none()),
                _ => assert!(refused.encode_into(&mut used).is_ok()),
            }
            let builder = list(&lengths[first..last]);
            let fresh = builder.encode_to_vec().expect("a list");
            assert_eq!(builder.encode_into(&mut used), Ok(&fresh[..]));
            // Handles write in other ways: words, and whole parts of the input.
            let handle = pool.decode(&fresh).expect("a list");
            assert_eq!(handle.encode_into(&mut used), Ok(&fresh[..]));
        }
    }
}

#[test]
fn a_filter_of_unknown_fields_that_panics_leaves_them_as_they_were() {
    let mut set = UnknownSet::<()>::default();
    set.push_records(b"\x08\x01\x10\x02\x18\x03").expect("records");
    let before = set.clone();
    let mut calls = 0;
    let done = caught(|| {
        set.retain(|_| {
            calls += 1;
            if calls == 2 { panic_here() } else { false }
        });
    });
    assert!(done.is_none() && set == before);
    // Records that no decoder has returned are not read beyond their end.
    set.push_checked(&[0x0a, 0xff, 0xff]);
    assert_eq!(set.iter().count(), 3);
    let _ = format!("{set:?}");
}

#[test]
fn builders_of_bytes_that_no_decoder_has_seen_encode_or_say_what_is_wrong() {
    let mut list = ListValueBuilder::default();
    list.values.push(ValueBuilder { kind: Some(value::KindBuilder::NumberValue(1.0)), ..ValueBuilder::default() });
    list.unknown_fields.push_checked(&[0x0a, 0xff]);
    let mut buffer = EncodeBuffer::new();
    let bytes = list.encode_into(&mut buffer).expect("nothing looks at them").to_vec();
    assert!(Pool::<ListValue<'static>>::new().decode(&bytes).is_err());
    let strict = hotpb::pool::EncodeOptions { strict: true, ..Default::default() };
    assert!(list.encode_with(&mut buffer, &strict).is_err());
    assert_eq!(buffer.bytes(), b"");
}
