//! The committer: the one thread that writes.

use super::disk::{Disk, DiskFile};
use super::format::{Entry, HEADER, Kind, SegmentHeader, encode_record, record_len};
use super::queue::{Done, Failed, Next, Permit, Position, Queue, Queued};
use super::recover::{Recovered, Segment};
use super::tail::Tail;
use crate::superblock::Superblock;
use std::collections::VecDeque;
use std::io;
use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// When an entry counts as written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Durability {
    /// After `fdatasync`: neither a killed process nor a power cut loses it.
    #[default]
    Sync,
    /// After `write`; the log syncs this often. A killed process loses nothing, a power cut at most this long.
    Interval(Duration),
    /// After `write`; the operating system decides when to sync. This is Prometheus' promise.
    Os,
}

/// The options of a log.
#[derive(Clone, Copy, Debug)]
pub struct LogOptions {
    /// When an entry counts as written.
    pub durability: Durability,
    /// A segment is full at this length.
    pub segment_bytes: u64,
    /// Entries that wait may have this many bytes together.
    pub queue_bytes: usize,
    /// The bytes that one write may have, if it has more than one entry.
    pub group_bytes: usize,
    /// The log writes a mark after this much time without entries.
    pub idle: Duration,
}

impl Default for LogOptions {
    fn default() -> LogOptions {
        LogOptions {
            durability: Durability::Sync,
            segment_bytes: 128 << 20,
            queue_bytes: 64 << 20,
            group_bytes: 8 << 20,
            idle: Duration::from_millis(100),
        }
    }
}

/// What the committer reports.
#[derive(Default)]
struct Progress {
    /// All sequences below these are written, and synced.
    written: AtomicU64,
    synced: AtomicU64,
    groups: AtomicU64,
    bytes: AtomicU64,
    sync_micros: AtomicU64,
    observer: OnceLock<Box<dyn Fn(Duration, u64) + Send + Sync>>,
}

/// Counters of a log, since its start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LogStats {
    /// The number of writes.
    pub groups: u64,
    /// The bytes written.
    pub bytes: u64,
    /// The time in `fdatasync`, in microseconds.
    pub sync_micros: u64,
    /// The bytes that wait.
    pub queued: u64,
}

/// A log that takes entries.
pub struct Log {
    queue: Arc<Queue>,
    progress: Arc<Progress>,
    segments: Arc<Mutex<VecDeque<Segment>>>,
    disk: Arc<dyn Disk>,
    durability: Durability,
    /// Segments with this record, or a later one, stay.
    held: AtomicU64,
    /// Whether it refuses new entries for now.
    paused: AtomicBool,
    thread: Option<JoinHandle<()>>,
}

impl Log {
    /// Goes on with a log that was recovered, in a new segment.
    pub fn start(
        disk: Arc<dyn Disk>,
        superblock: Arc<Superblock>,
        recovered: Recovered,
        options: LogOptions,
    ) -> io::Result<Log> {
        let (next, store) = (recovered.next, superblock.content().store);
        let queue = Arc::new(Queue::new(next, options.queue_bytes));
        let (progress, durability) = (Arc::new(Progress::default()), options.durability);
        progress.written.store(next, Ordering::Relaxed);
        progress.synced.store(next, Ordering::Relaxed);
        let segments = Arc::new(Mutex::new(VecDeque::from(recovered.segments)));
        let mut writer = Writer {
            disk: Arc::clone(&disk),
            segments: Arc::clone(&segments),
            progress: Arc::clone(&progress),
            superblock,
            store,
            options,
            file: None,
            salt: 0,
            len: 0,
            buffer: Vec::new(),
            last_sync: Instant::now(),
        };
        writer.new_segment(next)?;
        // Whoever recovered the log synced it.
        writer.superblock.set_synced(next)?;
        writer.superblock.flush()?;
        let for_thread = Arc::clone(&queue);
        let thread = crate::threads::needed("log", move || commit(writer, &for_thread))?;
        Ok(Log {
            queue,
            progress,
            segments,
            disk,
            durability,
            held: AtomicU64::new(u64::MAX),
            paused: AtomicBool::new(false),
            thread: Some(thread),
        })
    }

