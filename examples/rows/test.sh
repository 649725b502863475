#!/usr/bin/env bash
# Tests the program, and that a user's build contains no stock runtime. check.sh searches longer for harmful bodies.
set -euo pipefail
cd "$(dirname "$0")"
cargo test --quiet --locked
tree=$(cargo tree --locked --edges normal --prefix none --format '{p}')
if grep -E '^(prost|serde|csv)' <<< "$tree"; then
  echo "the program contains a dependency that only tests need" >&2
  exit 1
fi
