#!/usr/bin/env bash
# rust/hotpb-arrow/test.sh: the tests of hotpb-arrow. They have a folder of builds of their own because Arrow is large.
set -euo pipefail
cd "$(dirname "$0")"
../../tools/vectors/compile
export CARGO_TARGET_DIR=../../build/cargo-arrow
cargo test --quiet --locked
