//! The deepest messages of the default limit (LIM-1), on the stack that a thread has by default, without optimisation: decoded,
//! visited, encoded, built, copied, compared, printed, refused and dropped.

use hotpb::Code;
use hotpb::pool::{Builder, DecodeOptions, Encode, EncodeBuffer, EncodeOptions, Ignore, Message, Pool, VisitWith};
use hotpb::wire::{self, LEN};
use hotpb::wkt::{DescriptorProto, DescriptorProtoBuilder, Value, ValueBuilder};
use hotpb_tests::vectors::hotpb::vectors::p3;
use std::convert::Infallible;
use std::fmt::Debug;

/// What a caller gets who asks for nothing else.
const DEEPEST: u32 = 100;

/// As threads have it that do not ask for more.
const STACK: usize = 2 << 20;

/// A message in a message, the fields with these numbers in turn.
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

fn on_a_thread(run: impl FnOnce() + Send) {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, run).expect("a thread");
        thread.join().expect("no panic");
    });
}

fn everything<M, B>(path: &[u32])
where
    M: Message,
    B: Builder<Of = M> + Clone + PartialEq + Debug,
    for<'a> M::Handle<'a>: Encode<Of = M>,
    for<'a> M: VisitWith<'a, Ignore, Error = Infallible>,
{
    let options = DecodeOptions { depth: DEEPEST, strict: true, allow_partial: true, ..DecodeOptions::default() };
    let encode = EncodeOptions { strict: true, allow_partial: true, deterministic: true };
    let deepest = nested(&[], path, DEEPEST as usize);
    on_a_thread(|| {
        let mut pool = Pool::<M>::new();
        let message = pool.decode_with(&deepest, &options).expect("as deep as may be");
        let mut buffer = EncodeBuffer::new();
        assert_eq!(message.encode_with(&mut buffer, &encode).expect("as deep as may be"), deepest);
        let builder = B::from(message);
        let copy = builder.clone();
        assert!(copy == builder && !format!("{copy:?}").is_empty());
        drop(builder);
        assert_eq!(copy.encode_with(&mut buffer, &encode).expect("as deep as may be"), deepest);
    });
    on_a_thread(|| assert_eq!(Pool::<M>::visit_with(&deepest, &options, &mut Ignore), Ok(())));
    // One level more, and an error on the last one.
    let deeper = nested(&[], path, DEEPEST as usize + 1);
    let broken = nested(&[7], path, DEEPEST as usize);
    let partial = DecodeOptions { allow_partial: false, elements: Some(1 << 20), ..options.clone() };
    on_a_thread(|| {
        for (bytes, code) in [(&deeper, Code::DepthExceeded), (&broken, Code::InvalidTag)] {
            let error = Pool::<M>::new().decode_with(bytes, &options).map(drop).expect_err("it is refused");
            assert_eq!(error.code(), code);
            assert!(Pool::<M>::visit_with(bytes, &options, &mut Ignore).is_err());
            assert!(Pool::<M>::new().decode_with(bytes, &partial).is_err());
        }
        let _ = Pool::<M>::new().decode_with(&deepest, &partial).map(drop);
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

#[test]
fn unknown_groups_nest_as_deep_as_messages() {
    let groups = |levels: usize| {
        let mut bytes = vec![0x83, 0xf1, 0x04].repeat(levels);
        bytes.extend([0x84, 0xf1, 0x04].repeat(levels));
        bytes
    };
    let options = DecodeOptions { depth: DEEPEST, ..DecodeOptions::default() };
    on_a_thread(|| {
        let decode = |levels| Pool::<p3::All<'static>>::new().decode_with(&groups(levels), &options).map(drop);
        assert_eq!(decode(DEEPEST as usize), Ok(()));
        let error = decode(DEEPEST as usize + 1).expect_err("too deep");
        assert_eq!(error.code(), Code::DepthExceeded);
        assert_eq!(decode(100_000).map_err(|e| e.code()), Err(Code::DepthExceeded));
    });
}
