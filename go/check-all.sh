#!/usr/bin/env bash
# go/check-all.sh [STEP…]: the checks that take long, in addition to test.sh and lint.sh. Without arguments it
# runs all steps, in the order of `steps`. A step is a function step_NAME; if it lacks something that cannot be fetched, it
# prints a line `SKIPPED: …`.
set -euo pipefail
cd "$(dirname "$0")"
steps=(generated growth race checkptr uninlined 32bit machines arm64 debug legacy opaque staticcheck oldgo buf random hotpb chdb)

faces=(. ./wire ./test/wiretest ./view/... ./pool ./writer ./codec ./rt/... ./schema/... ./prototest ./compat/... ./test/...)
on_machines=(./wire ./rt/pool ./rt/codec ./rt/codec/google ./schema ./test/view ./test/pool ./test/codec/google)
staticcheck=honnef.co/go/tools/cmd/staticcheck@v0.8.2
oldest=go1.24.0 # the version in go.mod
buf=@bufbuild/buf@1.57.2

[ -f ../build/vectors/writer.jsonl ] || ../tools/vectors/compile
../tools/testgen go

# Code of hundreds of schemas compiles: colliding names, structs of another version than their fast methods, nasty schemas;
# test.sh tests the first few of each.
step_generated() {
  export HOTPB_THOROUGH=1
  go test -count=1 -run 'WhateverNames|AnotherSchema|NastySchemas' ./internal/gen
  for module in gogo googlev1; do (cd "$module" && go test -count=1 -run AnotherSchema .); done
}

# Work in proportion to the input, of every shape in each tier; test.sh counts a third.
step_growth() { HOTPB_THOROUGH=1 go test -count=1 -timeout=1h -run InProportion ./wire ./schema ./compat/... ./test/...; }

# Data races: readers share views and messages, stock structs with fast methods among them.
step_race() {
  go test -count=1 -race -timeout=1h "${faces[@]}"
  for module in test/vtproto gogo googlev1 grpccodec grpccodec/gogotest connectcodec; do (cd "$module" && go test -count=1 -race ./...); done
}

# Checks for pointers into the wrong object, in the few places that use unsafe.
step_checkptr() {
  go test -count=1 -timeout=1h -gcflags=all=-d=checkptr "${faces[@]}"
  for module in test/vtproto gogo googlev1 grpccodec connectcodec; do (cd "$module" && go test -count=1 -gcflags=all=-d=checkptr ./...); done
}

# As debuggers build programs: more variables are on the heap then. Tests that count allocations or instructions are skipped.
step_uninlined() {
  go test -count=1 -timeout=1h -gcflags='all=-N -l' -skip 'Alloc|InProportion|SpareRoom|AFragmentIs|InOnePass|ToOneSlice|FoundOnce' \
    ./rt/... ./wire ./schema/... ./compat/... ./test/{pool,view,writer,codec/...}
}

# Field numbers and lengths that do not fit into an int of 32 bits.
step_32bit() {
  case $(go env GOHOSTARCH) in
    amd64 | 386) CGO_ENABLED=0 GOARCH=386 go test -count=1 "${on_machines[@]}" ;;
    *) echo "SKIPPED: programs for 386 do not run here" ;;
  esac
}

# Every package builds for machines with other word lengths and byte orders.
step_machines() {
  local arch
  for arch in 386 arm arm64 s390x; do CGO_ENABLED=0 GOARCH=$arch go build ./...; done
}

# Tests on arm64, in Debian's qemu-user.
step_arm64() {
  if ! command -v qemu-aarch64 > /dev/null; then echo "SKIPPED: qemu-aarch64 is not installed (Debian: qemu-user)"; return; fi
  CGO_ENABLED=0 GOARCH=arm64 go test -count=1 -short -exec qemu-aarch64 "${on_machines[@]}"
}

# Debug builds catch views that outlive their bytes, and fill reused memory with values that occur in no message.
step_debug() {
  go vet -tags hotpbdebug ./view ./rt/... ./schema ./test/...
  go test -count=1 -tags hotpbdebug ./rt/pool ./rt/codec/google ./test/seamtest ./test/view ./test/pool ./test/writer ./test/codec/google
}

# Message sets through the bridge: the stock runtime reads them with this tag.
step_legacy() { go test -count=1 -tags protolegacy ./rt/codec/google ./test/reflect ./test/codec/google; }

# The structs of the hybrid API are opaque with this tag.
step_opaque() {
  go vet -tags protoopaque ./internal/testgen/stock/...
  go test -count=1 -tags protoopaque ./test/codectest/hybrid ./test/codectest/compat
}

