#!/usr/bin/env bash
# apps/flows/check-all.sh: what `make check-all` adds for the collector: the race detector, more exporters that are made at random, its benchmarks, its container files, and its packages where they can be installed.
set -euo pipefail
cd "$(dirname "$0")"
# The packages in which goroutines interact; the race detector needs a C compiler.
if [ "$(go env CGO_ENABLED)" = 1 ]; then
  go test -vet=off -count=1 -race ./internal/collect ./internal/stage ./internal/snmp
else
  echo "SKIPPED: the race detector: CGO_ENABLED is not 1"
fi
python3 reference/run.py --seed 1 --exporters 6000
bench/test.sh
packaging/lint.sh
if [ "$(id -u)" = 0 ] && command -v dpkg > /dev/null; then packaging/check.sh; else echo "SKIPPED: the Debian package is not installed: that needs root"; fi
