//! A Parquet file with checksums: a CRC-32 in the header of each page, as the format has it for any reader, and CRC-32Cs of the
//! whole file and of its tail for the list.
//!
//! The writer of the crate parquet knows no page checksums. So each row group is written to memory first, and goes to the file
//! with a checksum in each page header:
//!
//! ```text
//! page header, Thrift's compact protocol         before: type, uncompressed size, compressed size, …
//!   each field begins with a byte: the step       after:  type, uncompressed size, compressed size, crc, …
//!   from the field before it, and its type        the field after the crc has a shorter step by one
//! ```
//!
//! The pages move by the bytes of these fields, and so do the places that the metadata names.

use super::manifest::Sums;
use crate::threads::reading;
use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use arrow_schema::{ArrowError, Schema};
use bytes::Bytes;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::column::writer::ColumnCloseResult;
use parquet::errors::ParquetError;
use parquet::file::metadata::{ColumnChunkMetaData, PageIndexPolicy, ParquetMetaData, ParquetMetaDataReader};
use parquet::file::page_index::column_index::ColumnIndexMetaData;
use parquet::file::page_index::offset_index::OffsetIndexMetaData;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

/// The rows of a row group.
pub(super) const GROUP: usize = 1 << 20;

/// What was written.
pub(super) struct Made {
    /// The file.
    pub file: File,
    /// Its length.
    pub bytes: u64,
    /// Its checksums.
    pub sums: Sums,
}

/// Writes batches to a file, and does not sync it.
pub(super) fn write(
    file: File,
    schema: &Arc<Schema>,
    properties: &WriterProperties,
    batches: impl Iterator<Item = Result<RecordBatch, ArrowError>>,
) -> Result<Made, ParquetError> {
    let (mut out, mut first) = (Output::Begin(BufWriter::new(file)), true);
    let mut group = Group::new(schema, properties)?;
    for batch in batches {
        group.add(&batch?)?;
        if group.rows >= GROUP {
            let full = std::mem::replace(&mut group, Group::new(schema, properties)?);
            out = out.append(full, properties)?;
            first = false;
        }
    }
    if first || group.rows > 0 {
        out = out.append(group, properties)?;
    }
    let Output::Begun(mut writer) = out else { return Err(ParquetError::General("a file needs a schema".to_owned())) };
    // Some of these bytes are on their way to the file.
    let pages = writer.bytes_written() as u64;
    writer.inner_mut().tail_begin = pages;
    let sums = writer.into_inner()?;
    let Summing { inner, bytes, whole, tail_begin, tail } = sums;
    let file = inner.into_inner().map_err(|error| ParquetError::External(Box::new(error.into_error())))?;
    Ok(Made { file, bytes, sums: Sums { whole, tail_bytes: bytes - tail_begin, tail } })
}

/// Row groups in memory.
struct Group {
    writer: ArrowWriter<Vec<u8>>,
    rows: usize,
}

impl Group {
    fn new(schema: &Arc<Schema>, properties: &WriterProperties) -> Result<Group, ParquetError> {
        let writer = ArrowWriter::try_new(Vec::new(), Arc::clone(schema), Some(properties.clone()))?;
        Ok(Group { writer, rows: 0 })
    }

    fn add(&mut self, batch: &RecordBatch) -> Result<(), ParquetError> {
        self.rows += batch.num_rows();
        self.writer.write(batch)
    }
}

/// The file: its schema comes with the first group.
enum Output {
    Begin(BufWriter<File>),
    Begun(Box<SerializedFileWriter<Summing<BufWriter<File>>>>),
}

impl Output {
    fn append(self, mut group: Group, properties: &WriterProperties) -> Result<Output, ParquetError> {
        let metadata = group.writer.finish()?;
        let bytes = Bytes::from(std::mem::take(group.writer.inner_mut()));
        let mut writer = match self {
            Output::Begun(writer) => writer,
            Output::Begin(file) => {
                let described = metadata.file_metadata();
                let schema = described.schema_descr().root_schema_ptr();
                let mut writer = SerializedFileWriter::new(Summing::new(file), schema, Arc::new(properties.clone()))?;
                // The schema of Arrow.
                for pair in described.key_value_metadata().into_iter().flatten() {
                    writer.append_key_value_metadata(pair.clone());
                }
                Box::new(writer)
            }
        };
        for number in 0..metadata.num_row_groups() {
            let mut out = writer.next_row_group()?;
            for column in 0..metadata.row_group(number).num_columns() {
                let (chunk, close) = with_checksums(&bytes, &metadata, number, column)?;
                out.append_column(&chunk, close)?;
            }
            out.close()?;
        }
        Ok(Output::Begun(writer))
    }
}

fn unexpected(why: &str) -> ParquetError {
    ParquetError::General(format!("a page that was just written has {why}"))
}

