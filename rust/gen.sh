#!/usr/bin/env bash
# Regenerates all generated Rust code that is committed, from the descriptor sets in vectors/plans.
#   rust/gen.sh [OUT]     OUT: write below this folder instead of rust/ (to compare)
set -euo pipefail
cd "$(dirname "$0")"
out=${1:-.}
cargo build --quiet -p protoc-gen-hotpb-rs
gen=target/debug/protoc-gen-hotpb-rs
[ -z "${CARGO_TARGET_DIR:-}" ] || gen=$CARGO_TARGET_DIR/debug/protoc-gen-hotpb-rs

# unit FOLDER SET OPTIONS [FILES]: generates the requested files of a set into an emptied folder.
unit() {
  local dir=$out/$1 set=$2 options=$3 files=${4:-}
  [ -f "$set" ] || set=../vectors/plans/$2.fds
  rm -rf "$dir"
  mkdir -p "$dir"
  "$gen" --descriptor_set="$set" --out="$dir" --opt="$options" ${files:+--files="$files"} 2>&1 | grep -v 'is taken or cannot be a name' || true
  [ -s "$dir/hotpb.mod.rs" ] || { echo "rust/gen.sh: $2 generated nothing" >&2; exit 1; }
}

# requested NAME…: the files of some sets, joined by +, as vectors/plans/list.txt has them.
requested() {
  local name
  for name; do awk -F'\t' -v name="$name" '$1 == name {print $2}' ../vectors/plans/list.txt; done | paste -sd+
}

# All that ships with the runtime is one unit; descriptor sets are joined by joining their bytes.
joined=$(mktemp)
trap 'rm -f "$joined"' EXIT
cat ../vectors/plans/wkt.fds ../vectors/plans/plugin.fds > "$joined"
unit hotpb/src/wkt/gen "$joined" faces=pool "$(requested wkt descriptor plugin)"
unit tests/src/gen/remote_write_v1 remote_write_v1 faces=pool+reencode
unit tests/src/gen/remote_write_v2 remote_write_v2 faces=pool+reencode
unit tests/src/gen/raft raft faces=pool+reencode
unit tests/src/gen/vectors vectors faces=pool+reencode "$(requested vectors)"
unit tests/src/gen/nasty nasty faces=pool+reencode "$(requested nasty)"
unit conformance/src/gen/protocol conformance faces=pool
for name in proto2 proto3 proto2_editions proto3_editions edition2023; do
  unit conformance/src/gen/$name test_messages_$name faces=pool+reencode "$(requested test_messages_$name)"
done

# For review only: what the generator writes for a schema that one can read through.
if [ "$out" = . ]; then
  mkdir -p ../vectors/goldens/rust
  cp tests/src/gen/remote_write_v1/prometheus/types.hot.rs ../vectors/goldens/rust/pool.rs.txt
fi
