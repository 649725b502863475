//! Tables for people.

use super::json::write_value;
use super::rows::{Kind, row_count, write_rows};
use super::{Sheet, Value, write_float};
use crate::store::Store;
use crate::table::Table;
use std::io::{self, Write};

/// The number of characters of a cell that are shown.
const WIDTH: usize = 40;

/// Prints the first rows of some tables, the longest table first.
pub fn print_tables(out: &mut dyn Write, store: &Store, tables: &[&Table], rows: usize) -> io::Result<()> {
    let all_rows = |table: &Table| Kind::ALL.iter().map(|&kind| row_count(table, kind)).sum::<usize>();
    let mut tables: Vec<_> = tables.iter().map(|t| (all_rows(t), store.dictionary().get(t.metric()), *t)).collect();
    tables.sort_unstable_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(b.1)));
    for (_, metric, table) in tables {
        for kind in Kind::ALL {
            let count = row_count(table, kind);
            if count == 0 {
                continue;
            }
            let noun = if kind == Kind::Metadata { "metadata" } else { kind.name() };
            writeln!(out, "\n{}, {} {noun}", escaped(metric), thousands(count as u64))?;
            let mut grid = Grid::default();
            write_rows(&mut grid, store, table, kind, rows)?;
            grid.print(out)?;
            if count > rows {
                writeln!(out, "  … {} more", thousands((count - rows) as u64))?;
            }
        }
    }
    Ok(())
}

/// Cells, collected so that they can be aligned. A column without values is not shown.
#[derive(Default)]
struct Grid {
    header: Vec<String>,
    rows: Vec<Vec<String>>,
    row: Vec<String>,
}

impl Grid {
    fn add(&mut self, name: &str, text: String) {
        if self.rows.is_empty() {
            self.header.push(shown(name));
        }
        self.row.push(text);
    }

    fn print(&self, out: &mut dyn Write) -> io::Result<()> {
        let filled = |column: &usize| self.rows.iter().any(|row| !row[*column].is_empty());
        let columns: Vec<usize> = (0..self.header.len()).filter(filled).collect();
        let all = || std::iter::once(&self.header).chain(&self.rows);
        let width = |c: usize| all().map(|row| row[c].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = columns.iter().map(|&c| width(c)).collect();
        for row in all() {
            let mut line = String::new();
            for (&column, &width) in columns.iter().zip(&widths) {
                line += &format!("  {:width$}", row[column]);
            }
            writeln!(out, "{}", line.trim_end())?;
        }
        Ok(())
    }
}

impl Sheet for Grid {
    fn cell(&mut self, name: &str, value: Value<'_>) {
        let mut bytes = Vec::new();
        match value {
            Value::None | Value::Ints([]) | Value::Floats([]) | Value::Spans([]) | Value::Pairs([]) => {}
            Value::Text(text) => return self.add(name, shown(text)),
            Value::Float(n) => write_float(&mut bytes, n),
            _ => write_value(&mut bytes, value),
        }
        self.add(name, shown(&String::from_utf8_lossy(&bytes)));
    }

    fn labels<'l>(
        &mut self,
        columns: &mut dyn Iterator<Item = (&'l str, Option<&'l str>)>,
        others: Option<&[(&'l str, &'l str)]>,
    ) {
        for (name, value) in columns {
            self.add(name, value.map(shown).unwrap_or_default());
        }
        if let Some(others) = others {
            self.cell("labels", Value::Pairs(others));
        }
    }

    fn end_row(&mut self) -> io::Result<()> {
        self.rows.push(std::mem::take(&mut self.row));
        Ok(())
    }
}

/// Returns a string of the request for a terminal: control characters are escaped, and a long string is clipped.
fn shown(text: &str) -> String {
    match text.char_indices().nth(WIDTH) {
        None => escaped(text),
        Some((end, _)) => escaped(&text[..end]) + "…",
    }
}

/// Returns the whole string, escaped.
fn escaped(text: &str) -> String {
    text.chars().flat_map(|c| if c.is_control() { c.escape_default().collect() } else { vec![c] }).collect()
}

/// Formats 1234567 as 1,234,567.
pub fn thousands(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}
