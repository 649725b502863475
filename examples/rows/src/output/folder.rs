//! Tables as files of a folder, one for each metric and kind of rows. Every file in the folder is complete: it is
//! written under another name (with the suffix `.part`) and then moved into place. The list of a part's files is
//! written last: a part that has it is complete.

use super::rows::{Kind, row_count, write_rows};
use super::{Csv, JsonLines, Sheet, Value};
use crate::store::Store;
use crate::table::Table;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// The format of the files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// Comma-separated values.
    #[default]
    Csv,
    /// One JSON object per line.
    JsonLines,
}

impl Format {
    fn extension(self) -> &'static str {
        match self {
            Format::Csv => "csv",
            Format::JsonLines => "jsonl",
        }
    }
}

/// A folder, and the number of parts that were written to it.
pub struct Folder {
    path: PathBuf,
    format: Format,
    parts: u32,
}

impl Folder {
    /// Opens a folder, and creates it if it does not exist. Only one process at a time may write to it.
    pub fn create(path: &Path, format: Format) -> io::Result<Folder> {
        fs::create_dir_all(path)?;
        Ok(Folder { path: path.to_owned(), format, parts: 0 })
    }

    /// Writes the rows of some tables as the next part. Returns the number of files, without the list.
    pub fn write(&mut self, store: &Store, tables: &[&Table]) -> io::Result<usize> {
        self.parts += 1;
        // The list of an earlier run must not refer to files of this one.
        match fs::remove_file(self.path.join(self.file("tables"))) {
            Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(e),
            _ => {}
        }
        let mut list = Vec::new();
        for table in tables {
            let metric = store.dictionary().get(table.metric());
            for kind in Kind::ALL {
                let rows = row_count(table, kind);
                if rows > 0 {
                    let name = self.file(&format!("{}.{}", file_name(metric, list.len()), kind.name()));
                    self.write_file(&name, |mut sheet| write_rows(&mut sheet, store, table, kind, usize::MAX))?;
                    list.push((metric, kind, rows, name));
                }
            }
        }
        self.write_file(&self.file("tables"), |mut sheet| {
            for (metric, kind, rows, file) in &list {
                sheet.cell("metric", Value::Text(metric));
                sheet.cell("kind", Value::Text(kind.name()));
                sheet.cell("rows", Value::Uint(*rows as u64));
                sheet.cell("file", Value::Text(file));
                sheet.end_row()?;
            }
            Ok(())
        })?;
        Ok(list.len())
    }

    /// The first part's files have no number.
    fn file(&self, stem: &str) -> String {
        match self.parts {
            1 => format!("{stem}.{}", self.format.extension()),
            part => format!("{stem}.{part}.{}", self.format.extension()),
        }
    }

    fn write_file(&self, name: &str, write: impl Fn(&mut AnySheet) -> io::Result<()>) -> io::Result<()> {
        let (part, whole) = (self.path.join(format!("{name}.part")), self.path.join(name));
        let named = |e: io::Error| io::Error::new(e.kind(), format!("{}: {}", whole.display(), crate::body::said(&e)));
        let done = (|| {
            let out = BufWriter::new(File::create(&part)?);
            let mut sheet = match self.format {
                Format::Csv => AnySheet::Csv(Csv::new(out)),
                Format::JsonLines => AnySheet::JsonLines(JsonLines::new(out)),
            };
            write(&mut sheet)?;
            sheet.flush()?;
            fs::rename(&part, &whole)
        })();
        done.map_err(|e| {
            let _ = fs::remove_file(&part);
            named(e)
        })
    }
}

enum AnySheet {
    Csv(Csv<BufWriter<File>>),
    JsonLines(JsonLines<BufWriter<File>>),
}

/// Turns a metric's name into the start of a file's name: any character except letters, digits and `_` becomes `%` and
/// two digits. Long names are shortened, and a number distinguishes them.
pub fn file_name(metric: &str, number: usize) -> String {
    let mut out = String::new();
    for byte in metric.bytes() {
        if byte.is_ascii_alphanumeric() || byte == b'_' {
            out.push(byte.into());
        } else {
            out += &format!("%{byte:02X}");
        }
    }
    if out.len() > 180 {
        out.truncate(160);
        out += &format!("~{number}");
    }
    out
}

impl AnySheet {
    fn flush(self) -> io::Result<()> {
        match self {
            AnySheet::Csv(sheet) => sheet.into_inner().flush(),
            AnySheet::JsonLines(sheet) => sheet.into_inner().flush(),
        }
    }
}

impl Sheet for &mut AnySheet {
    fn cell(&mut self, name: &str, value: Value<'_>) {
        match self {
            AnySheet::Csv(sheet) => sheet.cell(name, value),
            AnySheet::JsonLines(sheet) => sheet.cell(name, value),
        }
    }

    fn labels<'l>(
        &mut self,
        columns: &mut dyn Iterator<Item = (&'l str, Option<&'l str>)>,
        others: Option<&[(&'l str, &'l str)]>,
    ) {
        match self {
            AnySheet::Csv(sheet) => sheet.labels(columns, others),
            AnySheet::JsonLines(sheet) => sheet.labels(columns, others),
        }
    }

    fn end_row(&mut self) -> io::Result<()> {
        match self {
            AnySheet::Csv(sheet) => sheet.end_row(),
            AnySheet::JsonLines(sheet) => sheet.end_row(),
        }
    }
}
