#!/usr/bin/env bash
# rust/well_known.sh [GENERATOR]: writes hotpb/src/wkt/gen, the well-known types of the runtime. Git has those that the crate
# has without features; the others (descriptor, plugin, type, api) are large, so that set-up and tools/packages make them.
set -euo pipefail
cd "$(dirname "$0")"
gen=${1:-${CARGO_TARGET_DIR:-target}/debug/protoc-gen-hotpb-rs}
[ $# -eq 1 ] || cargo build --quiet -p protoc-gen-hotpb-rs
out=hotpb/src/wkt/gen
new=$(mktemp -d)
trap 'rm -rf "$new"' EXIT
# These messages are hot, although the plan has them by table: programs that read descriptor sets use them everywhere.
options=google.protobuf.FieldOptions
hot=$options+$options.EditionDefault+$options.FeatureSupport
names=(any api compiler/plugin descriptor duration empty field_mask source_context struct timestamp type wrappers)
files=$(printf '+google/protobuf/%s.proto' "${names[@]}")
"$gen" --descriptor_set=../proto/well_known.fds --out="$new" --opt="faces=pool+builder+visitor+writer+view,runtime,hot=$hot" --files="${files#+}"
mkdir -p $out
(cd "$new" && find . -type f) | while read -r file; do
  cmp -s "$new/$file" "$out/$file" && continue # cargo compiles again what is newer
  mkdir -p "$(dirname "$out/$file")"
  cp "$new/$file" "$out/$file"
done
