//! The superblock: the number of the newest list of files, and how far the log is synced, outside of the list and the log.
//!
//! A store is three things that name each other: the list (`manifest-N`), the log (`log/`), and the files (`data/`). Whatever one
//! of them lost, another one must tell. The log's segments begin where the one before ends, its records say what was synced
//! before them, and the list has length and checksum of each file. Nothing after them names the newest list and the last
//! record, so these stand here, in two copies, `superblock-a` and `superblock-b`.
//!
//! ```text
//! a copy, little endian
//!   0  8  magic and format version           36  4  zero
//!   8 16  store id                           40  8  synced: all records below this are on the disk
//!  24  8  number of the newest list          48 12  zero
//!  32  4  that list's checksum               60  4  crc32c of 0..60
//! ```
//!
//! The order of writing:
//!
//! 1. A commit writes records, syncs the segment, writes copy A, and answers. It syncs no copy: a second sync would cost as
//!    much as the first one. Once a second, and when the log is idle or closed, A is synced, and then B is written and synced.
//! 2. A change of the list writes, syncs and renames `manifest-N`, syncs the folder, and then writes and syncs A, and then B.
//!    Only then older lists, files that left the list, and segments of the log are deleted.
//! 3. A new store has its superblock before its first list.
//!
//! Copy A is synced while B is written, and the other way round, so a crash leaves one of them whole. What it can leave, and what
//! starts: a list that is newer than the superblock; a log that goes on after `synced`; a copy that is older than the other, or
//! not whole. The greater number of two whole copies holds. What only damage leaves, and what is refused with nothing deleted: no
//! list, or an older one, or another one of that number; a log that ends before `synced`; two copies that are missing or not
//! whole, and a list that says that there is a superblock.
//!
//! After a process was killed, copy A is exact, because the system still has what was written. After a power cut, it may be older, by a
//! second at most. So one loss stays unseen: a power cut, after which the disk lacks the last records of the log although it said
//! that they are synced, and they were written in the last second. With `--durability=os` and `interval`, records that were not
//! synced are not in `synced` either.

use crate::log::disk::{Disk, DiskFile};
use crate::store::manifest::Manifest;
use std::fmt;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// The names of the copies.
pub const NAMES: [&str; 2] = ["superblock-a", "superblock-b"];
const LEN: usize = 64;
const MAGIC: [u8; 8] = *b"HPRWSUP\x01";
/// Copy A is synced, and B written, after this much time.
const LAG: Duration = Duration::from_secs(1);

/// What a superblock has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Content {
    /// The store.
    pub store: u128,
    /// The number of its newest list; 0 before the first one.
    pub list: u64,
    /// The checksum of that list.
    pub checksum: u32,
    /// All records of the log below this are on the disk.
    pub synced: u64,
}

impl Content {
    fn encode(&self) -> [u8; LEN] {
        let mut out = [0; LEN];
        out[..8].copy_from_slice(&MAGIC);
        out[8..24].copy_from_slice(&self.store.to_le_bytes());
        out[24..32].copy_from_slice(&self.list.to_le_bytes());
        out[32..36].copy_from_slice(&self.checksum.to_le_bytes());
        out[40..48].copy_from_slice(&self.synced.to_le_bytes());
        let crc = crc32c::crc32c(&out[..60]);
        out[60..].copy_from_slice(&crc.to_le_bytes());
        out
    }

    fn decode(bytes: &[u8; LEN]) -> Option<Content> {
        let part = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"));
        let content = Content {
            store: u128::from(part(16)) << 64 | u128::from(part(8)),
            list: part(24),
            checksum: part(32) as u32,
            synced: part(40),
        };
        (content.encode() == *bytes).then_some(content)
    }
}

/// A copy as a start finds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Copy {
    /// It is whole.
    Whole(Content),
    /// There is no such file.
    Missing,
    /// The file is not a whole copy.
    Damaged,
}

impl Copy {
    fn content(&self) -> Option<Content> {
        match self {
            Copy::Whole(content) => Some(*content),
            Copy::Missing | Copy::Damaged => None,
        }
    }
}

