//! Depth must not overflow the stack (LIM-1, LIM-6, LIM-7). Deep messages run on a thread's default stack, in generated
//! code without optimisation: they are decoded, visited, encoded, built, copied, compared, printed, rejected and
//! dropped. Messages of the default depth succeed; deeper ones, of the widest message in the schemas, succeed or return
//! `DepthExceeded`.

use hotpb::pool::{
    Builder, DecodeOptions, Encode, EncodeBuffer, EncodeOptions, Flow, Ignore, Message, Pool, Records, VisitError,
    VisitWith,
};
use hotpb::wire::{self, LEN};
use hotpb::wkt::{
    DescriptorProto, DescriptorProtoBuilder, ListValue, ListValueVisitor, Value, ValueBuilder, ValuePool, ValueVisitor,
};
use hotpb::{Code, Error};
use hotpb_tests::vectors::hotpb::vectors::{p2, p3};
use std::convert::Infallible;
use std::fmt::Debug;

/// The default limit.
const DEEPEST: usize = 100;

/// The highest limit.
const CEILING: usize = 1000;

/// The default stack of a thread.
const STACK: usize = 2 << 20;

/// Returns nested messages, through the fields with these numbers in turn.
fn nested(inner: &[u8], path: &[u32], levels: usize) -> Vec<u8> {
    let mut bytes = inner.to_vec();
    for level in (0..levels).rev() {
        let mut outer = Vec::new();
        wire::append_tag(&mut outer, path[level % path.len()], LEN);
        wire::append_bytes(&mut outer, &bytes);
        bytes = outer;
    }
    bytes
}

fn on_a_thread<T: Send>(run: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, run).expect("a thread");
        thread.join().expect("no panic")
    })
}

fn options(depth: usize) -> DecodeOptions {
    let memory = Some(64 << 20);
    DecodeOptions { depth: depth as u32, strict: true, allow_partial: true, memory, ..DecodeOptions::default() }
}

/// Returns the value, or `None` if the message was rejected for its depth.
fn fits<T>(done: Result<T, Error>) -> Option<T> {
    done.map_err(|error| assert_eq!(error.code(), Code::DepthExceeded)).ok()
}

fn visited<E: Debug>(done: Result<(), VisitError<E>>) -> Result<(), Error> {
    done.map_err(|error| match error {
        VisitError::Decode(error) => error,
        VisitError::Visitor(error) => panic!("{error:?}"),
    })
}

/// Reads and writes without a builder, at any depth. Returns which of decode, encode and visit succeeded.
fn reads_and_writes<M>(path: &[u32], levels: usize) -> [bool; 3]
where
    M: Message,
    for<'a> M::Handle<'a>: Encode<Of = M>,
    for<'a> M: VisitWith<'a, Ignore, Error = Infallible>,
{
    let options = options(levels);
    let encode = EncodeOptions { strict: true, allow_partial: true, deterministic: true, ..EncodeOptions::default() };
    let deepest = nested(&[], path, levels);
    let (decoded, encoded) = on_a_thread(|| {
        let mut pool = Pool::<M>::new();
        let Some(message) = fits(pool.decode_with(&deepest, &options)) else { return (false, false) };
        let mut buffer = EncodeBuffer::new();
        let encoded = fits(message.encode_with(&mut buffer, &encode).map(|bytes| assert!(bytes == deepest)));
        assert!(encoded.is_some() || buffer.bytes().is_empty());
        // The search for required fields goes as deep.
        fits(message.encode_with(&mut buffer, &EncodeOptions::default()).map(drop));
        (true, encoded.is_some())
    });
    let seen = on_a_thread(|| fits(visited(Pool::<M>::visit_with(&deepest, &options, &mut Ignore))).is_some());
    // One more level, with an error on the last one: the walk that explains it must reach it.
    let deeper = nested(&[], path, levels + 1);
    let broken = nested(&[7], path, levels);
    let partial = DecodeOptions { allow_partial: false, elements: Some(1 << 20), ..options.clone() };
    on_a_thread(|| {
        for (bytes, code) in [(&deeper, Code::DepthExceeded), (&broken, Code::InvalidTag)] {
            for done in [
                Pool::<M>::new().decode_with(bytes, &options).map(drop),
                Pool::<M>::new().decode_with(bytes, &partial).map(drop),
                visited(Pool::<M>::visit_with(bytes, &options, &mut Ignore)),
            ] {
                let refused = done.expect_err("it is refused").code();
                assert!(refused == code || refused == Code::DepthExceeded);
            }
        }
        fits(Pool::<M>::new().decode_with(&deepest, &partial).map(drop));
    });
    [decoded, encoded, seen]
}

/// Tests everything at the default depth.
fn everything<M, B>(path: &[u32])
where
    M: Message,
    B: Builder<Of = M> + Clone + PartialEq + Debug,
    for<'a> M::Handle<'a>: Encode<Of = M>,
    for<'a> M: VisitWith<'a, Ignore, Error = Infallible>,
{
    assert_eq!(reads_and_writes::<M>(path, DEEPEST), [true; 3]);
    let options = options(DEEPEST);
    let encode = EncodeOptions { allow_partial: true, ..EncodeOptions::default() };
    let deepest = nested(&[], path, DEEPEST);
    on_a_thread(|| {
        let mut pool = Pool::<M>::new();
        let message = pool.decode_with(&deepest, &options).expect("as deep as may be");
        let builder = B::from(message);
        let mut buffer = EncodeBuffer::new();
        assert!(builder.encode_with(&mut buffer, &encode).expect("as deep as may be") == deepest);
        let copy = builder.clone();
        assert!(copy == builder);
        drop(builder);
        assert!(!format!("{copy:?}").is_empty());
    });
}

