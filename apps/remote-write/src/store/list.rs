//! The list of files: rows of the head come into it, small files become large ones, and old ones leave it.
//!
//! The manifest has the list; a change of it is one new manifest, so that a crash leaves the list before or after the
//! change. A file that left the list is deleted when no reader has a list with it any more.

use super::check::Checks;
use super::files::{self, WriteError, Written};
use super::gather::Duplicates;
use super::head::{Head, Parts, row_bytes};
use super::manifest::{File, Manifest};
use crate::log::{Failed, Log};
use crate::retries::kept;
use crate::superblock::Superblock;
use std::collections::{HashSet, VecDeque};
use std::io;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, Weak};

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
    /// Samples and histograms that came after a later one of their series.
    pub out_of_order: u64,
}

impl Sealed {
    fn add(&mut self, written: &Written) {
        self.files += written.files.len() as u64;
        self.rows += written.files.iter().map(|file| file.rows).sum::<u64>();
        self.bytes += written.files.iter().map(|file| file.bytes).sum::<u64>();
        self.duplicates.same += written.duplicates.same;
        self.duplicates.conflicting += written.duplicates.conflicting;
        self.out_of_order += written.out_of_order;
    }
}

/// The folder of files that no list named, in the folder of a store.
pub const UNLISTED: &str = "aside/unlisted";

/// What a start did with files that the list does not name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Swept {
    /// The list has their rows, or a crash left them half written: they were deleted.
    pub removed: u64,
    /// Their rows are newer than the list, or their names are unknown: they were moved aside.
    pub moved: u64,
    /// They stay, because a file of the list is damaged, and they may have its rows.
    pub kept: u64,
}

/// The files of a store.
pub struct Files {
    /// What is known of their bytes.
    pub checks: Arc<Checks>,
    superblock: Arc<Superblock>,
    folder: PathBuf,
    window_ms: i64,
    listed: Mutex<Listed>,
    /// Rows that are being sealed, or were to be sealed when something failed.
    sealing: Mutex<Option<Arc<Sealing>>>,
    /// Held while folders are created or deleted.
    folders: Mutex<()>,
}

/// Rows that left the head and are not in files yet.
pub(super) struct Sealing {
    /// The rows.
    pub parts: Parts,
    /// Once they are in files, all requests below this sequence are.
    pub next: u64,
}

struct Listed {
    manifest: Arc<Manifest>,
    /// Earlier manifests, and the files that left the list after each.
    gone: VecDeque<(Weak<Manifest>, Vec<String>)>,
}

impl Files {
    /// Opens the files that a manifest names, and compares their lengths.
    pub fn open(folder: PathBuf, window_ms: i64, manifest: Manifest, superblock: Arc<Superblock>) -> io::Result<Files> {
        std::fs::create_dir_all(folder.join("data"))?;
        let checks = Arc::new(Checks::new(folder.join("data")));
        checks.lengths(&manifest);
        let listed = Listed { manifest: Arc::new(manifest), gone: VecDeque::new() };
        Ok(Files {
            checks,
            superblock,
            folder,
            window_ms,
            listed: Mutex::new(listed),
            sealing: Mutex::default(),
            folders: Mutex::default(),
        })
    }

