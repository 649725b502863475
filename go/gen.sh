#!/usr/bin/env bash
# go/gen.sh: regenerates the Go code that is committed: the well-known types of the runtime, and a sample of each face for
# review. testgen.sh generates the code of the tests.
set -euo pipefail
cd "$(dirname "$0")"
. ./generate.sh

find wkt -name "*.hot.go" -delete
well_known() { # well_known OPTIONS NAME...
  local options=$1
  shift
  set -- "${@/#/google/protobuf/}"
  generate view+edit+writer+pool+reflect "$options" "${@/%/.proto}"
}
well_known "" any duration empty field_mask source_context struct timestamp wrappers
# Descriptions of schemas are on no hot path.
well_known "cold=*," api compiler/plugin descriptor type

# For review only: the generated code for a schema of usual size, one file per face. The codec's file belongs to the package
# of the stock structs; the bridge of view and pool is in a package of its own.
goldens=../vectors/goldens/go
mkdir -p "$goldens"
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
golden() { # golden NAME FACES PACKAGE RESULT FILE...
  local name=$1 faces=$2 package=$3 result=$4
  shift 4
  "$PROTOC" --plugin="$bin/protoc-gen-go-hotpb" --go-hotpb_out="$out" -I ../proto -I ../proto/prometheus \
    --go-hotpb_opt="$(mapped "$package" "$@")module=$module,faces=$faces" "$@"
  cp "$out/internal/testgen/$package/$result" "$goldens/$name.go.txt"
}
for face in view pool writer; do golden $face $face prometheus prometheushot/types.hot.go "${prometheus[@]}"; done
golden reflect view+writer+pool+reflect prometheus prometheushot/prometheushotreflect/types_reflect.hot.go "${prometheus[@]}"
golden codec codec stock/prometheus types.hot.go "${prometheus[@]}"
# With csproto's names, unless they collide with fields.
golden codec-csproto codec,compat=csproto stock/compat compat.hot.go hotpb/compat.proto

googlev1/gen.sh
