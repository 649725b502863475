//! Lines of JSON, one object per row.

use super::{Sheet, Value, write_float};
use std::io::{self, Write};

/// Writes rows as objects. An absent value has no key; labels are an object of their own.
pub struct JsonLines<W> {
    out: W,
    line: Vec<u8>,
}

impl<W: Write> JsonLines<W> {
    /// Creates a writer over an output.
    pub fn new(out: W) -> JsonLines<W> {
        JsonLines { out, line: Vec::new() }
    }

    fn key(&mut self, name: &str) {
        self.line.push(if self.line.is_empty() { b'{' } else { b',' });
        write_string(&mut self.line, name);
        self.line.push(b':');
    }

    /// Returns the output, with all complete rows.
    pub fn into_inner(self) -> W {
        self.out
    }
}

impl<W: Write> Sheet for JsonLines<W> {
    fn cell(&mut self, name: &str, value: Value<'_>) {
        if !matches!(value, Value::None) {
            self.key(name);
            write_value(&mut self.line, value);
        }
    }

    fn labels<'l>(
        &mut self,
        columns: &mut dyn Iterator<Item = (&'l str, Option<&'l str>)>,
        others: Option<&[(&'l str, &'l str)]>,
    ) {
        self.key("labels");
        let present = columns.filter_map(|(name, value)| value.map(|value| (name, value)));
        write_object(&mut self.line, present.chain(others.unwrap_or_default().iter().copied()));
    }

    fn end_row(&mut self) -> io::Result<()> {
        self.line.extend_from_slice(if self.line.is_empty() { b"{}\n" } else { b"}\n" });
        self.out.write_all(&self.line)?;
        self.line.clear();
        Ok(())
    }
}

/// A value as JSON.
pub(super) fn write_value(out: &mut Vec<u8>, value: Value<'_>) {
    match value {
        Value::None => out.extend_from_slice(b"null"),
        Value::Text(text) => write_string(out, text),
        Value::Int(n) => write!(out, "{n}").expect("memory takes it"),
        Value::Uint(n) => write!(out, "{n}").expect("memory takes it"),
        Value::Float(n) if n.is_finite() => write_float(out, n),
        Value::Float(n) => {
            out.push(b'"');
            write_float(out, n);
            out.push(b'"');
        }
        Value::Ints(items) => list(out, items, |out, &n| write_value(out, Value::Int(n))),
        Value::Floats(items) => list(out, items, |out, &n| write_value(out, Value::Float(n))),
        Value::Spans(items) => list(out, items, |out, span| {
            write!(out, "[{},{}]", span.offset, span.length).expect("memory takes it");
        }),
        Value::Pairs(pairs) => write_object(out, pairs.iter().copied()),
    }
}

fn list<T>(out: &mut Vec<u8>, items: &[T], mut item: impl FnMut(&mut Vec<u8>, &T)) {
    out.push(b'[');
    for (n, value) in items.iter().enumerate() {
        if n > 0 {
            out.push(b',');
        }
        item(out, value);
    }
    out.push(b']');
}

fn write_object<'l>(out: &mut Vec<u8>, pairs: impl Iterator<Item = (&'l str, &'l str)>) {
    out.push(b'{');
    for (n, (name, value)) in pairs.enumerate() {
        if n > 0 {
            out.push(b',');
        }
        write_string(out, name);
        out.push(b':');
        write_string(out, value);
    }
    out.push(b'}');
}

fn write_string(out: &mut Vec<u8>, text: &str) {
    out.push(b'"');
    for &byte in text.as_bytes() {
        match byte {
            b'"' | b'\\' => out.extend_from_slice(&[b'\\', byte]),
            b'\n' => out.extend_from_slice(b"\\n"),
            // Includes a character that a terminal might interpret as a command.
            0..=0x1f | 0x7f => write!(out, "\\u{byte:04x}").expect("memory takes it"),
            _ => out.push(byte),
        }
    }
    out.push(b'"');
}
