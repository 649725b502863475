#!/usr/bin/env bash
# check-prometheus.sh: a real Prometheus sends to the server, which is killed twice meanwhile; then the compliance cases and
# requests of OTLP go to Prometheus' own receiver, too, and every difference must be a known one.
# The first run builds Prometheus and installs DuckDB. REMOTE_WRITE_SOAK_SECONDS sets how long Prometheus sends (60).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
. ./env.sh
./setup prometheus
./setup duckdb
export CARGO_TARGET_DIR=$HOTPB_ROOT/build/cargo-remote-write-server
cargo build --quiet --locked --no-default-features
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
PYTHONPATH=$DUCKDB "$HOTPB_PYTHON" check_prometheus.py "$CARGO_TARGET_DIR/debug/remote-write" "$PROMETHEUS" "$scratch"
PYTHONPATH=$DUCKDB "$HOTPB_PYTHON" check_otlp.py "$CARGO_TARGET_DIR/debug/remote-write" "$PROMETHEUS" "$scratch"
cargo test --quiet --locked --no-default-features --test serve -- --ignored --nocapture --exact prometheus::its_receiver_differs_as_the_list_says
