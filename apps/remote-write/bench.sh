#!/usr/bin/env bash
# bench.sh [http] [memory] [soak]: measures the server from HTTP to 204, beside the same server with prost and a real Prometheus.
#   http     samples a second, CPU time for a million samples, and how long answers take, four senders, 2,000 samples a request
#   memory   resident memory with a million series in memory
#   soak     the server alone, ten minutes at 80 % of the rate that it reached (REMOTE_WRITE_SOAK_SECONDS)
# Without arguments: http and memory. The first run builds Prometheus (./setup prometheus) and the servers, optimised.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
. ./env.sh
./setup prometheus
./setup duckdb
export CARGO_TARGET_DIR=$HOTPB_ROOT/build/cargo-remote-write-server
release=$CARGO_TARGET_DIR/release
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
build() { cargo build --quiet --locked --release --no-default-features --bin remote-write "$@"; }
build --features rival-prost
cp "$release/remote-write" "$scratch/prost"
build --example load
PYTHONPATH=$DUCKDB "$HOTPB_PYTHON" bench.py "$release/remote-write" "$scratch/prost" "$PROMETHEUS" "$release/examples/load" "$scratch" "$@"
