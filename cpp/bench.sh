#!/usr/bin/env bash
# cpp/bench.sh [ARGUMENT…] runs the micro-benchmarks of the wire layer: with the baseline ISA, and with x86-64-v3 if
# this machine has it.
#     The arguments go to google-benchmark, such as --benchmark_filter=read --benchmark_repetitions=5.
# cpp/bench.sh --build PRESET ISA builds the C++ half of the grid for bench/run: bench, bench-clang or
# bench-unoptimised; baseline, v3 or small.
# cpp/bench.sh --build bench cache builds the programs of bench/cache.sh.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# build PRESET [TARGET [CMAKE_ARGUMENT]]
build() {
  cmake --preset "$1" "${@:3}" >"$log" 2>&1 || { cat "$log"; exit 1; }
  cmake --build --preset "$1" ${2:+--target "$2"} --parallel "$(nproc)" >"$log" 2>&1 \
    || { grep -E -A8 'error|warning' "$log" || cat "$log"; exit 1; }
}

if [ "${1-}" = --build ]; then
  . ../tools/env.sh
  [ -x "$PROTOC" ] || ../tools/setup protoc
  build release protoc-gen-hotpb-cpp
  target=hotpb_bench_$3
  [ "$3" != cache ] || target=hotpb_cache
  build "$2" "$target" "-DHOTPB_PLUGIN=$PWD/../build/cpp/plugin/protoc-gen-hotpb-cpp"
  exit
fi

build bench
for bench in varint utf8 checked; do
  for isa in baseline v3; do
    program=../build/cpp-bench/bench/bench_${bench}_${isa}
    [ -x "$program" ] || continue
    [ "$isa" != v3 ] || grep -qw bmi2 /proc/cpuinfo 2>/dev/null || { echo "$bench, v3: this machine does not run it"; continue; }
    echo "== $bench, $isa"
    "$program" "$@"
  done
done