impl fmt::Display for Copy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Copy::Whole(_) => "whole",
            Copy::Missing => "missing",
            Copy::Damaged => "damaged at byte 0",
        })
    }
}

/// Both copies as a start finds them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found(pub [Copy; 2]);

impl Found {
    /// Reads the copies in a folder.
    pub fn read(disk: &dyn Disk) -> io::Result<Found> {
        let copy = |name: &str| -> io::Result<Copy> {
            let file = match disk.open(name) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Copy::Missing),
                file => file?,
            };
            let mut bytes = [0; LEN];
            if file.len()? != LEN as u64 {
                return Ok(Copy::Damaged);
            }
            file.read_at(&mut bytes, 0)?;
            Ok(Content::decode(&bytes).map_or(Copy::Damaged, Copy::Whole))
        };
        Ok(Found([copy(NAMES[0])?, copy(NAMES[1])?]))
    }

    /// Returns what holds, if a copy is whole.
    pub fn content(&self) -> Option<Content> {
        self.content_if(|_| true)
    }

    /// Returns what holds of one store, whatever the copies of others say.
    pub fn content_of(&self, store: u128) -> Option<Content> {
        self.content_if(|content| content.store == store)
    }

    fn content_if(&self, wanted: impl Fn(&Content) -> bool) -> Option<Content> {
        let [a, b] = self.0.map(|copy| copy.content().filter(&wanted));
        let (Some(a), Some(b)) = (a, b) else { return a.or(b) };
        let newest = if b.list > a.list { b } else { a };
        Some(Content { synced: a.synced.max(b.synced), ..newest })
    }

    /// Returns the names of copies that are missing or damaged, and which of the two.
    pub fn faults(&self) -> String {
        let pairs = NAMES.iter().zip(&self.0).filter(|(_, copy)| copy.content().is_none());
        pairs.map(|(name, copy)| format!("{name} is {copy}")).collect::<Vec<_>>().join(", ")
    }

    /// Compares the superblock with the newest list that is there. The error says which file is missing or damaged.
    pub fn check(&self, manifest: Option<&Manifest>) -> Result<(), String> {
        let stores = self.0.iter().filter_map(|copy| copy.content()).map(|content| content.store);
        let stores: Vec<u128> = stores.chain(manifest.map(|manifest| manifest.store)).collect();
        if stores.windows(2).any(|pair| pair[0] != pair[1]) {
            return Err(format!("{}, {} and the list of files belong to different stores", NAMES[0], NAMES[1]));
        }
        let (content, manifest) = match (self.content(), manifest) {
            (Some(content), manifest) => (content, manifest),
            (None, Some(manifest)) if manifest.superblocks => return Err(self.faults()),
            // No store yet, or that of an older server, or a copy.
            (None, Some(_)) => return Ok(()),
            // A crash while the first copy was written leaves it empty.
            (None, None) if self.0.contains(&Copy::Missing) => return Ok(()),
            (None, None) => return Err(self.faults()),
        };
        let missing = || format!("manifest-{} is missing, the newest list of files", content.list);
        match manifest {
            None if content.list == 0 => Ok(()),
            None => Err(missing()),
            Some(manifest) if manifest.number < content.list => {
                Err(format!("{}: manifest-{} is older", missing(), manifest.number))
            }
            Some(manifest) if manifest.number == content.list && manifest.checksum() != content.checksum => {
                Err(format!("manifest-{} is not the list that the superblock names", content.list))
            }
            Some(_) => Ok(()),
        }
    }
}

struct State {
    content: Content,
    /// The files, once something was written.
    copies: Option<[Box<dyn DiskFile>; 2]>,
    /// When B was written, and whether A has changed since.
    flushed: Instant,
    dirty: bool,
}

/// The superblock of a store that is in use.
pub struct Superblock {
    disk: Arc<dyn Disk>,
    state: Mutex<State>,
}

