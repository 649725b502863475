//! Properties of text, equality, walk and JSON that hold for any bytes and any text: tests check them with few inputs,
//! fuzzing with many (`rust/fuzz.sh`).

use crate::walked;
use hotpb::json::{ReadOptions, Types, Written, to_wire};
use hotpb::pool::walk::{AnyMessage, Described};
use hotpb::pool::{DecodeOptions, Message, Pool};
use hotpb::wkt;
use hotpb_tests::vectors::hotpb::vectors::{e23, e24, p2, p3};
use std::fmt::Debug;

/// The properties of a message type.
#[derive(Clone, Copy)]
pub struct Checks {
    /// The full name.
    pub name: &'static str,
    /// Bytes that decode become JSON, and the same message again. Returns whether they did.
    pub json_of_bytes: fn(&[u8]) -> bool,
    /// Text that is read as JSON is a message, whose JSON is read as the same message. The flag ignores unknown names.
    /// Returns the bytes, or the error.
    pub bytes_of_json: fn(&str, bool) -> Result<Vec<u8>, String>,
    /// Text, equality and walk of two messages. Returns whether the first one decodes.
    pub shown: fn(&[u8], &[u8]) -> bool,
}

macro_rules! checks {
    ($($of:ty),* $(,)?) => {
        /// The messages of the vectors, and the well-known types.
        pub fn all() -> Vec<Checks> {
            vec![$(Checks {
                name: <$of>::DESCRIPTION.name(),
                json_of_bytes: json_of_bytes::<$of>,
                bytes_of_json: bytes_of_json::<$of>,
                shown: shown::<$of>,
            }),*]
        }
    };
}

checks!(
    p3::All<'static>,
    p2::All<'static>,
    e23::All<'static>,
    e24::All<'static>,
    p3::Numbers<'static>,
    p2::Numbers<'static>,
    p2::Must<'static>,
    p2::Needs<'static>,
    p2::MustAll<'static>,
    p2::MessageSet<'static>,
    wkt::Any<'static>,
    wkt::Duration<'static>,
    wkt::FieldMask<'static>,
    wkt::ListValue<'static>,
    wkt::Struct<'static>,
    wkt::Timestamp<'static>,
    wkt::Value<'static>,
    wkt::DoubleValue<'static>,
    wkt::BytesValue<'static>,
    wkt::Empty<'static>,
);

/// The types that an `Any` may hold: some whose JSON is an object of their fields, and some whose JSON is not.
pub fn types() -> Types {
    let types = Types::new().add::<wkt::Any<'static>>().add::<wkt::Struct<'static>>().add::<wkt::Empty<'static>>();
    types.add::<wkt::Timestamp<'static>>().add::<p3::All<'static>>().add::<p2::Must<'static>>()
}

/// Fuzzing runs on a large stack. The memory is that of large elements, which have two bytes in JSON.
fn options() -> DecodeOptions {
    DecodeOptions { allow_partial: true, stack: usize::MAX, memory: Some(1 << 30), ..DecodeOptions::default() }
}

