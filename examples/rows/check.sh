#!/usr/bin/env bash
# The long test: random and damaged bodies for a minute, or for ROWS_FUZZ_SECONDS.
set -euo pipefail
cd "$(dirname "$0")"
export ROWS_FUZZ_SECONDS=${ROWS_FUZZ_SECONDS:-60}
cargo test --quiet --locked --test receiver damaged_bodies_do_no_harm