impl Superblock {
    /// Starts with what a store has, and writes nothing before something changes: a start that is refused changes no file.
    pub fn new(disk: Arc<dyn Disk>, content: Content) -> Arc<Superblock> {
        let state = State { content, copies: None, flushed: Instant::now(), dirty: false };
        Arc::new(Superblock { disk, state: Mutex::new(state) })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no code panics while it holds the superblock")
    }

    /// Returns what it says.
    pub fn content(&self) -> Content {
        self.state().content
    }

    /// Writes copies that are not there, or say something else.
    pub fn write(&self) -> io::Result<()> {
        let mut state = self.state();
        if state.copies.is_some() {
            return Ok(());
        }
        let (there, bytes) = (self.disk.list()?, state.content.encode());
        let open = |name: &str| -> io::Result<Box<dyn DiskFile>> {
            let known = there.iter().any(|known| known == name);
            let file = if known { self.disk.open(name)? } else { self.disk.create(name)? };
            let mut old = [0; LEN];
            // A whole copy that says the same is not touched while the other one is written.
            if file.len()? != LEN as u64 || file.read_at(&mut old, 0).is_err() || old != bytes {
                file.set_len(LEN as u64)?;
                file.write_at(&bytes, 0)?;
            }
            file.sync_data()?;
            self.disk.sync()?;
            Ok(file)
        };
        state.copies = Some([open(NAMES[0])?, open(NAMES[1])?]);
        (state.dirty, state.flushed) = (false, Instant::now());
        Ok(())
    }

    /// Notes that all records below a sequence are on the disk. Copy B follows later.
    pub fn set_synced(&self, below: u64) -> io::Result<()> {
        self.write()?;
        let mut state = self.state();
        if below > state.content.synced {
            state.content.synced = below;
            state.write_first()?;
        }
        if state.dirty && state.flushed.elapsed() >= LAG { state.write_second() } else { Ok(()) }
    }

    /// Notes the newest list, which is on the disk. Returns when both copies are.
    pub fn set_list(&self, manifest: &Manifest) -> io::Result<()> {
        self.write()?;
        let mut state = self.state();
        (state.content.list, state.content.checksum) = (manifest.number, manifest.checksum());
        state.write_first()?;
        state.write_second()
    }

    /// Has both copies on the disk.
    pub fn flush(&self) -> io::Result<()> {
        let mut state = self.state();
        if state.dirty { state.write_second() } else { Ok(()) }
    }
}

impl State {
    fn copy(&self, at: usize) -> &dyn DiskFile {
        &*self.copies.as_ref().expect("written before")[at]
    }

    fn write_first(&mut self) -> io::Result<()> {
        self.dirty = true;
        self.copy(0).write_at(&self.content.encode(), 0)
    }

