//! Extensions of damaged messages: a handle and a builder find the same in them, and values that are set are read back.

use crate::vectors::hotpb::vectors::p2::{self, item_a, scope};
use hotpb::Error;
use hotpb::pool::extension::{Extension, OfMessage, Repeated, RepeatedMessage, Singular, Value};
use hotpb::pool::{
    Builder, DecodeOptions, Encode, EncodeBuffer, EncodeOptions, Message, Pool, UnknownFields, UnknownSet,
};
use std::fmt::Debug;

/// Returns the value of an error without its place, because a builder's records are elsewhere.
fn code<T>(result: Result<T, Error>) -> Result<T, hotpb::Code> {
    result.map_err(|error| error.code())
}

fn singular<M, V: Value>(extension: &Extension<M, Singular<V>>, handle: UnknownFields<'_>, set: &mut UnknownSet<M>)
where
    for<'a> V::Output<'a>: Debug,
{
    let found = extension.read(handle.clone());
    assert_eq!(format!("{:?}", code(found)), format!("{:?}", code(set.extension(extension))), "{}", extension.name());
    let found = extension.read(handle);
    if let Ok(Some(value)) = found {
        let said = format!("{value:?}");
        extension.set(set, value);
        let reread = set.extension(extension).expect("what was set is good").expect("it was set");
        assert_eq!(format!("{reread:?}"), said, "{}", extension.name());
    }
}

fn repeated<M, V: Value>(extension: &Extension<M, Repeated<V>>, handle: UnknownFields<'_>, set: &mut UnknownSet<M>)
where
    for<'a> V::Output<'a>: Debug,
{
    let found = extension.read(handle.clone()).map(|values| format!("{:?}", values.collect::<Vec<_>>()));
    let kept = set.extension(extension).map(|values| format!("{:?}", values.collect::<Vec<_>>()));
    assert_eq!(code(found.clone()), code(kept), "{}", extension.name());
    if let Ok(values) = extension.read(handle) {
        extension.set(set, values);
        let reread = set.extension(extension).map(|values| format!("{:?}", values.collect::<Vec<_>>()));
        assert_eq!(reread, found, "{}", extension.name());
    }
}

fn message<M, X, B>(extension: &Extension<M, OfMessage<X>>, handle: UnknownFields<'_>, set: &mut UnknownSet<M>)
where
    X: Message,
    B: Builder<Of = X> + Debug + Clone,
{
    let options = DecodeOptions { allow_partial: true, ..DecodeOptions::default() };
    let (mut pool, mut second) = (Pool::<X>::new(), Pool::<X>::new());
    let Some(parts) = extension.read(handle).expect("finding its records cannot fail") else {
        return assert!(!set.has_extension(extension));
    };
    let found = parts.decode_with(&mut pool, &options).map(B::from);
    let kept = set
        .extension(extension)
        .expect("as above")
        .expect("it is there")
        .decode_with(&mut second, &options)
        .map(B::from);
    assert_eq!(format!("{:?}", code(found.clone())), format!("{:?}", code(kept)), "{}", extension.name());
    let Ok(found) = found else { return };
    // Fails if required fields are absent.
    if extension.set(set, &found).is_ok() {
        let reread = set.extension(extension).expect("as above").expect("it was set");
        let reread = reread.decode(&mut second).map(B::from).expect("what was set is good");
        assert_eq!(format!("{reread:?}"), format!("{found:?}"), "{}", extension.name());
    }
}

fn messages<M, X, B>(extension: &Extension<M, RepeatedMessage<X>>, handle: UnknownFields<'_>, set: &mut UnknownSet<M>)
where
    X: Message,
    B: Builder<Of = X> + Debug + Clone,
{
    let decode = |fields: UnknownFields<'_>| {
        let mut pool = Pool::<X>::new();
        let elements = extension.read(fields).expect("finding its records cannot fail");
        elements.map(|parts| parts.decode(&mut pool).map(B::from)).collect::<Result<Vec<_>, _>>()
    };
    let found = decode(handle);
    assert_eq!(format!("{:?}", code(found.clone())), format!("{:?}", code(decode(set.iter()))), "{}", extension.name());
    if let Ok(found) = found {
        extension.set(set, &found).expect("what was decoded has its required fields");
        assert_eq!(
            format!("{:?}", decode(set.iter()).expect("it was set")),
            format!("{found:?}"),
            "{}",
            extension.name()
        );
    }
}

/// Reads bytes as a message with extensions of every kind, as one with a message that requires fields, and as a message
/// set.
pub fn extensions(bytes: &[u8]) {
    let options = DecodeOptions { allow_partial: true, ..DecodeOptions::default() };
    let mut pool = p2::AllPool::new();
    if let Ok(all) = pool.decode_with(bytes, &options) {
        let (fields, mut builder) = (all.unknown_fields(), p2::AllBuilder::from(all));
        let set = &mut builder.unknown_fields;
        macro_rules! each {
            ($($ask:ident: $($of:ident)*;)*) => {$($( $ask(&p2::$of, fields.clone(), set); )*)*};
        }
        each! {
            singular: EXT_INT32 EXT_SINT64 EXT_FIXED32 EXT_DOUBLE EXT_BOOL EXT_STRING EXT_BYTES EXT_CLOSED EXT_LARGEST;
            repeated: EXT_REPEATED_INT64 EXT_REPEATED_STRING EXT_REPEATED_CLOSED EXT_PACKED_SINT32 EXT_PACKED_DOUBLE
                EXT_PACKED_CLOSED EXT_UNPACKED_FIXED64;
        }
        message::<_, _, p2::ChildBuilder>(&p2::EXT_CHILD, fields.clone(), set);
        message::<_, _, p2::AllBuilder>(&p2::EXT_ALL, fields.clone(), set);
        message::<_, _, p2::ExtGroupBuilder>(&p2::EXTGROUP, fields.clone(), set);
        message::<_, _, p2::MustBuilder>(&p2::EXT_MUST, fields.clone(), set);
        messages::<_, _, p2::ChildBuilder>(&p2::EXT_REPEATED_CHILD, fields.clone(), set);
        let (mut buffer, partial) = (EncodeBuffer::new(), EncodeOptions { allow_partial: true, ..Default::default() });
        let encoded = builder.encode_with(&mut buffer, &partial).expect("what was decoded in part is encoded in part");
        assert!(p2::AllPool::new().decode_with(encoded, &options).is_ok());
    }
    let mut pool = p2::NeedsPool::new();
    if let Ok(needs) = pool.decode_with(bytes, &options) {
        let (fields, mut builder) = (needs.unknown_fields(), p2::NeedsBuilder::from(needs));
        message::<_, _, p2::MustBuilder>(&scope::MUST_EXTENSION, fields, &mut builder.unknown_fields);
    }
    let mut pool = p2::MessageSetPool::new();
    if let Ok(all) = pool.decode_with(bytes, &options) {
        let (fields, mut builder) = (all.unknown_fields(), p2::MessageSetBuilder::from(all));
        let set = &mut builder.unknown_fields;
        message::<_, _, p2::ChildBuilder>(&p2::ITEM_CHILD, fields.clone(), set);
        message::<_, _, p2::MustBuilder>(&p2::ITEM_MUST, fields.clone(), set);
        message::<_, _, p2::ItemABuilder>(&item_a::ITEM_A, fields, set);
    }
}
