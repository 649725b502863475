//! Defaults: parses the text of a descriptor's `default_value` (PLN-27).

use crate::plan::{DefaultValue, Enum, Type};

/// Returns the value of a default, or `None` if the text is not a value of the type.
pub(crate) fn parse(ty: Type, enum_type: Option<&Enum>, bytes: &[u8]) -> Option<DefaultValue> {
    match ty {
        Type::String => return Some(DefaultValue::String(bytes.to_vec())),
        Type::Bytes => return unescape(bytes).map(DefaultValue::Bytes),
        _ => {}
    }
    let text = std::str::from_utf8(bytes).ok()?;
    Some(match ty {
        Type::Int32 | Type::Sint32 | Type::Sfixed32 => DefaultValue::Int(integer::<i32>(text)?.into()),
        Type::Int64 | Type::Sint64 | Type::Sfixed64 => DefaultValue::Int(integer(text)?),
        Type::Uint32 | Type::Fixed32 => DefaultValue::Uint(integer::<u32>(text)?.into()),
        Type::Uint64 | Type::Fixed64 => DefaultValue::Uint(integer(text)?),
        Type::Bool => DefaultValue::Bool(text.parse().ok()?),
        Type::Float => match float::<f32>(text)? {
            value if value.is_nan() => DefaultValue::Float(0x7fc0_0000),
            value => DefaultValue::Float(value.to_bits()),
        },
        Type::Double => match float::<f64>(text)? {
            value if value.is_nan() => DefaultValue::Double(0x7ff8_0000_0000_0000),
            value => DefaultValue::Double(value.to_bits()),
        },
        Type::Enum => {
            let value = enum_type?.values.iter().find(|v| v.name == text)?;
            DefaultValue::Enum { name: value.name.clone(), number: value.number }
        }
        Type::String | Type::Bytes | Type::Message => return None,
    })
}

/// Accepts decimals only, without the leading `+` that Rust would accept.
fn integer<T: std::str::FromStr>(text: &str) -> Option<T> {
    if text.starts_with('+') { None } else { text.parse().ok() }
}

/// Accepts the forms that protoc writes: digits with point and exponent, `nan`, `inf`, `-inf`. Rust would accept more
/// names.
fn float<T: std::str::FromStr>(text: &str) -> Option<T> {
    let digits = text.bytes().any(|b| b.is_ascii_digit());
    let plain = text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-'));
    match text {
        "nan" | "-nan" => "NaN".parse().ok(),
        "inf" | "-inf" => text.parse().ok(),
        _ if digits && plain && !text.starts_with('+') => text.parse().ok(),
        _ => None,
    }
}

/// Decodes the C escapes that protoc writes for bytes.
fn unescape(text: &[u8]) -> Option<Vec<u8>> {
    let mut value = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((&first, after)) = rest.split_first() {
        rest = after;
        if first != b'\\' {
            value.push(first);
            continue;
        }
        let (&escape, after) = rest.split_first()?;
        rest = after;
        value.push(match escape {
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'a' => 0x07,
            b'b' => 0x08,
            b'f' => 0x0c,
            b'v' => 0x0b,
            b'"' | b'\'' | b'\\' | b'?' => escape,
            b'0'..=b'7' => {
                let more = rest.iter().take(2).take_while(|b| (b'0'..=b'7').contains(b)).count();
                let octal = rest[..more].iter().fold(u32::from(escape - b'0'), |n, b| n * 8 + u32::from(b - b'0'));
                rest = &rest[more..];
                u8::try_from(octal).ok()?
            }
            b'x' | b'X' => {
                let digits = rest.iter().take(2).take_while(|b| b.is_ascii_hexdigit()).count();
                let hex = std::str::from_utf8(&rest[..digits]).ok()?;
                rest = &rest[digits..];
                u8::from_str_radix(hex, 16).ok()?
            }
            _ => return None,
        });
    }
    Some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_undone_and_broken_ones_refused() {
        assert_eq!(unescape(br#"a\n\001\x7f\377\\\""#).as_deref(), Some(&b"a\n\x01\x7f\xff\\\""[..]));
        for bad in [&b"\\"[..], b"\\q", b"\\x", b"\\400"] {
            assert_eq!(unescape(bad), None, "{bad:?}");
        }
    }

    #[test]
    fn floats_are_read_as_protoc_writes_them() {
        let f = |text: &str| parse(Type::Float, None, text.as_bytes());
        assert_eq!(f("nan"), Some(DefaultValue::Float(0x7fc0_0000)));
        assert_eq!(f("-inf"), Some(DefaultValue::Float(0xff80_0000)));
        assert_eq!(f("-0"), Some(DefaultValue::Float(0x8000_0000)));
        assert_eq!(f("1e+20"), Some(DefaultValue::Float(1e20f32.to_bits())));
        assert_eq!(f("1e50"), Some(DefaultValue::Float(f32::INFINITY.to_bits())));
        for bad in ["", "infinity", "NaN", "0x1p3", "1_0", "+1", ".", "e5"] {
            assert_eq!(f(bad), None, "{bad:?}");
        }
    }
}
