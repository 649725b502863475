//! Whether the files of the list are there, and whole.
//!
//! A start compares lengths. Then a thread reads each file once, a piece at a time, and compares its checksum; a merge does so before
//! it reads a file, and other readers compare the tail, and the checksum of each page. A damaged file stays as it is and where it is:
//! the server is not ready, and goes on without it. It is read again when somebody has put another one in its place.

use super::manifest::{File, Manifest};
use crate::threads::reading;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::errors::ParquetError;
use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::io::{self, Read};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard};

/// The bytes that are read at a time.
const PIECE: usize = 256 << 10;

/// What is known of the files of a list.
pub struct Checks {
    data: PathBuf,
    known: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    /// Files whose checksums were right, since the start.
    whole: HashSet<String>,
    damaged: BTreeMap<String, Damage>,
}

struct Damage {
    why: String,
    /// The file as it was then.
    seen: Option<Stamp>,
}

/// By which a file is known to be another one: length, times of content and of the name.
type Stamp = (u64, i64, i64, u64);

impl Checks {
    /// Knows nothing of the files in a folder yet.
    pub fn new(data: PathBuf) -> Checks {
        Checks { data, known: Mutex::default() }
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().expect("no code panics while it holds what is known")
    }

    fn stamp(&self, path: &str) -> Option<Stamp> {
        let metadata = fs::metadata(self.data.join(path)).ok()?;
        Some((metadata.len(), metadata.mtime_nsec() ^ metadata.mtime() << 30, metadata.ctime(), metadata.ino()))
    }

    /// Compares the lengths of all files.
    pub fn lengths(&self, manifest: &Manifest) {
        for file in &manifest.files {
            if let Err(why) = self.length(file) {
                self.report(&file.path, &why);
            }
        }
    }

    fn length(&self, file: &File) -> Result<(), String> {
        match fs::metadata(self.data.join(&file.path)) {
            Ok(metadata) if metadata.len() == file.bytes => Ok(()),
            Ok(metadata) => Err(format!("it has {} bytes instead of {}", metadata.len(), file.bytes)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Err("it is missing".to_owned()),
            Err(error) => Err(error.to_string()),
        }
    }

    /// Reads a file, and compares its length and its checksum.
    pub fn whole(&self, file: &File) -> Result<(), String> {
        // Before it is read: whoever changes it meanwhile has it read again.
        let seen = self.stamp(&file.path);
        let result = self.length(file).and_then(|()| self.content(file));
        let mut known = self.known();
        match &result {
            Ok(()) => {
                known.whole.insert(file.path.clone());
                if known.damaged.remove(&file.path).is_some() {
                    tracing::info!(file = file.path, "the file is whole again");
                }
            }
            Err(why) => known.add(&file.path, why, seen),
        }
        result
    }

    fn content(&self, file: &File) -> Result<(), String> {
        let path = self.data.join(&file.path);
        let Some(sums) = file.sums else {
            // A file of an older server: what a reader says.
            let read = || -> Result<(), ParquetError> {
                let open = fs::File::open(&path)?;
                let reader = ParquetRecordBatchReaderBuilder::try_new(open)?.with_batch_size(8192).build()?;
                reader.into_iter().try_for_each(|batch| batch.map(drop)).map_err(ParquetError::from)
            };
            return reading(read)?.map_err(|error| error.to_string());
        };
        let mut open = fs::File::open(&path).map_err(|error| error.to_string())?;
        let (mut piece, mut sum) = (vec![0; PIECE], 0);
        loop {
            match open.read(&mut piece).map_err(|error| error.to_string())? {
                0 => break,
                count => sum = crc32c::crc32c_append(sum, &piece[..count]),
            }
        }
        if sum == sums.whole { Ok(()) } else { Err(super::parquet_file::damage(&path, &sums)) }
    }

    /// Compares the length of an open file, and the checksum of its tail: with these, a reader knows where its pages are.
    pub fn tail(&self, file: &File, open: &fs::File) -> Result<(), String> {
        let compare = || -> Result<(), String> {
            let len = open.metadata().map_err(|error| error.to_string())?.len();
            if len != file.bytes {
                return Err(format!("it has {len} bytes instead of {}", file.bytes));
            }
            let Some(sums) = file.sums else { return Ok(()) };
            let begin = len.checked_sub(sums.tail_bytes).ok_or("the list has a wrong length of its footer")?;
            let mut tail = vec![0; usize::try_from(sums.tail_bytes).map_err(|error| error.to_string())?];
            open.read_exact_at(&mut tail, begin).map_err(|error| error.to_string())?;
            match crc32c::crc32c(&tail) == sums.tail {
                true => Ok(()),
                false => Err(format!("the checksum of its footer, from byte {begin} on, is wrong")),
            }
        };
        compare().inspect_err(|why| self.report(&file.path, why))
    }

    /// Learns of damage.
    pub fn report(&self, path: &str, why: &str) {
        let seen = self.stamp(path);
        self.known().add(path, why, seen);
    }

    /// Looks at a file again that a reader could not read.
    pub fn doubt(&self, file: &File) {
        self.known().whole.remove(&file.path);
        _ = self.whole(file);
    }

    /// Returns whether a file is known to be damaged.
    pub fn is_damaged(&self, path: &str) -> bool {
        self.known().damaged.contains_key(path)
    }

    /// Returns the damaged files, and why they are.
    pub fn damaged(&self) -> Vec<(String, String)> {
        self.known().damaged.iter().map(|(path, damage)| (path.clone(), damage.why.clone())).collect()
    }

    /// Reads files that were not read yet, and damaged ones that changed since, until it has read some bytes. Returns how many are
    /// left.
    pub fn round(&self, manifest: &Manifest, bytes: u64) -> usize {
        let listed: HashSet<&str> = manifest.files.iter().map(|file| file.path.as_str()).collect();
        let mut known = self.known();
        known.whole.retain(|path| listed.contains(path.as_str()));
        known.damaged.retain(|path, _| listed.contains(path.as_str()));
        let is_due = |file: &&File| match known.damaged.get(&file.path) {
            Some(damage) => damage.seen != self.stamp(&file.path),
            None => !known.whole.contains(&file.path),
        };
        let due: Vec<&File> = manifest.files.iter().filter(is_due).collect();
        drop(known);
        let (mut left, mut read) = (due.len(), 0);
        for file in due {
            if read >= bytes {
                break;
            }
            // Whoever asks learns of it.
            _ = self.whole(file);
            (left, read) = (left - 1, read + file.bytes);
        }
        left
    }

    /// Notes that this process wrote a file.
    pub fn wrote(&self, files: &[File]) {
        self.known().whole.extend(files.iter().map(|file| file.path.clone()));
    }
}

impl Known {
    fn add(&mut self, path: &str, why: &str, seen: Option<Stamp>) {
        self.whole.remove(path);
        let damage = Damage { why: why.to_owned(), seen };
        if self.damaged.insert(path.to_owned(), damage).is_none_or(|before| before.why != why) {
            tracing::error!(file = path, why, "a file of the store is damaged; it stays where it is");
        }
    }
}
