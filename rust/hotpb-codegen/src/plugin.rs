//! The protocol of protoc plugins: reads a `CodeGeneratorRequest`, writes a `CodeGeneratorResponse`.

use crate::descriptor::Request;
use crate::error::Error;
use crate::{Options, analyse, descriptor, generate};
use hotpb::wire::{LEN, VARINT, append_bytes, append_tag, append_varint};

/// The plugin's response.
pub struct Response {
    /// An encoded `CodeGeneratorResponse`.
    pub bytes: Vec<u8>,
    /// Notes for standard error, one sentence each.
    pub notes: Vec<String>,
}

/// proto3 `optional`, and editions.
const SUPPORTED_FEATURES: u64 = 1 | 2;
const EDITION_PROTO2: u64 = 998;
const EDITION_2024: u64 = 1001;

/// Responds to a request. The response reports errors in the schema or the options; an `Err` means that the request
/// cannot be read.
pub fn respond(request: &[u8]) -> Result<Response, Error> {
    let request = descriptor::read_request(request)?;
    Ok(match answer(&request) {
        Ok((files, notes)) => Response { bytes: encode(Ok(files)), notes },
        Err(error) => Response { bytes: encode(Err(&error)), notes: Vec::new() },
    })
}

type Files = Vec<(String, Vec<u8>)>;

fn answer(request: &Request) -> Result<(Files, Vec<String>), Error> {
    let options = Options::parse(&request.parameter)?;
    let plan = analyse(&request.files, &request.file_to_generate)?;
    let (mut files, mut notes) = (Vec::new(), Vec::new());
    if !options.faces.is_empty() {
        let output = generate(&plan, &options)?;
        files.extend(output.files.into_iter().map(|f| (f.name, f.content.into_bytes())));
        notes = output.notes;
    }
    files.extend(options.emit_plan.map(|name| (name, plan.to_json())));
    Ok((files, notes))
}

fn encode(result: Result<Files, &Error>) -> Vec<u8> {
    let mut out = Vec::new();
    let append = |out: &mut Vec<u8>, number, bytes: &[u8]| {
        append_tag(out, number, LEN);
        append_bytes(out, bytes);
    };
    if let Err(error) = &result {
        append(&mut out, 1, error.to_string().as_bytes());
    }
    for (number, value) in [(2, SUPPORTED_FEATURES), (3, EDITION_PROTO2), (4, EDITION_2024)] {
        append_tag(&mut out, number, VARINT);
        append_varint(&mut out, value);
    }
    for (name, content) in result.unwrap_or_default() {
        let mut file = Vec::new();
        append(&mut file, 1, name.as_bytes());
        append(&mut file, 15, &content);
        append(&mut out, 15, &file);
    }
    out
}