    /// Removes files that the list does not name: what a crash left. Nobody may write files meanwhile.
    ///
    /// The newest list has all rows of requests below its sequence. So a file of such requests is one that was merged, or was to
    /// be the result. The rows of later requests are in the log; but their files are moved aside, and not deleted before a list
    /// has the rows.
    pub fn sweep(&self) -> io::Result<Swept> {
        let (manifest, data, aside) = (self.manifest(), self.data(), self.folder.join(UNLISTED));
        let (unnamed, mut swept) = (files::unnamed(&data, &manifest.files)?, Swept::default());
        if !self.checks.damaged().is_empty() {
            return Ok(Swept { kept: unnamed.len() as u64, ..swept });
        }
        let is_old = |path: &Path| files::range_of(path).is_some_and(|(_, last)| last < manifest.low);
        // A file that was merged is the last one with its rows if that into which it was merged is damaged.
        let is_needed = |path: &Path| {
            let same = |file: &&File| Path::new(&file.path).parent() == path.parent();
            let (first, last) = files::range_of(path).unwrap_or_default();
            let touches = |file: &&File| file.first <= last && first <= file.last;
            manifest.files.iter().filter(same).filter(touches).any(|file| self.checks.whole(file).is_err())
        };
        for path in unnamed {
            if is_old(&path) && is_needed(&path) {
                swept.kept += 1;
            } else if is_old(&path) || path.extension().is_some_and(|end| end == "part") {
                std::fs::remove_file(data.join(path))?;
                swept.removed += 1;
            } else {
                let place = files::move_aside(&data, &path, &aside)?;
                tracing::warn!(file = %path.display(), to = %place.display(), "no list names this file; moved aside");
                swept.moved += 1;
            }
        }
        for path in files::all(&aside, &["parquet"])?.into_iter().filter(|path| is_old(path)) {
            std::fs::remove_file(&path)?;
            remove_empty(path.parent(), &self.folder);
            swept.removed += 1;
        }
        Ok(swept)
    }

