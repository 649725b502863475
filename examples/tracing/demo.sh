#!/usr/bin/env bash
# demo.sh [DESCRIPTOR_SET]: records hotpb's C++ generator while it generates code for a large schema, and asks Perfetto's trace
# processor which slices took the longest. Without an argument the schema is Perfetto's own where $HOTPB_DATA/schemas has it, else the one of
# the vectors. The trace stays in build/tracing/demo.pftrace: https://ui.perfetto.dev opens it.
set -euo pipefail
set=${1:+$(realpath -- "$1")}
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
. tools/env.sh
tools/setup trace-processor
examples/tracing/build.sh -DTRACING_TESTS=OFF trace-service tracing-demo
scratch=$(mktemp -d)
trap 'kill $service 2> /dev/null || true; rm -rf "$scratch"' EXIT
service=
if [ -z "$set" ]; then
  tools/setup protoc
  tools/vectors/fds
  set=vectors/plans/vectors.fds
  perfetto=${HOTPB_DATA:-}/schemas/perfetto_trace.fds.gz
  [ -z "${HOTPB_DATA:-}" ] || [ ! -e "$perfetto" ] || set=$perfetto
fi
case $set in
  *.gz) gzip -dc "$set" > "$scratch/schema.fds" ;;
  *) cp "$set" "$scratch/schema.fds" ;;
esac
trace=build/tracing/demo.pftrace
rm -f "$trace"
build/tracing/trace-service --socket "$scratch/socket" --out "$trace" > "$scratch/counts" 2> "$scratch/log" & service=$!
for _ in $(seq 100); do [ -S "$scratch/socket" ] && break; sleep 0.05; done
echo "schema: $set"
build/tracing/tracing-demo "$scratch/socket" "$scratch/schema.fds" "$scratch/out"
kill -TERM $service
wait $service
echo "service: $(cat "$scratch/counts")"
echo "trace: $trace, $(stat -c %s "$trace") bytes"
echo
examples/tracing/oracle/hottest.py "$trace"
