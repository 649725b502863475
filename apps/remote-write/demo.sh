#!/usr/bin/env bash
# demo.sh: starts the receiver; a sender writes metrics to it for ten seconds; DuckDB shows the largest metrics, a rate and a chart
# of the receiver's Parquet files. The sender is Debian's `prometheus`, which scrapes the receiver, or else demo/send.py, which sends the
# receiver's own metrics. The first run builds the receiver and brings DuckDB.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
. ./env.sh
./setup duckdb
export CARGO_TARGET_DIR=$HOTPB_ROOT/build/cargo-remote-write-server
cargo build --quiet --locked
scratch=$(mktemp -d)
receiver='' sender=''
stop() { [ -z "$1" ] || { kill "$1" 2> /dev/null; wait "$1"; } || true; }
trap 'stop "$sender"; stop "$receiver"; rm -rf "$scratch"' EXIT

"$CARGO_TARGET_DIR/debug/remote-write" serve --data "$scratch/data" --listen 127.0.0.1:0 --seal-after 1s --log-json \
  2> "$scratch/log" & receiver=$!
for _ in $(seq 100); do grep -q '"listen":"' "$scratch/log" && break; sleep 0.1; done
address=$(sed -n 's/.*"listen":"\([^"]*\)".*/\1/p' "$scratch/log" | head -1)
[ -n "$address" ] || { cat "$scratch/log" >&2; exit 1; }
echo "receiver: http://$address"

if command -v prometheus > /dev/null; then
  own=127.0.0.1:$("$HOTPB_PYTHON" -c 'import socket; s = socket.create_server(("127.0.0.1", 0)); print(s.getsockname()[1])')
  cat > "$scratch/prometheus.yml" << YML
global: {scrape_interval: 1s}
scrape_configs:
  - {job_name: prometheus, static_configs: [{targets: ["$own"]}]}
  - {job_name: remote-write, static_configs: [{targets: ["$address"]}]}
remote_write:
  - {url: "http://$address/api/v1/write", queue_config: {batch_send_deadline: 1s}}
YML
  prometheus --config.file="$scratch/prometheus.yml" --storage.tsdb.path="$scratch/tsdb" --web.listen-address="$own" \
    2> "$scratch/prometheus.log" & sender=$!
  echo "sender: $(prometheus --version 2>&1 | head -1), for ten seconds"
  sleep 10
else
  echo "sender: demo/send.py, for ten seconds (a real one: apt-get install prometheus)"
  "$HOTPB_PYTHON" demo/send.py "http://$address" 10
fi
# It sends what it has before it ends; the last rows come into files after a second.
stop "$sender"
sender=''
sleep 2
stop "$receiver"
receiver=''
PYTHONPATH=$DUCKDB "$HOTPB_PYTHON" demo/query.py "$scratch/data"
