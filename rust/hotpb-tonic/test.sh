#!/usr/bin/env bash
# Tests hotpb-tonic and hotpb-tonic-build: unit tests, calls over TCP.
set -euo pipefail
cd "$(dirname "$0")"
cargo test --quiet --locked -p hotpb-tonic -p hotpb-tonic-build -p hotpb-tonic-loopback
# A server needs no stock runtime.
tree=$(cargo tree --locked -p hotpb-tonic -p hotpb-tonic-build --edges normal --prefix none --format '{p}')
if grep -E '^(prost|protobuf)' <<< "$tree"; then
  echo "hotpb-tonic depends on a stock runtime" >&2
  exit 1
fi
