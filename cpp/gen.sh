#!/usr/bin/env bash
# cpp/gen.sh regenerates the C++ code that is committed: the well-known types of the runtime, some of which the
# generator itself uses, and the code of a schema of usual size, for review.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
. ../tools/env.sh
[ -x "$PROTOC" ] || ../tools/setup protoc

log=$(mktemp)
out=$(mktemp -d)
trap 'rm -rf "$log" "$out"' EXIT
build() {
  cmake --preset release >"$log" 2>&1 || { cat "$log"; exit 1; }
  cmake --build --preset release --target protoc-gen-hotpb-cpp --parallel "$(nproc)" >"$log" 2>&1 || { cat "$log"; exit 1; }
}

# generate FACES[,OPTION] FILE... (comments of the well-known types would be a fifth of their headers)
generate() {
  local faces=$1
  shift
  "$PROTOC" --plugin=protoc-gen-hotpb-cpp=../build/cpp/plugin/protoc-gen-hotpb-cpp --hotpb-cpp_out="faces=$faces:$out" \
    -I ../proto -I "$PROTOC_INCLUDE" "$@"
}

well_known=(any api compiler/plugin descriptor duration empty field_mask source_context struct timestamp type wrappers)
well_known=("${well_known[@]/#/google/protobuf/}")
# The generator reads its input and writes its response with these headers. Built with the committed headers, it
# generates them again. If they differ, it is built with the new ones, and must generate the same again.
for round in 1 2; do
  build
  rm -rf "$out/hotpb"
  generate writer+view+pool+builder+visitor,comments=off,split "${well_known[@]/%/.proto}"
  # Pools of what describes schemas are by table: they are large, and on no hot path.
  mv "$out/hotpb/wkt" "$out/wkt"
  generate pool,comments=off,split,cold=* "${well_known[@]/%/.proto}"
  for name in api descriptor plugin type; do mv "$out/hotpb/wkt/$name.pool.hot.h" "$out/wkt"; done
  rm -rf "$out/hotpb/wkt"
  mv "$out/wkt" "$out/hotpb/wkt"
  if diff -rq "$out/hotpb/wkt" include/hotpb/wkt >"$log"; then break; fi
  if [ "$round" = 2 ]; then
    cat "$log"
    echo "cpp/gen.sh: built with its own output, the generator does not generate that output again" >&2
    exit 1
  fi
  rm -rf include/hotpb/wkt
  cp -r "$out/hotpb/wkt" include/hotpb/wkt
done

goldens=../vectors/goldens/cpp
mkdir -p "$goldens"
for face in pool writer view; do
  generate "$face" prometheus/types.proto
  cp "$out/prometheus/types.hot.h" "$goldens/$face.h.txt"
done
for extra in builder visitor; do
  generate "pool+$extra" prometheus/types.proto
  cp "$out/prometheus/types.$extra.hot.h" "$goldens/$extra.h.txt"
done