# The linters of users accept the runtime, the generator and generated code. Findings in the output of the runtimes' own
# generators (*.pb.go) do not count.
step_staticcheck() (
  bin=$(mktemp -d)
  trap 'rm -rf "$bin"' EXIT
  if ! GOBIN=$bin go install "$staticcheck" > /dev/null 2>&1; then echo "SKIPPED: cannot fetch $staticcheck from the module proxy"; return; fi
  failed=
  check() {
    local status=0 problems
    problems=$("$bin/staticcheck" "$@" 2>&1) || status=$?
    problems=$(grep -Ev '^[^ ]+\.pb\.go:[0-9]+:[0-9]+: .* \((SA|S|ST|U)[0-9]+\)$' <<< "$problems" || true)
    [ -z "$problems" ] && [ $status -le 1 ] || { echo "$problems"; failed=1; }
  }
  check . ./codec ./rt/... ./wire ./chunk ./view/... ./pool ./writer ./schema/... ./prototest ./compat/... ./test/... ./wkt/... ./internal/... ./cmd/...
  here=$PWD
  for module in gogo googlev1 schema/yaml schema/proto cmd/hotpb; do cd "$here/$module"; check ./...; done
  [ -z "$failed" ]
)

# The runtime, the generator and generated code compile with the version of Go in go.mod.
step_oldgo() {
  if ! GOTOOLCHAIN=$oldest go version > /dev/null 2>&1; then echo "SKIPPED: cannot fetch $oldest from the module proxy"; return; fi
  GOTOOLCHAIN=$oldest go vet "${faces[@]}" ./wkt/... ./internal/testgen/stock/... ./chunk ./internal/gen/... ./cmd/...
}

# buf.gen.yaml of README.md and those of the guides, in modules that have the generator as their tool.
step_buf() (
  module=$PWD folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
  cd "$folder"
  if ! npm install --silent --no-fund --no-audit --prefix . "$buf" > /dev/null 2>&1; then echo "SKIPPED: cannot fetch $buf with npm"; return; fi
  (cd "$module" && go build -o "$folder/bin/" google.golang.org/protobuf/cmd/protoc-gen-go)
  cp "$module/go.sum" .
  export GOWORK=off GOPROXY=off GOFLAGS=-mod=mod PATH=$folder/bin:$PATH
  go mod init -C . example.com/you > /dev/null 2>&1
  go mod edit -go=1.24 -require=github.com/hotpb/hotpb/go@v0.0.0 -replace=github.com/hotpb/hotpb/go="$module"
  go get -tool github.com/hotpb/hotpb/go/cmd/protoc-gen-go-hotpb

  sed -n '/^```yaml$/,/^```$/p' "$module/README.md" | grep -v '^```' > buf.gen.yaml
  cat > metrics.proto <<'PROTO'
syntax = "proto3";
package acme;
option go_package = "example.com/you/acme";
import "google/protobuf/timestamp.proto";
message Event { string name = 1; google.protobuf.Timestamp at = 2; }
PROTO
  node_modules/.bin/buf generate metrics.proto
  go vet ./acme/acmehot

  cd "$module/test/vtproto"
  env -u GOFLAGS HOTPB_BUF="$folder/node_modules/.bin/buf" go test -count=1 -run TheBufTemplatesOfTheGuides .
)

# Random schemas and messages against the stock runtime.
step_random() { go test -count=1 -v -tags random -run RandomSchemas ./internal/gen ./schema | grep -v '^=== '; }

# Arrow schemas, and the command hotpb under the race detector, with the plugins and rows of Rust and C++.
step_hotpb() {
  (cd schema/arrow && go vet ./... && go test -vet=off -count=1 ./...)
  (cd ../rust && cargo build --quiet --bin protoc-gen-hotpb-rs)
  (cd ../cpp && cmake --preset release > /dev/null && cmake --build --preset release --target protoc-gen-hotpb-cpp > /dev/null)
  (cd cmd/hotpb && HOTPB_THOROUGH=1 go test -count=1 -timeout 30m -race ./...)
}

# ClickHouse, embedded in a Python module of 270 MB, reads every column type of the schema face through its exports.
step_chdb() {
  . ../tools/env.sh
  if ! ../tools/setup chdb; then echo "SKIPPED: $(grep -o '^chdb==[0-9.]*' ../tools/chdb.txt)"; return; fi
  PYTHONPATH=$CHDB HOTPB_CHDB_PYTHON=$HOTPB_PYTHON go test -count=1 -v -run ClickHouse ./schema/clickhouse | grep -v '^=== '
}

# All fuzz targets for FUZZ_SECONDS each; not among the steps, because `make check-all` runs `make fuzz`.
step_fuzz() { ./fuzz.sh "${FUZZ_SECONDS:-60}"; }

[ $# -gt 0 ] || set -- "${steps[@]}"
for step; do
  declare -F "step_$step" > /dev/null || { echo "go/check-all.sh: no step $step (known: ${steps[*]} fuzz)" >&2; exit 2; }
  echo "==> go: $step"
  "step_$step"
done
