//! Protobuf's text format, for `Debug`: one line with `{:?}`, a line for each field with `{:#?}`. The text is ASCII,
//! whatever the bytes are (RTX-2).

use crate::wire::check::{self, FieldSchema, Kind, Limits, MessageSchema};
use crate::wire::{
    Cursor, DEPTH_CEILING, END_GROUP, FIXED32, FIXED64, LEN, START_GROUP, VARINT, unzigzag32, unzigzag64,
};
use core::fmt::{self, Display, Formatter, Write};

/// Unknown bytes are shown as a message to this depth, and as a string below it, as protoc does.
const GUESSES: u32 = 10;

/// A text in progress.
pub(crate) struct Text<'f, 'b> {
    f: &'f mut Formatter<'b>,
    level: usize,
    begun: bool,
}

impl<'f, 'b> Text<'f, 'b> {
    pub(crate) fn new(f: &'f mut Formatter<'b>) -> Self {
        Text { f, level: 0, begun: false }
    }

    /// Begins a line.
    fn line(&mut self) -> fmt::Result {
        if !self.f.alternate() {
            return self.f.write_char(' ');
        }
        self.f.write_char('\n')?;
        (0..self.level).try_for_each(|_| self.f.write_str("  "))
    }

    /// Writes the name of the next field.
    pub(crate) fn name(&mut self, name: impl Display) -> fmt::Result {
        if self.begun {
            self.line()?;
        }
        self.begun = true;
        write!(self.f, "{name}")
    }

    /// Begins the message of the field.
    pub(crate) fn open(&mut self) -> fmt::Result {
        self.level += 1;
        self.f.write_str(" {")
    }

    /// Ends it.
    pub(crate) fn close(&mut self) -> fmt::Result {
        self.level -= 1;
        self.line()?;
        self.f.write_char('}')
    }

    /// Writes the value of the field.
    pub(crate) fn value(&mut self, value: impl Display) -> fmt::Result {
        write!(self.f, ": {value}")
    }

    /// Writes records that no schema defines, as `protoc --decode_raw` shows them.
    pub(crate) fn unknown(&mut self, records: &[u8]) -> fmt::Result {
        self.guessed(records, GUESSES)
    }

    fn guessed(&mut self, records: &[u8], guesses: u32) -> fmt::Result {
        let mut cursor = Cursor::new(records);
        while let Some(tag) = cursor.tag().filter(|tag| tag & 7 != END_GROUP) {
            if self.record(&mut cursor, tag, guesses)?.is_none() {
                break;
            }
        }
        Ok(())
    }

    /// Writes one record; `None` if it is malformed.
    fn record(&mut self, cursor: &mut Cursor<'_>, tag: u32, guesses: u32) -> Result<Option<()>, fmt::Error> {
        static ANY: MessageSchema = MessageSchema::new("", &[]);
        macro_rules! read {
            ($read:expr) => {
                match $read {
                    Some(read) => read,
                    None => return Ok(None),
                }
            };
        }
        let number = tag >> 3;
        match tag & 7 {
            VARINT => {
                let value = read!(cursor.varint());
                self.name(number)?;
                self.value(value)?;
            }
            FIXED32 => {
                let value = read!(cursor.fixed32());
                self.name(number)?;
                self.value(format_args!("{value:#010x}"))?;
            }
            FIXED64 => {
                let value = read!(cursor.fixed64());
                self.name(number)?;
                self.value(format_args!("{value:#018x}"))?;
            }
            START_GROUP => {
                let content = read!(cursor.group(number, DEPTH_CEILING));
                self.name(number)?;
                self.open()?;
                self.guessed(content, guesses)?;
                self.close()?;
            }
            _ => {
                let value = read!(cursor.bytes());
                self.name(number)?;
                let limits = Limits { depth: guesses, ..Limits::default() };
                if guesses > 0 && !value.is_empty() && check::check(value, &ANY, &limits).is_ok() {
                    self.open()?;
                    self.guessed(value, guesses - 1)?;
                    self.close()?;
                } else {
                    self.value(Quoted(value))?;
                }
            }
        }
        Ok(Some(()))
    }

    /// Writes records in their order, with the names of a schema; enums as numbers. A malformed record ends the text.
    pub(crate) fn records(&mut self, bytes: &[u8], schema: &MessageSchema, depth: u32) -> fmt::Result {
        let mut cursor = Cursor::new(bytes);
        while let Some(tag) = cursor.tag() {
            let known = match schema.field_for(tag).filter(|_| depth > 0) {
                Some(field) => self.known(&mut cursor, tag, field, depth)?,
                None => self.record(&mut cursor, tag, GUESSES)?,
            };
            if known.is_none() {
                break;
            }
        }
        Ok(())
    }

    fn known(
        &mut self,
        cursor: &mut Cursor<'_>,
        tag: u32,
        field: &FieldSchema,
        depth: u32,
    ) -> Result<Option<()>, fmt::Error> {
        if let (LEN, Some(width)) = (tag & 7, Some(field.kind.wire_type()).filter(|&width| width != LEN)) {
            let Some(payload) = cursor.bytes() else { return Ok(None) };
            let mut packed = Cursor::new(payload);
            while !packed.at_end() {
                if self.scalar(&mut packed, width, field)?.is_none() {
                    return Ok(None);
                }
            }
            return Ok(Some(()));
        }
        let content = match tag & 7 {
            LEN => cursor.bytes(),
            START_GROUP => cursor.group(tag >> 3, DEPTH_CEILING),
            width => return self.scalar(cursor, width, field),
        };
        let Some(content) = content else { return Ok(None) };
        self.name(field.name)?;
        match field.message {
            Some(schema) => {
                self.open()?;
                self.records(content, schema, depth - 1)?;
                self.close()?;
            }
            None => self.value(Quoted(content))?,
        }
        Ok(Some(()))
    }

