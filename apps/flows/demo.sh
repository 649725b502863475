#!/usr/bin/env bash
# demo.sh [--flows=N] [--seed=N]: captures of real exporters and flows generated from a seed go through the collector into
# Kafka (kfake, in the same process), from there by the exported schema into ClickHouse (chdb). SQL queries show the top talkers.
# At the end, flows explain shows what became of each field of a record.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=tools/env.sh
. ../../tools/env.sh
../../tools/setup check demo-flows
../../tools/setup chdb
out=$HOTPB_ROOT/build/demo-flows
[ -x "$out/demo" ] || echo "demo-flows: building …" >&2
go build -o "$out/demo" ./internal/demo
go build -o "$out/flows" .
PYTHONPATH=$CHDB "$out/demo" --folder="$out/work" --click-house="$HOTPB_PYTHON,$HOTPB_ROOT/tools/clickhouse.py" "$@"

printf '\nflows explain testdata/softflowd_netflow9.dgrams --datagram=2 begins with\n'
"$out/flows" explain testdata/softflowd_netflow9.dgrams --datagram=2 | awk 'NR <= 22'
