//! Shared by the testees: `conformance.proto` over stdin and stdout.
//!
//! The request is read with hotpb's own pool. Its payload is decoded with the pool of its message type and encoded
//! again from the accessors, field by field. There is no stock runtime, and no branch for any test. JSON and text are
//! `skipped`.

use crate::protocol::conformance::conformance_request::Payload;
use crate::protocol::conformance::{ConformanceRequest, ConformanceRequestPool, WireFormat};
use hotpb::pool::DecodeOptions;
use hotpb::wire::{self, LEN};
use std::collections::HashMap;
use std::io::{self, ErrorKind, Read, Write};

/// Decodes a message and encodes it again.
pub type Reencoder = Box<dyn FnMut(&[u8], &DecodeOptions) -> Result<Vec<u8>, hotpb::Error>>;

/// Fields of `ConformanceResponse`.
pub const PARSE_ERROR: u32 = 1;
pub const RUNTIME_ERROR: u32 = 2;
pub const PROTOBUF_PAYLOAD: u32 = 3;
pub const SKIPPED: u32 = 5;

struct Testee {
    /// One pool per message type, used again for each test: a stale field would show up.
    reencoders: HashMap<&'static str, Reencoder>,
    fault: Fault,
}

/// The intentional fault of the testee, which must turn the run red (`HOTPB_TESTEE_FAULT`).
#[derive(Clone, Copy, PartialEq)]
pub enum Fault {
    None,
    SkipMerge,
    DropUnknown,
}

impl Fault {
    /// Returns the fault that the environment asks for.
    pub fn requested() -> Fault {
        match std::env::var("HOTPB_TESTEE_FAULT").as_deref() {
            Ok("skip-merge") => Fault::SkipMerge,
            Ok("drop-unknown") => Fault::DropUnknown,
            _ => Fault::None,
        }
    }
}

impl Testee {
    fn new(reencoders: HashMap<&'static str, Reencoder>) -> Testee {
        Testee { reencoders, fault: Fault::requested() }
    }

    /// Returns the number of the response's field and its content.
    fn answer(&mut self, request: ConformanceRequest<'_>) -> (u32, Vec<u8>) {
        if request.message_type() == "conformance.FailureSet" {
            // The first request asks for expected failures: none, an empty FailureSet.
            return (PROTOBUF_PAYLOAD, Vec::new());
        }
        let Some(Payload::ProtobufPayload(payload)) = request.payload() else {
            return (SKIPPED, b"this testee reads only binary input".to_vec());
        };
        if request.requested_output_format() != WireFormat::Protobuf {
            return (SKIPPED, b"this testee writes only binary output".to_vec());
        }
        let Some(reencode) = self.reencoders.get_mut(request.message_type()) else {
            return (RUNTIME_ERROR, format!("no message type {}", request.message_type()).into_bytes());
        };
        let spoiled = fault::spoil(self.fault, payload);
        match reencode(spoiled.as_deref().unwrap_or(payload), &DecodeOptions::default()) {
            Ok(bytes) => (PROTOBUF_PAYLOAD, bytes),
            Err(error) => (PARSE_ERROR, error.to_string().into_bytes()),
        }
    }
}

pub mod fault {
    //! Faults are injected into the bytes before the pool receives them: the pool has none.

    use super::Fault;
    use hotpb::wire::{LEN, Reader};
    use std::collections::BTreeMap;

    /// Returns the payload as a decoder with this fault would understand it; `None` if nothing changes.
    pub fn spoil(fault: Fault, payload: &[u8]) -> Option<Vec<u8>> {
        match fault {
            Fault::None => None,
            Fault::SkipMerge => last_records(payload),
            Fault::DropUnknown => small_numbers(payload),
        }
    }

    fn records(payload: &[u8]) -> Option<Vec<(u32, &[u8])>> {
        let mut records = Vec::new();
        let mut reader = Reader::new(payload);
        loop {
            let start = reader.offset();
            let Some(tag) = reader.tag().ok()? else { return Some(records) };
            reader.skip(tag).ok()?;
            records.push((tag, &payload[start..reader.offset()]));
        }
    }

    /// Keeps only the last record of each singular message.
    fn last_records(payload: &[u8]) -> Option<Vec<u8>> {
        const SINGULAR_MESSAGES: [u32; 4] = [18, 19, 27, 112];
        let records = records(payload)?;
        let mut last = BTreeMap::new();
        for (i, (tag, _)) in records.iter().enumerate() {
            last.insert(*tag, i);
        }
        let singular = |tag: u32| SINGULAR_MESSAGES.contains(&(tag >> 3)) && tag & 7 == LEN;
        let kept = records.iter().enumerate().filter(|(i, (tag, _))| !singular(*tag) || last[tag] == *i);
        Some(kept.flat_map(|(_, (_, record))| record.iter().copied()).collect())
    }

    /// Removes the numbers that no test message defines.
    fn small_numbers(payload: &[u8]) -> Option<Vec<u8>> {
        let kept = records(payload)?.into_iter().filter(|(tag, _)| tag >> 3 <= 500);
        Some(kept.flat_map(|(_, record)| record.iter().copied()).collect())
    }
}

/// Reads exactly `buffer`, or reports that the input has ended before its first byte.
fn read_frame(input: &mut impl Read, buffer: &mut [u8]) -> io::Result<bool> {
    match input.read_exact(buffer) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error),
    }
}

/// Answers requests until the input ends.
pub fn run(reencoders: HashMap<&'static str, Reencoder>) -> io::Result<()> {
    let mut testee = Testee::new(reencoders);
    serve(|request| testee.answer(request))
}

/// Calls `answer` for each request until the input ends; it returns the number of the response's field and its content.
pub fn serve(mut answer: impl FnMut(ConformanceRequest<'_>) -> (u32, Vec<u8>)) -> io::Result<()> {
    let (mut input, mut output) = (io::stdin().lock(), io::stdout().lock());
    let mut requests = ConformanceRequestPool::new();
    let (mut frame, mut body) = (Vec::new(), Vec::new());
    let mut len = [0; 4];
    while read_frame(&mut input, &mut len)? {
        frame.resize(u32::from_le_bytes(len) as usize, 0);
        input.read_exact(&mut frame)?;
        let (field, content) = match requests.decode(&frame) {
            Ok(request) => answer(request),
            Err(error) => (RUNTIME_ERROR, format!("the request: {error}").into_bytes()),
        };
        body.clear();
        wire::append_tag(&mut body, field, LEN);
        wire::append_bytes(&mut body, &content);
        output.write_all(&(body.len() as u32).to_le_bytes())?;
        output.write_all(&body)?;
        output.flush()?;
    }
    Ok(())
}
