#!/usr/bin/env bash
# cpp/testees.sh: builds build/conformance/cpp-<face>.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
[ -x ../build/tools/protoc/bin/protoc ] || ../tools/setup protoc
mkdir -p ../build/conformance
log=$(mktemp)
trap 'rm -f "$log"' EXIT
cmake --preset release >"$log" 2>&1 || { cat "$log"; exit 1; }
cmake --build --preset release --target cpp-pool cpp-view cpp-writer --parallel "$(nproc)" >"$log" 2>&1 \
  || { grep -E -A8 'error|warning' "$log" || cat "$log"; exit 1; }
