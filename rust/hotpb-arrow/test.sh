#!/usr/bin/env bash
# rust/hotpb-arrow/test.sh: the tests of hotpb-arrow, which is a workspace of its own because Arrow is large.
set -euo pipefail
cd "$(dirname "$0")"
../../tools/vectors/compile
export CARGO_TARGET_DIR=../../build/cargo-arrow
cargo test --quiet --locked
