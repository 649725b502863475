//! "Decode A or fail, then B" is a fresh decode of B (POL-2), whichever calls A went through.

use crate::mutate::Rng;
use crate::vectors::hotpb::vectors::{e23, e24, p2, p3};
use hotpb::Error;
use hotpb::pool::{Builder, DecodeOptions, Encode, EncodeBuffer, EncodeOptions, Message, Pool};
use std::fmt::Debug;
use std::sync::Arc;

/// Runs A and then B; returns whether B decodes.
pub type Check = Box<dyn FnMut(&mut Rng, &[u8], &[u8]) -> bool>;

/// Creates the check of one message.
pub type Start = fn() -> Check;

/// Messages of every shape with their checks; each check uses one pool for all its calls.
pub const MESSAGES: [(&str, Start); 7] = [
    ("hotpb.vectors.p3.All", check::<p3::AllBuilder>),
    ("hotpb.vectors.p3.Child", check::<p3::ChildBuilder>),
    ("hotpb.vectors.p2.All", check::<p2::AllBuilder>),
    ("hotpb.vectors.p2.Needs", check::<p2::NeedsBuilder>),
    ("hotpb.vectors.p2.MessageSet", check::<p2::MessageSetBuilder>),
    ("hotpb.vectors.e23.All", check::<e23::AllBuilder>),
    ("hotpb.vectors.e24.Needs", check::<e24::NeedsBuilder>),
];

fn check<B>() -> Check
where
    B: Builder + Debug,
    B::Of: 'static,
    for<'x> <B::Of as Message>::Handle<'x>: Encode,
{
    let (mut pool, mut buffer) = (Pool::<B::Of>::new(), EncodeBuffer::new());
    Box::new(move |rng, a, b| {
        use_up::<B>(&mut pool, &mut buffer, rng, a);
        let options = some_options(rng);
        let fresh = Pool::<B::Of>::new().decode_with(b, &options).map(seen::<B>);
        let used = pool.decode_with(b, &options).map(|message| {
            // The buffer was used, too.
            let plain = message.encode_with(&mut buffer, &partial(false)).map(<[u8]>::to_vec);
            let seen = seen::<B>(message);
            assert_eq!(plain, seen.plain, "{b:02x?} after {a:02x?}: a used buffer");
            seen
        });
        assert_eq!(used, fresh, "{b:02x?} after {a:02x?}");
        let copied = pool.decode_copy_with(b, &options).map(seen::<B>);
        assert_eq!(copied, fresh, "a copy of {b:02x?} after {a:02x?}");
        fresh.is_ok()
    })
}

/// Everything observable of a message.
#[derive(Debug, PartialEq)]
struct Seen {
    /// Every field as text: there NaN equals itself.
    fields: String,
    /// The encoding, with maps in the order in which they are stored.
    plain: Result<Vec<u8>, Error>,
    by_key: Result<Vec<u8>, Error>,
}

fn seen<'a, B>(message: <B::Of as Message>::Handle<'a>) -> Seen
where
    B: Builder + Debug,
    <B::Of as Message>::Handle<'a>: Encode,
{
    let mut buffer = EncodeBuffer::new();
    let mut encode = |deterministic| message.encode_with(&mut buffer, &partial(deterministic)).map(<[u8]>::to_vec);
    let (plain, by_key) = (encode(false), encode(true));
    Seen { fields: format!("{:?}", B::from(message)), plain, by_key }
}

fn partial(deterministic: bool) -> EncodeOptions {
    EncodeOptions { deterministic, allow_partial: true, strict: false, ..EncodeOptions::default() }
}

/// Returns the defaults, or limits that many messages exceed.
fn some_options(rng: &mut Rng) -> DecodeOptions {
    let limited = rng.below(3) == 0;
    let pick = |rng: &mut Rng, n| limited && rng.below(n) == 0;
    DecodeOptions {
        strict: rng.below(4) == 0,
        allow_partial: rng.below(2) == 0,
        depth: if pick(rng, 2) { rng.below(4) as u32 } else { 100 },
        size: if pick(rng, 4) { rng.below(64) } else { hotpb::wire::MAX_SIZE },
        elements: pick(rng, 2).then(|| rng.below(6)),
        memory: pick(rng, 2).then(|| rng.below(4000)),
        stack: if pick(rng, 3) { 0 } else { hotpb::wire::MAX_STACK },
    }
}

/// Decodes, or fails to, in one of the possible ways.
fn use_up<B>(pool: &mut Pool<B::Of>, buffer: &mut EncodeBuffer, rng: &mut Rng, a: &[u8])
where
    B: Builder,
    for<'x> <B::Of as Message>::Handle<'x>: Encode,
{
    let options = some_options(rng);
    let mut encoded = |message: <B::Of as Message>::Handle<'_>| {
        // Whether it fails or not, the buffer is used.
        let _ = message.encode_with(buffer, &EncodeOptions { strict: true, ..EncodeOptions::default() });
    };
    match rng.below(8) {
        0 => drop(pool.decode(a).map(encoded)),
        1 => drop(pool.decode_with(a, &options).map(encoded)),
        2 => drop(pool.decode_copy_with(a, &options).map(encoded)),
        3 => {
            // Usually it is not a stream: some messages, then an error.
            let mut stream = pool.decode_delimited_with(a, &options);
            for _ in 0..20 {
                match stream.next_message() {
                    Ok(None) => break,
                    Ok(Some(message)) => encoded(message),
                    Err(_) => {}
                }
            }
        }
        4 => {
            drop(pool.decode_with(a, &options).map(encoded));
            let limit = rng.below(pool.memory() + 2);
            pool.shrink_to(limit);
            assert!(pool.memory() <= limit, "{} kept of {limit}", pool.memory());
        }
        5 => {
            *pool = match std::mem::take(pool).decode_owned_with(Arc::<[u8]>::from(a), &options) {
                Ok(owned) => {
                    encoded(owned.get());
                    owned.into_parts().0
                }
                Err(failed) => failed.pool,
            }
        }
        6 => {
            let cut = rng.below(a.len() + 1);
            drop(pool.decode_parts(a, [(0, cut), (cut, a.len())].into_iter(), &options).map(encoded));
        }
        _ => {
            let strict = DecodeOptions { strict: true, ..options };
            if pool.decode_with(a, &strict).is_ok() {
                // SAFETY: a strict decode has found that all strings are UTF-8.
                let trusted = unsafe { pool.decode_unchecked(a, &strict) };
                encoded(trusted.expect("what decodes, decodes unchecked"));
            }
        }
    }
}
