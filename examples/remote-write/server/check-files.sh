#!/usr/bin/env bash
# check-files.sh: DuckDB, ClickHouse and Spark read the server's Parquet files, and find the samples that were sent. It installs the engines.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
. ../../../apps/env.sh
export CARGO_TARGET_DIR=$HOTPB_ROOT/build/cargo-remote-write-server
cargo build --quiet --locked
"$HOTPB_ROOT/apps/setup" duckdb
"$HOTPB_ROOT/tools/setup" chdb
"$HOTPB_ROOT/apps/setup" spark
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
PYTHONPATH=$HOTPB_TOOLS/duckdb:$CHDB:$SPARK "$HOTPB_PYTHON" check_files.py "$CARGO_TARGET_DIR/debug/remote-write" "$scratch"
