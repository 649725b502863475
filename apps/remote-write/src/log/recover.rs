//! Reading a log back.

use super::disk::{Disk, DiskFile};
use super::format::{ALIGN, HEADER, Record, RecordHeader, SegmentHeader, decode_header, decode_payload, record_len};
use std::collections::VecDeque;
use std::fmt;
use std::io;

/// A segment of the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    /// The name of its file.
    pub name: String,
    /// The sequence of its first record.
    pub first: u64,
    /// When it was created, in milliseconds since the epoch. All records of earlier segments were answered by then.
    pub created_ms: i64,
}

/// Where the rows of a record are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rows {
    /// In the log only.
    InLog,
    /// In files: the record is kept so that a request that comes again is recognised.
    InFiles,
}

impl Segment {
    pub(super) fn name_of(first: u64) -> String {
        format!("{first:020}.log")
    }

    pub(super) fn is_name(name: &str) -> bool {
        name.len() == 24 && name.ends_with(".log") && name.bytes().take(20).all(|byte| byte.is_ascii_digit())
    }

    /// A segment whose header is damaged, and of which only the name is known.
    fn unknown(name: &str) -> Segment {
        Segment { name: name.to_owned(), first: name[..20].parse().unwrap_or(0), created_ms: 0 }
    }
}

/// A log that was read to its end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recovered {
    /// The sequence of the next record.
    pub next: u64,
    /// The segments, in order.
    pub segments: Vec<Segment>,
    /// The bytes at the end that were no whole record, and were cut off.
    pub torn: u64,
    /// Whether the log had been closed in an orderly way.
    pub closed: bool,
}

/// A record that was acknowledged, and is damaged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// The file.
    pub file: String,
    /// The byte at which the record should begin.
    pub byte: u64,
    /// Its sequence.
    pub sequence: u64,
    /// How it is known that it was acknowledged.
    pub why: String,
}

/// Why a log cannot be read.
#[derive(Debug)]
pub enum RecoverError {
    /// The disk failed.
    Io(String, io::Error),
    /// Acknowledged data is damaged.
    Damage(Damage),
    /// A segment belongs to another store.
    OtherStore(String),
    /// Whoever reads the records refused one.
    Refused(String),
}

