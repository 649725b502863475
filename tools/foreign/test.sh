#!/usr/bin/env bash
# tools/foreign/test.sh [--all]: the tests of tools/foreign-schemas, and a run of it on schemas of our own that is short enough for
# `make test`: one small set through the faces of each language, one with every kind of field through the Go view, and rows of all
# forms through the readers that have loops for them. With --all (make check-all) also through more faces of C++, which compile long.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
unformatted=$(gofmt -l .)
[ -z "$unformatted" ] || { echo "not formatted: $unformatted"; exit 1; }
go vet -tags protolegacy ./...
go test -tags protolegacy ./...
../foreign-schemas --schema=raft --face=go-view,go-writer,go-codec,rust-writer,rust-builder,cpp-pool,cpp-writer --messages=20 ../../vectors/plans
[ "${1-}" != --all ] || ../foreign-schemas --schema=raft --face=cpp-view,cpp-builder --messages=20 ../../vectors/plans
../foreign-schemas --schema=test_messages_proto2 --face=go-view --messages=20 ../../vectors/plans
../foreign-schemas --schema=pairs,raft --face=go-view,go-pool,go-codec --messages=60 ../../vectors/plans
# The run must also notice, through real code, a face that loses unknown fields.
if output=$(../foreign-schemas --schema=raft --face=go-view --messages=20 --fault=drop-unknown ../../vectors/plans); then
  echo "FAILED: drop-unknown was not seen: $output"
  exit 1
fi
grep -q '^0 passed, 1 failed$' <<< "$output" || { echo "FAILED: $output"; exit 1; }
