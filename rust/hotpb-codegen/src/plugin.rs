//! The conversation with protoc: a `CodeGeneratorRequest` in, a `CodeGeneratorResponse` out.

use crate::error::Error;
use crate::{Options, OutputFile, analyse, descriptor, generate};
use hotpb::wire::{LEN, VARINT, append_bytes, append_tag, append_varint};

/// What the plugin answers.
pub struct Response {
    /// An encoded `CodeGeneratorResponse`.
    pub bytes: Vec<u8>,
    /// For standard error, one sentence each.
    pub notes: Vec<String>,
}

/// proto3 `optional` and editions.
const SUPPORTED_FEATURES: u64 = 1 | 2;
const EDITION_PROTO2: u64 = 998;
const EDITION_2024: u64 = 1001;

/// Answers a request. What is wrong with the schema or the options is part of the answer; an `Err` is a request
/// that cannot be read.
pub fn respond(request: &[u8]) -> Result<Response, Error> {
    let request = descriptor::read_request(request)?;
    let output = Options::parse(&request.parameter).map_err(Error::from).and_then(|options| {
        let plan = analyse(&request.files, &request.file_to_generate)?;
        generate(&plan, &options)
    });
    Ok(match output {
        Ok(output) => Response { bytes: encode(Ok(&output.files)), notes: output.notes },
        Err(error) => Response { bytes: encode(Err(&error)), notes: Vec::new() },
    })
}

fn encode(result: Result<&[OutputFile], &Error>) -> Vec<u8> {
    let mut out = Vec::new();
    let text = |out: &mut Vec<u8>, number, text: &str| {
        append_tag(out, number, LEN);
        append_bytes(out, text.as_bytes());
    };
    if let Err(error) = result {
        text(&mut out, 1, &error.to_string());
    }
    for (number, value) in [(2, SUPPORTED_FEATURES), (3, EDITION_PROTO2), (4, EDITION_2024)] {
        append_tag(&mut out, number, VARINT);
        append_varint(&mut out, value);
    }
    for file in result.unwrap_or_default() {
        let mut body = Vec::new();
        text(&mut body, 1, &file.name);
        text(&mut body, 15, &file.content);
        append_tag(&mut out, 15, LEN);
        append_bytes(&mut out, &body);
    }
    out
}
