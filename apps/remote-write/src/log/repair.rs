//! What can be read of a damaged log, and a log that a start can read, made of that.
//!
//! Records are looked for in all segments, whatever their names: a record is whole if its checksum is right. A segment that does
//! not have exactly the records from its name on to the next name is written again. Where a record is missing, a mark stands for it, which
//! has no rows: the log goes on without a gap. Segments whose records are all in files stay as they are.

use super::disk::{Disk, DiskFile};
use super::format::{ALIGN, Entry, HEADER, Kind, Record, SegmentHeader, decode_header, decode_payload};
use super::format::{encode_record, record_len};
use super::recover::Segment;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::ops::Range;

/// The records of a damaged log.
pub struct Remains {
    /// The segments that are there.
    names: Vec<String>,
    headers: BTreeMap<String, SegmentHeader>,
    /// Segments whose header has a wrong bit.
    mended: BTreeSet<String>,
    /// Where each record is: its segment, its byte, and the length of its payload.
    records: BTreeMap<u64, (String, u64, usize)>,
}

/// What has to change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// Segments to write again: the sequence of the first record, and of the one after the last.
    pub rewrite: Vec<Range<u64>>,
    /// Segments that are not part of the log.
    pub foreign: Vec<String>,
    /// Records that are nowhere.
    pub lost: Vec<Range<u64>>,
}

impl Remains {
    /// Reads all segments. An error if one belongs to another store.
    pub fn read(disk: &dyn Disk, store: u128) -> io::Result<Remains> {
        let mut names = disk.list()?;
        names.retain(|name| Segment::is_name(name));
        names.sort();
        let mut remains =
            Remains { names, headers: BTreeMap::new(), mended: BTreeSet::new(), records: BTreeMap::new() };
        for name in remains.names.clone() {
            let file = disk.open(&name)?;
            let (header, mended) = match read_header(&*file)? {
                Some(header) => header,
                None => continue,
            };
            if mended {
                remains.mended.insert(name.clone());
            }
            if header.store != store {
                return Err(io::Error::other(format!("{name} belongs to another store: move it out of the folder")));
            }
            remains.headers.insert(name.clone(), header);
            let (mut at, len) = (HEADER as u64, file.len()?);
            while at < len {
                match read_record(&*file, at, len, header.salt)? {
                    Some((sequence, payload)) => {
                        let place = (name.clone(), at, payload);
                        // A file under a wrong name has what another one may have, too.
                        match Segment::name_of(header.first) == name {
                            true => _ = remains.records.insert(sequence, place),
                            false => _ = remains.records.entry(sequence).or_insert(place),
                        }
                        at += record_len(payload) as u64;
                    }
                    None => at += ALIGN as u64,
                }
            }
        }
        Ok(remains)
    }

    /// Returns the store to which the first segment with a header belongs.
    pub fn store(disk: &dyn Disk) -> io::Result<Option<u128>> {
        for name in disk.list()?.iter().filter(|name| Segment::is_name(name)) {
            if let Some((header, _)) = read_header(&*disk.open(name)?)? {
                return Ok(Some(header.store));
            }
        }
        Ok(None)
    }

    /// Returns the sequence of the first record.
    pub fn first(&self) -> Option<u64> {
        self.records.keys().next().copied()
    }

    /// Returns whether all these records are there.
    pub fn has_all(&self, range: Range<u64>) -> bool {
        let count = range.end.saturating_sub(range.start);
        self.records.range(range.start..range.end.max(range.start)).count() as u64 == count
    }

    /// Returns the sequence after the last record.
    pub fn end(&self) -> u64 {
        self.records.last_key_value().map_or(0, |(sequence, _)| sequence + 1)
    }

    /// Returns what has to change, if all rows of records below `low` are in files, and all records below `synced` were there once.
    pub fn changes(&self, low: u64, synced: u64) -> Changes {
        let (mut changes, end) = (Changes::default(), self.end().max(synced).max(low));
        let number = |name: &String| name[..20].parse::<u64>().ok();
        let (mine, foreign): (Vec<&String>, Vec<&String>) = self.names.iter().partition(|name| {
            number(name).is_some_and(|first| first < end || first == end && self.headers.contains_key(*name))
        });
        changes.foreign = foreign.into_iter().cloned().collect();
        let firsts: Vec<u64> = mine.iter().filter_map(|name| number(name)).collect();
        let mut next = low.min(firsts.first().copied().unwrap_or(low));
        for (at, &first) in firsts.iter().enumerate() {
            if first > next {
                changes.rewrite.push(next..first);
            }
            next = firsts.get(at + 1).copied().unwrap_or(end);
            if next > low && !self.is_whole(first..next) {
                changes.rewrite.push(first..next);
            }
        }
        if next < end {
            changes.rewrite.push(next..end);
        }
        let missing = (low..end).filter(|sequence| !self.records.contains_key(sequence));
        for sequence in missing {
            match changes.lost.last_mut() {
                Some(last) if last.end == sequence => last.end += 1,
                _ => changes.lost.push(sequence..sequence + 1),
            }
        }
        changes
    }

