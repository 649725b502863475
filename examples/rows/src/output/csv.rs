//! Comma-separated values according to RFC 4180: a header, and quotes if they are needed.

use super::json::write_value;
use super::{Sheet, Value, write_float};
use std::io::{self, Write};

/// Writes rows. The first one determines the header: a label's column is `labels.NAME`; labels without a column are an
/// object in `labels`.
pub struct Csv<W> {
    out: W,
    /// `None` after it was written.
    header: Option<Vec<u8>>,
    line: Vec<u8>,
    cell: Vec<u8>,
    cells: usize,
}

impl<W: Write> Csv<W> {
    /// Creates a writer over an output.
    pub fn new(out: W) -> Csv<W> {
        Csv { out, header: Some(Vec::new()), line: Vec::new(), cell: Vec::new(), cells: 0 }
    }

    fn next(&mut self, prefix: &str, name: &str) {
        if let Some(header) = &mut self.header {
            separate(header, self.cells);
            quote(header, format!("{prefix}{name}").as_bytes());
        }
        separate(&mut self.line, self.cells);
        self.cells += 1;
    }

    /// Returns the output, with all complete rows.
    pub fn into_inner(self) -> W {
        self.out
    }
}

impl<W: Write> Sheet for Csv<W> {
    fn cell(&mut self, name: &str, value: Value<'_>) {
        self.next("", name);
        self.cell.clear();
        match value {
            Value::None => {}
            Value::Text(text) => self.cell.extend_from_slice(text.as_bytes()),
            Value::Float(n) => write_float(&mut self.cell, n),
            _ => write_value(&mut self.cell, value),
        }
        quote(&mut self.line, &self.cell);
    }

    fn labels<'l>(
        &mut self,
        columns: &mut dyn Iterator<Item = (&'l str, Option<&'l str>)>,
        others: Option<&[(&'l str, &'l str)]>,
    ) {
        for (name, value) in columns {
            self.next("labels.", name);
            quote(&mut self.line, value.unwrap_or_default().as_bytes());
        }
        if let Some(others) = others {
            self.cell("labels", Value::Pairs(others));
        }
    }

    fn end_row(&mut self) -> io::Result<()> {
        if let Some(mut header) = self.header.take() {
            header.extend_from_slice(b"\r\n");
            self.out.write_all(&header)?;
        }
        self.line.extend_from_slice(b"\r\n");
        self.out.write_all(&self.line)?;
        self.line.clear();
        self.cells = 0;
        Ok(())
    }
}

fn separate(out: &mut Vec<u8>, cells: usize) {
    if cells > 0 {
        out.push(b',');
    }
}

fn quote(out: &mut Vec<u8>, cell: &[u8]) {
    if !cell.iter().any(|b| matches!(b, b',' | b'"' | b'\r' | b'\n')) {
        out.extend_from_slice(cell);
        return;
    }
    out.push(b'"');
    for &byte in cell {
        if byte == b'"' {
            out.push(b'"');
        }
        out.push(byte);
    }
    out.push(b'"');
}