    /// Syncs A, and then writes B. Nobody changes A before B is on the disk.
    fn write_second(&mut self) -> io::Result<()> {
        self.copy(0).sync_data()?;
        self.copy(1).write_at(&self.content.encode(), 0)?;
        self.copy(1).sync_data()?;
        (self.dirty, self.flushed) = (false, Instant::now());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::log::disk::Folder;

    fn manifest(number: u64, low: u64) -> Manifest {
        Manifest { store: 7, number, low, superblocks: true, ..Manifest::default() }
    }

    fn naming(manifest: &Manifest, synced: u64) -> Copy {
        let (store, list, checksum) = (manifest.store, manifest.number, manifest.checksum());
        Copy::Whole(Content { store, list, checksum, synced })
    }

    /// What a crash leaves starts; what only damage leaves is refused.
    #[test]
    fn list_and_superblock_agree_or_a_start_is_refused() {
        let (old, list, new) = (manifest(4, 10), manifest(5, 20), manifest(6, 30));
        let none = Content { store: 7, ..Content::default() };
        let starts = [
            // A new store, at each step.
            (Copy::Missing, Copy::Missing, None),
            (Copy::Damaged, Copy::Missing, None),
            (Copy::Whole(none), Copy::Missing, None),
            (Copy::Whole(none), Copy::Damaged, None),
            (Copy::Whole(none), Copy::Whole(none), None),
            (Copy::Whole(none), Copy::Whole(none), Some(&list)),
            // A change of the list, at each step.
            (naming(&list, 25), naming(&list, 20), Some(&list)),
            (naming(&list, 25), naming(&list, 20), Some(&new)),
            (Copy::Damaged, naming(&list, 20), Some(&new)),
            (naming(&new, 25), naming(&list, 20), Some(&new)),
            (naming(&new, 25), Copy::Damaged, Some(&new)),
            (naming(&list, 20), naming(&new, 25), Some(&new)),
        ];
        for (a, b, manifest) in starts {
            assert_eq!(Found([a, b]).check(manifest), Ok(()), "{a:?} {b:?} {manifest:?}");
        }
        assert_eq!(Found([naming(&new, 25), naming(&list, 28)]).content().map(|c| (c.list, c.synced)), Some((6, 28)));
        let (fork, foreign) = (manifest(5, 21), Manifest { store: 8, ..manifest(5, 20) });
        let refused = [
            (naming(&list, 25), naming(&list, 20), None, "manifest-5 is missing"),
            (
                naming(&list, 25),
                naming(&list, 20),
                Some(&old),
                "manifest-5 is missing, the newest list of files: manifest-4",
            ),
            (Copy::Missing, naming(&list, 20), Some(&old), "manifest-5 is missing"),
            (naming(&list, 25), Copy::Damaged, Some(&old), "manifest-5 is missing"),
            (naming(&list, 25), naming(&list, 20), Some(&fork), "manifest-5 is not the list"),
            (Copy::Missing, Copy::Damaged, Some(&list), "superblock-a is missing, superblock-b is damaged"),
            (Copy::Damaged, Copy::Damaged, None, "superblock-a is damaged"),
            (naming(&list, 25), naming(&list, 20), Some(&foreign), "different stores"),
            (naming(&foreign, 25), naming(&list, 20), Some(&list), "different stores"),
        ];
        for (a, b, manifest, why) in refused {
            let said = Found([a, b]).check(manifest).unwrap_err();
            assert!(said.contains(why), "{a:?} {b:?} {manifest:?}: {said}");
        }
    }

    #[test]
    fn a_copy_is_whole_or_not() {
        let folder = tempfile::tempdir().unwrap();
        let disk: Arc<dyn Disk> = Arc::new(Folder::open(folder.path()).unwrap());
        let content = Content { store: 5 << 70 | 3, list: 9, checksum: u32::MAX, synced: 1 << 40 };
        let superblock = Superblock::new(Arc::clone(&disk), content);
        assert_eq!(Found::read(&*disk).unwrap(), Found([Copy::Missing; 2]));
        superblock.write().unwrap();
        superblock.set_synced(7).unwrap();
        assert_eq!(Found::read(&*disk).unwrap(), Found([Copy::Whole(content); 2]));
        superblock.set_synced((1 << 40) + 1).unwrap();
        let later = Content { synced: (1 << 40) + 1, ..content };
        assert_eq!(Found::read(&*disk).unwrap(), Found([Copy::Whole(later), Copy::Whole(content)]));
        superblock.flush().unwrap();
        assert_eq!(Found::read(&*disk).unwrap(), Found([Copy::Whole(later); 2]));
        let path = folder.path().join(NAMES[1]);
        let whole = std::fs::read(&path).unwrap();
        for at in 0..whole.len() * 8 {
            let mut bytes = whole.clone();
            bytes[at / 8] ^= 1 << (at % 8);
            std::fs::write(&path, bytes).unwrap();
            assert_eq!(Found::read(&*disk).unwrap().0[1], Copy::Damaged, "bit {at}");
        }
        for len in 0..whole.len() {
            std::fs::write(&path, &whole[..len]).unwrap();
            assert_eq!(Found::read(&*disk).unwrap().0[1], Copy::Damaged, "{len} bytes");
        }
    }
}
