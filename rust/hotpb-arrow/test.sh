#!/usr/bin/env bash
# rust/hotpb-arrow/test.sh: the tests of hotpb-arrow, which is a workspace of its own because Arrow is large.
# HOTPB_ARROW_ROUNDS sets the number of damaged messages (6000).
set -euo pipefail
cd "$(dirname "$0")"
../../tools/vectors/compile
export CARGO_TARGET_DIR=../../build/cargo-arrow
cargo test --quiet --locked
RUSTDOCFLAGS="-D warnings -A rustdoc::private_intra_doc_links" cargo doc --quiet --locked --no-deps
