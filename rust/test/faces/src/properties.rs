//! Properties that hold for any bytes: tests check them with the vectors and a few mutations; fuzzing runs longer.

use crate::cold_views;
use crate::vectors::hotpb::vectors::p3::AllPool;
use crate::vectors::reencode::{BUILDERS, HANDLES, Reencoder, TABLE, VISITORS};
use crate::views::reencode_view;
use hotpb::pool::{DecodeOptions, Encode, EncodeBuffer};
use hotpb::wire::__rt::{self, Cursor};
use hotpb::wire::{DEPTH_CEILING, DelimitedReader, Reader, decode_varint, is_ascii, is_utf8, utf8_error_at};
use hotpb::{Code, Error};
use std::collections::HashMap;

/// Creates a fresh pool of a message.
type Make = fn() -> Reencoder;

/// Pools of all vector messages: warm ones, and constructors of fresh ones.
pub struct Pools {
    warm: HashMap<&'static str, (Make, Reencoder)>,
    handles: HashMap<&'static str, Reencoder>,
    builders: HashMap<&'static str, Reencoder>,
    visitors: HashMap<&'static str, Reencoder>,
}

impl Default for Pools {
    fn default() -> Pools {
        Pools {
            warm: TABLE.iter().map(|(name, make)| (*name, (*make, make()))).collect(),
            handles: made(HANDLES),
            builders: made(BUILDERS),
            visitors: made(VISITORS),
        }
    }
}

