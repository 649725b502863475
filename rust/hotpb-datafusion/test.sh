#!/usr/bin/env bash
# rust/hotpb-datafusion/test.sh: the tests of hotpb-datafusion and protosql, with a folder of builds of their own because
# DataFusion is large.
set -euo pipefail
cd "$(dirname "$0")"
export CARGO_TARGET_DIR=../../build/cargo-datafusion
cargo test --quiet --locked
RUSTDOCFLAGS="-D warnings -A rustdoc::private_intra_doc_links" cargo doc --quiet --locked --no-deps --lib
