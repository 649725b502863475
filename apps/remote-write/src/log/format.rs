//! The bytes of a segment: a header of 64 bytes, then records.
//!
//! ```text
//! segment header, little endian            record: a header of 64 bytes, tenant, notes, body, zeros to 8 bytes
//!   0  8  magic and format version           0  4  length of tenant, notes and body
//!   8  8  first sequence                     4  4  crc32c of all that follows, started with the salt
//!  16  8  salt, random                       8  8  sequence, one after another
//!  24  8  created, ms                       16  8  durable: all sequences below this were synced at this write
//!  32 16  store id                          24 16  batch id
//!  48 12  zero                              40  8  received, ms
//!  60  4  crc32c of 0..60                   48  4  length of the inflated body
//!                                           52  4  length of notes
//!                                           56  1  kind     57  1  encoding     58  1  length of tenant
//!                                           59  1  options of the kind    60  4  zero
//! ```
//!
//! The salt keeps a record of a deleted file, whose blocks a new file may get, from passing as a record of the new one.

use std::fmt;

/// The length of both headers.
pub const HEADER: usize = 64;
/// Records begin at multiples of this.
pub const ALIGN: usize = 8;
const MAGIC: [u8; 8] = *b"HPRWLOG\x01";

/// The header of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SegmentHeader {
    /// The sequence of its first record.
    pub first: u64,
    /// The start of the checksums of its records.
    pub salt: u64,
    /// When it was created, in milliseconds since the epoch.
    pub created_ms: i64,
    /// The store to which it belongs.
    pub store: u128,
}

impl SegmentHeader {
    /// Returns the header's bytes.
    pub fn encode(&self) -> [u8; HEADER] {
        let mut out = [0; HEADER];
        out[..8].copy_from_slice(&MAGIC);
        out[8..16].copy_from_slice(&self.first.to_le_bytes());
        out[16..24].copy_from_slice(&self.salt.to_le_bytes());
        out[24..32].copy_from_slice(&self.created_ms.to_le_bytes());
        out[32..48].copy_from_slice(&self.store.to_le_bytes());
        let crc = crc32c::crc32c(&out[..60]);
        out[60..].copy_from_slice(&crc.to_le_bytes());
        out
    }

    /// Reads a header; `None` if it is not whole.
    pub fn decode(bytes: &[u8; HEADER]) -> Option<SegmentHeader> {
        let zeros = bytes[48..60].iter().all(|&b| b == 0);
        let crc = u32::from_le_bytes(part(bytes, 60));
        (bytes[..8] == MAGIC && zeros && crc == crc32c::crc32c(&bytes[..60])).then(|| SegmentHeader {
            first: u64::from_le_bytes(part(bytes, 8)),
            salt: u64::from_le_bytes(part(bytes, 16)),
            created_ms: i64::from_le_bytes(part(bytes, 24)),
            store: u128::from_le_bytes(part(bytes, 32)),
        })
    }
}

/// The content of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// A remote-write 1.0 request.
    V1 = 1,
    /// A remote-write 2.0 request.
    V2 = 2,
    /// A request of OTLP, in protobuf.
    Otlp = 3,
    /// A request of OTLP, in JSON.
    OtlpJson = 4,
    /// Nothing: the record says what is durable.
    Mark = 6,
    /// Nothing: the process closed the log in an orderly way.
    Close = 7,
}

impl Kind {
    fn from_byte(byte: u8) -> Option<Kind> {
        [Kind::V1, Kind::V2, Kind::Otlp, Kind::OtlpJson, Kind::Mark, Kind::Close]
            .into_iter()
            .find(|&kind| kind as u8 == byte)
    }
}

/// The compression of a body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum Encoding {
    /// None.
    #[default]
    None = 0,
    /// Snappy's block format.
    Snappy = 1,
    /// Gzip.
    Gzip = 2,
    /// Zstandard.
    Zstd = 3,
}

impl Encoding {
    fn from_byte(byte: u8) -> Option<Encoding> {
        let all = [Encoding::None, Encoding::Snappy, Encoding::Gzip, Encoding::Zstd];
        all.into_iter().find(|&encoding| encoding as u8 == byte)
    }
}

/// One request for the log.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The version of the protocol.
    pub kind: Kind,
    /// The compression of `body`.
    pub encoding: Encoding,
    /// The hash by which a retry is recognised.
    pub batch: u128,
    /// When the request came, in milliseconds since the epoch.
    pub received_ms: i64,
    /// The length of the body after inflating.
    pub inflated_len: u32,
    /// How a request of this kind was read: for OTLP [`crate::otlp::Options`], otherwise 0.
    pub options: u8,
    /// The tenant's name; up to 255 bytes.
    pub tenant: Box<str>,
    /// The rest of the options, and which series were refused: [`crate::notes`].
    pub notes: Vec<u8>,
    /// The body as it came.
    pub body: bytes::Bytes,
}

impl Entry {
    /// Copies a record.
    pub fn from_record(record: &Record<'_>) -> Entry {
        let header = &record.header;
        Entry {
            kind: header.kind,
            encoding: header.encoding,
            batch: header.batch,
            received_ms: header.received_ms,
            inflated_len: header.inflated_len,
            options: header.options,
            tenant: record.tenant.into(),
            notes: record.notes.to_vec(),
            body: bytes::Bytes::copy_from_slice(record.body),
        }
    }

