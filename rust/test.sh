#!/usr/bin/env bash
# rust/test.sh: all tests of the Rust code; they are quick. It compiles the vectors first. tools/check-generated checks
# that committed generated code is up to date; fuzz.sh fuzzes.
set -euo pipefail
cd "$(dirname "$0")"
../tools/vectors/compile
../tools/testgen rust
cargo test --quiet
# Programs that must not compile, for the stated reason: without the variable, stable Rust does not compare error codes.
RUSTC_BOOTSTRAP=1 cargo test --quiet --locked --doc -p hotpb-tests-misuse
# Against prost's own code.
cargo test --quiet --locked -p hotpb-prost-tests
# The runtime by itself: no_std, without features (in the workspace the tests turn them on).
cargo check --quiet -p hotpb
# The documentation builds without warnings, and its links work.
RUSTDOCFLAGS="-D warnings -A rustdoc::private_intra_doc_links" cargo doc --quiet --no-deps --all-features -p hotpb -p hotpb-build -p hotpb-codegen
# It does not contain items that only generated code calls.
./surface.sh
