//! All rows of a tenant at one moment: one list of files, and a copy of the rows that are not in them yet.
//!
//! A row moves from the head to the rows that are being sealed, and from there to a file. While the head is held, no row
//! makes the first step; and whether the second one was made is written in the manifest, as a sequence. So each row is
//! found once.

use super::check::Checks;
use super::files::tenant_of;
use super::gather::Part;
use super::head::{Head, copy_bytes};
use super::list::Files;
use super::manifest::Manifest;
use crate::log::Log;
use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// How often a list of files is read again because a server changed it meanwhile.
const ATTEMPTS: u32 = 100;
/// The files of a folder that are opened at once, the newest: those are the ones that a server deletes after a merge.
const HELD: usize = 256;

/// All rows of a tenant at one moment.
pub struct Snapshot {
    /// The files. In a server, they stay until this is dropped; in a folder, any server may delete them.
    pub manifest: Arc<Manifest>,
    /// The folder of the files.
    pub data: PathBuf,
    /// Whose rows they are; empty without tenants.
    pub tenant: Box<str>,
    /// The rows in memory, of the metrics that were asked for.
    pub memory: Vec<Part>,
    /// What is known of the files.
    checks: Arc<Checks>,
    /// Where a file is in the list.
    places: OnceLock<HashMap<String, usize>>,
    /// Files that are open, so that they can be read although a server deleted them.
    held: HashMap<String, Arc<File>>,
}

impl Snapshot {
    /// Takes a snapshot of a server: all that it answered for before this call, and nothing that a crash could take back
    /// by the rules of the option `durability`. `reserve` is asked for memory before rows are copied.
    pub fn take<E>(
        (log, head, files): (&Log, &Head, &Files),
        tenant: &str,
        wanted: &dyn Fn(&str) -> bool,
        mut reserve: impl FnMut(usize) -> Result<(), E>,
    ) -> Result<Snapshot, E> {
        let answered = log.answered();
        let mut memory = Vec::new();
        let mut copy = |part: &Part| {
            reserve(copy_bytes(part.receiver.store(), wanted))?;
            let copy = part.copy_before(answered, wanted);
            if !copy.receiver.store().tables().is_empty() {
                memory.push(copy);
            }
            Ok(())
        };
        let held = head.hold();
        // In this order: rows that are no longer being sealed are in the manifest.
        let sealing = files.sealing();
        let manifest = files.manifest();
        if let Some(sealing) = sealing.filter(|sealing| sealing.next > manifest.low) {
            sealing.parts.get(tenant).into_iter().flatten().try_for_each(&mut copy)?;
        }
        head.each_part(tenant, copy)?;
        drop(held);
        let (checks, places) = (Arc::clone(&files.checks), OnceLock::new());
        let (data, tenant) = (files.data(), tenant.into());
        Ok(Snapshot { manifest, data, tenant, memory, checks, places, held: HashMap::new() })
    }

    /// Reads the list of files in a folder, which a server may be changing, and opens the newest.
    pub fn of_folder(folder: &Path, tenant: &str) -> io::Result<Snapshot> {
        let mut attempt = 0;
        loop {
            attempt += 1;
            match Snapshot::try_folder(folder, tenant) {
                Err(error) if error.kind() == io::ErrorKind::NotFound && attempt < ATTEMPTS => (),
                result => return result,
            }
        }
    }

    fn try_folder(folder: &Path, tenant: &str) -> io::Result<Snapshot> {
        let at = |path: &Path, e: io::Error| io::Error::new(e.kind(), format!("{}: {e}", path.display()));
        let manifest = Manifest::read(folder).map_err(|e| at(folder, e))?;
        let manifest = manifest.ok_or_else(|| io::Error::other(format!("{}: no store is here", folder.display())))?;
        let data = folder.join("data");
        let mut files: Vec<_> = manifest.files.iter().filter(|file| tenant_of(&file.path) == tenant).collect();
        files.sort_unstable_by_key(|file| std::cmp::Reverse(file.last));
        let open = |file: &&super::manifest::File| {
            let path = data.join(&file.path);
            Ok((file.path.clone(), Arc::new(File::open(&path).map_err(|e| at(&path, e))?)))
        };
        let held = files.iter().take(HELD).map(open).collect::<io::Result<_>>()?;
        let (checks, places) = (Arc::new(Checks::new(data.clone())), OnceLock::new());
        let (manifest, tenant, memory) = (Arc::new(manifest), tenant.into(), Vec::new());
        Ok(Snapshot { manifest, data, tenant, memory, checks, places, held })
    }

