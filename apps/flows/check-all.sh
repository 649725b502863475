#!/usr/bin/env bash
# apps/flows/check-all.sh: what `make check-all` adds for the collector: its benchmarks, its container files, and its packages where they can be installed.
set -euo pipefail
cd "$(dirname "$0")"
bench/test.sh
packaging/lint.sh
if [ "$(id -u)" = 0 ] && command -v dpkg > /dev/null; then packaging/check.sh; else echo "SKIPPED: the Debian package is not installed: that needs root"; fi
