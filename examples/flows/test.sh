#!/usr/bin/env bash
# examples/flows/test.sh: format, vet and all tests of the collector that need nothing but Go. What needs a browser, a broker,
# live exporters or ClickHouse is in check.sh and check-page.sh.
set -euo pipefail
cd "$(dirname "$0")"
unformatted=$(gofmt -l .)
[ -z "$unformatted" ] || { echo "not formatted: $unformatted"; exit 1; }
go vet ./...
# -count=1: the repository's captures and its schema file lie outside the packages, where the test cache does not look.
go test -vet=off -count=1 ./... | { grep -v 'no test files' || true; }
# Where goroutines meet; the race detector needs a C compiler.
if [ "$(go env CGO_ENABLED)" = 1 ]; then
  go test -vet=off -count=1 -race ./internal/collect
fi
