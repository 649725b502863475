//! Which files a table has (ARW-61), and how they are opened (ARW-62).

use crate::error::FileError;
use flate2::read::MultiGzDecoder;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};

/// How files are compressed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Compression {
    /// As the end of the name says: `.gz`, `.zst`, `.zstd`; all others are not compressed.
    #[default]
    BySuffix,
    /// Not compressed.
    None,
    /// gzip, of one member or several.
    Gzip,
    /// Zstandard, of one frame or several.
    Zstd,
}

/// A file, and its length when it was listed.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub path: PathBuf,
    pub len: u64,
}

/// Reports whether a path is a pattern: a file of that name does not exist, and it has a sign of one.
fn is_pattern(path: &str) -> bool {
    path.contains(['*', '?', '[']) && !Path::new(path).exists()
}

/// Lists the files of a path, sorted by name. A path without any file is an error, an empty folder is not.
pub(crate) fn list(path: &str) -> Result<Vec<Entry>, FileError> {
    let mut files = Vec::new();
    let here = Path::new(path);
    if is_pattern(path) {
        let invalid = |e: glob::PatternError| FileError::io(here, io::Error::new(io::ErrorKind::InvalidInput, e));
        let options = glob::MatchOptions { require_literal_leading_dot: true, ..Default::default() };
        for found in glob::glob_with(path, options).map_err(invalid)? {
            let found = found.map_err(|e| {
                let path = e.path().to_path_buf();
                FileError::io(&path, e.into())
            })?;
            add(&found, &mut files)?;
        }
        if files.is_empty() {
            return Err(FileError::io(here, io::Error::new(io::ErrorKind::NotFound, "no file matches the pattern")));
        }
    } else if here.is_dir() {
        for found in fs::read_dir(here).map_err(|e| FileError::io(here, e))? {
            let found = found.map_err(|e| FileError::io(here, e))?;
            if !found.file_name().as_encoded_bytes().starts_with(b".") {
                add(&found.path(), &mut files)?;
            }
        }
    } else {
        let len = fs::metadata(here).map_err(|e| FileError::io(here, e))?.len();
        files.push(Entry { path: here.to_path_buf(), len });
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}

/// Adds files that are no folders. A file that vanished since it was listed is an error, as it would be later.
fn add(path: &Path, files: &mut Vec<Entry>) -> Result<(), FileError> {
    let about = fs::metadata(path).map_err(|e| FileError::io(path, e))?;
    if !about.is_dir() {
        files.push(Entry { path: path.to_path_buf(), len: about.len() });
    }
    Ok(())
}

/// Spreads files over at most this many partitions, the largest first, so that partitions are about equally large.
pub(crate) fn spread(files: Vec<Entry>, partitions: usize) -> Vec<Vec<Entry>> {
    let count = partitions.min(files.len()).max(1);
    let mut parts: Vec<(u64, Vec<(usize, Entry)>)> = (0..count).map(|_| (0, Vec::new())).collect();
    let mut order: Vec<(usize, Entry)> = files.into_iter().enumerate().collect();
    order.sort_by_key(|(_, file)| std::cmp::Reverse(file.len));
    for (index, file) in order {
        // An empty file takes time, too.
        let (sum, part) = parts.iter_mut().min_by_key(|(sum, part)| (*sum, part.len())).expect("at least one");
        *sum += file.len.max(1);
        part.push((index, file));
    }
    let in_order = |(_, mut part): (u64, Vec<(usize, Entry)>)| {
        part.sort_by_key(|(index, _)| *index);
        part.into_iter().map(|(_, file)| file).collect()
    };
    parts.into_iter().map(in_order).collect()
}

/// Opens a file; `wrap` sees its bytes before decompression.
pub(crate) fn open<R: Read + Send + 'static>(
    path: &Path,
    compression: Compression,
    wrap: impl FnOnce(File) -> R,
) -> io::Result<Box<dyn Read + Send>> {
    let source = wrap(File::open(path)?);
    let suffix = path.extension().and_then(OsStr::to_str).unwrap_or_default();
    let compression = match (compression, suffix) {
        (Compression::BySuffix, "gz") => Compression::Gzip,
        (Compression::BySuffix, "zst" | "zstd") => Compression::Zstd,
        (other, _) => other,
    };
    Ok(match compression {
        Compression::Gzip => Box::new(MultiGzDecoder::new(BufReader::with_capacity(64 << 10, source))),
        Compression::Zstd => Box::new(zstd::stream::read::Decoder::new(source)?),
        Compression::BySuffix | Compression::None => Box::new(source),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_spread_by_length_and_keep_their_order() {
        let files = [5, 100, 40, 50, 0].iter().enumerate();
        let files = files.map(|(i, &len)| Entry { path: PathBuf::from(i.to_string()), len }).collect();
        let parts = spread(files, 2);
        let names = |part: &Vec<Entry>| part.iter().map(|f| f.path.to_str().unwrap().to_string()).collect::<Vec<_>>();
        assert_eq!(parts.iter().map(names).collect::<Vec<_>>(), [vec!["1"], vec!["0", "2", "3", "4"]]);
        assert_eq!(spread(Vec::new(), 8).len(), 1);
    }
}