/// Returns the pages of a column in a row group with checksums, and what the file says of them, as if the file had nothing else.
fn with_checksums(
    bytes: &Bytes,
    metadata: &ParquetMetaData,
    group: usize,
    column: usize,
) -> Result<(Bytes, ColumnCloseResult), ParquetError> {
    let rows = metadata.row_group(group);
    let chunk = rows.column(column);
    let index = metadata.offset_index().and_then(|all| all.get(group)?.get(column));
    let mut index: OffsetIndexMetaData = index.cloned().ok_or_else(|| unexpected("no place"))?;
    let pages = pages(chunk, &index).ok_or_else(|| unexpected("a place outside of the file"))?;
    let mut out = Vec::with_capacity(chunk.compressed_size() as usize + pages.len() * 6);
    let mut begins = Vec::with_capacity(pages.len());
    for page in &pages {
        begins.push(out.len());
        let page = bytes.get(page.clone()).ok_or_else(|| unexpected("a place outside of the file"))?;
        push_with_checksum(page, &mut out).ok_or_else(|| unexpected("an unknown header"))?;
    }
    let data = usize::from(chunk.dictionary_page_offset().is_some());
    begins.push(out.len());
    for (at, location) in index.page_locations.iter_mut().enumerate() {
        location.offset = begins[data + at] as i64;
        location.compressed_page_size = (begins[data + at + 1] - begins[data + at]) as i32;
    }
    let grown = out.len() as i64 - chunk.compressed_size();
    let statement = chunk
        .clone()
        .into_builder()
        .set_dictionary_page_offset((data == 1).then_some(0))
        .set_data_page_offset(begins[data] as i64)
        .set_total_compressed_size(out.len() as i64)
        .set_total_uncompressed_size(chunk.uncompressed_size() + grown)
        .build()?;
    let column_index = metadata.column_index().and_then(|all| all.get(group)?.get(column)).cloned();
    let close = ColumnCloseResult {
        bytes_written: out.len() as u64,
        rows_written: rows.num_rows() as u64,
        metadata: statement,
        bloom_filter: None,
        column_index: column_index.filter(|index| !matches!(index, ColumnIndexMetaData::NONE)),
        offset_index: Some(index),
    };
    Ok((out.into(), close))
}

/// Returns where the pages of a column are, headers included: the dictionary, if there is one, and those with data.
fn pages(chunk: &ColumnChunkMetaData, index: &OffsetIndexMetaData) -> Option<Vec<Range<usize>>> {
    let (first, at) = (index.page_locations.first()?, |at: i64| usize::try_from(at).ok());
    let dictionary = chunk.dictionary_page_offset().map(|from| Some(at(from)?..at(first.offset)?));
    let data = index.page_locations.iter().map(|location| {
        let begin = at(location.offset)?;
        Some(begin..begin.checked_add(usize::try_from(location.compressed_page_size).ok()?)?)
    });
    dictionary.into_iter().chain(data).collect()
}

/// A field of 32 bits that comes next.
const NEXT_I32: u8 = 0x15;

/// A page, taken apart.
struct Page<'p> {
    /// Where the header goes on after the sizes.
    rest: usize,
    /// The checksum in the header.
    checksum: Option<u32>,
    /// The bytes after the header.
    body: &'p [u8],
}

impl Page<'_> {
    fn read(page: &[u8]) -> Option<Page<'_>> {
        let (mut at, mut size) = (0, 0);
        // Type, uncompressed size, compressed size.
        for _ in 0..3 {
            if *page.get(at)? != NEXT_I32 {
                return None;
            }
            (size, at) = varint(page, at + 1)?;
        }
        // Zigzag; sizes are not negative.
        let size = usize::try_from(size >> 1).ok().filter(|_| size & 1 == 0)?;
        let (header, body) = page.split_at_checked(page.len().checked_sub(size)?)?;
        let checksum = match *header.get(at)? {
            NEXT_I32 => {
                let zigzag = u32::try_from(varint(header, at + 1)?.0).ok()?;
                Some(zigzag >> 1 ^ (zigzag & 1).wrapping_neg())
            }
            _ => None,
        };
        Some(Page { rest: at, checksum, body })
    }
}

fn crc32(bytes: &[u8]) -> u32 {
    let mut crc = flate2::Crc::new();
    crc.update(bytes);
    crc.sum()
}

/// Appends a page with a checksum in its header; `None` if the header is not one that was just written.
fn push_with_checksum(page: &[u8], out: &mut Vec<u8>) -> Option<()> {
    let Page { rest, checksum, body } = Page::read(page)?;
    if checksum.is_some() {
        out.extend_from_slice(page);
        return Some(());
    }
    let next = page[rest];
    // The step to the next field, which is after that of the checksum.
    let step = (next >> 4).checked_sub(1).filter(|&step| step > 0)?;
    let crc = crc32(body);
    out.extend_from_slice(&page[..rest]);
    out.push(NEXT_I32);
    push_varint(crc << 1 ^ (crc >> 31).wrapping_neg(), out);
    out.push(step << 4 | next & 0xf);
    out.extend_from_slice(&page[rest + 1..]);
    Some(())
}

