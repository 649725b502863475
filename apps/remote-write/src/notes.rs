//! The notes that a record of the log has about its body. For OTLP, the rest of its options come first, with their length:
//!
//! ```text
//!   OTLP:          length of the rest, the rest, refused series     (version 1 of the mapping: refused series)
//!   remote write:                                refused series
//! ```

use crate::log::Kind;
use crate::otlp::{self, mapping_of};
use crate::refused;
use hotpb::wire::{Reader, append_bytes};

/// What the log knows of a request.
pub struct Notes {
    /// How it was mapped, if it is one of OTLP; `None` if another version of the mapping did that.
    pub options: Option<otlp::Options>,
    /// The series that were refused.
    pub refused: Vec<u32>,
}

/// Reports whether a request is one of OTLP.
pub fn is_otlp(kind: Kind) -> bool {
    matches!(kind, Kind::Otlp | Kind::OtlpJson)
}

/// Encodes notes.
pub fn encode(kind: Kind, options: &otlp::Options, refused: &[u32]) -> Vec<u8> {
    let mut out = Vec::new();
    if is_otlp(kind) {
        append_bytes(&mut out, &options.rest());
    }
    out.extend(refused::encode(refused));
    out
}

/// Decodes the notes of a request with these options; `None` if the bytes are no notes.
pub fn decode(kind: Kind, options: u8, bytes: &[u8]) -> Option<Notes> {
    if !is_otlp(kind) {
        return Some(Notes { options: Some(otlp::Options::default()), refused: refused::decode(bytes)? });
    }
    if mapping_of(options) == 1 {
        return Some(Notes { options: None, refused: refused::decode(bytes)? });
    }
    let mut reader = Reader::new(bytes);
    let rest = reader.bytes().ok()?;
    let refused = refused::decode(&bytes[reader.offset()..])?;
    match mapping_of(options) == otlp::MAPPING {
        true => Some(Notes { options: Some(otlp::Options::decode(options, rest)?), refused }),
        false => Some(Notes { options: None, refused }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::otlp::{MAPPING, Options, Promoted};

    #[test]
    fn notes_come_back() {
        let promoted = Promoted { all: false, names: [("a.b".to_owned())].into() };
        let options = Options { promoted, scope: true, ..Options::default() };
        let byte = options.to_byte();
        for refused in [&[][..], &[3, 4, 9]] {
            let bytes = encode(Kind::OtlpJson, &options, refused);
            let found = decode(Kind::OtlpJson, byte, &bytes).unwrap();
            assert_eq!((found.options.as_ref(), &found.refused[..]), (Some(&options), refused));
            // A later version keeps this form.
            let later = decode(Kind::Otlp, (byte & 15) | (MAPPING + 1) << 4, &bytes).unwrap();
            assert_eq!((later.options, &later.refused[..]), (None, refused));
            let list = encode(Kind::V2, &options, refused);
            for (kind, byte) in [(Kind::V2, 0), (Kind::Otlp, 1 << 4)] {
                let found = decode(kind, byte, &list).unwrap();
                assert_eq!((found.options.is_none(), &found.refused[..]), (kind == Kind::Otlp, refused));
            }
        }
        for bad in [&b""[..], b"\x05\x00", b"\x01\xff", b"\x01\x00\x80"] {
            assert!(decode(Kind::Otlp, byte, bad).is_none(), "{bad:?}");
        }
    }
}