/// Calls a function with a decoded message; returns nothing if the bytes do not decode.
fn decoded<M: Message, T>(bytes: &[u8], then: impl FnOnce(AnyMessage<'_>) -> T) -> Option<T> {
    let mut pool = Pool::<M>::new();
    Some(then(pool.decode_with(bytes, &options()).ok()?.into()))
}

fn read<M: Described>(text: &str, ignore_unknown_fields: bool, types: &Types) -> Result<Vec<u8>, serde_json::Error> {
    let mut from = serde_json::Deserializer::from_str(text);
    from.disable_recursion_limit();
    let bytes = to_wire::<M, _>(&mut from, &ReadOptions { ignore_unknown_fields, types: Some(types) })?;
    from.end().map(|()| bytes)
}

fn written(message: AnyMessage<'_>, types: &Types) -> Result<String, serde_json::Error> {
    serde_json::to_string(&Written::new(message).types(types))
}

/// Values that JSON lacks (JSN-9, JSN-13, JSN-14, JSN-15).
const REFUSED: [&str; 9] = [
    "a string that is not UTF-8",
    "a Timestamp outside of the years",
    "a Duration above",
    "a FieldMask with the path",
    "a Value with a number",
    "a Value that holds nothing",
    "an Any without",
    "an Any of",
    "messages nest too deep",
];

fn json_of_bytes<M: Message + Described>(bytes: &[u8]) -> bool {
    let types = types();
    let json = decoded::<M, _>(bytes, |message| {
        let text = written(message, &types).map_err(|error| error.to_string());
        let text =
            text.inspect_err(|error| assert!(REFUSED.iter().any(|r| error.contains(r)), "{error}: {bytes:02x?}"));
        Some((text.ok()?, walked::is_plain(message)))
    });
    let Some((text, plain)) = json.flatten() else { return false };
    let read = read::<M>(&text, false, &types).unwrap_or_else(|e| panic!("{e}: {text} of {bytes:02x?}"));
    decoded::<M, _>(&read, |reread| {
        assert_eq!(written(reread, &types).expect("it was written before"), text, "{bytes:02x?}");
        // Unknown fields are not written, and NaN differs from itself.
        if plain {
            decoded::<M, _>(bytes, |message| assert!(message == reread, "{message:?} and {reread:?}: {text}"));
        }
    })
    .unwrap_or_else(|| panic!("{text} of {bytes:02x?} is read as {read:02x?}, which does not decode"));
    true
}

fn bytes_of_json<M: Message + Described>(text: &str, ignore_unknown: bool) -> Result<Vec<u8>, String> {
    let types = types();
    let bytes = read::<M>(text, ignore_unknown, &types).map_err(|error| error.to_string())?;
    decoded::<M, _>(&bytes, |message| {
        let json = written(message, &types).unwrap_or_else(|e| panic!("{e}: {message:?} of {text}"));
        let reread = read::<M>(&json, false, &types).unwrap_or_else(|e| panic!("{e}: {json} of {text}"));
        assert!(walked::only_undefined_values(message), "{text}");
        decoded::<M, _>(&reread, |reread| {
            assert_eq!(written(reread, &types).expect("it was written before"), json, "{text}");
            assert!(!walked::is_plain(message) || message == reread, "{text}: {message:?} and {reread:?}");
        })
        .unwrap_or_else(|| panic!("{json} of {text} does not decode"));
    })
    .unwrap_or_else(|| panic!("{text} is read as {bytes:02x?}, which does not decode"));
    Ok(bytes)
}

// A value is compared with itself, which is the property.
#[allow(clippy::eq_op)]
fn shown<M: Message>(bytes: &[u8], rewritten: &[u8]) -> bool {
    decoded::<M, _>(bytes, |message| {
        let (line, lines) = (format!("{message:?}"), format!("{message:#?}"));
        assert!(line.is_ascii() && !line.contains('\n'), "{line}");
        let tokens = tokens(&line);
        assert_eq!(tokens, self::tokens(&lines), "{line}");
        assert_eq!(entries(&mut tokens.iter().map(|token| &**token), true), Ok(()), "{line}");
        // Equality is reflexive, but for NaN, and symmetric.
        let same = !walked::has_nan(message);
        assert_eq!(message == message, same, "{line}");
        decoded::<M, _>(bytes, |second| assert_eq!((message == second, second == message), (same, same), "{line}"));
        decoded::<M, _>(rewritten, |rewritten| {
            assert_eq!(message == rewritten, rewritten == message, "{line} and {rewritten:?}")
        });
        // The walk finds every field: what it finds is the message.
        let found = walked::encoded(message);
        decoded::<M, _>(&found, |second| {
            assert_eq!(format!("{second:?}"), line, "{bytes:02x?}");
            assert_eq!(message == second, same, "{line}");
            assert_eq!(walked::encoded(second), found, "{line}");
        })
        .unwrap_or_else(|| panic!("{line}: the walk finds {found:02x?}, which does not decode"));
    })
    .is_some()
}

/// Splits text format into names, braces and values; blanks inside of quotes belong to the value.
fn tokens(text: &str) -> Vec<String> {
    let (mut all, mut token, mut quoted, mut escaped) = (Vec::new(), String::new(), false, false);
    for c in text.chars() {
        if !quoted && (c == ' ' || c == '\n') {
            all.extend((!token.is_empty()).then(|| std::mem::take(&mut token)));
            continue;
        }
        token.push(c);
        quoted ^= c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
    }
    assert!(!quoted, "an open quote: {text}");
    all.extend((!token.is_empty()).then_some(token));
    all
}

/// Reads the fields of a message up to its brace, or up to the end.
fn entries<'t>(tokens: &mut impl Iterator<Item = &'t str>, root: bool) -> Result<(), String> {
    fn is_name(name: &str) -> bool {
        !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
    }
    loop {
        match tokens.next() {
            None if root => return Ok(()),
            Some("}") if !root => return Ok(()),
            Some(name) if name.strip_suffix(':').is_some_and(is_name) => {
                let value = tokens.next().unwrap_or_default();
                let quoted = value.len() > 1 && value.starts_with('"') && value.ends_with('"');
                if !quoted && !is_name(value.trim_start_matches('-').replace(['.', '+', '-'], "").as_str()) {
                    return Err(format!("{name} {value}"));
                }
            }
            Some(name) if is_name(name) && tokens.next() == Some("{") => entries(tokens, false)?,
            other => return Err(format!("{other:?}")),
        }
    }
}

impl Debug for Checks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}
