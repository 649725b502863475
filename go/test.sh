#!/usr/bin/env bash
# go/test.sh: runs all tests of Go. check-all.sh repeats them with the race detector, with pointer checks and in a debug build.
set -euo pipefail
cd "$(dirname "$0")"
../tools/vectors/compile
../tools/testgen go
# Vet the generated code of two schemas with everything, not each of its variants.
go list ./... | grep -vE '/internal/testgen/(values/)?(hot|cold|stock|test_messages|vectors_20)' | xargs go vet
# -count=1: the vectors are outside the module, where the test cache does not look. -vet=off: everything has just been vetted.
# Generated code is compiled where a test imports it.
go list ./... | grep -v /internal/testgen/ | xargs go test -vet=off -count=1 -timeout=30m | { grep -v 'no test files' || true; }
go test -vet=off -count=1 -timeout=30m -tags purego ./wire # without assembly
# With the tag of testees.sh: the stock runtime, and all that imports it, is compiled once for both.
(cd conformance && go vet -tags protolegacy ./... && go test -vet=off -count=1 -timeout=30m -tags protolegacy ./...)
(cd test/protocmp && go vet ./... && go test -vet=off -count=1 -timeout=30m ./...)
# The codec face's modules for other runtimes, the schema face's modules for other formats, and the command hotpb.
for module in gogo googlev1 schema/yaml schema/proto cmd/hotpb; do
  (cd $module && go vet ./... && go test -vet=off -count=1 -timeout=30m ./... | { grep -v 'no test files' || true; })
done
(cd googlev1 && go test -vet=off -count=1 -timeout=30m -modfile=over_v2.mod . ./test) # the v1 API over google.golang.org/protobuf

# Other frameworks require a newer Go than the main module.
for module in test/vtproto grpccodec grpccodec/gogotest connectcodec; do
  needs=$(sed -n 's/^go //p' $module/go.mod)
  if [ "$(printf '%s\n' "go$needs" "$(go env GOVERSION)" | sort -V | head -n 1)" = "go$needs" ]; then
    (cd $module && go vet ./... && go test -vet=off -count=1 -timeout=30m ./... | { grep -v 'no test files' || true; })
  else
    echo "SKIPPED: $module needs Go $needs"
  fi
done