impl fmt::Display for RecoverError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RecoverError::Io(file, error) => write!(f, "{file}: {error}"),
            RecoverError::Damage(Damage { file, byte, sequence, why }) => {
                write!(f, "{file}: record {sequence} at byte {byte} is damaged, and was acknowledged: {why}")
            }
            RecoverError::OtherStore(file) => write!(f, "{file} belongs to another store"),
            RecoverError::Refused(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for RecoverError {}

/// Reads all records in order, cuts off what a crash left at the end, and syncs the rest. Rows of records below `low` are in
/// files. All records below `synced` were on the disk once, as the superblock says.
///
/// A segment whose records are all in files can be damaged: nothing depends on it but the answers to requests that come
/// again, so the rest of it is left out.
///
/// The first bad record ends the log if neither the superblock nor anything after it says that it was synced; its sender got no
/// answer then. If something does, or if the log ends before `synced`, the disk lost acknowledged data, which is an error.
pub fn recover(
    disk: &dyn Disk,
    store: u128,
    low: u64,
    synced: u64,
    visit: &mut dyn FnMut(Record<'_>, Rows) -> Result<(), String>,
) -> Result<Recovered, RecoverError> {
    let mut names: Vec<String> = disk.list().map_err(|e| RecoverError::Io("the folder of the log".to_owned(), e))?;
    names.retain(|name| Segment::is_name(name));
    names.sort();
    let mut log = Reading {
        disk,
        store,
        low,
        synced,
        next: None,
        before: None,
        closed: false,
        unsynced: VecDeque::new(),
        memory: Vec::new(),
    };
    let mut found = Recovered::default();
    for (at, name) in names.iter().enumerate() {
        // The next segment begins where this one ends.
        let end = names.get(at + 1).and_then(|next| next[..20].parse::<u64>().ok());
        let in_files = end.filter(|&end| end <= low);
        match log.segment(name, visit) {
            Ok(End::Whole(segment, len)) => {
                log.before = Some((segment.name.clone(), len));
                found.segments.push(segment);
            }
            Ok(End::Torn { segment, .. }) if in_files.is_some() => {
                found.segments.push(segment.unwrap_or_else(|| Segment::unknown(name)));
            }
            Err(RecoverError::Damage(_)) if in_files.is_some() => found.segments.push(Segment::unknown(name)),
            Ok(End::Torn { byte, segment, len }) => {
                log.check_rest(name, byte, &names[at + 1..])?;
                found.torn = len - byte;
                log.cut(name, byte, &names[at + 1..])?;
                found.segments.extend(segment);
                break;
            }
            Err(error) => return Err(error),
        }
        log.next = in_files.or(log.next);
    }
    let next = log.next.unwrap_or(low);
    if next < synced {
        return Err(log.lost_end(next, found.segments.last())?);
    }
    found.next = next.max(low);
    // The log goes on in a new segment. One without records would have the same name; and if the log lost its end, but
    // all of it is in files, the old segments do not reach up to the new one.
    while found.segments.last().is_some_and(|last| next < low || last.first == found.next) {
        let last = found.segments.pop().expect("there is a last one");
        let io = |e| RecoverError::Io(last.name.clone(), e);
        disk.remove(&last.name).and_then(|()| disk.sync()).map_err(io)?;
    }
    // A killed process may have written the last records without a sync, or its sync failed. From now on they count as synced:
    // a request that comes again is answered for them, and the next segment says that this one is on the disk. Earlier ones
    // are.
    if let Some(last) = found.segments.last() {
        log.sync(&last.name).map_err(|e| RecoverError::Io(last.name.clone(), e))?;
    }
    found.closed = log.closed;
    Ok(found)
}

enum End {
    /// With its length.
    Whole(Segment, u64),
    /// From this byte on there is no whole record. Without `segment`, not even the header is whole.
    Torn { byte: u64, segment: Option<Segment>, len: u64 },
}

struct Reading<'d> {
    disk: &'d dyn Disk,
    store: u128,
    low: u64,
    synced: u64,
    next: Option<u64>,
    /// The last segment that is whole, and its length.
    before: Option<(String, u64)>,
    closed: bool,
    /// Records at the end of the last segment of which no record says that they were synced, and where they begin.
    unsynced: VecDeque<(u64, u64)>,
    /// Memory for a part of a segment.
    memory: Vec<u8>,
}

impl Reading<'_> {
    fn segment(
        &mut self,
        name: &str,
        visit: &mut dyn FnMut(Record<'_>, Rows) -> Result<(), String>,
    ) -> Result<End, RecoverError> {
        let io = |e| RecoverError::Io(name.to_owned(), e);
        let file = self.disk.open(name).map_err(io)?;
        let len = file.len().map_err(io)?;
        let mut bytes = [0; HEADER];
        if len < HEADER as u64 {
            return Ok(End::Torn { byte: 0, segment: None, len });
        }
        file.read_at(&mut bytes, 0).map_err(io)?;
        let header = match SegmentHeader::decode(&bytes) {
            Some(header) => header,
            None if len == HEADER as u64 => return Ok(End::Torn { byte: 0, segment: None, len }),
            None => {
                // The header was on the disk before the first record was written.
                let why = "the segment has records, and its header is not whole".to_owned();
                return Err(self.damage(name, 0, self.next.unwrap_or(self.low), why));
            }
        };
        if header.store != self.store {
            return Err(RecoverError::OtherStore(name.to_owned()));
        }
        if self.next.is_none() && header.first > self.low {
            let why = format!("it is missing, and the first segment begins with record {}", header.first);
            return Err(self.damage(&Segment::name_of(self.low), 0, self.low, why));
        }
        let expected = *self.next.get_or_insert(header.first);
        if header.first > expected && Segment::name_of(header.first) == name {
            let missing = Segment::name_of(expected);
            let (file, byte) = self.before.clone().unwrap_or((missing.clone(), 0));
            let why = format!("{missing} is missing, or the segment before it lost its end: {name} is there");
            return Err(self.damage(&file, byte, expected, why));
        }
        if header.first != expected || Segment::name_of(header.first) != name {
            let why = format!("the segment begins with record {}", header.first);
            return Err(self.damage(name, 0, expected, why));
        }
        let segment = Segment { name: name.to_owned(), first: header.first, created_ms: header.created_ms };
        let mut at = HEADER as u64;
        let mut window = Window { file: &*file, len, start: 0, bytes: std::mem::take(&mut self.memory) };
        window.bytes.clear();
        self.unsynced.clear();
        while at < len {
            let sequence = self.next.expect("set above");
            let Some((head, head_bytes, payload)) = window.record(at).map_err(io)? else {
                return Ok(End::Torn { byte: at, segment: Some(segment), len });
            };
            match decode_payload(&head, &head_bytes, payload, header.salt) {
                Some(record) if head.sequence == sequence => {
                    let rows = if sequence < self.low { Rows::InFiles } else { Rows::InLog };
                    visit(record, rows).map_err(RecoverError::Refused)?;
                    self.closed = head.kind == super::Kind::Close;
                    self.unsynced.push_back((sequence, at));
                    while self.unsynced.front().is_some_and(|&(first, _)| first < head.durable) {
                        self.unsynced.pop_front();
                    }
                    self.next = Some(sequence + 1);
                    at += record_len(head.len as usize) as u64;
                }
                _ => return Ok(End::Torn { byte: at, segment: Some(segment), len }),
            }
        }
        self.memory = window.bytes;
        Ok(End::Whole(segment, len))
    }

    /// Syncs the last segment. A sync of an earlier process may have failed: then the system holds bytes that it takes for
    /// synced, so what was not known to be synced is written again.
    fn sync(&self, name: &str) -> io::Result<()> {
        let file = self.disk.open(name)?;
        let (mut at, len) = (self.unsynced.front().map_or(u64::MAX, |&(_, at)| at), file.len()?);
        while at < len {
            let mut bytes = vec![0; WINDOW.min(len - at) as usize];
            file.read_at(&mut bytes, at)?;
            file.write_at(&bytes, at)?;
            at += bytes.len() as u64;
        }
        file.sync_data()
    }

    /// Looks for proof that the bad record was acknowledged: in the rest of its segment, and in later ones.
    fn check_rest(&self, name: &str, byte: u64, later: &[String]) -> Result<(), RecoverError> {
        let bad = self.next.unwrap_or(self.low);
        if bad < self.synced {
            return Err(self.damage(name, byte, bad, self.why_synced()));
        }
        let whole = |name: &str, from: u64| -> Result<Option<(u64, u64)>, RecoverError> {
            let io = |e| RecoverError::Io(name.to_owned(), e);
            let file = self.disk.open(name).map_err(io)?;
            let len = file.len().map_err(io)?;
            let mut bytes = [0; HEADER];
            if len < HEADER as u64 {
                return Ok(None);
            }
            file.read_at(&mut bytes, 0).map_err(io)?;
            let Some(header) = SegmentHeader::decode(&bytes) else { return Ok(None) };
            if header.store == self.store && header.first > bad {
                // A segment begins when the one before it is synced.
                return Ok(Some((header.first, header.first)));
            }
            let mut at = from.max(HEADER as u64);
            while at < len {
                if let Some((head, bytes)) = read_header(&*file, at, len).map_err(io)?
                    && head.durable > bad
                {
                    let mut payload = vec![0; head.len as usize];
                    file.read_at(&mut payload, at + HEADER as u64).map_err(io)?;
                    if decode_payload(&head, &bytes, &payload, header.salt).is_some() {
                        return Ok(Some((head.sequence, head.durable)));
                    }
                }
                at += ALIGN as u64;
            }
            Ok(None)
        };
        let mut proof = whole(name, byte)?;
        for name in later {
            proof = match proof {
                None => whole(name, 0)?,
                found => found,
            };
        }
        match proof {
            Some((sequence, durable)) => {
                let why = format!("record {sequence} says that all before {durable} were synced");
                Err(self.damage(name, byte, bad, why))
            }
            None => Ok(()),
        }
    }

    fn why_synced(&self) -> String {
        format!("the superblock says that all before {} were synced", self.synced)
    }

    /// The error of a log that ends too early. Each record in it is whole.
    fn lost_end(&self, next: u64, last: Option<&Segment>) -> Result<RecoverError, RecoverError> {
        let Some(Segment { name, .. }) = last else {
            let name = Segment::name_of(next);
            return Ok(self.damage(&name, 0, next, format!("it is missing: {}", self.why_synced())));
        };
        let len = self.disk.open(name).and_then(|file| file.len());
        let len = len.map_err(|e| RecoverError::Io(name.clone(), e))?;
        Ok(self.damage(
            name,
            len,
            next,
            format!("it lost its end, or {} is missing: {}", Segment::name_of(next), self.why_synced()),
        ))
    }

    fn damage(&self, file: &str, byte: u64, sequence: u64, why: String) -> RecoverError {
        RecoverError::Damage(Damage { file: file.to_owned(), byte, sequence, why })
    }

    /// Cuts off what is not whole, and deletes the segments after it.
    fn cut(&self, name: &str, byte: u64, later: &[String]) -> Result<(), RecoverError> {
        for name in later.iter().rev() {
            self.disk.remove(name).map_err(|e| RecoverError::Io(name.clone(), e))?;
        }
        let io = |e| RecoverError::Io(name.to_owned(), e);
        if byte < HEADER as u64 {
            self.disk.remove(name).map_err(io)?;
        } else {
            let file = self.disk.open(name).map_err(io)?;
            file.set_len(byte).and_then(|()| file.sync_data()).map_err(io)?;
        }
        self.disk.sync().map_err(io)
    }
}

/// The bytes of a segment that are read at once: senders decide how short records are, and a call for each part of a record
/// would cost more than all the rest.
const WINDOW: u64 = 256 << 10;

/// A record that may not be whole: its header, the header's bytes, and the payload.
type Raw<'w> = (RecordHeader, [u8; HEADER], &'w [u8]);