    /// Asks for room for an entry with this many bytes; `None` if too many wait, or if the log is paused.
    pub fn reserve(&self, bytes: usize) -> Option<Permit<'_>> {
        if self.paused.load(Ordering::Relaxed) { None } else { self.queue.reserve(bytes) }
    }

    /// Refuses new entries, or accepts them again. Those that have room are written.
    pub fn pause(&self, paused: bool) {
        self.paused.store(paused, Ordering::Relaxed);
    }

    /// Reads the log from a record on. [`Log::hold`] keeps what the reader has not read.
    pub fn tail(&self, next: u64) -> Tail {
        Tail::new(Arc::clone(&self.disk), Arc::clone(&self.segments), next)
    }

    /// Keeps the segments with this record and later ones: [`Log::cut`] does not delete them.
    pub fn hold(&self, sequence: u64) {
        self.held.store(sequence, Ordering::Relaxed);
    }

    /// Returns the segments with a record and later ones, and the length of each in bytes.
    pub fn lengths_from(&self, sequence: u64) -> io::Result<Vec<(Segment, u64)>> {
        let segments = self.segments.lock().expect("no code panics while it holds the list").clone();
        let after = segments.partition_point(|segment| segment.first <= sequence);
        let length = |segment: Segment| Ok((segment.clone(), self.disk.open(&segment.name)?.len()?));
        segments.into_iter().skip(after.saturating_sub(1)).map(length).collect()
    }

    /// Appends an entry and returns its sequence. The committer calls `done` when the entry is written, as the option
    /// `durability` defines it. After a failure nothing is written any more.
    pub fn append(
        &self,
        entry: Entry,
        permit: Permit<'_>,
        done: impl FnOnce(Result<Position, Failed>) + Send + 'static,
    ) -> Result<u64, Failed> {
        self.queue.append(entry, permit, Box::new(done))
    }

    /// Returns the next sequence that an entry will get.
    pub fn next(&self) -> u64 {
        self.queue.next()
    }

    /// Returns the sequence below which all records are on the disk.
    pub fn synced(&self) -> u64 {
        self.progress.synced.load(Ordering::Acquire)
    }

    /// Returns the sequence below which all records are written.
    pub fn written(&self) -> u64 {
        self.progress.written.load(Ordering::Acquire)
    }

    /// Returns the sequence below which all entries count as written, as the option `durability` defines it. When `done` was
    /// called for an entry, its sequence is below.
    pub fn answered(&self) -> u64 {
        match self.durability {
            Durability::Sync => self.synced(),
            Durability::Interval(_) | Durability::Os => self.written(),
        }
    }

    /// Waits until all records below a sequence are on the disk, and has them synced if nothing else does.
    pub fn wait_synced(&self, below: u64) -> Result<(), Failed> {
        self.queue.ask_sync();
        while self.synced() < below {
            self.queue.check()?;
            std::thread::sleep(Duration::from_millis(1));
        }
        Ok(())
    }

    /// Returns why the log takes no entries any more, if it does not.
    pub fn check(&self) -> Result<(), Failed> {
        self.queue.check()
    }

    /// Returns the counters.
    pub fn stats(&self) -> LogStats {
        LogStats {
            groups: self.progress.groups.load(Ordering::Relaxed),
            bytes: self.progress.bytes.load(Ordering::Relaxed),
            sync_micros: self.progress.sync_micros.load(Ordering::Relaxed),
            queued: self.queue.bytes() as u64,
        }
    }

    /// Calls `observer` after each sync, with the time that it took and the number of records since the last one.
    pub fn observe_syncs(&self, observer: impl Fn(Duration, u64) + Send + Sync + 'static) {
        _ = self.progress.observer.set(Box::new(observer));
    }

    /// Deletes segments whose records are all below a sequence, and were all answered by a time that is not in `kept`, in
    /// milliseconds since the epoch. The newest stays, and so do those that are held.
    pub fn cut(&self, below: u64, kept: RangeInclusive<i64>) -> io::Result<()> {
        let below = below.min(self.held.load(Ordering::Relaxed));
        let mut segments = self.segments.lock().expect("no code panics while it holds the list");
        let mut removed = false;
        while segments.len() > 1 && segments[1].first <= below && !kept.contains(&segments[1].created_ms) {
            self.disk.remove(&segments[0].name)?;
            segments.pop_front();
            removed = true;
        }
        drop(segments);
        if removed { self.disk.sync() } else { Ok(()) }
    }

    /// Writes what waits, and a record that says that the log was closed.
    pub fn close(mut self) {
        self.stop();
    }

    fn stop(&mut self) {
        self.queue.close();
        if let Some(thread) = self.thread.take() {
            _ = thread.join();
        }
    }
}