#[test]
fn the_deepest_descriptor_has_room_on_a_thread() {
    everything::<DescriptorProto<'static>, DescriptorProtoBuilder>(&[3]);
}

#[test]
fn the_deepest_values_have_room_on_a_thread() {
    everything::<Value<'static>, ValueBuilder>(&[6, 1]);
}

/// LIM-13.
#[test]
fn the_deepest_messages_of_very_many_fields_have_room_on_a_thread() {
    everything::<p3::All<'static>, p3::AllBuilder>(&[19]);
    everything::<p2::All<'static>, p2::AllBuilder>(&[19]);
}

/// LIM-7, LIM-12.
#[test]
fn what_nests_as_deep_as_anyone_can_ask_for_is_read_or_refused_and_never_overflows_the_stack() {
    for levels in [CEILING, 300] {
        reads_and_writes::<DescriptorProto<'static>>(&[3], levels);
        reads_and_writes::<Value<'static>>(&[6, 1], levels);
        reads_and_writes::<p3::All<'static>>(&[19], levels);
        reads_and_writes::<p2::All<'static>>(&[19], levels);
    }
}

/// Visits values, with large stack frames of its own.
struct Wide([u64; 64]);

impl<'a> ListValueVisitor<'a> for Wide {
    type Error = Infallible;
    fn values(&mut self, values: &mut Records<'a, '_, Value<'static>>) -> Flow<Infallible> {
        let mut own = Wide(std::hint::black_box(self.0));
        while let Some(value) = values.next_record() {
            value.visit(&mut own)?;
        }
        values.visit(&mut own)
    }
}

impl<'a> ValueVisitor<'a> for Wide {
    type Error = Infallible;
    fn list_value(&mut self, list: &mut Records<'a, '_, ListValue<'static>>) -> Flow<Infallible> {
        list.visit(&mut Wide(std::hint::black_box(self.0)))
    }
}

#[test]
fn the_stack_of_the_callers_own_visitors_counts() {
    let deepest = nested(&[], &[6, 1], CEILING);
    let options = options(CEILING);
    let seen = |stack| {
        let options = DecodeOptions { stack, ..options.clone() };
        on_a_thread(|| visited(ValuePool::visit_with(&deepest, &options, &mut Wide([0; 64]))))
    };
    fits(seen(wire::MAX_STACK));
    assert_eq!(seen(64 << 10).expect_err("too deep for 64 KiB").code(), Code::DepthExceeded);
}

/// LIM-14.
#[test]
fn a_larger_stack_has_room_for_more_and_a_smaller_one_for_less() {
    let deepest = nested(&[], &[19], CEILING);
    let large = std::thread::Builder::new().stack_size(128 << 20);
    let bytes = deepest.clone();
    let thread = large.spawn(move || {
        let options = DecodeOptions { stack: 100 << 20, ..options(CEILING) };
        let mut pool = Pool::<p3::All<'static>>::new();
        let message = pool.decode_with(&bytes, &options).expect("there is room");
        let mut buffer = EncodeBuffer::new();
        let encode = EncodeOptions { stack: 100 << 20, ..EncodeOptions::default() };
        assert!(message.encode_with(&mut buffer, &encode).expect("there is room") == bytes);
        let refused = message.encode_with(&mut buffer, &EncodeOptions { stack: 64 << 10, ..encode.clone() });
        assert_eq!(refused.expect_err("there is no room").code(), Code::DepthExceeded);
    });
    thread.expect("a thread").join().expect("no panic");
    // The rejection is at the record for which there was no room, with its path, in pool and visitor alike.
    let options = DecodeOptions { stack: 64 << 10, ..options(CEILING) };
    let error = Pool::<p3::All<'static>>::new().decode_with(&deepest, &options).map(drop).expect_err("no room");
    assert_eq!(error.code(), Code::DepthExceeded);
    let level = error.path().split('.').count();
    assert!((2..CEILING).contains(&level), "{level}");
    assert_eq!(error.path(), vec!["single_all"; level].join("."));
    // The rest from there on nests as deep as the remaining levels.
    assert_eq!(nested(&[], &[19], CEILING + 1 - level).len(), deepest.len() - error.offset());
    let error = Pool::<p3::All<'static>>::visit_with(&deepest, &options, &mut Ignore);
    assert_eq!(visited(error).expect_err("no room").code(), Code::DepthExceeded);
}

#[test]
fn unknown_groups_nest_as_deep_as_messages() {
    let groups = |levels: usize| {
        let mut bytes = [0x83, 0xf1, 0x04].repeat(levels);
        bytes.extend([0x84, 0xf1, 0x04].repeat(levels));
        bytes
    };
    on_a_thread(|| {
        for deepest in [31, 32, 33, 63, 64, 65, DEEPEST, CEILING] {
            let decode =
                |levels| Pool::<p3::All<'static>>::new().decode_with(&groups(levels), &options(deepest)).map(drop);
            assert_eq!(decode(deepest), Ok(()));
            let error = decode(deepest + 1).expect_err("too deep");
            assert_eq!(error.code(), Code::DepthExceeded);
            assert_eq!(decode(100_000).map_err(|e| e.code()), Err(Code::DepthExceeded));
            // Each end tag must match its own group.
            let mut crossed = groups(deepest);
            let at = crossed.len() - 3 * (deepest / 2);
            crossed[at] ^= 8;
            let error = Pool::<p3::All<'static>>::new().decode_with(&crossed, &options(deepest)).map(drop);
            assert_eq!(error.expect_err("the wrong end").code(), Code::GroupMismatch);
        }
    });
}