fn made(table: &[(&'static str, Make)]) -> HashMap<&'static str, Reencoder> {
    table.iter().map(|(name, make)| (*name, make())).collect()
}

impl Pools {
    /// A builder created from the handle, and one that a visitor fills, encode the same bytes as the handle. A visit
    /// finds the errors of a decode, except for absent required fields, which only an encode checks, and memory.
    pub fn three_ways(&mut self, name: &str, bytes: &[u8], options: &DecodeOptions) {
        let mut way = |ways: fn(&mut Pools) -> &mut HashMap<&'static str, Reencoder>| {
            ways(self).get_mut(name).expect("a vector message")(bytes, options)
        };
        let handle = way(|p| &mut p.handles);
        let builder = way(|p| &mut p.builders);
        let visitor = way(|p| &mut p.visitors);
        assert_eq!(handle, builder, "{name}: {bytes:02x?}: handle and builder");
        match (&handle, &visitor) {
            (Err(a), Err(b)) if a.code() == Code::MissingRequired => assert_eq!(b.code(), a.code()),
            (Err(a), _) if a.code() == Code::CountExceeded && options.elements.is_none() => {}
            (a, b) => assert_eq!(a, b, "{name}: {bytes:02x?}: handle and visitor"),
        }
    }

    /// A message that decodes with all strings checked decodes to the same when only some are; only UTF-8 errors
    /// differ.
    pub fn strict_is_stricter(&mut self, name: &str, bytes: &[u8]) {
        let handle = self.handles.get_mut(name).expect("a vector message");
        let mut decode = |strict| {
            let options = DecodeOptions { strict, allow_partial: true, ..DecodeOptions::default() };
            handle(bytes, &options)
        };
        match (decode(true), decode(false)) {
            (Err(strict), plain) if strict.code() == Code::InvalidUtf8 => {
                assert!(plain.err().is_none_or(|e| e.offset() >= strict.offset()), "{name}: {bytes:02x?}");
            }
            (strict, plain) => assert_eq!(strict, plain, "{name}: {bytes:02x?}"),
        }
    }

    /// Returns the names of the messages, in order.
    pub fn names() -> Vec<&'static str> {
        TABLE.iter().map(|(name, _)| *name).collect()
    }

    /// Decoding with a pool that was used for other messages, including invalid ones, equals decoding with a fresh one.
    /// The encoded bytes decode again, and encode to the same bytes.
    ///
    /// Under limits that the encoding may exceed where the input did not (merging joins separate parts), only the first
    /// half holds.
    pub fn round_trip_unless_limited(
        &mut self,
        name: &str,
        bytes: &[u8],
        options: &DecodeOptions,
    ) -> Result<Vec<u8>, Error> {
        if options.elements.is_none() && options.depth >= hotpb::wire::MAX_DEPTH {
            return self.round_trip(name, bytes, options);
        }
        let (make, warm) = self.warm.get_mut(name).expect("a vector message");
        let first = warm(bytes, options);
        assert_eq!(make()(bytes, options), first, "warm and fresh pools differ on {name} {bytes:02x?}");
        first
    }

    /// Decodes with a used pool, then encodes and decodes again.
    pub fn round_trip(&mut self, name: &str, bytes: &[u8], options: &DecodeOptions) -> Result<Vec<u8>, Error> {
        let (make, warm) = self.warm.get_mut(name).expect("a vector message");
        let first = warm(bytes, options);
        assert_eq!(make()(bytes, options), first, "warm and fresh pools differ on {name} {bytes:02x?}");
        if let Ok(out) = &first {
            let reencoded = warm(out, options).unwrap_or_else(|e| panic!("{name} {bytes:02x?} → {out:02x?}: {e}"));
            assert_eq!(&reencoded, out, "{name}: {bytes:02x?} is not encoded the same again");
            // The bytes that the handle encodes mean the same; only the place of extensions differs.
            let handle = self.handles.get_mut(name).expect("a vector message");
            let mut encode =
                |bytes: &[u8]| handle(bytes, options).unwrap_or_else(|e| panic!("{name} {bytes:02x?}: {e}"));
            let encoded = encode(bytes);
            assert_eq!(warm(&encoded, options).as_ref(), Ok(out), "{name}: {bytes:02x?} → {encoded:02x?}");
            assert_eq!(encode(&encoded), encoded, "{name}: {bytes:02x?} is not encoded the same again by its handle");
        }
        first
    }
}

/// Pools of the same messages, all straight and all by table.
pub struct Tiers {
    hot: [HashMap<&'static str, Reencoder>; 2],
    cold: [HashMap<&'static str, Reencoder>; 2],
}

impl Default for Tiers {
    fn default() -> Tiers {
        use crate::{cold, hot};
        Tiers {
            hot: [hot::reencode::TABLE, hot::reencode::HANDLES].map(made),
            cold: [cold::reencode::TABLE, cold::reencode::HANDLES].map(made),
        }
    }
}

impl Tiers {
    /// The tier must not change the results of accessors, the bytes that handles encode, and errors.
    pub fn agree(&mut self, name: &str, bytes: &[u8], options: &DecodeOptions) {
        for (hot, cold) in self.hot.iter_mut().zip(&mut self.cold) {
            let run = |pools: &mut HashMap<&'static str, Reencoder>| {
                pools.get_mut(name).expect("a vector message")(bytes, options)
            };
            assert_eq!(run(hot), run(cold), "{name}: {bytes:02x?}: straight and by table");
        }
    }
}

/// Checks the wire layer on any bytes: all ways to read the same value agree.
pub fn wire(bytes: &[u8]) {
    let mut reader = Reader::new(bytes);
    match (decode_varint(bytes), reader.varint()) {
        (Some((value, len)), Ok(read)) => assert_eq!((value, len), (read, reader.offset())),
        (None, Err(e)) => assert!(matches!(e.code(), Code::Truncated | Code::VarintOverflow)),
        (a, b) => panic!("{bytes:02x?}: {a:?} and {b:?}"),
    }
    assert_eq!(is_ascii(bytes), bytes.is_ascii());
    assert_eq!(is_utf8(bytes), std::str::from_utf8(bytes).is_ok());
    assert_eq!(utf8_error_at(bytes).is_none(), is_utf8(bytes));
    let mut reader = Reader::new(bytes);
    while let Ok(Some(tag)) = reader.tag() {
        let at = reader.offset();
        let mut cursor = Cursor::new(&bytes[at..]);
        let skipped = cursor.skip(tag, hotpb::wire::MAX_DEPTH).is_some();
        match reader.skip(tag) {
            Ok(()) => assert!(skipped && reader.offset() == bytes.len() - cursor.left()),
            Err(e) => {
                assert!(!skipped && e.offset() <= bytes.len(), "{bytes:02x?} at {at}: {e}");
                break;
            }
        }
    }
}

/// The messages of a delimited stream, decoded one by one into one pool, are those that its reader finds, each decoded
/// into its own pool; their encodings decode again. Returns their number.
pub fn stream(bytes: &[u8], options: &DecodeOptions) -> usize {
    let (mut pool, mut buffer, mut out) = (AllPool::new(), EncodeBuffer::new(), Vec::new());
    let mut messages = pool.decode_delimited_with(bytes, options);
    let mut good = 0;
    for item in DelimitedReader::with_max_size(bytes, options.size) {
        let mut fresh = AllPool::new();
        let alone = item.and_then(|item| {
            let decoded = fresh.decode_with(item.bytes, options).map_err(|e| e.shifted(item.offset))?;
            assert_eq!(&bytes[item.offset..item.offset + item.bytes.len()], item.bytes);
            Ok(decoded.encode_to_vec().expect("proto3 requires nothing"))
        });
        let next = messages.next_message().map(|message| {
            let message = message.expect("as many messages as the reader finds");
            message.append_delimited(&mut out, &mut buffer).expect("proto3 requires nothing");
            buffer.bytes().to_vec()
        });
        good += usize::from(next.is_ok());
        assert_eq!(next, alone, "{bytes:02x?}");
    }
    assert_eq!(messages.next_message().map(|m| m.is_none()), Ok(true), "{bytes:02x?}");
    assert_eq!(DelimitedReader::new(&out).inspect(|m| assert!(m.is_ok(), "what was written")).count(), good);
    good
}

static ANY: __rt::MessageSchema = __rt::MessageSchema::new("any", &[]);

/// The cold decoder without a schema, and skipping, agree on which bytes are well-formed.
pub fn check(bytes: &[u8]) {
    let limits = __rt::Limits { depth: DEPTH_CEILING, ..__rt::Limits::default() };
    let walked = __rt::check(bytes, &ANY, &limits);
    let mut cursor = Cursor::new(bytes);
    let mut skipped = true;
    while skipped && !cursor.at_end() {
        skipped = cursor.tag().and_then(|tag| cursor.skip(tag, DEPTH_CEILING)).is_some();
    }
    assert_eq!(walked.is_ok(), skipped, "{bytes:02x?}: {walked:?}");
}

/// Views, in both tiers, and pools of all vector messages.
pub struct Views {
    views: HashMap<&'static str, Reencoder>,
    cold: HashMap<&'static str, Reencoder>,
    pools: HashMap<&'static str, Reencoder>,
    handles: HashMap<&'static str, Reencoder>,
}

impl Default for Views {
    fn default() -> Views {
        let cold = made(cold_views::reencode_view::TABLE);
        Views { views: made(reencode_view::TABLE), cold, pools: made(TABLE), handles: made(HANDLES) }
    }
}

impl Views {
    /// Encodes the message again from views, straight and by table, which agree (FCE-10).
    pub fn reencode(&mut self, name: &str, bytes: &[u8], options: &DecodeOptions) -> Result<Vec<u8>, Error> {
        let call = |table: &mut HashMap<&'static str, Reencoder>| {
            table.get_mut(name).expect("a vector message")(bytes, options)
        };
        let (hot, cold) = (call(&mut self.views), call(&mut self.cold));
        assert_eq!(hot, cold, "{name}: {bytes:02x?}: straight and by table");
        hot
    }

    /// A view accepts what the pool accepts, reports the same error (VIW-29), and reads the same.
    pub fn agree(&mut self, name: &str, bytes: &[u8], options: &DecodeOptions) {
        let mut call = |table: fn(&mut Views) -> &mut HashMap<&'static str, Reencoder>| {
            table(self).get_mut(name).expect("a vector message")(bytes, options)
        };
        let (pool, handle) = (call(|v| &mut v.pools), call(|v| &mut v.handles));
        let view = self.reencode(name, bytes, options);
        let (_, check) = reencode_view::CHECKS.iter().find(|(n, _)| *n == name).expect("a vector message");
        // The handle's encoder leaves extensions as they are.
        assert_eq!(check(bytes, options).err(), handle.err(), "{name}: {bytes:02x?}: view and handle");
        match (view, pool) {
            (Ok(view), Ok(pool)) => assert_eq!(view, pool, "{name}: {bytes:02x?}: view and pool"),
            // A view decodes extensions with its options, a pool's message without (EXT-7, EXT-8). And only the pool
            // looks for required fields in an extension.
            (Err(view), Ok(_)) => assert!(options.strict || options.depth != 100, "{name}: {bytes:02x?}: {view}"),
            (Ok(_), Err(pool)) => assert!(pool.code() == Code::MissingRequired, "{name}: {bytes:02x?}: {pool}"),
            (Err(_), Err(_)) => {}
        }
    }
}
