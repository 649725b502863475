//! A disk for tests. A crash loses what was not synced, in part: each sector of 512 bytes that was written since the
//! last sync, and each change of the list of files, may have arrived or not. A sync that fails forgets which sectors it should
//! have written, as Linux does: a later one succeeds without them.

use super::disk::{Disk, DiskFile};
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::sync::{Arc, Mutex, MutexGuard};

pub const SECTOR: usize = 512;

#[derive(Clone, Default)]
struct Content {
    synced: Vec<u8>,
    now: Vec<u8>,
    /// The sectors that a sync writes.
    dirty: BTreeSet<usize>,
}

#[derive(Clone, Default)]
struct State {
    /// Contents by number: a name that was not synced can be lost while its content is there.
    files: Vec<Arc<Mutex<Content>>>,
    names: BTreeMap<String, usize>,
    synced_names: BTreeMap<String, usize>,
    /// The number of writes, syncs and changes of names that still succeed.
    budget: Option<u64>,
    /// Whether the write that fails writes half of its bytes.
    short: bool,
    /// All operations so far.
    operations: u64,
}

/// A folder in memory.
#[derive(Clone, Default)]
pub struct Sim(Arc<Mutex<State>>);

fn full() -> io::Error {
    io::Error::other("no space left")
}

/// A small generator of pseudo-random numbers (xorshift64*).
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) % n
    }
}

impl Sim {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap()
    }

    /// From now on, only this many operations succeed. All later ones fail.
    pub fn fail_after(&self, operations: u64, short: bool) {
        let mut state = self.lock();
        (state.budget, state.short) = (Some(operations), short);
    }

    pub fn operations(&self) -> u64 {
        self.lock().operations
    }

    fn spend(&self) -> io::Result<()> {
        let mut state = self.lock();
        state.operations += 1;
        match &mut state.budget {
            Some(0) => Err(full()),
            Some(left) => {
                *left -= 1;
                Ok(())
            }
            None => Ok(()),
        }
    }

    /// Returns the disk as it could be after a power cut.
    pub fn crash(&self, random: &mut Random) -> Sim {
        let state = self.lock();
        let mut names = state.synced_names.clone();
        for name in state.names.keys().chain(state.synced_names.keys()) {
            if random.below(2) == 0 {
                match state.names.get(name) {
                    Some(&file) => _ = names.insert(name.clone(), file),
                    None => _ = names.remove(name),
                }
            }
        }
        let files = state.files.iter().map(|file| {
            let Content { synced, now, .. } = &*file.lock().unwrap();
            let mut kept = synced.clone();
            // The length arrives or not; sectors that did not arrive are zeros, or what was there.
            if random.below(2) == 0 {
                kept.resize(now.len(), 0);
            }
            for (n, sector) in now.chunks(SECTOR).enumerate() {
                let at = n * SECTOR;
                let end = (at + sector.len()).min(kept.len());
                if at < end && random.below(2) == 0 {
                    kept[at..end].copy_from_slice(&sector[..end - at]);
                }
            }
            Arc::new(Mutex::new(Content { synced: kept.clone(), now: kept, dirty: BTreeSet::new() }))
        });
        let files = files.collect();
        let synced_names = names.clone();
        Sim(Arc::new(Mutex::new(State { files, names, synced_names, ..State::default() })))
    }

    /// Returns a copy whose content is that which a killed process leaves.
    pub fn kill(&self) -> Sim {
        let state = self.lock();
        let files = state.files.iter().map(|file| Arc::new(Mutex::new(file.lock().unwrap().clone()))).collect();
        let (names, synced_names) = (state.names.clone(), state.synced_names.clone());
        Sim(Arc::new(Mutex::new(State { files, names, synced_names, ..State::default() })))
    }

    /// Changes one byte of a file.
    pub fn damage(&self, name: &str, at: usize, change: impl Fn(u8) -> u8) {
        let state = self.lock();
        let mut content = state.files[state.names[name]].lock().unwrap();
        content.now[at] = change(content.now[at]);
        content.synced = content.now.clone();
    }

    pub fn len_of(&self, name: &str) -> usize {
        let state = self.lock();
        state.files[state.names[name]].lock().unwrap().now.len()
    }
}

struct SimFile {
    disk: Sim,
    content: Arc<Mutex<Content>>,
}

impl Disk for Sim {
    fn list(&self) -> io::Result<Vec<String>> {
        Ok(self.lock().names.keys().cloned().collect())
    }

    fn create(&self, name: &str) -> io::Result<Box<dyn DiskFile>> {
        self.spend()?;
        let mut state = self.lock();
        if state.names.contains_key(name) {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        let content = Arc::new(Mutex::new(Content::default()));
        state.files.push(Arc::clone(&content));
        let number = state.files.len() - 1;
        state.names.insert(name.to_owned(), number);
        Ok(Box::new(SimFile { disk: self.clone(), content }))
    }

    fn open(&self, name: &str) -> io::Result<Box<dyn DiskFile>> {
        let state = self.lock();
        let number = *state.names.get(name).ok_or(io::ErrorKind::NotFound)?;
        Ok(Box::new(SimFile { disk: self.clone(), content: Arc::clone(&state.files[number]) }))
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        self.spend()?;
        let mut state = self.lock();
        let number = state.names.remove(from).ok_or(io::ErrorKind::NotFound)?;
        state.names.insert(to.to_owned(), number);
        Ok(())
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        self.spend()?;
        self.lock().names.remove(name).map(drop).ok_or(io::ErrorKind::NotFound.into())
    }

    fn sync(&self) -> io::Result<()> {
        self.spend()?;
        let mut state = self.lock();
        state.synced_names = state.names.clone();
        Ok(())
    }
}

impl DiskFile for SimFile {
    fn len(&self) -> io::Result<u64> {
        Ok(self.content.lock().unwrap().now.len() as u64)
    }

    fn read_at(&self, into: &mut [u8], offset: u64) -> io::Result<()> {
        let content = self.content.lock().unwrap();
        let from = content.now.get(offset as usize..).and_then(|rest| rest.get(..into.len()));
        into.copy_from_slice(from.ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }

    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        let result = self.disk.spend();
        let bytes = match (&result, self.disk.lock().short) {
            (Ok(()), _) => bytes,
            (Err(_), true) => &bytes[..bytes.len() / 2],
            (Err(_), false) => &[],
        };
        let mut content = self.content.lock().unwrap();
        let end = offset as usize + bytes.len();
        if content.now.len() < end {
            content.now.resize(end, 0);
        }
        content.now[offset as usize..end].copy_from_slice(bytes);
        content.dirty.extend(offset as usize / SECTOR..end.div_ceil(SECTOR));
        result
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.disk.spend()?;
        self.content.lock().unwrap().now.resize(len as usize, 0);
        Ok(())
    }

    fn sync_data(&self) -> io::Result<()> {
        let result = self.disk.spend();
        let Content { synced, now, dirty } = &mut *self.content.lock().unwrap();
        let dirty = std::mem::take(dirty);
        result?;
        synced.resize(now.len(), 0);
        for sector in dirty {
            let range = sector * SECTOR..((sector + 1) * SECTOR).min(now.len());
            synced[range.clone()].copy_from_slice(&now[range]);
        }
        Ok(())
    }
}
