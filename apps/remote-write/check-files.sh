#!/usr/bin/env bash
# check-files.sh: DuckDB, ClickHouse and Spark read the server's Parquet files, and find the samples that were sent. It installs the engines.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
. ./env.sh
export CARGO_TARGET_DIR=$HOTPB_ROOT/build/cargo-remote-write-server
cargo build --quiet --locked
./setup duckdb
"$HOTPB_ROOT/tools/setup" chdb
./setup spark
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
PYTHONPATH=$DUCKDB:$CHDB:$SPARK "$HOTPB_PYTHON" check_files.py "$CARGO_TARGET_DIR/debug/remote-write" "$scratch"
