//! The rows in memory.
//!
//! Each worker has a slot with receivers of its own, one for each tenant, so that workers do not wait for each other. Sealing swaps all
//! receivers at one sequence: the gate keeps workers out meanwhile, which takes microseconds. A receiver that was sealed
//! is used again, because it knows the series.

use super::gather::{Kind, Part};
use crate::shares::Shares;
use rows::{Options, Receiver, Store};
use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, RwLock, RwLockReadGuard};
use std::time::Duration;

/// The rows of one tenant, from all workers.
pub type Parts = BTreeMap<Box<str>, Vec<Part>>;

/// Returns about how many bytes the rows of some metrics take.
pub fn row_bytes(store: &Store, wanted: &dyn Fn(&str) -> bool) -> usize {
    let tables = store.tables().iter().filter(|table| wanted(store.dictionary().get(table.metric())));
    tables.map(|table| table.samples.len() * 32 + table.histograms.len() * 512 + table.exemplars.len() * 256).sum()
}

/// Returns about how many bytes a copy of the rows of some metrics takes, with the texts of their series.
pub fn copy_bytes(store: &Store, wanted: &dyn Fn(&str) -> bool) -> usize {
    let (words, sets) = (store.dictionary(), store.label_sets());
    let (mut counted_sets, mut counted_words) = (vec![false; sets.len()], vec![false; words.len()]);
    let mut bytes = row_bytes(store, wanted);
    for table in store.tables().iter().filter(|table| wanted(words.get(table.metric()))) {
        for set in Kind::ALL.into_iter().flat_map(|kind| kind.columns(table).0) {
            if std::mem::replace(&mut counted_sets[*set as usize], true) {
                continue;
            }
            for &(name, value) in sets.get(*set) {
                bytes += size_of::<(u32, u32)>();
                for word in [name, value] {
                    if !std::mem::replace(&mut counted_words[word as usize], true) {
                        bytes += words.get(word).len() + WORD_BYTES;
                    }
                }
            }
        }
    }
    bytes
}

/// What a word takes beside its text.
const WORD_BYTES: usize = 16;

/// A tenant's receiver is dropped if it had no rows at so many sealings in succession.
const IDLE_SEALS: u32 = 8;

/// The receiver of one worker for one tenant.
struct Held {
    part: Part,
    /// The receiver that was sealed last, without rows.
    spare: Option<Receiver>,
    /// The sealings since the last row.
    idle: u32,
    /// The bytes of texts that are with its rows.
    texts: usize,
}

/// What a request may take, as a multiple of its body: new labels are kept as words and twice as they came.
const BODY_FACTOR: usize = 4;
/// About how many bytes a sample takes, or another value of a row, in lists that grow.
const VALUE_BYTES: usize = 40;

impl Held {
    /// Returns about how many bytes the rows take, and what is known of their series, in lists that grow.
    fn bytes(&self) -> usize {
        let store = self.part.receiver.store();
        store.series_bytes() / 2 * 3 + store.rows() * VALUE_BYTES + self.texts
    }
}

/// The receivers of one worker.
#[derive(Default)]
struct Slot {
    tenants: HashMap<Box<str>, Held>,
    /// The bytes that they hold for recognising series again.
    series_bytes: usize,
}

/// All rows that are not in files.
pub struct Head {
    slots: Vec<Mutex<Slot>>,
    gate: RwLock<()>,
    options: Options,
    /// The bytes that rows may take, with what is known of their series.
    limit: usize,
    /// The bytes that they take: those that come, and those that were taken out and are not in files yet.
    bytes: AtomicUsize,
    sealing_bytes: AtomicUsize,
    /// The bytes that requests may need that are being read.
    reserved: AtomicUsize,
    /// The bytes of what a worker still knows of series when rows have gone to files.
    known: usize,
    /// Whether a worker knows as much of series as it may.
    full: AtomicBool,
    rows: AtomicU64,
    /// Rows that were taken out and are not in files yet.
    sealing: AtomicU64,
    /// When the oldest row came, by [`crate::clock::steady_ms`]; 0 without rows.
    oldest_ms: AtomicU64,
}

/// A worker's access to its receiver of a tenant. While it lives, nothing is sealed.
pub struct Turn<'h> {
    slot: MutexGuard<'h, Slot>,
    tenant: &'h str,
    /// What the receiver held for recognising series before, and the bytes of that and of rows.
    series_bytes: usize,
    bytes: usize,
    head: &'h Head,
    _gate: RwLockReadGuard<'h, ()>,
}

/// Room for the rows of one request.
pub struct Room<'h> {
    head: &'h Head,
    bytes: usize,
}

