//! The rows in memory, and how they come into files.
//!
//! Each worker has a slot with a receiver of its own, so that workers do not wait for each other. Sealing swaps all
//! receivers at one sequence: the gate keeps workers out meanwhile, which takes microseconds. A receiver that was sealed
//! is used again, because it knows the series.

use super::files::{self, WriteError};
use super::gather::{Duplicates, Part};
use super::manifest::Manifest;
use crate::log::{Failed, Log};
use crate::retries::KEPT_MS;
use remote_write::{Options, Receiver};
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, RwLock, RwLockReadGuard};
use std::time::Duration;

/// The receiver of one worker.
struct Slot {
    part: Part,
    /// The receiver that was sealed last, without rows.
    spare: Option<Receiver>,
}

/// All rows that are not in files.
pub struct Head {
    slots: Vec<Mutex<Slot>>,
    gate: RwLock<()>,
    options: Options,
    rows: AtomicU64,
    /// When the oldest row came, in milliseconds since the epoch; 0 without rows.
    oldest_ms: AtomicU64,
}

/// A worker's access to its receiver. While it lives, nothing is sealed.
pub struct Turn<'h> {
    slot: MutexGuard<'h, Slot>,
    head: &'h Head,
    _gate: RwLockReadGuard<'h, ()>,
}

impl Turn<'_> {
    /// Returns the receiver.
    pub fn receiver(&mut self) -> &mut Receiver {
        &mut self.slot.part.receiver
    }

    /// Records the sequence of the receiver's last request, whose rows stay.
    pub fn keep(&mut self, sequence: u64, rows: u64, now_ms: i64) {
        let number = self.slot.part.receiver.request_number();
        self.slot.part.sequences.push((number, sequence));
        self.head.rows.fetch_add(rows, Ordering::Relaxed);
        _ = self.head.oldest_ms.compare_exchange(0, now_ms as u64, Ordering::Relaxed, Ordering::Relaxed);
    }
}

impl Head {
    /// Creates a head for some workers.
    pub fn new(workers: usize, options: Options) -> Head {
        let slot =
            || Slot { part: Part { receiver: Receiver::new(options.clone()), sequences: Vec::new() }, spare: None };
        Head {
            slots: (0..workers).map(|_| Mutex::new(slot())).collect(),
            gate: RwLock::new(()),
            rows: AtomicU64::new(0),
            oldest_ms: AtomicU64::new(0),
            options,
        }
    }

    /// Returns a worker's receiver.
    pub fn turn(&self, worker: usize) -> Turn<'_> {
        let gate = self.gate.read().expect("no code panics while it holds the gate");
        // A worker that panicked left its receiver in an unknown state, so the process ends then.
        let slot = self.slots[worker].lock().expect("no worker panicked");
        Turn { slot, head: self, _gate: gate }
    }

    /// Returns the number of rows.
    pub fn rows(&self) -> u64 {
        self.rows.load(Ordering::Relaxed)
    }

    /// Returns for how long the oldest row has been here.
    pub fn age(&self, now_ms: i64) -> Duration {
        match self.oldest_ms.load(Ordering::Relaxed) {
            0 => Duration::ZERO,
            since => Duration::from_millis((now_ms as u64).saturating_sub(since)),
        }
    }

    /// Takes all rows out. Returns them, and the sequence that the log would give out next at that moment: all requests
    /// below it are in these rows or in earlier ones.
    fn take(&self, next: impl FnOnce() -> u64) -> (Vec<Part>, u64) {
        let _gate = self.gate.write().expect("no code panics while it holds the gate");
        let next = next();
        let parts = self.slots.iter().map(|slot| {
            let mut slot = slot.lock().expect("no worker panicked");
            let new = slot.spare.take().unwrap_or_else(|| Receiver::new(self.options.clone()));
            std::mem::replace(&mut slot.part, Part { receiver: new, sequences: Vec::new() })
        });
        let parts = parts.collect();
        self.rows.store(0, Ordering::Relaxed);
        self.oldest_ms.store(0, Ordering::Relaxed);
        (parts, next)
    }

    /// Takes back the receivers of sealed rows.
    fn give_back(&self, parts: Vec<Part>) {
        for (slot, mut part) in self.slots.iter().zip(parts) {
            part.receiver.clear_rows();
            slot.lock().expect("no worker panicked").spare = Some(part.receiver);
        }
    }
}

