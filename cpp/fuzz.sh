#!/usr/bin/env bash
# cpp/fuzz.sh SECONDS runs each fuzz target for that long, seeded with the vectors, with sanitizers. It needs clang.
# HOTPB_FUZZ_TARGETS="view reencode" runs only those targets.
# For up to ten seconds, the targets are those that test.sh builds. For longer, they are optimised ones, which also
# measure the coverage of the generated readers. A finding stays as build/cpp-fuzz/findings/<target>-*, and becomes a
# vector or a test.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
seconds=${1:?usage: cpp/fuzz.sh SECONDS}

clang=$(command -v clang++ || command -v clang++-14 || true)
if [ -z "$clang" ]; then
  echo "cpp/fuzz.sh: skipped: the targets need clang and its libFuzzer (Debian: apt-get install clang)"
  exit 0
fi
[ -x ../build/tools/protoc/bin/protoc ] || ../tools/setup protoc
read -ra targets <<<"${HOTPB_FUZZ_TARGETS:-wire check delimited generate view lifetime reencode pool owned shm}"
build=../build/cpp-fuzz preset=fuzz programs=../build/cpp-fuzz/fuzz
with=(-DCMAKE_CXX_COMPILER="$clang")
if [ "$seconds" -le 10 ] && [ "$(basename "$clang")" = clang++ ]; then
  preset=sanitize programs=../build/cpp-sanitize-clang/fuzz with=()
fi
mkdir -p "$build"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
cmake --preset $preset "${with[@]}" >"$log" 2>&1 || { cat "$log"; exit 1; }
cmake --build --preset $preset --target "${targets[@]/#/fuzz_}" --parallel "$(nproc)" >"$log" 2>&1 || { grep -E -A8 'error|warning' "$log" || cat "$log"; exit 1; }
rm -rf "$build/seeds"
python3 fuzz/seeds.py .. "$build/seeds"
mkdir -p "$build/findings"

passed=0 failed=0
for target in "${targets[@]}"; do
  mkdir -p "$build/corpus/$target"
  # Messages are deeply nested here, and clang's frames are large without optimisation.
  if [ $preset = sanitize ] && [[ $target = reencode || $target = pool || $target = owned ]]; then stack=131072; else stack=$(ulimit -s); fi
  if (ulimit -s "$stack" 2>/dev/null || true; exec "$programs/fuzz_$target" "$build/corpus/$target" "$build/seeds/$target" -max_total_time="$seconds" \
    -max_len=4096 -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
    -artifact_prefix="$build/findings/$target-") >"$log" 2>&1; then
    passed=$((passed + 1))
    echo "cpp fuzz $target: $(awk '/number_of_executed_units/ {print $2}' "$log") inputs in $seconds s," \
      "$(awk '/average_exec_per_sec/ {print $2}' "$log") a second, nothing found"
  else
    failed=$((failed + 1))
    tail -40 "$log"
  fi
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
