//! The files of a partition, from bytes to the batches of a query.

use crate::error::FileError;
use crate::exec::Skipped;
use crate::files::{self, Entry};
use crate::format::{Framing, ProtoFormat};
use datafusion::arrow::array::{RecordBatch, RecordBatchOptions};
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::error::Result;
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_plan::filter::batch_filter;
use datafusion::physical_plan::metrics::{BaselineMetrics, Count, ExecutionPlanMetricsSet, MetricBuilder};
use hotpb_arrow::{ReadError, Reader, Table};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;
use tokio::sync::mpsc::Sender;

/// Where batches go.
type To = Sender<Result<RecordBatch>>;

/// The part of each file that a query reads.
pub(crate) struct Scan {
    pub format: Arc<ProtoFormat>,
    /// The columns that are read: those of the output and of the filter.
    pub table: Table,
    pub filter: Option<Arc<dyn PhysicalExpr>>,
    /// Of the columns that are read, those of the output.
    pub output: Vec<usize>,
    pub schema: SchemaRef,
    pub limit: Option<usize>,
}

/// The metrics of a partition.
pub(crate) struct Counters {
    base: BaselineMetrics,
    files: Count,
    /// Before decompression.
    bytes: Count,
    messages: Count,
    skipped: Count,
}

impl Counters {
    pub fn new(metrics: &ExecutionPlanMetricsSet, partition: usize) -> Counters {
        let counter = |name: &'static str| MetricBuilder::new(metrics).counter(name, partition);
        Counters {
            base: BaselineMetrics::new(metrics, partition),
            files: counter("files"),
            bytes: counter("bytes_read"),
            messages: counter("messages"),
            skipped: counter("skipped_messages"),
        }
    }
}

/// Whether to go on.
#[derive(PartialEq)]
enum Flow {
    More,
    /// The limit is reached, or the query was dropped.
    Enough,
}

struct Output<'s> {
    scan: &'s Scan,
    counters: &'s Counters,
    to: &'s To,
    left: usize,
}

impl Scan {
    /// Reads the files, one after the other.
    pub fn run(
        &self,
        files: &[Entry],
        batch_rows: usize,
        counters: &Counters,
        to: &To,
        skipped: &mut Skipped,
    ) -> Result<()> {
        let mut output = Output { scan: self, counters, to, left: self.limit.unwrap_or(usize::MAX) };
        if output.left == 0 {
            return Ok(());
        }
        // Rows beyond the limit are not worth decoding.
        let rows = if self.filter.is_none() { batch_rows.min(output.left) } else { batch_rows };
        let read = self.format.read.clone().batch_rows(rows);
        let mut reader = self.table.reader(read.clone());
        for file in files {
            let path = &file.path;
            let opened = files::open(path, self.format.compression, |file| Source::new(file, counters, to));
            let source = opened.map_err(|e| FileError::io(path, e))?;
            counters.files.add(1);
            let flow = match self.format.framing {
                Framing::Delimited => {
                    let mut batches = self.table.read_delimited(source, read.clone());
                    let flow = delimited(&mut batches, path, &mut output);
                    let reader = batches.reader();
                    counters.messages.add(reader.messages() as usize);
                    self.note(reader, reader.skipped(), path, counters, skipped);
                    flow?
                }
                Framing::Whole => {
                    let before = reader.skipped();
                    let flow = whole(&mut reader, source, path, &mut output);
                    counters.messages.add(1);
                    self.note(&reader, reader.skipped() - before, path, counters, skipped);
                    flow?
                }
            };
            if flow == Flow::Enough {
                return Ok(());
            }
        }
        while let Some(batch) = reader.finish() {
            if output.send(batch)? == Flow::Enough {
                break;
            }
        }
        Ok(())
    }

    /// Notes how many messages of a file were skipped. `skipped` keeps the first example, which is of this file if it
    /// is the first with a bad message.
    fn note(&self, reader: &Reader, more: u64, path: &Path, counters: &Counters, skipped: &mut Skipped) {
        if more > 0 {
            counters.skipped.add(more as usize);
            let of_file = |error: &ReadError| FileError::message(path, self.format.framing, error.clone()).to_string();
            skipped.add(Skipped { messages: more, example: reader.first_skipped().map(of_file) });
        }
    }
}

fn delimited(
    batches: &mut hotpb_arrow::Delimited<Box<dyn Read + Send>>,
    path: &Path,
    output: &mut Output,
) -> Result<Flow> {
    loop {
        let time = output.counters.base.elapsed_compute().timer();
        let batch = batches.next();
        time.done();
        match batch {
            None => return Ok(Flow::More),
            Some(Err(_)) if output.to.is_closed() => return Ok(Flow::Enough),
            Some(Err(error)) => return Err(FileError::arrow(path, error).into()),
            Some(Ok(batch)) => {
                if output.send(batch)? == Flow::Enough {
                    return Ok(Flow::Enough);
                }
            }
        }
    }
}

fn whole(reader: &mut Reader, source: Box<dyn Read + Send>, path: &Path, output: &mut Output) -> Result<Flow> {
    let time = output.counters.base.elapsed_compute().timer();
    let mut bytes = Vec::new();
    // One byte more than the limit is enough to be refused.
    let read = source.take(reader.max_size() as u64 + 1).read_to_end(&mut bytes);
    if output.to.is_closed() {
        return Ok(Flow::Enough);
    }
    read.map_err(|e| FileError::io(path, e))?;
    let full = reader.push(&bytes).map_err(|e| FileError::message(path, Framing::Whole, e))?;
    time.done();
    match full {
        Some(batch) => output.send(batch),
        None => Ok(Flow::More),
    }
}

impl Output<'_> {
    /// Filters a batch and hands it over, and waits until there is room for it.
    fn send(&mut self, batch: RecordBatch) -> Result<Flow> {
        if self.to.is_closed() {
            return Ok(Flow::Enough);
        }
        let time = self.counters.base.elapsed_compute().timer();
        let batch = match &self.scan.filter {
            Some(filter) => batch_filter(&batch, filter)?,
            None => batch,
        };
        let rows = batch.num_rows().min(self.left);
        let columns = self.scan.output.iter().map(|&i| batch.column(i).slice(0, rows)).collect();
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        let batch = RecordBatch::try_new_with_options(self.scan.schema.clone(), columns, &options)?;
        time.done();
        if rows == 0 {
            return Ok(Flow::More);
        }
        self.left -= rows;
        self.counters.base.record_output(rows);
        match self.to.blocking_send(Ok(batch)) {
            Ok(()) if self.left > 0 => Ok(Flow::More),
            _ => Ok(Flow::Enough),
        }
    }
}

/// A file whose bytes are counted, and that ends with an error when the query is dropped.
struct Source {
    file: File,
    bytes: Count,
    to: To,
}

impl Source {
    fn new(file: File, counters: &Counters, to: &To) -> Source {
        Source { file, bytes: counters.bytes.clone(), to: to.clone() }
    }
}

impl Read for Source {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.to.is_closed() {
            return Err(io::Error::other("the query was dropped"));
        }
        let read = self.file.read(buffer)?;
        self.bytes.add(read);
        Ok(read)
    }
}
