//! Rows as a table, CSV, JSON, Arrow IPC or Parquet.

use crate::plain;
use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::csv;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::arrow::ipc::writer::FileWriter;
use datafusion::arrow::json::LineDelimitedWriter;
use datafusion::arrow::util::pretty::pretty_format_batches_with_schema;
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::SendableRecordBatchStream;
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;
use std::fs::{self, File};
use std::future::poll_fn;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// How rows are written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Format {
    Table,
    Csv,
    Json,
    Arrow,
    Parquet,
}

impl Format {
    pub fn read(text: &str) -> Result<Format, String> {
        match text {
            "table" => Ok(Format::Table),
            "csv" => Ok(Format::Csv),
            "json" => Ok(Format::Json),
            "arrow" => Ok(Format::Arrow),
            "parquet" => Ok(Format::Parquet),
            _ => Err("it is table, csv or json, and for --out also arrow or parquet".to_string()),
        }
    }
}

/// Where rows go, and how.
pub struct Output {
    format: Format,
    file: Option<PathBuf>,
    closed: Arc<AtomicBool>,
}

impl Output {
    /// Reads `--out` and `--format`.
    pub fn new(file: Option<&Path>, format: Option<Format>) -> Result<Output, String> {
        let format = match (format, file) {
            (Some(Format::Arrow | Format::Parquet), None) => {
                return Err("arrow and parquet are files: --out FILE".to_string());
            }
            (Some(format), _) => format,
            (None, None) => Format::Table,
            (None, Some(file)) => {
                let suffix = file.extension().and_then(|suffix| suffix.to_str()).unwrap_or_default();
                let unknown = |_| {
                    format!(
                        "{}: it ends in .parquet, .arrow, .csv or .json, or --format says what it is",
                        file.display()
                    )
                };
                Format::read(suffix).map_err(unknown)?
            }
        };
        Ok(Output { format, file: file.map(Path::to_path_buf), closed: Arc::default() })
    }

    /// Reports whether whoever reads standard output reads no further: an error of `write` is none then.
    pub fn closed(&self) -> bool {
        self.closed.load(Ordering::Relaxed)
    }

    /// Writes the rows. A file appears under its name when it is complete.
    pub async fn write(&self, batches: SendableRecordBatchStream, max_rows: usize) -> Result<()> {
        let Some(file) = &self.file else {
            return self.write_to(Stdout(self.closed.clone()), batches, max_rows).await;
        };
        let mut name = file.file_name().unwrap_or_default().to_os_string();
        name.push(".part");
        let part = Part(file.with_file_name(name));
        let of_file = |e: io::Error| DataFusionError::External(format!("{}: {e}", part.0.display()).into());
        let open = File::create(&part.0).map_err(of_file)?;
        self.write_to(open, batches, max_rows).await?;
        fs::rename(&part.0, file).map_err(of_file)
    }

    async fn write_to<W: Write + Send + 'static>(
        &self,
        to: W,
        batches: SendableRecordBatchStream,
        max_rows: usize,
    ) -> Result<()> {
        let schema = batches.schema();
        let to = BufWriter::new(to);
        match self.format {
            Format::Table => table(to, batches, max_rows).await,
            Format::Csv => {
                if let Some(field) = schema.fields().iter().find(|field| field.data_type().is_nested()) {
                    let problem =
                        format!("a cell of csv cannot hold {}: select its parts, or --format json", field.name());
                    return Err(DataFusionError::External(problem.into()));
                }
                let mut writer = csv::Writer::new(to);
                // The line of names, also when there are no rows.
                writer.write(&RecordBatch::new_empty(schema))?;
                each(batches, |batch| Ok(writer.write(batch)?)).await?;
                Ok(writer.into_inner().flush()?)
            }
            Format::Json => {
                let mut writer = LineDelimitedWriter::new(to);
                each(batches, |batch| Ok(writer.write(batch)?)).await?;
                writer.finish()?;
                Ok(writer.into_inner().flush()?)
            }
            Format::Arrow => {
                let schema = plain::schema(&schema);
                let mut writer = FileWriter::try_new(to, &schema)?;
                each(batches, |batch| Ok(writer.write(&plain::batch(batch, &schema)?)?)).await?;
                writer.finish()?;
                Ok(writer.into_inner()?.flush()?)
            }
            Format::Parquet => {
                let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
                let mut writer = ArrowWriter::try_new(to, schema, Some(properties))?;
                each(batches, |batch| Ok(writer.write(batch)?)).await?;
                Ok(writer.into_inner()?.flush()?)
            }
        }
    }
}

/// Standard output, which notes that its reader is gone: the writers of Arrow hide the kind of an error.
struct Stdout(Arc<AtomicBool>);

impl Stdout {
    fn note<T>(&self, result: io::Result<T>) -> io::Result<T> {
        if result.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::BrokenPipe) {
            self.0.store(true, Ordering::Relaxed);
        }
        result
    }
}

impl Write for Stdout {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.note(io::stdout().write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.note(io::stdout().flush())
    }
}

/// A file that is not complete; it goes away unless it gets its name.
struct Part(PathBuf);

impl Drop for Part {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

async fn next(batches: &mut SendableRecordBatchStream) -> Option<Result<RecordBatch>> {
    poll_fn(|context| batches.as_mut().poll_next(context)).await
}

async fn each(mut batches: SendableRecordBatchStream, mut take: impl FnMut(&RecordBatch) -> Result<()>) -> Result<()> {
    while let Some(batch) = next(&mut batches).await {
        take(&batch?)?;
    }
    Ok(())
}

/// Prints the first rows as a table: its widths are known only at the end.
async fn table(mut to: impl Write, mut batches: SendableRecordBatchStream, max_rows: usize) -> Result<()> {
    let schema: SchemaRef = batches.schema();
    let (mut kept, mut left, mut more) = (Vec::new(), max_rows, false);
    while let Some(batch) = next(&mut batches).await {
        let batch = batch?;
        more = batch.num_rows() > left;
        kept.push(batch.slice(0, batch.num_rows().min(left)));
        left -= kept[kept.len() - 1].num_rows();
        if more {
            break;
        }
    }
    writeln!(to, "{}", pretty_format_batches_with_schema(schema, &kept)?)?;
    if more {
        writeln!(to, "The first {max_rows} rows: --max_rows sets how many, --format csv and json print all.")?;
    }
    Ok(to.flush()?)
}