impl Drop for Log {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Writes groups until the queue is closed. An error of a write or a sync is final: what the disk has then is not known,
/// and a second sync can succeed without the data.
fn commit(mut writer: Writer, queue: &Queue) {
    let mut marked = false;
    loop {
        let result = match queue.take(writer.options.group_bytes, writer.options.idle) {
            Next::Group(group, sync) => {
                marked = false;
                let (records, callbacks): (Vec<_>, Vec<_>) = group.into_iter().map(split).unzip();
                let result = writer.write(&records).and_then(|()| if sync { writer.sync() } else { Ok(()) });
                let failed = result.as_ref().err().map(|error| Failed(error.to_string()));
                for (position, done) in callbacks {
                    done(failed.clone().map_or(Ok(position), Err));
                }
                result
            }
            Next::Sync => writer.sync(),
            Next::Idle if marked => writer.sync_if_due(),
            Next::Idle => {
                marked = true;
                let marked = writer.own(queue, Kind::Mark).and_then(|()| writer.sync_if_due());
                marked.and_then(|()| writer.superblock.flush())
            }
            Next::Closed => {
                let closed = writer.own(queue, Kind::Close).and_then(|()| writer.sync());
                let closed = closed.and_then(|()| writer.superblock.flush());
                if let Err(error) = closed {
                    queue.fail(&Failed(error.to_string()));
                }
                return;
            }
        };
        if let Err(error) = result {
            queue.fail(&Failed(error.to_string()));
            return;
        }
    }
}

fn split(queued: Queued) -> ((Entry, u64), (Position, Done)) {
    let Queued { entry, sequence, done } = queued;
    ((entry, sequence), (Position { sequence }, done))
}

struct Writer {
    disk: Arc<dyn Disk>,
    segments: Arc<Mutex<VecDeque<Segment>>>,
    progress: Arc<Progress>,
    superblock: Arc<Superblock>,
    store: u128,
    options: LogOptions,
    file: Option<Box<dyn DiskFile>>,
    salt: u64,
    len: u64,
    buffer: Vec<u8>,
    last_sync: Instant,
}

impl Writer {
    /// Begins a segment. Its header and its name are durable before a record is written.
    fn new_segment(&mut self, first: u64) -> io::Result<()> {
        if self.file.is_some() {
            self.sync()?;
        }
        let name = Segment::name_of(first);
        let header = SegmentHeader { first, salt: random(), created_ms: crate::clock::now_ms(), store: self.store };
        let file = self.disk.create(&name)?;
        file.write_at(&header.encode(), 0)?;
        file.sync_data()?;
        self.disk.sync()?;
        self.segments.lock().expect("no code panics while it holds the list").push_back(Segment {
            name,
            first,
            created_ms: header.created_ms,
        });
        (self.file, self.salt, self.len) = (Some(file), header.salt, HEADER as u64);
        Ok(())
    }

    /// Writes records and syncs them, as the option `durability` says.
    fn write(&mut self, records: &[(Entry, u64)]) -> io::Result<()> {
        let Some((first, last)) = records.first().zip(records.last()).map(|(a, b)| (a.1, b.1)) else { return Ok(()) };
        let bytes: usize = records.iter().map(|(e, _)| record_len(e.tenant.len() + e.notes.len() + e.body.len())).sum();
        if self.len > HEADER as u64 && self.len + bytes as u64 > self.options.segment_bytes {
            self.new_segment(first)?;
        }
        let durable = self.progress.synced.load(Ordering::Relaxed);
        self.buffer.clear();
        for (entry, sequence) in records {
            encode_record(entry, *sequence, durable, self.salt, &mut self.buffer);
        }
        let file = self.file.as_ref().expect("a started log has a segment");
        file.write_at(&self.buffer, self.len)?;
        self.len += self.buffer.len() as u64;
        self.progress.written.store(last + 1, Ordering::Release);
        self.progress.groups.fetch_add(1, Ordering::Relaxed);
        self.progress.bytes.fetch_add(self.buffer.len() as u64, Ordering::Relaxed);
        self.buffer.shrink_to(self.options.group_bytes);
        match self.options.durability {
            Durability::Sync => self.sync(),
            Durability::Interval(every) if self.last_sync.elapsed() >= every => self.sync(),
            Durability::Interval(_) | Durability::Os => Ok(()),
        }
    }

    fn sync(&mut self) -> io::Result<()> {
        let start = Instant::now();
        self.file.as_ref().expect("a started log has a segment").sync_data()?;
        self.last_sync = Instant::now();
        let written = self.progress.written.load(Ordering::Relaxed);
        if let Some(observer) = self.progress.observer.get() {
            observer(start.elapsed(), written - self.progress.synced.load(Ordering::Relaxed));
        }
        self.progress.sync_micros.fetch_add(start.elapsed().as_micros() as u64, Ordering::Relaxed);
        self.superblock.set_synced(written)?;
        self.progress.synced.store(written, Ordering::Release);
        Ok(())
    }

    /// Syncs what was written some time ago.
    fn sync_if_due(&mut self) -> io::Result<()> {
        let unsynced = self.progress.synced.load(Ordering::Relaxed) < self.progress.written.load(Ordering::Relaxed);
        match self.options.durability {
            Durability::Interval(every) if unsynced && self.last_sync.elapsed() >= every => self.sync(),
            _ => Ok(()),
        }
    }

    /// Writes a record without content, and does not sync it: losing it does no harm.
    fn own(&mut self, queue: &Queue, kind: Kind) -> io::Result<()> {
        let Some(sequence) = queue.take_sequence() else { return Ok(()) };
        let entry = Entry::without_content(kind);
        let durable = self.progress.synced.load(Ordering::Relaxed);
        self.buffer.clear();
        encode_record(&entry, sequence, durable, self.salt, &mut self.buffer);
        self.file.as_ref().expect("a started log has a segment").write_at(&self.buffer, self.len)?;
        self.len += self.buffer.len() as u64;
        self.progress.written.store(sequence + 1, Ordering::Release);
        Ok(())
    }
}

/// Returns a random number from the operating system, by way of the standard library's keys of hash maps.
pub(crate) fn random() -> u64 {
    use std::hash::{BuildHasher, RandomState};
    RandomState::new().hash_one(crate::clock::now_ms())
}