    fn listed(&self) -> MutexGuard<'_, Listed> {
        self.listed.lock().expect("no code panics while it holds the list")
    }

    /// Returns the manifest that holds. Its files stay until it is dropped.
    pub fn manifest(&self) -> Arc<Manifest> {
        Arc::clone(&self.listed().manifest)
    }

    /// Returns the folder of the files.
    pub fn data(&self) -> PathBuf {
        self.folder.join("data")
    }

    /// Returns the length of the time window of a file.
    pub fn window_ms(&self) -> i64 {
        self.window_ms
    }

    /// Changes the list: files `remove` leave it, files `add` come into it, and requests below `low` are in files.
    pub fn change(&self, remove: &HashSet<String>, add: Vec<File>, low: Option<u64>) -> io::Result<()> {
        let mut listed = self.listed();
        let mut new = Manifest::clone(&listed.manifest);
        new.number += 1;
        new.low = low.unwrap_or(new.low);
        new.files.retain(|file| !remove.contains(&file.path));
        self.checks.wrote(&add);
        new.files.extend(add);
        new.superblocks = true;
        new.write(&self.folder)?;
        self.superblock.set_list(&new)?;
        new.remove_older(&self.folder)?;
        let old = std::mem::replace(&mut listed.manifest, Arc::new(new));
        listed.gone.push_back((Arc::downgrade(&old), remove.iter().cloned().collect()));
        Ok(())
    }

    /// Deletes the files that left the list and that no reader has any more. Returns how many wait for readers.
    pub fn delete_gone(&self) -> usize {
        // While rows are being sealed, a folder without files may be about to get some: next time, then.
        let alone = self.folders.try_lock();
        let mut listed = self.listed();
        while let Some((manifest, _)) = listed.gone.front() {
            // A reader of this list may also have files that left later ones.
            if manifest.strong_count() > 0 || alone.is_err() {
                break;
            }
            let (_, paths) = listed.gone.pop_front().expect("there is a first one");
            for path in paths {
                let path = self.data().join(path);
                if let Err(error) = std::fs::remove_file(&path) {
                    // The next start deletes it.
                    tracing::warn!(path = %path.display(), %error, "a file that is not listed any more stays");
                }
                remove_empty(path.parent(), &self.data());
            }
        }
        listed.gone.iter().map(|(_, paths)| paths.len()).sum()
    }

    /// Writes all rows of the head to files, then the manifest, then deletes the part of the log that is in files, and
    /// whose requests are too old to come again. After an error the rows stay here, and the next call tries again. One
    /// thread may seal at a time.
    pub fn seal(&self, head: &Head, log: &Log) -> Result<Sealed, SealError> {
        let sealing = self.sealing().unwrap_or_else(|| self.begin(head, || log.next()));
        // Rows come into files after their requests are on the disk: otherwise a crash could take a request back.
        log.wait_synced(sealing.next).map_err(SealError::Log)?;
        let sealed = self.write(&sealing.parts, sealing.next)?;
        let next = sealing.next;
        *self.sealing.lock().expect("no code panics while it holds the rows") = None;
        // A reader that copies the rows right now drops them.
        head.give_back(Arc::into_inner(sealing).map_or_else(Parts::new, |sealing| sealing.parts));
        log.cut(next, kept(crate::clock::now_ms())).map_err(SealError::Io)?;
        Ok(sealed)
    }

    /// Takes all rows out of the head. Readers find them here from the moment when the head no longer has them.
    fn begin(&self, head: &Head, next: impl FnOnce() -> u64) -> Arc<Sealing> {
        head.take(next, |parts, next| {
            let sealing = Arc::new(Sealing { parts, next });
            *self.sealing.lock().expect("no code panics while it holds the rows") = Some(Arc::clone(&sealing));
            sealing
        })
    }

    /// Begins to seal, and goes no further.
    #[cfg(test)]
    pub(super) fn begin_sealing(&self, head: &Head, next: u64) {
        self.begin(head, || next);
    }

    /// Returns the rows that left the head and may not be in files yet.
    pub(super) fn sealing(&self) -> Option<Arc<Sealing>> {
        self.sealing.lock().expect("no code panics while it holds the rows").clone()
    }

    /// Returns about how many bytes the rows take that left the head and may not be in files yet.
    pub fn sealing_bytes(&self) -> usize {
        // No copy of the pointer, with which the receivers could not be used again.
        let sealing = self.sealing.lock().expect("no code panics while it holds the rows");
        let parts = sealing.iter().flat_map(|sealing| sealing.parts.values().flatten());
        parts.map(|part| row_bytes(part.receiver.store(), &|_| true)).sum()
    }

    /// Returns whether rows wait for another attempt to seal them.
    pub fn has_pending(&self) -> bool {
        self.sealing().is_some()
    }

    /// Seals while the log is read back: all requests below `next` are in the head.
    pub fn seal_replay(&self, head: &Head, next: u64) -> Result<Sealed, SealError> {
        let (parts, next) = head.take(|| next, |parts, next| (parts, next));
        let sealed = self.write(&parts, next)?;
        head.give_back(parts);
        Ok(sealed)
    }

    /// Ends reading the log back. Without rows in memory, all requests are in files: the list says so, and segments whose
    /// requests were answered at other times than `kept` are deleted. Otherwise a server that starts often and gets no
    /// rows, which it would seal, has ever more segments.
    pub fn settle(&self, head: &Head, log: &Log, kept: RangeInclusive<i64>) -> io::Result<()> {
        if head.rows() > 0 {
            return Ok(());
        }
        let next = log.next();
        if next > self.manifest().low {
            self.change(&HashSet::new(), Vec::new(), Some(next))?;
        }
        log.cut(next, kept)
    }

    fn write(&self, parts: &Parts, next: u64) -> Result<Sealed, SealError> {
        // Only sealing changes `low`.
        let low = self.manifest().low;
        if next <= low {
            return Ok(Sealed::default());
        }
        let _folders = self.folders.lock().expect("no code panics while it holds the folders");
        let (mut sealed, mut new) = (Sealed::default(), Vec::new());
        for (tenant, parts) in parts {
            let written = files::write(&self.data(), tenant, parts, self.window_ms, low, next - 1);
            let written = written.map_err(SealError::Files)?;
            sealed.add(&written);
            new.extend(written.files);
        }
        self.change(&HashSet::new(), new, Some(next)).map_err(SealError::Io)?;
        Ok(sealed)
    }
}

