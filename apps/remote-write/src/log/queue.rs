//! The queue in front of the committer. Sequences are given out here.

use super::format::{Entry, record_len};
use std::collections::VecDeque;
use std::fmt;
use std::sync::{Condvar, Mutex, MutexGuard};
use std::time::Duration;

/// The place of an entry in the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// Its sequence.
    pub sequence: u64,
}

/// The log does not take entries any more: a write or a sync failed, or the log is closed. Whether an entry that got
/// this answer is on the disk is not known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failed(pub String);

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the log does not take entries: {}", self.0)
    }
}

impl std::error::Error for Failed {}

pub(super) type Done = Box<dyn FnOnce(Result<Position, Failed>) + Send>;

/// An entry on its way to the disk.
pub(super) struct Queued {
    pub entry: Entry,
    pub sequence: u64,
    pub done: Done,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<Queued>,
    /// The bytes of all records that wait, and of all permits.
    bytes: usize,
    next: u64,
    failed: Option<Failed>,
    closed: bool,
    /// Whether someone waits for a sync of what is written.
    sync: bool,
}

/// Entries that wait.
pub(super) struct Queue {
    state: Mutex<State>,
    filled: Condvar,
    limit: usize,
}

/// Room for one entry: whoever has it can append without being refused for want of space.
pub struct Permit<'q> {
    queue: &'q Queue,
    bytes: usize,
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        self.queue.lock().bytes -= self.bytes;
    }
}

/// What the committer finds in the queue.
pub(super) enum Next {
    /// Entries, and whether to sync after them.
    Group(Vec<Queued>, bool),
    /// No entries, and someone waits for a sync.
    Sync,
    /// Nothing, for as long as it was willing to wait.
    Idle,
    /// Nothing, and nothing will come.
    Closed,
}

fn bytes_of(entry: &Entry) -> usize {
    record_len(entry.tenant.len() + entry.notes.len() + entry.body.len())
}

impl Queue {
    pub fn new(next: u64, limit: usize) -> Queue {
        Queue { state: Mutex::new(State { next, ..State::default() }), filled: Condvar::new(), limit }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no code panics while it holds the queue")
    }

    /// Asks for room for an entry whose parts have `bytes` bytes together; `None` if the queue is full.
    pub fn reserve(&self, bytes: usize) -> Option<Permit<'_>> {
        let bytes = record_len(bytes);
        let mut state = self.lock();
        // An empty queue takes any entry, however large.
        let fits = state.bytes == 0 || state.bytes.saturating_add(bytes) <= self.limit;
        fits.then(|| {
            state.bytes += bytes;
            Permit { queue: self, bytes }
        })
    }

    /// Adds an entry and returns its sequence.
    pub fn append(&self, entry: Entry, permit: Permit<'_>, done: Done) -> Result<u64, Failed> {
        let mut state = self.lock();
        let failed = state.failed.clone().or(state.closed.then(|| Failed("it is closed".to_owned())));
        if let Some(failed) = failed {
            drop(state);
            done(Err(failed.clone()));
            return Err(failed);
        }
        let sequence = state.next;
        state.next += 1;
        // The permit's bytes go on counting until the committer takes the entry.
        state.bytes += bytes_of(&entry);
        state.waiting.push_back(Queued { entry, sequence, done });
        drop(state);
        drop(permit);
        self.filled.notify_one();
        Ok(sequence)
    }

    /// Returns the next sequence that an entry will get.
    pub fn next(&self) -> u64 {
        self.lock().next
    }

    /// Returns a sequence for a record of the committer's own.
    pub fn take_sequence(&self) -> Option<u64> {
        let mut state = self.lock();
        let free = state.waiting.is_empty();
        free.then(|| {
            state.next += 1;
            state.next - 1
        })
    }

    /// Waits for entries, and takes as many as have `limit` bytes together, at least one.
    pub fn take(&self, limit: usize, idle: Duration) -> Next {
        let mut state = self.lock();
        while state.waiting.is_empty() {
            if std::mem::take(&mut state.sync) {
                return Next::Sync;
            }
            if state.closed {
                return Next::Closed;
            }
            let waited = self.filled.wait_timeout(state, idle);
            let (now, timeout) = waited.expect("no code panics while it holds the queue");
            state = now;
            if timeout.timed_out() && state.waiting.is_empty() && !state.closed && !state.sync {
                return Next::Idle;
            }
        }
        let (mut group, mut bytes) = (Vec::new(), 0);
        while let Some(first) = state.waiting.front() {
            let len = bytes_of(&first.entry);
            if !group.is_empty() && bytes + len > limit {
                break;
            }
            bytes += len;
            group.extend(state.waiting.pop_front());
        }
        state.bytes -= bytes;
        // A sync is for all entries that were there when it was asked for.
        let sync = state.waiting.is_empty() && std::mem::take(&mut state.sync);
        Next::Group(group, sync)
    }

    /// Refuses all entries from now on, and those that wait.
    pub fn fail(&self, failed: &Failed) {
        let mut state = self.lock();
        state.failed.get_or_insert_with(|| failed.clone());
        let waiting: Vec<Queued> = state.waiting.drain(..).collect();
        state.bytes -= waiting.iter().map(|queued| bytes_of(&queued.entry)).sum::<usize>();
        drop(state);
        for queued in waiting {
            (queued.done)(Err(failed.clone()));
        }
    }

    /// Asks the committer to sync all that was appended.
    pub fn ask_sync(&self) {
        self.lock().sync = true;
        self.filled.notify_all();
    }

    /// Returns why the queue takes no entries, if it does not.
    pub fn check(&self) -> Result<(), Failed> {
        self.lock().failed.clone().map_or(Ok(()), Err)
    }

    /// Refuses new entries; those that wait are written.
    pub fn close(&self) {
        self.lock().closed = true;
        self.filled.notify_all();
    }

    /// Returns the bytes of all entries that wait.
    pub fn bytes(&self) -> usize {
        self.lock().bytes
    }
}
