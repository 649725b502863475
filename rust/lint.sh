#!/usr/bin/env bash
# Checks formatting, lints and documentation of all Rust code, including tests, testees, generated code, hotpb-tonic, hotpb-arrow and
# examples/rows; of hotpb-datafusion only the formatting: `check-all.sh datafusion` has its lints, because DataFusion
# is large.
set -euo pipefail
cd "$(dirname "$0")"
../tools/testgen rust
cargo fmt --all --check
cargo clippy --quiet --workspace --all-targets -- -D warnings
(
  cd hotpb-tonic
  cargo fmt --all --check
  CARGO_TARGET_DIR=../../build/cargo-tonic cargo clippy --quiet --locked --workspace --all-targets -- -D warnings
  CARGO_TARGET_DIR=../../build/cargo-tonic RUSTDOCFLAGS="-D warnings" cargo doc --quiet --locked --no-deps -p hotpb-tonic -p hotpb-tonic-build
)
arrow=$PWD/../build/cargo-arrow
for folder in hotpb-arrow hotpb-arrow/bench; do
  (cd $folder && cargo fmt --check && cargo clippy --quiet --locked --all-targets --target-dir "$arrow" -- -D warnings)
done
(cd hotpb-arrow && RUSTDOCFLAGS="-D warnings -A rustdoc::private_intra_doc_links" cargo doc --quiet --locked --no-deps --target-dir "$arrow")
(cd hotpb-datafusion && cargo fmt --check)
(cd prost-tests && cargo fmt --check && cargo clippy --quiet --locked --all-targets --target-dir ../target -- -D warnings)
cd ../examples/rows
cargo fmt --check
CARGO_TARGET_DIR=../../build/cargo-rows cargo clippy --quiet --locked --all-targets -- -D warnings
