//! The version of the protocol that a body uses, if it is not specified.

use hotpb::wire::{LEN, Reader};
use std::fmt;

/// A version of the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// 1.0, `prometheus.WriteRequest`.
    V1,
    /// 2.0, `io.prometheus.write.v2.Request`.
    V2,
}

impl Version {
    pub(crate) fn alternative(self) -> Version {
        match self {
            Version::V1 => Version::V2,
            Version::V2 => Version::V1,
        }
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Version::V1 => "1.0",
            Version::V2 => "2.0",
        })
    }
}

/// The caller's knowledge of the version. A server knows it: `Content-Type: application/x-protobuf;proto=…` specifies
/// 2.0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Proto {
    /// Unknown: the body's own fields decide ([`detect`]).
    #[default]
    Auto,
    /// The version.
    Is(Version),
}

/// Returns the version whose field comes first. 1.0 has fields 1 and 3; 2.0 has 4 and 5 and reserves those of 1.0, so
/// that neither is read as the other. A body without any of these fields, such as an empty one, is 1.0, whose empty
/// request is valid. Whoever reads a body with fields of both versions rejects it.
pub fn detect(body: &[u8]) -> Version {
    let mut reader = Reader::new(body);
    while let Ok(Some(tag)) = reader.tag() {
        match tag {
            _ if tag & 7 != LEN => {}
            _ if is_field_of(Version::V1, tag >> 3) => return Version::V1,
            _ if is_field_of(Version::V2, tag >> 3) => return Version::V2,
            _ => {}
        }
        if reader.skip(tag).is_err() {
            break;
        }
    }
    Version::V1
}

/// Reports whether a number is that of a field of the version's request.
pub fn is_field_of(version: Version, number: u32) -> bool {
    match version {
        Version::V1 => matches!(number, 1 | 3),
        Version::V2 => matches!(number, 4 | 5),
    }
}

/// Reports whether a body is of the other version: it has fields of that one, and none of this one.
#[cold]
pub(crate) fn is_of_other(body: &[u8], version: Version) -> bool {
    let alternative = version.alternative();
    let (mut reader, mut found) = (Reader::new(body), false);
    while let Ok(Some(tag)) = reader.tag() {
        if is_field_of(version, tag >> 3) {
            return false;
        }
        found |= tag & 7 == LEN && is_field_of(alternative, tag >> 3);
        if reader.skip(tag).is_err() {
            break;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_field_that_one_version_has_tells() {
        for (body, version) in [
            (&b""[..], Version::V1),
            (b"\x0a\x00", Version::V1),
            (b"\x1a\x00\x22\x00", Version::V1),
            (b"\x22\x00", Version::V2),
            (b"\x2a\x00\x0a\x00", Version::V2),
            (b"\x78\x01\x2a\x00", Version::V2), // after a field that neither version has
            (b"\x08\x01\x22\x00", Version::V2), // field 1, but a varint
            (b"\x7a\x05", Version::V1),         // malformed
        ] {
            assert_eq!(detect(body), version, "{body:02x?}");
        }
    }

    #[test]
    fn a_body_without_fields_of_its_version_may_be_of_the_other() {
        for (body, version, other) in [
            (&b""[..], Version::V1, false),
            (b"", Version::V2, false),
            (b"\x22\x00\x2a\x00", Version::V1, true),
            (b"\x22\x00", Version::V2, false),
            (b"\x0a\x00", Version::V2, true),
            (b"\x1a\x00", Version::V2, true),
            (b"\x1a\x00", Version::V1, false),
            (b"\x22\x00\x0a\x00", Version::V1, false), // both
            (b"\x0a\x00\x22\x00", Version::V2, false),
            (b"\x7a\x00", Version::V1, false), // neither
            (b"\x7a\x00\x2a\x00", Version::V1, true),
            (b"\x20\x01", Version::V1, false), // field 4, but a varint
        ] {
            assert_eq!(is_of_other(body, version), other, "{body:02x?} as {version}");
        }
    }
}
