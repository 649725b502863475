#!/usr/bin/env bash
# rust/gen.sh: regenerates the Rust code that is committed, from the descriptor sets in vectors/plans: the well-known types
# of the runtime, and a sample of each face for review. testgen.sh generates the code of the tests.
set -euo pipefail
cd "$(dirname "$0")"
. ./generate.sh

# All types that ship with the runtime are one unit; concatenating descriptor sets joins them.
joined=$(mktemp)
trap 'rm -f "$joined"' EXIT
cat ../vectors/plans/wkt.fds ../vectors/plans/plugin.fds > "$joined"
# These messages are hot, although the plan has them by table: programs that read descriptor sets use them everywhere.
options=google.protobuf.FieldOptions
hot=$options+$options.EditionDefault+$options.FeatureSupport
unit hotpb/src/wkt/gen "$joined" "faces=pool+builder+visitor+writer+view,runtime,hot=$hot" "$(requested wkt descriptor plugin)"

# For review only: the generator's output for a schema that is short enough to read.
mkdir -p ../vectors/goldens/rust
out=$(mktemp -d)
trap 'rm -rf "$joined" "$out"' EXIT
for golden in pool:pool+visitor view:view writer:writer; do
  "$gen" --descriptor_set=../vectors/plans/remote_write_v1.fds --out="$out" --opt="faces=${golden#*:}"
  cp "$out/prometheus/types.hot.rs" "../vectors/goldens/rust/${golden%%:*}.rs.txt"
done
