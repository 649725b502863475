//! The memory that a merge takes, by the ends of its files: short files may have long texts.

use super::manifest::File;
use parquet::file::metadata::ParquetMetaDataReader;
use std::path::Path;

/// Returns the most files in a row that can be merged with this memory.
pub fn fitting<'f>(data: &Path, files: &'f [File], memory: u64) -> &'f [File] {
    let bytes: Vec<u64> = files.iter().map(|file| bytes_of(data, file)).collect();
    let (mut begin, mut held, mut best) = (0, 0u64, 0..0);
    for (at, of) in bytes.iter().enumerate() {
        held = held.saturating_add(*of);
        while held > memory {
            held -= bytes[begin];
            begin += 1;
        }
        if at + 1 - begin > best.len() {
            best = begin..at + 1;
        }
    }
    &files[best]
}

/// Returns about how many bytes the rows of a file take while they are merged: texts as they are read, in the new columns, and in
/// the new file; for each row its place, and its codes. A file that cannot be read takes nothing: the merge says why.
fn bytes_of(data: &Path, file: &File) -> u64 {
    let open = std::fs::File::open(data.join(&file.path)).ok();
    let metadata = open.and_then(|open| ParquetMetaDataReader::new().parse_and_finish(&open).ok());
    let Some(metadata) = metadata else { return 0 };
    let texts: u64 =
        metadata.row_groups().iter().map(|group| u64::try_from(group.total_byte_size()).unwrap_or(0)).sum();
    texts.saturating_mul(4).saturating_add(file.rows.saturating_mul(100 + 4 * file.columns)).min(u64::MAX / 1024)
}