impl Drop for Room<'_> {
    fn drop(&mut self) {
        self.head.reserved.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

impl Turn<'_> {
    fn part(&mut self) -> &mut Part {
        &mut self.slot.tenants.get_mut(self.tenant).expect("inserted when the turn began").part
    }

    /// Returns the receiver.
    pub fn receiver(&mut self) -> &mut Receiver {
        &mut self.part().receiver
    }

    /// Limits the series of the tenant; all tenants of a worker share the bytes for recognising series.
    pub fn limit_series(&mut self, series: usize) {
        let others = self.slot.series_bytes - self.series_bytes;
        let bytes = self.head.options.max_series_bytes.saturating_sub(others);
        self.receiver().limit_series(series, bytes);
    }

    /// Counts the rows of the receiver's last request, before anyone hears that they are written.
    pub fn count(&self, rows: u64, steady_ms: u64) {
        self.head.rows.fetch_add(rows, Ordering::Relaxed);
        _ = self.head.oldest_ms.compare_exchange(0, steady_ms, Ordering::Relaxed, Ordering::Relaxed);
    }

    /// Adds the bytes of texts that are with the rows of that request.
    pub fn add_bytes(&mut self, bytes: usize) {
        self.slot.tenants.get_mut(self.tenant).expect("inserted when the turn began").texts += bytes;
    }

    /// Records the sequence of that request, whose rows stay.
    pub fn keep(&mut self, sequence: u64) {
        let part = self.part();
        let number = part.receiver.request_number();
        part.sequences.push((number, sequence));
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let part = self.part();
        // A request that needed too much was refused, and nothing else would make the receiver forget it.
        if part.sequences.is_empty() && part.receiver.store().rows() == 0 && part.receiver.is_full() {
            part.receiver.clear_rows();
        }
        let after = part.receiver.store().series_bytes();
        let bytes = self.slot.tenants[self.tenant].bytes();
        self.slot.series_bytes = self.slot.series_bytes - self.series_bytes + after;
        // Nobody seals meanwhile, so that the sum stays that of all receivers.
        self.head.bytes.fetch_add(bytes.wrapping_sub(self.bytes), Ordering::Relaxed);
        if self.slot.series_bytes > self.head.options.max_series_bytes {
            self.head.full.store(true, Ordering::Relaxed);
        }
    }
}

impl Head {
    /// Creates a head for some workers.
    pub fn new(workers: usize, options: Options) -> Head {
        Head {
            slots: (0..workers).map(|_| Mutex::default()).collect(),
            gate: RwLock::new(()),
            rows: AtomicU64::new(0),
            sealing: AtomicU64::new(0),
            oldest_ms: AtomicU64::new(0),
            limit: usize::MAX,
            bytes: AtomicUsize::new(0),
            sealing_bytes: AtomicUsize::new(0),
            reserved: AtomicUsize::new(0),
            known: usize::MAX,
            full: AtomicBool::new(false),
            options,
        }
    }

    /// Limits the bytes of rows, with what is known of their series.
    pub fn within(mut self, shares: &Shares) -> Head {
        (self.limit, self.known) = (shares.rows, shares.known);
        self
    }

    /// Returns whether rows should go to files now, because they take much memory.
    pub fn is_full(&self) -> bool {
        self.full.load(Ordering::Relaxed) || self.bytes.load(Ordering::Relaxed) > self.limit / 2
    }

