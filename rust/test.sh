#!/usr/bin/env bash
# All tests of the Rust half, quick. Vectors are compiled first; generated code must be what the generator writes.
set -euo pipefail
cd "$(dirname "$0")"
../tools/vectors/compile
cargo test --quiet --workspace
# The runtime alone: no_std, no features (in the workspace the tests turn them on).
cargo check --quiet -p hotpb
# Documentation builds, and its links hold.
RUSTDOCFLAGS="-D warnings -A rustdoc::private_intra_doc_links" cargo doc --quiet --no-deps -p hotpb -p hotpb-build -p hotpb-codegen
# Committed generated code is what gen.sh writes.
fresh=$(mktemp -d)
trap 'rm -rf "$fresh"' EXIT
./gen.sh "$fresh"
for dir in hotpb/src/wkt/gen tests/src/gen conformance/src/gen; do
  diff -r "$dir" "$fresh/$dir" > /dev/null || { echo "rust/$dir is not what rust/gen.sh writes" >&2; exit 1; }
done
# A short run of each fuzz target.
./fuzz.sh "${HOTPB_FUZZ_SECONDS:-2}"
