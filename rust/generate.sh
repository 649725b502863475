# Source this in rust/gen.sh and rust/testgen.sh: it builds the generator, and the one with the emitters of the tests, and defines
# functions that run them.
gen=${CARGO_TARGET_DIR:-target}/debug/protoc-gen-hotpb-rs
testgen=${CARGO_TARGET_DIR:-target}/debug/hotpb-testgen

# well_known: writes hotpb/src/wkt/gen, the well-known types of the runtime. Git has those that
# schemas use; set-up and tools/packages make the types of plugin.proto, api.proto and type.proto.
well_known() {
  local types=hotpb/src/wkt/gen new file names
  # These messages are hot, although the plan has them by table: programs that read descriptor sets use them everywhere.
  local options=google.protobuf.FieldOptions
  names=(any api compiler/plugin descriptor duration empty field_mask source_context struct timestamp type wrappers)
  names=$(printf '+google/protobuf/%s.proto' "${names[@]}")
  new=$(mktemp -d)
  "$gen" --descriptor_set=../proto/well_known.fds --out="$new" --files="${names#+}" \
    --opt="faces=pool+builder+visitor+writer+view,runtime,hot=$options+$options.EditionDefault+$options.FeatureSupport"
  while read -r file; do
    cmp -s "$new/$file" "$types/$file" && continue # cargo compiles again what is newer
    mkdir -p "$(dirname "$types/$file")"
    cp "$new/$file" "$types/$file"
  done < <(cd "$new" && find . -type f)
  rm -r "$new"
}

if [ "${1:-}" = --types ]; then
  cargo build --quiet -p protoc-gen-hotpb-rs
  well_known
  exit
fi
# Without -p: with the features of the tests, so that the generator is built only once. The workspace does not compile without the
# well-known types that git ignores, nor with those of another version; the generator alone does.
if [ ! -f hotpb/src/wkt/gen/google/protobuf/type.hot.rs ] || ! cargo build --quiet --bin protoc-gen-hotpb-rs --bin hotpb-testgen 2>/dev/null; then
  cargo build --quiet -p protoc-gen-hotpb-rs
  well_known
  cargo build --quiet --bin protoc-gen-hotpb-rs --bin hotpb-testgen
fi

# unit FOLDER SET OPTIONS [FILES]: generates files of a set, by default the requested ones, into an emptied folder.
unit() {
  local dir=$1 set=$2 options=$3 files=${4:-$(requested "$2")}
  [ -f "$set" ] || set=../vectors/plans/$2.fds
  rm -rf "$dir"
  mkdir -p "$dir"
  "$testgen" --descriptor_set="$set" --out="$dir" --opt="$options" --files="$files" 2>&1 | grep -v 'is already used or is not a valid name' || true
  [ -s "$dir/hotpb.mod.rs" ] || { echo "rust: $2 generated nothing" >&2; exit 1; }
}

# requested NAME…: the files of some sets, joined by +, from vectors/plans/list.txt.
requested() {
  local name
  for name; do awk -F'\t' -v name="$name" '$1 == name {print $2}' ../vectors/plans/list.txt; done | paste -sd+
}
