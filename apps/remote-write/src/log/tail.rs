//! Reading the log while it is written: each record once, in order, after it is on the disk.

use super::disk::{Disk, DiskFile};
use super::format::{HEADER, Record, SegmentHeader, decode_header, decode_payload, record_len};
use super::recover::Segment;
use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Mutex};

/// The bytes of memory that a reader keeps for the next record.
const KEPT: usize = 1 << 20;

/// A reader of a log ([`super::Log::tail`]). [`super::Log::hold`] keeps the segments that it has not read yet.
pub struct Tail {
    disk: Arc<dyn Disk>,
    segments: Arc<Mutex<VecDeque<Segment>>>,
    /// The sequence of the record that comes next.
    next: u64,
    open: Option<Open>,
    payload: Vec<u8>,
}

/// The segment that is being read.
struct Open {
    name: String,
    file: Box<dyn DiskFile>,
    salt: u64,
    /// Where the next record begins, and its sequence.
    at: u64,
    sequence: u64,
}

impl Tail {
    pub(super) fn new(disk: Arc<dyn Disk>, segments: Arc<Mutex<VecDeque<Segment>>>, next: u64) -> Tail {
        Tail { disk, segments, next, open: None, payload: Vec::new() }
    }

    /// Returns the sequence of the record that comes next.
    pub fn next(&self) -> u64 {
        self.next
    }

    /// Leaves out the records before a sequence that are not in the log any more. Returns their number.
    pub fn skip_deleted(&mut self) -> u64 {
        let first = self.segments.lock().expect("no code panics while it holds the list").front().map(|s| s.first);
        self.skip_to(first.unwrap_or(0))
    }

    /// Leaves out the records before a sequence. Returns their number.
    pub fn skip_to(&mut self, sequence: u64) -> u64 {
        let skipped = sequence.saturating_sub(self.next);
        self.next += skipped;
        skipped
    }

    /// Reads a record below a sequence that is on the disk; `None` if there is none.
    pub fn read(&mut self, below: u64) -> io::Result<Option<Record<'_>>> {
        if self.next >= below {
            return Ok(None);
        }
        let wanted = self.next;
        self.open_segment()?;
        let open = self.open.as_mut().expect("it is open");
        let damaged = |open: &Open| io::Error::other(format!("{}: record {} is not whole", open.name, open.sequence));
        let (head, bytes) = loop {
            let mut bytes = [0; HEADER];
            open.file.read_at(&mut bytes, open.at).map_err(|_| damaged(open))?;
            let head = decode_header(&bytes).filter(|head| head.sequence == open.sequence);
            let head = head.ok_or_else(|| damaged(open))?;
            if open.sequence == wanted {
                break (head, bytes);
            }
            (open.at, open.sequence) = (open.at + record_len(head.len as usize) as u64, open.sequence + 1);
        };
        let (at, len) = (open.at + HEADER as u64, head.len as usize);
        if open.file.len()?.saturating_sub(at) < len as u64 {
            return Err(damaged(open));
        }
        self.payload.resize(len, 0);
        self.payload.shrink_to(KEPT);
        open.file.read_at(&mut self.payload, at)?;
        let record = decode_payload(&head, &bytes, &self.payload, open.salt).ok_or_else(|| damaged(open))?;
        (open.at, open.sequence) = (open.at + record_len(len) as u64, wanted + 1);
        self.next = wanted + 1;
        Ok(Some(record))
    }

    /// Opens the segment that has the next record, unless it is open, at or before that record.
    fn open_segment(&mut self) -> io::Result<()> {
        let list = self.segments.lock().expect("no code panics while it holds the list");
        let after = list.partition_point(|segment| segment.first <= self.next);
        let is_open = |segment: &Segment| {
            self.open.as_ref().is_some_and(|open| open.name == segment.name && open.sequence <= self.next)
        };
        let segment = after.checked_sub(1).and_then(|at| list.get(at));
        if !segment.is_some_and(is_open) {
            let Some(segment) = segment else {
                return Err(io::Error::other(format!("record {} is not in the log any more", self.next)));
            };
            let (name, first) = (segment.name.clone(), segment.first);
            // The log may delete segments meanwhile, but not one that is held.
            let file = self.disk.open(&name)?;
            let mut bytes = [0; HEADER];
            file.read_at(&mut bytes, 0)?;
            let header = SegmentHeader::decode(&bytes).filter(|header| header.first == first);
            let header = header.ok_or_else(|| io::Error::other(format!("{name}: the header is not whole")))?;
            let at = HEADER as u64;
            self.open = Some(Open { name, file, salt: header.salt, at, sequence: first });
        }
        Ok(())
    }
}
