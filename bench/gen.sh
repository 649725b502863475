#!/usr/bin/env bash
# Regenerates all committed code of the benchmarks and of the examples: the rivals' and our own, with pinned generators.
set -euo pipefail
cd "$(dirname "$0")/.."
rust/bench/gen.sh
go/bench/gen.sh
examples/first-light/gen.sh
examples/remote-write/gen.sh
examples/codec/gen.sh
