//! The Rust code in the Markdown files, as tests: `build.rs` describes how a block is marked, and how it is used.
#![cfg(test)]
// FCE-38.
#![forbid(unsafe_code)]

include!(concat!(env!("OUT_DIR"), "/documents.rs"));

/// The error of a block.
type Failure = Box<dyn std::error::Error>;

/// A block's line, and its code.
type Block = (usize, fn() -> Result<Option<Vec<u8>>, Failure>);

/// Runs the blocks below one heading. Blocks that define `bytes` must define the same.
fn run(document: &str, heading: &str, blocks: &[Block]) {
    let mut left: Option<(usize, Vec<u8>)> = None;
    for (line, block) in blocks {
        let bytes = block().unwrap_or_else(|e| panic!("{document}:{line}: {e}"));
        match (&left, bytes) {
            (Some((first, expected)), Some(bytes)) => {
                assert_eq!(bytes, *expected, "{document}:{line}: `bytes` differs from line {first}, below {heading:?}")
            }
            (None, Some(bytes)) => left = Some((*line, bytes)),
            (_, None) => {}
        }
    }
}
