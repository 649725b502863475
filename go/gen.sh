#!/usr/bin/env bash
# go/gen.sh: regenerates the Go code that is committed: the well-known types of the runtime, and a sample of each face for
# review. testgen.sh generates the code of the tests.
set -euo pipefail
cd "$(dirname "$0")"
. ./generate.sh

find wkt -name "*.hot.go" -delete
generate view+edit+writer+pool+reflect "" google/protobuf/{any,duration,empty,field_mask,source_context,struct,timestamp,wrappers}.proto

# For review only: the generated code of a small schema, one file per face. The codec's file belongs to the package of the
# stock structs; the bridge of view and pool is in a package of its own.
goldens=../vectors/goldens/go
mkdir -p "$goldens"
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
golden() { # golden NAME FACES RESULT
  "$PROTOC" --plugin="$bin/protoc-gen-go-hotpb" --go-hotpb_out="$out" -I ../proto \
    --go-hotpb_opt="$(mapped golden hotpb/golden.proto)module=$module,faces=$2" hotpb/golden.proto
  cp "$out/internal/testgen/golden/$3" "$goldens/$1.go.txt"
}
for face in view pool writer; do golden $face $face goldenhot/golden.hot.go; done
golden reflect view+writer+pool+reflect goldenhot/goldenhotreflect/golden_reflect.hot.go
golden codec codec golden.hot.go

googlev1/gen.sh
