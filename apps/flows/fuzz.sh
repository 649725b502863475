#!/usr/bin/env bash
# apps/flows/fuzz.sh [SECONDS]: runs every fuzz target of the collector for SECONDS each (default: FUZZ_SECONDS, else 1).
set -euo pipefail
cd "$(dirname "$0")/../.."
exec go/fuzz.sh "${1:-${FUZZ_SECONDS:-1}}" apps/flows