    /// Returns whether a segment has exactly these records.
    fn is_whole(&self, range: Range<u64>) -> bool {
        let name = Segment::name_of(range.start);
        let Some(header) = self.headers.get(&name).filter(|_| !self.mended.contains(&name)) else { return false };
        let mut at = HEADER as u64;
        let mut is_next = |sequence: u64| match self.records.get(&sequence) {
            Some((segment, place, payload)) if *segment == name && *place == at => {
                at += record_len(*payload) as u64;
                true
            }
            _ => false,
        };
        header.first == range.start && range.into_iter().all(&mut is_next)
    }

    /// Returns the bytes of a segment with some records, with marks instead of those that are missing.
    pub fn segment(&self, disk: &dyn Disk, store: u128, range: Range<u64>) -> io::Result<Vec<u8>> {
        let old = self.headers.get(&Segment::name_of(range.start)).filter(|header| header.first == range.start);
        let created_ms = old.map_or_else(crate::clock::now_ms, |header| header.created_ms);
        let header = SegmentHeader { first: range.start, salt: super::random(), created_ms, store };
        let mut bytes = header.encode().to_vec();
        for sequence in range.clone() {
            let entry = match self.records.get(&sequence) {
                Some((name, at, payload)) => self.entry(disk, name, *at, *payload)?,
                None => Entry::without_content(Kind::Mark),
            };
            // What a start finds there counts as synced.
            encode_record(&entry, sequence, range.start, header.salt, &mut bytes);
        }
        Ok(bytes)
    }

    fn entry(&self, disk: &dyn Disk, name: &str, at: u64, len: usize) -> io::Result<Entry> {
        let (mut head, mut payload) = ([0; HEADER], vec![0; len]);
        let file = disk.open(name)?;
        file.read_at(&mut head, at)?;
        file.read_at(&mut payload, at + HEADER as u64)?;
        let header = decode_header(&head).filter(|header| header.len as usize == len);
        let salt = self.headers.get(name).map_or(0, |header| header.salt);
        let record = header.and_then(|header| decode_payload(&header, &head, &payload, salt));
        let record = record.ok_or_else(|| io::Error::other(format!("{name}: it changed meanwhile")))?;
        Ok(Entry::from_record(&record))
    }
}

/// Reads the header of a segment, also one in which one bit is wrong, and whether that was so.
fn read_header(file: &dyn DiskFile) -> io::Result<Option<(SegmentHeader, bool)>> {
    let mut bytes = [0; HEADER];
    if file.len()? < HEADER as u64 {
        return Ok(None);
    }
    file.read_at(&mut bytes, 0)?;
    if let Some(header) = SegmentHeader::decode(&bytes) {
        return Ok(Some((header, false)));
    }
    Ok((0..HEADER * 8).find_map(|bit| {
        let mut mended = bytes;
        mended[bit / 8] ^= 1 << (bit % 8);
        SegmentHeader::decode(&mended).map(|header| (header, true))
    }))
}

/// Reads the sequence and the length of the payload of a whole record.
fn read_record(file: &dyn DiskFile, at: u64, len: u64, salt: u64) -> io::Result<Option<(u64, usize)>> {
    let mut head = [0; HEADER];
    if len - at < HEADER as u64 {
        return Ok(None);
    }
    file.read_at(&mut head, at)?;
    let header = decode_header(&head).filter(|header| len - at >= record_len(header.len as usize) as u64);
    let Some(header) = header else { return Ok(None) };
    let mut payload = vec![0; header.len as usize];
    file.read_at(&mut payload, at + HEADER as u64)?;
    let whole: Option<Record<'_>> = decode_payload(&header, &head, &payload, salt);
    Ok(whole.map(|record| (record.header.sequence, payload.len())))
}
