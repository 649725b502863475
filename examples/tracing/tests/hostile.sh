#!/usr/bin/env bash
# hostile.sh: producers that write anything, under the address sanitizer: the fuzz target for FUZZ_SECONDS (default 3), and memory
# that changes under the service. Needs clang.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../.."
command -v clang++ > /dev/null || { echo "hostile.sh: skipped: the fuzz target needs clang (Debian: apt-get install clang)"; exit 0; }
seconds=${FUZZ_SECONDS:-3} flags=-O0
[ -z "${HOTPB_THOROUGH:-}" ] || flags="-O1 -g1"
FOLDER=build/tracing-hostile examples/tracing/build.sh -DCMAKE_CXX_COMPILER=clang++ -DTRACING_SANITIZE=address,undefined \
  "-DCMAKE_CXX_FLAGS_RELEASE=$flags" tracing_hostile_test tracing_hostile_fuzzer
build/tracing-hostile/tests/tracing_hostile_test --gtest_brief=1
corpus=build/tracing-hostile/corpus
mkdir -p "$corpus"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
build/tracing-hostile/tests/tracing_hostile_fuzzer "$corpus" -max_total_time="$seconds" -max_len=4096 -timeout=10 -rss_limit_mb=2048 \
  -print_final_stats=1 -artifact_prefix=build/tracing-hostile/ > "$log" 2>&1 || { tail -40 "$log"; exit 1; }
echo "tracing fuzz: $(awk '/number_of_executed_units/ {print $2}' "$log") hostile producers in $seconds s, nothing found"
