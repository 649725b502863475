#!/usr/bin/env bash
# rust/fuzz.sh SECONDS [TARGET…]: runs each fuzz target for so long. A finding prints its input in hex and fails.
# Seeds: the vectors (build/vectors, when compiled) and the descriptor sets of vectors/plans.
set -euo pipefail
cd "$(dirname "$0")"
seconds=${1:?usage: rust/fuzz.sh SECONDS [TARGET…]}
shift
../tools/testgen rust
# With the assertions of debug builds: the walk that names an error must agree with the decoder.
# --workspace: with the features that the tests have, or all generated code would be compiled once more.
cargo build --quiet --workspace --bin hotpb-fuzz
"${CARGO_TARGET_DIR:-target}/debug/hotpb-fuzz" "$seconds" "$@"