    /// Opens a file of the list, and compares its length and the checksum of its tail.
    pub fn open(&self, path: &str) -> io::Result<Arc<File>> {
        let open = match self.held.get(path) {
            Some(file) => Arc::clone(file),
            None => Arc::new(File::open(self.data.join(path)).inspect_err(|_| self.doubt(path))?),
        };
        if let Some(file) = self.file(path) {
            self.checks.tail(file, &open).map_err(io::Error::other)?;
        }
        Ok(open)
    }

    /// Looks at a file again that could not be read.
    pub fn doubt(&self, path: &str) {
        if let Some(file) = self.file(path) {
            self.checks.doubt(file);
        }
    }

    fn file(&self, path: &str) -> Option<&super::manifest::File> {
        let files = &self.manifest.files;
        let places =
            || files.iter().enumerate().map(|(at, file)| (file.path.clone(), at)).collect::<HashMap<String, usize>>();
        self.places.get_or_init(places).get(path).and_then(|&at| files.get(at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::log::disk::Folder;
    use crate::log::{Encoding, Entry, Kind, LogOptions, recover};
    use crate::superblock::{Content, Superblock};
    use rows::{Options, Proto, Version};
    use std::collections::HashSet;

    /// A request in the log, with one sample.
    fn write(log: &Log, head: &Head) -> u64 {
        let permit = log.reserve(64).unwrap();
        let (tenant, notes, body) = Default::default();
        let (batch, received_ms, inflated_len) = Default::default();
        let encoding = Encoding::None;
        let entry =
            Entry { kind: Kind::V1, encoding, batch, received_ms, inflated_len, options: 0, tenant, notes, body };
        let sequence = log.append(entry, permit, |_| ()).unwrap();
        let mut turn = head.turn(0, "");
        // up 1 at 5 ms
        let body = b"\x0a\x1d\x0a\x0e\x0a\x08__name__\x12\x02up\x12\x0b\x09\0\0\0\0\0\0\xf0\x3f\x10\x05";
        turn.receiver().request(body, Proto::Is(Version::V1)).unwrap();
        turn.keep(sequence);
        sequence
    }

    #[test]
    fn a_row_is_seen_once_on_its_way_to_a_file() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("log")).unwrap();
        let disk = Arc::new(Folder::open(&folder.path().join("log")).unwrap());
        let recovered = recover(&*disk, 7, 0, 0, &mut |_, _| Ok(())).unwrap();
        let root = Arc::new(Folder::open(folder.path()).unwrap());
        let superblock = Superblock::new(root, Content { store: 7, ..Content::default() });
        let log = Log::start(disk, Arc::clone(&superblock), recovered, LogOptions::default()).unwrap();
        let head = Head::new(1, Options::default());
        let manifest = Manifest { store: 7, number: 1, ..Manifest::default() };
        let files = Files::open(folder.path().to_owned(), 1000, manifest, superblock).unwrap();
        let rows = |wanted: &dyn Fn(&str) -> bool| -> usize {
            let store = (&log, &head, &files);
            let snapshot = Snapshot::take(store, "", wanted, |_| Ok::<(), ()>(())).unwrap();
            snapshot.memory.iter().map(|part| part.receiver.store().rows()).sum()
        };
        let last = write(&log, &head);
        log.wait_synced(last + 1).unwrap();
        assert_eq!((rows(&|_| true), rows(&|name| name == "up"), rows(&|name| name == "down")), (1, 1, 0));
        // A request that is not in the log yet, although its rows are here.
        let mut turn = head.turn(0, "");
        let body = b"\x0a\x1d\x0a\x0e\x0a\x08__name__\x12\x02up\x12\x0b\x09\0\0\0\0\0\0\xf0\x3f\x10\x06";
        turn.receiver().request(body, Proto::Is(Version::V1)).unwrap();
        assert_eq!(turn.receiver().store().rows(), 2);
        turn.keep(log.next() + 1000);
        drop(turn);
        assert_eq!(rows(&|_| true), 1);
        // The rows leave the head, come into a file that the manifest names, and are gone then.
        let next = last + 1;
        files.begin_sealing(&head, next);
        assert_eq!(rows(&|_| true), 1);
        write(&log, &head);
        log.wait_synced(log.next()).unwrap();
        files.change(&HashSet::new(), Vec::new(), Some(next)).unwrap();
        assert_eq!(rows(&|_| true), 1);
        let too_large = Snapshot::take((&log, &head, &files), "", &|_| true, Err);
        assert!(too_large.is_err_and(|bytes| bytes > 0));
    }
}