    /// Creates an entry that says nothing about a request.
    pub(super) fn without_content(kind: Kind) -> Entry {
        Entry {
            kind,
            encoding: Encoding::None,
            batch: 0,
            received_ms: crate::clock::now_ms(),
            inflated_len: 0,
            options: 0,
            tenant: "".into(),
            notes: Vec::new(),
            body: bytes::Bytes::new(),
        }
    }
}

/// The header of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordHeader {
    /// The length of tenant, notes and body together.
    pub len: u32,
    crc: u32,
    /// The number of the record.
    pub sequence: u64,
    /// All sequences below this were known to be on the disk when this record was written.
    pub durable: u64,
    /// The hash by which a retry is recognised.
    pub batch: u128,
    /// When the request came.
    pub received_ms: i64,
    /// The length of the body after inflating.
    pub inflated_len: u32,
    /// The length of the notes.
    pub notes_len: u32,
    /// The content.
    pub kind: Kind,
    /// The compression of the body.
    pub encoding: Encoding,
    /// The length of the tenant's name.
    pub tenant_len: u8,
    /// How a request of this kind was read.
    pub options: u8,
}

/// A record that was read back.
#[derive(Clone, Copy, PartialEq)]
pub struct Record<'a> {
    /// Its header.
    pub header: RecordHeader,
    /// The tenant's name.
    pub tenant: &'a str,
    /// The notes about the body.
    pub notes: &'a [u8],
    /// The body as it came.
    pub body: &'a [u8],
}

impl fmt::Debug for Record<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} {} of {:?}, {} bytes", self.header.kind, self.header.sequence, self.tenant, self.body.len())
    }
}

/// Returns the number of bytes of a record with a payload of this length.
pub fn record_len(payload: usize) -> usize {
    (HEADER + payload).next_multiple_of(ALIGN)
}

/// Appends a record.
pub fn encode_record(entry: &Entry, sequence: u64, durable: u64, salt: u64, out: &mut Vec<u8>) {
    let start = out.len();
    let payload = entry.tenant.len() + entry.notes.len() + entry.body.len();
    out.resize(start + HEADER, 0);
    let header = &mut out[start..];
    header[..4].copy_from_slice(&u32_of(payload).to_le_bytes());
    header[8..16].copy_from_slice(&sequence.to_le_bytes());
    header[16..24].copy_from_slice(&durable.to_le_bytes());
    header[24..40].copy_from_slice(&entry.batch.to_le_bytes());
    header[40..48].copy_from_slice(&entry.received_ms.to_le_bytes());
    header[48..52].copy_from_slice(&entry.inflated_len.to_le_bytes());
    header[52..56].copy_from_slice(&u32_of(entry.notes.len()).to_le_bytes());
    header[56..60].copy_from_slice(&[
        entry.kind as u8,
        entry.encoding as u8,
        u8::try_from(entry.tenant.len()).expect("the server limits names of tenants"),
        entry.options,
    ]);
    out.extend_from_slice(entry.tenant.as_bytes());
    out.extend_from_slice(&entry.notes);
    out.extend_from_slice(&entry.body);
    let crc = checksum(salt, u32_of(payload), &out[start + 8..]);
    out[start + 4..start + 8].copy_from_slice(&crc.to_le_bytes());
    out.resize(start + record_len(payload), 0);
}

/// Reads a record's header; `None` if it cannot be one. Only [`decode_payload`] knows whether the record is whole.
pub fn decode_header(bytes: &[u8; HEADER]) -> Option<RecordHeader> {
    let header = RecordHeader {
        len: u32::from_le_bytes(part(bytes, 0)),
        crc: u32::from_le_bytes(part(bytes, 4)),
        sequence: u64::from_le_bytes(part(bytes, 8)),
        durable: u64::from_le_bytes(part(bytes, 16)),
        batch: u128::from_le_bytes(part(bytes, 24)),
        received_ms: i64::from_le_bytes(part(bytes, 40)),
        inflated_len: u32::from_le_bytes(part(bytes, 48)),
        notes_len: u32::from_le_bytes(part(bytes, 52)),
        kind: Kind::from_byte(bytes[56])?,
        encoding: Encoding::from_byte(bytes[57])?,
        tenant_len: bytes[58],
        options: bytes[59],
    };
    let parts = u64::from(header.tenant_len) + u64::from(header.notes_len);
    (bytes[60..].iter().all(|&b| b == 0) && parts <= u64::from(header.len)).then_some(header)
}

/// Splits a record's payload; `None` if the checksum is wrong.
pub fn decode_payload<'a>(
    header: &RecordHeader,
    bytes: &[u8; HEADER],
    payload: &'a [u8],
    salt: u64,
) -> Option<Record<'a>> {
    let crc = crc32c::crc32c_append(checksum(salt, header.len, &bytes[8..]), payload);
    if payload.len() != header.len as usize || crc != header.crc {
        return None;
    }
    let (tenant, rest) = payload.split_at(header.tenant_len as usize);
    let (notes, body) = rest.split_at(header.notes_len as usize);
    Some(Record { header: *header, tenant: std::str::from_utf8(tenant).ok()?, notes, body })
}

fn checksum(salt: u64, len: u32, bytes: &[u8]) -> u32 {
    let start = crc32c::crc32c_append(crc32c::crc32c(&salt.to_le_bytes()), &len.to_le_bytes());
    crc32c::crc32c_append(start, bytes)
}

fn part<const N: usize>(bytes: &[u8; HEADER], at: usize) -> [u8; N] {
    bytes[at..at + N].try_into().expect("a slice of N bytes")
}

fn u32_of(len: usize) -> u32 {
    u32::try_from(len).expect("the server limits the length of a request")
}
