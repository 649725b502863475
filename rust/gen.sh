#!/usr/bin/env bash
# Regenerates all generated Rust code that is committed, from the descriptor sets in vectors/plans.
#   rust/gen.sh [OUT]     OUT: write below this folder instead of rust/ (to compare)
set -euo pipefail
cd "$(dirname "$0")"
out=${1:-.}
# --workspace: with the features that the tests build it with, so that it is built once.
cargo build --quiet --workspace --bin protoc-gen-hotpb-rs
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
unit hotpb/src/wkt/gen "$joined" faces=pool+builder+visitor+writer "$(requested wkt descriptor plugin)"
unit tests/src/gen/remote_write_v1 remote_write_v1 faces=pool+visitor+reencode
unit tests/src/gen/remote_write_v2 remote_write_v2 faces=pool+reencode
unit tests/src/gen/raft raft faces=pool+reencode
unit tests/src/gen/vectors vectors faces=pool+builder+visitor+writer+reencode+rewrite+script "$(requested vectors)"

# Some of the same messages with fields left out: dropped, and kept among the unknown fields.
fields() { local message=$1 all=() name; shift; for name; do all+=("$message.$name"); done; (IFS=+; echo "${all[*]}"); }
p2=hotpb.vectors.p2 p3=hotpb.vectors.p3
some=messages=$p2.Child+$p2.Needs+$p2.Numbers+$p3.All
some+=,only=$(fields $p2.Child id child children)+$(fields $p3.All single_string single_child single_all repeated_int32 repeated_all value_all other_number other_text)
some+=,skip=$(fields $p2.Needs by_id picked other grp)+$(fields $p2.Must name)+$(fields $p2.Numbers n15 n2048 n18999 n20000)
unit tests/src/gen/dropped vectors "faces=pool,$some" hotpb/vectors.proto+hotpb/vectors_proto2.proto
unit tests/src/gen/kept vectors "faces=pool+reencode,keep_skipped,$some" hotpb/vectors.proto+hotpb/vectors_proto2.proto
unit tests/src/gen/nasty nasty faces=pool+builder+visitor+writer+reencode "$(requested nasty)"
unit tests/src/gen/pairs pairs faces=pool+builder+visitor+writer+reencode "$(requested pairs)"
unit conformance/src/gen/protocol conformance faces=pool
for name in proto2 proto3 proto2_editions proto3_editions edition2023; do
  unit conformance/src/gen/$name test_messages_$name faces=pool+writer+reencode+rewrite "$(requested test_messages_$name)"
done

# For review only: what the generator writes for a schema that one can read through.
if [ "$out" = . ]; then
  mkdir -p ../vectors/goldens/rust
  cp tests/src/gen/remote_write_v1/prometheus/types.hot.rs ../vectors/goldens/rust/pool.rs.txt
  alone=$(mktemp -d)
  "$gen" --descriptor_set=../vectors/plans/remote_write_v1.fds --out="$alone" --opt=faces=writer
  cp "$alone/prometheus/types.hot.rs" ../vectors/goldens/rust/writer.rs.txt
  rm -rf "$alone"
fi
