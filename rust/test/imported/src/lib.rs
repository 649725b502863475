//! The messages that `hotpb-tests-across` uses.
#![forbid(unsafe_code)]

hotpb::include_generated!();