/// Deletes folders that have no files any more, up to `top`.
fn remove_empty(folder: Option<&Path>, top: &Path) {
    let ancestors = folder.into_iter().flat_map(Path::ancestors).take_while(|at| *at != top && at.starts_with(top));
    for folder in ancestors {
        if std::fs::remove_dir(folder).is_err() {
            return;
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::log::disk::Folder;
    use crate::log::{LogOptions, recover};

    /// Opens the files of a new store.
    pub(crate) fn new(folder: &Path, window_ms: i64) -> Files {
        let (root, store) = (Arc::new(Folder::open(folder).unwrap()), 7);
        let superblock = Superblock::new(root, crate::superblock::Content { store, ..Default::default() });
        let manifest = Manifest { store, number: 1, ..Manifest::default() };
        Files::open(folder.to_owned(), window_ms, manifest, superblock).unwrap()
    }

    #[test]
    fn a_file_stays_while_a_reader_has_its_list() {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("data");
        let file = |name: &str| File { path: format!("samples/h/{name}.parquet"), ..File::default() };
        let files = new(folder.path(), 1);
        std::fs::create_dir_all(data.join("samples/h")).unwrap();
        for name in ["a", "b", "c"] {
            std::fs::write(data.join(file(name).path), name).unwrap();
        }
        let there = || ["a", "b", "c"].map(|name| data.join(file(name).path).exists());
        files.change(&HashSet::new(), vec![file("a"), file("b")], None).unwrap();
        let reader = files.manifest();
        files.change(&HashSet::from([file("a").path]), vec![file("c")], None).unwrap();
        let later = files.manifest();
        files.change(&HashSet::from([file("c").path]), Vec::new(), None).unwrap();
        assert_eq!(files.delete_gone(), 2);
        assert_eq!(there(), [true; 3]);
        drop(later);
        assert_eq!(files.delete_gone(), 2);
        drop(reader);
        assert_eq!(files.delete_gone(), 0);
        assert_eq!(there(), [false, true, false]);
        // The folder goes with its last file.
        files.change(&HashSet::from([file("b").path]), Vec::new(), None).unwrap();
        assert_eq!((files.delete_gone(), data.join("samples").exists(), data.exists()), (0, false, true));
        assert_eq!(Manifest::read(folder.path()).unwrap().unwrap().files, []);
    }

    #[test]
    fn a_server_that_only_starts_has_few_segments() {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path().join("log");
        std::fs::create_dir(&at).unwrap();
        let disk = Arc::new(Folder::open(&at).unwrap());
        let head = Head::new(1, rows::Options::default());
        let files = new(folder.path(), 1);
        let segments = || std::fs::read_dir(&at).unwrap().count();
        for start in 1..5 {
            let recovered =
                recover(&*disk, 7, files.manifest().low, files.superblock.content().synced, &mut |_, _| Ok(()))
                    .unwrap();
            let next = recovered.next;
            let log =
                Log::start(Arc::clone(&disk) as _, Arc::clone(&files.superblock), recovered, LogOptions::default())
                    .unwrap();
            let kept = if start == 4 { 0..=0 } else { 0..=i64::MAX };
            files.settle(&head, &log, kept).unwrap();
            assert_eq!((files.manifest().low, segments()), (next, if start == 4 { 1 } else { start }));
            // This writes a record that has no rows.
            log.close();
        }
        // Rows in memory are in no file.
        head.turn(0, "").count(1, 1);
        let low = files.manifest().low;
        let recovered = recover(&*disk, 7, low, files.superblock.content().synced, &mut |_, _| Ok(())).unwrap();
        let log = Log::start(Arc::clone(&disk) as _, Arc::clone(&files.superblock), recovered, LogOptions::default())
            .unwrap();
        files.settle(&head, &log, 0..=0).unwrap();
        assert_eq!((files.manifest().low, segments()), (low, 2));
    }
}
