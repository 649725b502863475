#!/usr/bin/env bash
# threads.sh: the SDK's threads, the service's two, and a service that reads memory which changes, under the thread sanitizer.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
FOLDER=build/tracing-threads ./build.sh -DCMAKE_CXX_COMPILER="${CXX:-g++}" -DTRACING_SANITIZE=thread "-DCMAKE_CXX_FLAGS_RELEASE=-O1 -g1" \
  trace-service trace-producer tracing_hostile_test tracing_backlog_test
cd ../..
scratch=$(mktemp -d)
trap 'kill $service 2> /dev/null || true; rm -rf "$scratch"' EXIT
build/tracing-threads/tests/tracing_hostile_test --gtest_brief=1
build/tracing-threads/tests/tracing_backlog_test --gtest_brief=1 '--gtest_filter=-*usual_events*:*100_mib*'
# Eight threads of a producer, which starts and stops its session, and its connection's.
build/tracing-threads/trace-service --socket "$scratch/socket" --out "$scratch/trace" > "$scratch/counts" 2> "$scratch/log" & service=$!
for _ in $(seq 200); do [ -S "$scratch/socket" ] && break; sleep 0.05; done
build/tracing-threads/tests/trace-producer "$scratch/socket" threads 8 2000 "" 0 60000 > "$scratch/said"
kill -TERM $service
wait $service || { cat "$scratch/log"; exit 1; }
grep -q '"dropped": 0' "$scratch/said" || { cat "$scratch/said"; exit 1; }
grep -q '"written": 63840,' "$scratch/counts" || { cat "$scratch/counts"; exit 1; }
echo "threads: 63840 packets of 8 threads under the thread sanitizer, all there"
