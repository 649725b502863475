#!/usr/bin/env bash
# Regenerates the committed code of the examples: the stock runtimes' and our own, with pinned generators.
set -euo pipefail
cd "$(dirname "$0")/.."
examples/first-light/gen.sh
examples/rows/gen.sh
examples/codec/gen.sh