/// A part of a segment in memory.
struct Window<'f> {
    file: &'f dyn DiskFile,
    len: u64,
    start: u64,
    bytes: Vec<u8>,
}

impl Window<'_> {
    /// Returns the header and the payload of the record at a byte, if there is room for it in the file.
    fn record(&mut self, at: u64) -> io::Result<Option<Raw<'_>>> {
        let Some(bytes) = self.get(at, HEADER as u64)? else { return Ok(None) };
        let bytes: [u8; HEADER] = bytes.try_into().expect("as long as a header");
        let Some(head) = decode_header(&bytes) else { return Ok(None) };
        let payload = self.get(at, record_len(head.len as usize) as u64)?;
        Ok(payload.map(|record| (head, bytes, &record[HEADER..HEADER + head.len as usize])))
    }

    fn get(&mut self, at: u64, count: u64) -> io::Result<Option<&[u8]>> {
        if self.len - at < count {
            return Ok(None);
        }
        if at < self.start || at + count > self.start + self.bytes.len() as u64 {
            self.bytes.resize(count.max(WINDOW).min(self.len - at) as usize, 0);
            self.file.read_at(&mut self.bytes, at)?;
            self.start = at;
        }
        let from = (at - self.start) as usize;
        Ok(Some(&self.bytes[from..from + count as usize]))
    }
}

/// Reads a record's header, if there is room for the record in the file.
fn read_header(file: &dyn DiskFile, at: u64, len: u64) -> io::Result<Option<(RecordHeader, [u8; HEADER])>> {
    let mut bytes = [0; HEADER];
    if len - at < HEADER as u64 {
        return Ok(None);
    }
    file.read_at(&mut bytes, at)?;
    Ok(decode_header(&bytes).filter(|head| len - at >= record_len(head.len as usize) as u64).map(|head| (head, bytes)))
}