fn varint(bytes: &[u8], mut at: usize) -> Option<(u64, usize)> {
    let mut value = 0;
    for shift in (0..35).step_by(7) {
        let byte = *bytes.get(at)?;
        at += 1;
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some((value, at));
        }
    }
    None
}

fn push_varint(mut value: u32, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Computes the checksums of what it passes on.
struct Summing<W> {
    inner: W,
    bytes: u64,
    whole: u32,
    tail_begin: u64,
    tail: u32,
}

impl<W> Summing<W> {
    fn new(inner: W) -> Summing<W> {
        Summing { inner, bytes: 0, whole: 0, tail_begin: u64::MAX, tail: 0 }
    }
}

impl<W: Write> Write for Summing<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.inner.write(bytes)?;
        let pages = usize::try_from(self.tail_begin - self.bytes.min(self.tail_begin)).unwrap_or(usize::MAX).min(count);
        self.whole = crc32c::crc32c_append(self.whole, &bytes[..count]);
        self.tail = crc32c::crc32c_append(self.tail, &bytes[pages..count]);
        self.bytes += count as u64;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// Says where a file is damaged whose checksum is wrong.
pub(super) fn damage(path: &Path, sums: &Sums) -> String {
    let place = reading(|| first_bad_page(path, sums)).ok().flatten();
    match place {
        Some(Place::Page(byte)) => format!("the checksum of its page at byte {byte} is wrong"),
        Some(Place::Tail(byte)) => format!("the checksum of its footer, from byte {byte} on, is wrong"),
        None => "its checksum is wrong: from byte 0 on, the header of a page or what is between pages".to_owned(),
    }
}

enum Place {
    Page(usize),
    Tail(usize),
}

fn first_bad_page(path: &Path, sums: &Sums) -> Option<Place> {
    let bytes = Bytes::from(std::fs::read(path).ok()?);
    let begin = bytes.len().checked_sub(usize::try_from(sums.tail_bytes).ok()?)?;
    if crc32c::crc32c(&bytes[begin..]) != sums.tail {
        return Some(Place::Tail(begin));
    }
    let metadata = ParquetMetaDataReader::new().with_page_index_policy(PageIndexPolicy::Required);
    let metadata = metadata.parse_and_finish(&bytes).ok()?;
    for group in 0..metadata.num_row_groups() {
        for (column, chunk) in metadata.row_group(group).columns().iter().enumerate() {
            for page in pages(chunk, metadata.offset_index()?.get(group)?.get(column)?)? {
                let whole = |page: Page<'_>| page.checksum.is_none_or(|crc| crc == crc32(page.body));
                if !bytes.get(page.clone()).and_then(Page::read).is_some_and(whole) {
                    return Some(Place::Page(page.start));
                }
            }
        }
    }
    None
}

/// Returns what a list says of a file that no list names, once every row of it was read.
pub fn describe(data: &Path, path: &Path, (first, last): (u64, u64)) -> Result<super::manifest::File, String> {
    let name = path.to_str().ok_or("its name is no text")?.to_owned();
    let read = || -> Result<super::manifest::File, ParquetError> {
        let bytes = Bytes::from(std::fs::read(data.join(path))?);
        let builder = ParquetRecordBatchReaderBuilder::try_new(bytes.clone())?;
        let (columns, tail) = (builder.schema().fields().len() as u64, tail_of(builder.metadata(), bytes.len()));
        let (mut rows, mut min_time, mut max_time) = (0, i64::MAX, i64::MIN);
        for batch in builder.with_batch_size(8192).build()? {
            let batch = batch?;
            rows += batch.num_rows() as u64;
            let times = batch.column_by_name("__time__").and_then(|times| times.as_primitive_opt());
            let times: Option<&arrow_array::TimestampMillisecondArray> = times;
            for &time in times.into_iter().flat_map(|times| times.values()) {
                (min_time, max_time) = (min_time.min(time), max_time.max(time));
            }
        }
        if min_time > max_time {
            (min_time, max_time) = (0, 0);
        }
        let tail_bytes = tail as u64;
        let tail = crc32c::crc32c(&bytes[bytes.len() - tail..]);
        let sums = Some(Sums { whole: crc32c::crc32c(&bytes), tail_bytes, tail });
        let bytes = bytes.len() as u64;
        Ok(super::manifest::File { path: name, rows, bytes, min_time, max_time, first, last, columns, sums })
    };
    reading(read)?.map_err(|error| error.to_string())
}

/// Returns the length of what follows the last page.
fn tail_of(metadata: &ParquetMetaData, len: usize) -> usize {
    let chunks = metadata.row_groups().iter().flat_map(|group| group.columns());
    let ends = chunks.map(|chunk| {
        let (begin, bytes) = chunk.byte_range();
        begin.saturating_add(bytes)
    });
    len - usize::try_from(ends.max().unwrap_or(4)).unwrap_or(len).min(len)
}
