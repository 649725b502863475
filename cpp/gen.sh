#!/usr/bin/env bash
# cpp/gen.sh regenerates the C++ code that is committed: what the generator itself is built from, and the code of a
# small schema, for review.
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

# The well-known types: builds from a checkout generate them from this set (cmake/HotpbWellKnown.cmake, rust/generate.sh).
"$PROTOC" -I "$PROTOC_INCLUDE" --descriptor_set_out=../proto/well_known.fds \
  google/protobuf/{any,source_context,type,api,duration,empty,field_mask,struct,timestamp,wrappers,descriptor,compiler/plugin}.proto

# The generator reads its input and writes its response with its own views and writer, of the messages that it needs and
# in a namespace of their own (plugin/bootstrap). Built with the committed headers, it generates them again. If they differ,
# it is built with the new ones, and must generate the same again.
mkdir "$out/protos" "$out/protos/bootstrap"
cp "$PROTOC_INCLUDE/google/protobuf/descriptor.proto" "$out/protos/bootstrap"
sed 's|google/protobuf/descriptor.proto|bootstrap/descriptor.proto|' "$PROTOC_INCLUDE/google/protobuf/compiler/plugin.proto" >"$out/protos/bootstrap/plugin.proto"
generate() { # OUT OPTIONS FILE...
  mkdir -p "$1"
  "$PROTOC" --plugin=protoc-gen-hotpb-cpp=../build/cpp/plugin/protoc-gen-hotpb-cpp --hotpb-cpp_out="$2:$1" "${@:3}"
}
google=google.protobuf
request=$google.compiler.CodeGeneratorRequest response=$google.compiler.CodeGeneratorResponse
for round in 1 2; do
  build
  rm -rf "$out/views" "$out/writers"
  options=split,comments=off,cold=*,namespace=bootstrap
  generate "$out/views" "faces=view,$options,messages=$google.FileDescriptorSet+$request+$response" -I "$out/protos" bootstrap/{descriptor,plugin}.proto
  generate "$out/writers" "faces=writer,$options,messages=$response" -I "$out/protos" bootstrap/{descriptor,plugin}.proto
  mv "$out"/writers/bootstrap/*.writer.hot.h "$out/views/bootstrap"
  rm "$out"/views/bootstrap/{descriptor,plugin}.hot.h
  if diff -rq "$out/views/bootstrap" plugin/bootstrap >"$log"; then break; fi
  if [ "$round" = 2 ]; then
    cat "$log"
    echo "cpp/gen.sh: built with its own output, the generator does not generate that output again" >&2
    exit 1
  fi
  rm -rf plugin/bootstrap
  cp -r "$out/views/bootstrap" plugin/bootstrap
done

goldens=../vectors/goldens/cpp
mkdir -p "$goldens"
for face in pool writer view; do
  generate "$out" "faces=$face" -I ../proto hotpb/golden.proto
  cp "$out/hotpb/golden.hot.h" "$goldens/$face.h.txt"
done
for extra in builder visitor; do
  generate "$out" "faces=pool+$extra" -I ../proto hotpb/golden.proto
  cp "$out/hotpb/golden.$extra.hot.h" "$goldens/$extra.h.txt"
done
