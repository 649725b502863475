# Source this in rust/gen.sh, rust/testgen.sh and rust/well_known.sh: it builds the generator, and defines functions that run it.
# The workspace does not compile without the well-known types; the generator alone does.
../tools/vectors/fds
optional=hotpb/src/wkt/gen/google/protobuf
for name in descriptor compiler/plugin type api; do
  [ -f $optional/$name.hot.rs ] || { ./well_known.sh; break; }
done
# --workspace: with the features of the tests, so that the generator is built only once.
cargo build --quiet --workspace --bin protoc-gen-hotpb-rs
gen=${CARGO_TARGET_DIR:-target}/debug/protoc-gen-hotpb-rs

# unit FOLDER SET OPTIONS [FILES]: generates the requested files of a set into an emptied folder.
unit() {
  local dir=$1 set=$2 options=$3 files=${4:-}
  [ -f "$set" ] || set=../vectors/plans/$2.fds
  rm -rf "$dir"
  mkdir -p "$dir"
  "$gen" --descriptor_set="$set" --out="$dir" --opt="$options" ${files:+--files="$files"} 2>&1 | grep -v 'is already used or is not a valid name' || true
  [ -s "$dir/hotpb.mod.rs" ] || { echo "rust: $2 generated nothing" >&2; exit 1; }
}

# requested NAME…: the files of some sets, joined by +, from vectors/plans/list.txt.
requested() {
  local name
  for name; do awk -F'\t' -v name="$name" '$1 == name {print $2}' ../vectors/plans/list.txt; done | paste -sd+
}
