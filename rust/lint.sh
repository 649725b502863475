#!/usr/bin/env bash
# Checks formatting, lints and documentation of all Rust code, including tests, testees, generated code, hotpb-tonic, hotpb-arrow and
# examples/rows; of hotpb-datafusion only the formatting: `check-all.sh datafusion` has its lints, because DataFusion
# is large.
set -euo pipefail
cd "$(dirname "$0")"
../tools/testgen rust
cargo fmt --all --check
cargo clippy --quiet --all-targets -- -D warnings
cargo clippy --quiet --locked --all-targets -p hotpb-tonic -p hotpb-tonic-build -p hotpb-tonic-loopback --features hotpb-tonic-loopback/tls -p hotpb-arrow -p hotpb-prost-tests -p rows -p first-light -- -D warnings
RUSTDOCFLAGS="-D warnings -A rustdoc::private_intra_doc_links" cargo doc --quiet --locked --no-deps -p hotpb-tonic -p hotpb-tonic-build -p hotpb-arrow
cd bench
cargo fmt --check -p hotpb-arrow-bench -p hotpb-tonic-bench
cargo clippy --quiet --locked --all-targets -p hotpb-arrow-bench -p hotpb-tonic-bench -- -D warnings
