#!/usr/bin/env bash
# rust/test.sh: all tests of the Rust half, quick. Vectors are compiled first. Whether committed generated code is what gen.sh
# writes, tools/check-generated checks; what fuzzing finds, fuzz.sh.
set -euo pipefail
cd "$(dirname "$0")"
../tools/vectors/compile
../tools/testgen rust
cargo test --quiet --workspace
# The runtime alone: no_std, no features (in the workspace the tests turn them on).
cargo check --quiet -p hotpb
# Documentation builds, and its links hold.
RUSTDOCFLAGS="-D warnings -A rustdoc::private_intra_doc_links" cargo doc --quiet --no-deps --all-features -p hotpb -p hotpb-build -p hotpb-codegen
# What only generated code calls is not in it.
./surface.sh