/// Why rows could not be sealed. They are in the log, and a restart brings them back.
#[derive(Debug)]
pub enum SealError {
    /// A file could not be written.
    Files(WriteError),
    /// The manifest could not be written, or the log not cut.
    Io(io::Error),
    /// The log failed.
    Log(Failed),
}

impl std::fmt::Display for SealError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            SealError::Files(error) => error.fmt(f),
            SealError::Io(error) => error.fmt(f),
            SealError::Log(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for SealError {}

/// What one sealing wrote.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sealed {
    /// The number of files.
    pub files: u64,
    /// The number of rows.
    pub rows: u64,
    /// The bytes of the files.
    pub bytes: u64,
    /// Samples and histograms that were left out.
    pub duplicates: Duplicates,
}

/// The files of a store.
pub struct Files {
    folder: PathBuf,
    window_ms: i64,
    manifest: Mutex<Manifest>,
    /// Rows that were to be sealed when something failed.
    pending: Mutex<Option<(Vec<Part>, u64)>>,
}

impl Files {
    /// Opens the files that a manifest names, and deletes what a crash left.
    pub fn open(folder: PathBuf, window_ms: i64, manifest: Manifest) -> io::Result<Files> {
        std::fs::create_dir_all(folder.join("data"))?;
        files::remove_unnamed(&folder.join("data"), &manifest.files)?;
        Ok(Files { folder, window_ms, manifest: Mutex::new(manifest), pending: Mutex::new(None) })
    }

    /// Returns the manifest that holds.
    pub fn manifest(&self) -> Manifest {
        self.manifest.lock().expect("no code panics while it holds the manifest").clone()
    }

    /// Writes all rows of the head to files, then the manifest, then deletes the part of the log that is in files, and
    /// whose requests are too old to come again. After an error the rows stay here, and the next call tries again. One
    /// thread may seal at a time.
    pub fn seal(&self, head: &Head, log: &Log) -> Result<Sealed, SealError> {
        let taken = self.pending.lock().expect("no code panics while it holds the rows").take();
        let (parts, next) = taken.unwrap_or_else(|| head.take(|| log.next()));
        // Rows come into files after their requests are on the disk: otherwise a crash could take a request back.
        let result = log.wait_synced(next).map_err(SealError::Log).and_then(|()| self.write(&parts, next));
        match result {
            Ok(sealed) => {
                head.give_back(parts);
                log.cut(next, crate::clock::now_ms().saturating_sub(KEPT_MS)).map_err(SealError::Io)?;
                Ok(sealed)
            }
            Err(error) => {
                *self.pending.lock().expect("no code panics while it holds the rows") = Some((parts, next));
                Err(error)
            }
        }
    }

    /// Returns whether rows wait for another attempt to seal them.
    pub fn has_pending(&self) -> bool {
        self.pending.lock().expect("no code panics while it holds the rows").is_some()
    }

    /// Seals while the log is read back: all requests below `next` are in the head.
    pub fn seal_replay(&self, head: &Head, next: u64) -> Result<Sealed, SealError> {
        let (parts, next) = head.take(|| next);
        let sealed = self.write(&parts, next)?;
        head.give_back(parts);
        Ok(sealed)
    }

    fn write(&self, parts: &[Part], next: u64) -> Result<Sealed, SealError> {
        let manifest = self.manifest();
        if next <= manifest.low {
            return Ok(Sealed::default());
        }
        let data = self.folder.join("data");
        let written = files::write(&data, parts, self.window_ms, manifest.low, next - 1).map_err(SealError::Files)?;
        let sealed = Sealed {
            files: written.files.len() as u64,
            rows: written.files.iter().map(|file| file.rows).sum(),
            bytes: written.files.iter().map(|file| file.bytes).sum(),
            duplicates: written.duplicates,
        };
        let mut new = Manifest { number: manifest.number + 1, low: next, ..manifest };
        new.files.extend(written.files);
        new.write(&self.folder).map_err(SealError::Io)?;
        *self.manifest.lock().expect("no code panics while it holds the manifest") = new;
        Ok(sealed)
    }
}