    /// Takes room for the rows of a request whose body has this length; nothing if there is none until others are in files. A
    /// request that is alone always has room.
    pub fn room(&self, body: usize) -> Option<Room<'_>> {
        let bytes = body.saturating_mul(BODY_FACTOR);
        let others = self.reserved.fetch_add(bytes, Ordering::Relaxed);
        let room = Room { head: self, bytes };
        let held = self.bytes.load(Ordering::Relaxed).saturating_add(self.sealing_bytes.load(Ordering::Relaxed));
        let all = held.saturating_add(others).saturating_add(bytes);
        if all > self.limit && (others > 0 || self.rows_in_memory() > 0) {
            self.full.store(true, Ordering::Relaxed);
            return None;
        }
        Some(room)
    }

    /// Returns a worker's receiver of a tenant.
    pub fn turn<'h>(&'h self, worker: usize, tenant: &'h str) -> Turn<'h> {
        let gate = self.gate.read().expect("no code panics while it holds the gate");
        // A worker that panicked left its receiver in an unknown state, so the process ends then.
        let mut slot = self.slots[worker].lock().expect("no worker panicked");
        if !slot.tenants.contains_key(tenant) {
            let part = Part { receiver: Receiver::new(self.options.clone()), sequences: Vec::new(), worker };
            // Also a new one has tables.
            slot.series_bytes += part.receiver.store().series_bytes();
            let held = Held { part, spare: None, idle: 0, texts: 0 };
            self.bytes.fetch_add(held.bytes(), Ordering::Relaxed);
            slot.tenants.insert(tenant.into(), held);
        }
        let held = &slot.tenants[tenant];
        let (series_bytes, bytes) = (held.part.receiver.store().series_bytes(), held.bytes());
        Turn { slot, tenant, series_bytes, bytes, head: self, _gate: gate }
    }

    /// Returns the number of rows.
    pub fn rows(&self) -> u64 {
        self.rows.load(Ordering::Relaxed)
    }

    /// Returns the number of rows in memory: these, and those that are being written to files.
    pub fn rows_in_memory(&self) -> u64 {
        self.rows() + self.sealing.load(Ordering::Relaxed)
    }

    /// Returns for how long the oldest row has been here.
    pub fn age(&self, steady_ms: u64) -> Duration {
        match self.oldest_ms.load(Ordering::Relaxed) {
            0 => Duration::ZERO,
            since => Duration::from_millis(steady_ms.saturating_sub(since)),
        }
    }

    /// Calls `visit` with every receiver and the tenant whose it is. Workers wait meanwhile.
    pub fn each(&self, mut visit: impl FnMut(&str, &Receiver)) {
        for slot in &self.slots {
            let slot = slot.lock().expect("no worker panicked");
            for (tenant, held) in &slot.tenants {
                visit(tenant, &held.part.receiver);
            }
        }
    }

    /// Keeps all rows where they are until the guard is dropped.
    pub(super) fn hold(&self) -> RwLockReadGuard<'_, ()> {
        self.gate.read().expect("no code panics while it holds the gate")
    }

    /// Calls `visit` with the receivers of a tenant, one after the other. The worker of that receiver waits meanwhile.
    pub(super) fn each_part<E>(&self, tenant: &str, mut visit: impl FnMut(&Part) -> Result<(), E>) -> Result<(), E> {
        for slot in &self.slots {
            let slot = slot.lock().expect("no worker panicked");
            if let Some(held) = slot.tenants.get(tenant) {
                visit(&held.part)?;
            }
        }
        Ok(())
    }

    /// Takes all rows out, and hands them to `keep` with the sequence that the log would give out next at that moment: all
    /// requests below it are in these rows or in earlier ones. The gate is closed until `keep` returns.
    pub(super) fn take<T>(&self, next: impl FnOnce() -> u64, keep: impl FnOnce(Parts, u64) -> T) -> T {
        let _gate = self.gate.write().expect("no code panics while it holds the gate");
        let next = next();
        let (mut parts, mut bytes) = (Parts::new(), 0);
        for (worker, slot) in self.slots.iter().enumerate() {
            let mut slot = slot.lock().expect("no worker panicked");
            slot.tenants.retain(|tenant, held| {
                if held.part.sequences.is_empty() {
                    held.idle += 1;
                } else {
                    held.idle = 0;
                    let receiver = held.spare.take().unwrap_or_else(|| Receiver::new(self.options.clone()));
                    let new = Part { receiver, sequences: Vec::new(), worker };
                    let old = std::mem::replace(&mut held.part, new);
                    held.texts = 0;
                    parts.entry(tenant.clone()).or_default().push(old);
                }
                held.idle < IDLE_SEALS
            });
            slot.series_bytes = slot.tenants.values().map(|held| held.part.receiver.store().series_bytes()).sum();
            bytes += slot.tenants.values().map(Held::bytes).sum::<usize>();
        }
        self.full.store(false, Ordering::Relaxed);
        let before = self.bytes.swap(bytes, Ordering::Relaxed);
        self.sealing_bytes.store(before.saturating_sub(bytes), Ordering::Relaxed);
        self.sealing.store(self.rows.swap(0, Ordering::Relaxed), Ordering::Relaxed);
        self.oldest_ms.store(0, Ordering::Relaxed);
        keep(parts, next)
    }

    /// Takes back the receivers of sealed rows.
    pub(super) fn give_back(&self, parts: Parts) {
        self.sealing.store(0, Ordering::Relaxed);
        let mut known = vec![0; self.slots.len()];
        for (tenant, parts) in parts {
            for mut part in parts {
                part.receiver.clear_rows();
                // What takes too much, for all tenants of a worker, is forgotten.
                let bytes = part.receiver.store().series_bytes();
                if known[part.worker] + bytes > self.known {
                    continue;
                }
                known[part.worker] += bytes;
                let mut slot = self.slots[part.worker].lock().expect("no worker panicked");
                if let Some(held) = slot.tenants.get_mut(&tenant) {
                    held.spare = Some(part.receiver);
                }
            }
        }
        self.sealing_bytes.store(0, Ordering::Relaxed);
    }
}
