#!/usr/bin/env bash
# go/test.sh: all tests of Go. With HOTPB_THOROUGH=1 also under the race detector and with pointer checks.
set -euo pipefail
cd "$(dirname "$0")"
../tools/vectors/compile
go vet ./...
# -count=1: the vectors lie outside the module, where the test cache does not look.
go test -count=1 ./... | { grep -v 'no test files' || true; }
go test -count=1 -tags hotpbdebug -run Debug ./view
(cd conformance && go vet ./... && go test -count=1 ./...)
if [ -n "${HOTPB_THOROUGH:-}" ]; then
  go test -race ./wire ./view ./pool ./writer
  go test -gcflags=all=-d=checkptr ./wire ./view ./pool ./writer
fi
