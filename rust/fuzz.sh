#!/usr/bin/env bash
# rust/fuzz.sh SECONDS [TARGET…]: runs each fuzz target for that long. A finding prints its input in hex and fails.
# Seeds: the vectors (build/vectors, if compiled) and the descriptor sets of vectors/plans.
set -euo pipefail
cd "$(dirname "$0")"
seconds=${1:?usage: rust/fuzz.sh SECONDS [TARGET…]}
shift
../tools/testgen rust
# With the assertions of debug builds: the walk that explains an error must agree with the decoder.
# --workspace: with the features of the tests, so that generated code is not compiled once more.
cargo build --quiet --workspace --bin hotpb-fuzz
"${CARGO_TARGET_DIR:-target}/debug/hotpb-fuzz" "$seconds" "$@"
