//! The answers of queries as bytes.

use arrow::array::{ArrayRef, RecordBatch, StringArray};
use arrow::csv::WriterBuilder;
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use arrow::error::ArrowError;
use arrow::ipc::writer::StreamWriter;
use arrow::json::ArrayWriter;
use arrow::util::display::{ArrayFormatter, FormatOptions};
use arrow::util::pretty::pretty_format_batches;
use parquet::arrow::ArrowWriter;
use std::io::{self, Write};
use std::sync::Arc;

/// A format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// Text with lines around the cells.
    Table,
    /// Comma-separated values, with a line of names.
    Csv,
    /// An array of objects. NaN and infinite numbers are null there.
    Json,
    /// Arrow's stream of batches.
    Arrow,
    /// A Parquet file.
    Parquet,
}

impl Format {
    /// Returns the format of a name.
    pub fn parse(name: &str) -> Result<Format, String> {
        let format = <Format as clap::ValueEnum>::from_str(name, false);
        format.map_err(|_| format!("there is no format `{name}`: table, csv, json, arrow, parquet"))
    }

    /// Returns the media type.
    pub fn media_type(self) -> &'static str {
        match self {
            Format::Table => "text/plain; charset=utf-8",
            Format::Csv => "text/csv; charset=utf-8; header=present",
            Format::Json => "application/json",
            Format::Arrow => "application/vnd.apache.arrow.stream",
            Format::Parquet => "application/vnd.apache.parquet",
        }
    }

    /// Writes an answer, of `limit` bytes at most.
    pub fn write(self, schema: &SchemaRef, batches: &[RecordBatch], limit: usize) -> Result<Vec<u8>, WriteError> {
        let mut out = Limited { bytes: Vec::new(), limit, full: false };
        let result = self.write_to(schema, batches, &mut out);
        match (out.full, result) {
            (true, _) => Err(WriteError::TooLong),
            (false, Err(error)) => Err(WriteError::Arrow(error)),
            (false, Ok(())) => Ok(out.bytes),
        }
    }

    fn write_to(self, schema: &SchemaRef, batches: &[RecordBatch], out: &mut Limited) -> Result<(), ArrowError> {
        match self {
            Format::Table => {
                // Without batches there would be no names.
                let empty = [RecordBatch::new_empty(Arc::clone(schema))];
                let table = pretty_format_batches(if batches.is_empty() { &empty } else { batches })?;
                writeln!(out, "{table}")?;
            }
            Format::Csv => {
                let mut writer = WriterBuilder::new().with_header(true).build(out);
                if batches.is_empty() {
                    writer.write(&flat(&RecordBatch::new_empty(Arc::clone(schema)))?)?;
                }
                for batch in batches {
                    writer.write(&flat(batch)?)?;
                }
            }
            Format::Json => {
                let mut writer = ArrayWriter::new(&mut *out);
                for batch in batches {
                    writer.write(batch)?;
                }
                writer.finish()?;
                drop(writer);
                out.write_all(b"\n")?;
            }
            Format::Arrow => {
                let mut writer = StreamWriter::try_new(out, schema)?;
                for batch in batches {
                    writer.write(batch)?;
                }
                writer.finish()?;
            }
            Format::Parquet => {
                let failed = |error: parquet::errors::ParquetError| ArrowError::ParquetError(error.to_string());
                let mut writer = ArrowWriter::try_new(out, Arc::clone(schema), None).map_err(failed)?;
                for batch in batches {
                    writer.write(batch).map_err(failed)?;
                }
                writer.close().map_err(failed)?;
            }
        }
        Ok(())
    }
}

/// Why an answer was not written.
#[derive(Debug)]
pub enum WriteError {
    /// It is longer than the limit.
    TooLong,
    /// The format has no form for a column.
    Arrow(ArrowError),
}

/// Bytes up to a limit.
struct Limited {
    bytes: Vec<u8>,
    limit: usize,
    full: bool,
}

impl Write for Limited {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.bytes.len() + bytes.len() > self.limit {
            self.full = true;
            return Err(io::Error::other("the answer is too long"));
        }
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Turns columns of lists, maps and structs into text, because CSV has no form for them.
fn flat(batch: &RecordBatch) -> Result<RecordBatch, ArrowError> {
    let (mut fields, mut columns): (Vec<Field>, Vec<ArrayRef>) = Default::default();
    let options = FormatOptions::default();
    for (field, column) in batch.schema().fields().iter().zip(batch.columns()) {
        if !field.data_type().is_nested() {
            fields.push(field.as_ref().clone());
            columns.push(Arc::clone(column));
            continue;
        }
        let text = ArrayFormatter::try_new(column, &options)?;
        let texts = (0..batch.num_rows()).map(|row| text.value(row).try_to_string()).collect::<Result<Vec<_>, _>>()?;
        fields.push(Field::new(field.name(), DataType::Utf8, true));
        columns.push(Arc::new(StringArray::from(texts)));
    }
    let options = arrow::array::RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    RecordBatch::try_new_with_options(Arc::new(Schema::new(fields)), columns, &options)
}
