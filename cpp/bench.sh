#!/usr/bin/env bash
# cpp/bench.sh [ARGUMENT…]: micro-benchmarks of the wire layer, baseline ISA and x86-64-v3 where this machine runs it.
# Arguments go to google-benchmark, e.g. --benchmark_filter=read --benchmark_repetitions=5.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
cmake --preset bench >"$log" 2>&1 || { cat "$log"; exit 1; }
cmake --build --preset bench --parallel "$(nproc)" >"$log" 2>&1 || { grep -E -A8 'error|warning' "$log" || cat "$log"; exit 1; }
for bench in varint utf8; do
  for isa in baseline v3; do
    program=../build/cpp-bench/bench/bench_${bench}_${isa}
    [ -x "$program" ] || continue
    [ "$isa" != v3 ] || grep -qw bmi2 /proc/cpuinfo 2>/dev/null || { echo "$bench, v3: this machine does not run it"; continue; }
    echo "== $bench, $isa"
    "$program" "$@"
  done
done
