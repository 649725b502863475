#!/usr/bin/env bash
# bench.sh [bench's options]: what an event costs, beside Perfetto's own SDK (v59; the crate perfetto-sdk-sys carries its sources), with the
# services in process, and in processes of their own, as JSON lines; how many events come before the first that is lost; what an event costs our
# service; then instructions and misses of the instruction cache by callgrind, where it is installed.
# Perfetto's source takes two minutes to compile: the object stays in build/tracing-bench.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
folder=build/tracing-bench
mkdir -p "$folder"
manifest=cpp/bench/perfetto/Cargo.toml
crate=$(cargo metadata --locked --format-version 1 --manifest-path $manifest |
  python3 -c 'import json, sys; print(next(p["manifest_path"] for p in json.load(sys.stdin)["packages"] if p["name"] == "perfetto-sdk-sys"))')
source=$(dirname "$crate")/libperfetto_c
here=examples/tracing/bench
key=$(cat $here/perfetto_rival.cc $here/rivals.h cpp/bench/perfetto/Cargo.lock | cksum)
if [ "$(cat "$folder/perfetto.key" 2> /dev/null)" != "$key" ]; then
  echo "bench.sh: compiling Perfetto's SDK, which takes two minutes" >&2
  "${CXX:-g++}" -std=c++17 -O2 -DNDEBUG -w -I"$source" -I$here -c $here/perfetto_rival.cc -o "$folder/perfetto_rival.o"
  echo "$key" > "$folder/perfetto.key"
fi
examples/tracing/build.sh "-DTRACING_BENCH_OBJECT=$PWD/$folder/perfetto_rival.o" trace-service tracing-bench
bench=build/tracing/tracing-bench
run() { $bench "$@" 2> "$folder/log" || { grep '^bench' "$folder/log" >&2; exit 1; }; }
run "$@"
run --system "$@"
for kib in 256 4096; do
  for rival in hotpb-sdk hotpb-sdk:wake perfetto-sdk; do run --loss $rival $kib; done
  for rival in hotpb-sdk:system hotpb-sdk:system:wake perfetto-sdk:system; do run --system --loss $rival $kib; done
done
run --service
command -v valgrind > /dev/null || { echo "bench.sh: without valgrind there are no instruction counts" >&2; exit 0; }
for task in trace-off trace-begin trace-pair trace-annotation trace-raw; do
  for rival in hotpb-sdk perfetto-sdk perfetto-sdk:system; do
    system=()
    case $rival in *:system) system=(--system) ;; esac
    valgrind --tool=callgrind --cache-sim=yes --collect-atstart=no "--toggle-collect=${rival%%-*}_write" --callgrind-out-file=/dev/null \
      $bench "${system[@]}" --only $rival $task 5000 2> "$folder/callgrind.log" || { tail -5 "$folder/callgrind.log" >&2; continue; }
    # Ir Dr Dw I1mr ...
    awk -v task=$task -v rival=$rival '/Collected/ { printf "{\"task\": \"%s\", \"rival\": \"%s\", \"instructions\": %.1f, \"i1_misses\": %.3f}\n", task, rival, $4 / 5010, $7 / 5010 }' "$folder/callgrind.log"
  done
done
