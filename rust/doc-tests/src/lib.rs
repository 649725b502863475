//! The Rust code in the Markdown files, as tests: `build.rs` says how a block is marked, and what is done with it.
#![cfg(test)]

include!(concat!(env!("OUT_DIR"), "/documents.rs"));

/// What a block may end with.
type Failure = Box<dyn std::error::Error>;

/// A block's line, and its code.
type Block = (usize, fn() -> Result<Option<Vec<u8>>, Failure>);

/// Runs the blocks below one heading. Those that leave `bytes` must leave the same.
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
