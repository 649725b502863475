#!/usr/bin/env bash
# rust/gen.sh: regenerates the Rust code that is committed, from the descriptor sets in vectors/plans: the well-known types
# of the runtime, and a sample of each face for review. testgen.sh generates the code of the tests.
set -euo pipefail
cd "$(dirname "$0")"
. ./generate.sh

./well_known.sh "$gen"

# For review only: the generator's output for a schema that is short enough to read.
mkdir -p ../vectors/goldens/rust
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
for golden in pool:pool+visitor view:view writer:writer; do
  "$gen" --descriptor_set=../vectors/plans/remote_write_v1.fds --out="$out" --opt="faces=${golden#*:}"
  cp "$out/prometheus/types.hot.rs" "../vectors/goldens/rust/${golden%%:*}.rs.txt"
done
