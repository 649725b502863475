#!/usr/bin/env bash
# Format, vet and tests; the program links package schema and its YAML reader, and no protobuf runtime.
set -euo pipefail
cd "$(dirname "$0")"
unformatted=$(gofmt -l .)
[ -z "$unformatted" ] || { echo "not formatted: $unformatted"; exit 1; }
go vet ./...
go test -vet=off -count=1 .
if go list -deps . | grep -E '^google.golang.org/'; then echo "FAILED: the program links a protobuf runtime"; exit 1; fi
