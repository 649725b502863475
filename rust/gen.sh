#!/usr/bin/env bash
# rust/gen.sh [--types]: regenerates the Rust code that is committed: the well-known types of the runtime, and each face of a
# small schema, for review. testgen.sh generates the code of the tests. With --types only the well-known types, those that git
# ignores among them; that needs no protoc.
set -euo pipefail
cd "$(dirname "$0")"
. ../tools/env.sh
. ./generate.sh

well_known
[ -x "$PROTOC" ] || ../tools/setup protoc

mkdir -p ../vectors/goldens/rust
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
"$PROTOC" -I ../proto --descriptor_set_out="$out/golden.fds" hotpb/golden.proto
for golden in pool:pool+visitor view:view writer:writer; do
  "$gen" --descriptor_set="$out/golden.fds" --out="$out" --opt="faces=${golden#*:}"
  cp "$out/hotpb/golden.hot.rs" "../vectors/goldens/rust/${golden%%:*}.rs.txt"
done