    fn scalar(&mut self, cursor: &mut Cursor<'_>, width: u32, field: &FieldSchema) -> Result<Option<()>, fmt::Error> {
        let bits = match width {
            VARINT => cursor.varint(),
            FIXED32 => cursor.fixed32().map(u64::from),
            _ => cursor.fixed64(),
        };
        let Some(bits) = bits else { return Ok(None) };
        self.name(field.name)?;
        match field.kind {
            Kind::Int32 | Kind::Enum | Kind::Sfixed32 => self.value(bits as i32),
            Kind::Int64 | Kind::Sfixed64 => self.value(bits as i64),
            Kind::Uint32 | Kind::Fixed32 => self.value(bits as u32),
            Kind::Sint32 => self.value(unzigzag32(bits as u32)),
            Kind::Sint64 => self.value(unzigzag64(bits)),
            Kind::Bool => self.value(bits != 0),
            Kind::Float => self.value(Float(f32::from_bits(bits as u32))),
            Kind::Double => self.value(Double(f64::from_bits(bits))),
            _ => self.value(bits),
        }?;
        Ok(Some(()))
    }
}

/// A string or bytes in quotation marks, with the escapes of the text format.
pub(crate) struct Quoted<'a>(pub(crate) &'a [u8]);

impl Display for Quoted<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_char('"')?;
        for &b in self.0 {
            match b {
                b'\n' => f.write_str("\\n"),
                b'\r' => f.write_str("\\r"),
                b'\t' => f.write_str("\\t"),
                b'"' | b'\'' | b'\\' => write!(f, "\\{}", b as char),
                b' '..=b'~' => f.write_char(b as char),
                _ => write!(f, "\\{b:03o}"),
            }?;
        }
        f.write_char('"')
    }
}

/// A number as protoc prints it: like C's `%.15g`, with 17 digits where 15 do not suffice.
pub(crate) struct Double(pub(crate) f64);

impl Display for Double {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let v = self.0;
        if !v.is_finite() {
            return f.write_str(special(v));
        }
        let mut digits = Digits::default();
        write!(digits, "{v:.14e}")?;
        if digits.as_str().parse() == Ok(v) {
            return digits.general(f, 15);
        }
        digits.len = 0;
        write!(digits, "{v:.16e}")?;
        digits.general(f, 17)
    }
}

/// The same for a float: `%.6g`, or `%.9g`.
pub(crate) struct Float(pub(crate) f32);

impl Display for Float {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let v = self.0;
        if !v.is_finite() {
            return f.write_str(special(v as f64));
        }
        let mut digits = Digits::default();
        write!(digits, "{v:.5e}")?;
        if digits.as_str().parse() == Ok(v) {
            return digits.general(f, 6);
        }
        digits.len = 0;
        write!(digits, "{v:.8e}")?;
        digits.general(f, 9)
    }
}

fn special(v: f64) -> &'static str {
    match v {
        _ if v.is_nan() => "nan",
        _ if v > 0.0 => "inf",
        _ => "-inf",
    }
}

/// A number in scientific notation, `-d.dddde-dd`.
#[derive(Default)]
struct Digits {
    text: [u8; 32],
    len: usize,
}

impl Write for Digits {
    fn write_str(&mut self, s: &str) -> fmt::Result {
        let to = self.text.get_mut(self.len..self.len + s.len()).ok_or(fmt::Error)?;
        to.copy_from_slice(s.as_bytes());
        self.len += s.len();
        Ok(())
    }
}

impl Digits {
    fn as_str(&self) -> &str {
        core::str::from_utf8(&self.text[..self.len]).unwrap_or_default()
    }

    /// Writes the number as `%g` does.
    fn general(&self, f: &mut Formatter<'_>, precision: i32) -> fmt::Result {
        let Some((mantissa, exponent)) = self.as_str().split_once('e') else { return Err(fmt::Error) };
        let exponent: i32 = exponent.parse().map_err(|_| fmt::Error)?;
        let (sign, mantissa) = mantissa.strip_prefix('-').map_or(("", mantissa), |rest| ("-", rest));
        let mantissa = if mantissa.contains('.') { mantissa.trim_end_matches('0') } else { mantissa };
        let (first, rest) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        f.write_str(sign)?;
        if exponent < -4 || exponent >= precision {
            f.write_str(first)?;
            if !rest.is_empty() {
                write!(f, ".{rest}")?;
            }
            return write!(f, "e{}{:02}", if exponent < 0 { '-' } else { '+' }, exponent.unsigned_abs());
        }
        if exponent < 0 {
            f.write_str("0.")?;
            (1..-exponent).try_for_each(|_| f.write_char('0'))?;
            return write!(f, "{first}{rest}");
        }
        let whole = (exponent as usize).min(rest.len());
        f.write_str(first)?;
        f.write_str(&rest[..whole])?;
        (whole..exponent as usize).try_for_each(|_| f.write_char('0'))?;
        if whole < rest.len() {
            write!(f, ".{}", &rest[whole..])?;
        }
        Ok(())
    }
}

/// Prints the records of a view.
#[derive(Clone, Copy)]
pub(crate) struct OfRecords<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) schema: &'static MessageSchema,
}

impl fmt::Debug for OfRecords<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        Text::new(f).records(self.bytes, self.schema, DEPTH_CEILING)
    }
}
