#!/usr/bin/env bash
# Counts cache misses per event with 100 call sites in turn, and bytes of code per setter, for hotpb and ProtoZero. It
# generates a schema of 100 messages (cache/generate.py), half of which are children of the others. cachegrind simulates
# a first level of 32 KiB for code and for data.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
. tools/env.sh
tools/setup bench
cpp/bench.sh --build bench cache
built=build/cpp-bench/bench
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

# Both must write the same message.
for program in default inlined perfetto; do
  "$built/hotpb_cache_$program" 2 "$out/$program.bin"
  "$PROTOC_FOR_LIBPROTOBUF" -I"$built/generated" --decode=cache.Trace cache/schema.proto < "$out/$program.bin" > "$out/$program.txt"
done
for program in default inlined; do cmp "$out/$program.txt" "$out/perfetto.txt"; done

# counts PROGRAM ROUNDS prints instructions, I1 misses and D1 misses.
counts() {
  valgrind --tool=cachegrind --cache-sim=yes --I1=32768,8,64 --D1=32768,8,64 --LL=8388608,16,64 \
    --cachegrind-out-file=/dev/null "$built/hotpb_cache_$1" "$2" 2>&1 |
    sed -nE 's/.* (I +refs|I1 +misses|D1 +misses): +([0-9,]+).*/\2/p' | tr -d ,
}

setters=$(cat "$built/generated/cache/setters.txt")
printf '%-22s %12s %10s %10s %18s\n' '' instructions 'I1 misses' 'D1 misses' 'bytes per setter'
for program in default inlined perfetto; do
  mapfile -t before < <(counts $program 100)
  mapfile -t after < <(counts $program 300)
  # The code of a call site counts as code of its setters, with opening and closing two messages.
  code=0
  while read -r _ size _; do
    code=$((code + 16#$size))
  done < <(nm -S --defined-only "$built/hotpb_cache_$program" | grep -E ' [tT] .*site[0-9]+')
  name="hotpb-writer, $program"
  [ $program != perfetto ] || name=perfetto-protozero
  awk -v name="$name" -v i=$((after[0] - before[0])) -v i1=$((after[1] - before[1])) -v d1=$((after[2] - before[2])) \
    -v code="$code" -v setters="$setters" \
    'BEGIN { printf "%-22s %12.0f %10.2f %10.2f %18.0f\n", name, i / 20000, i1 / 20000, d1 / 20000, code / setters }'
done
echo "per event: $((setters / 100)) setters in two messages; bytes per setter with their share of opening and closing these"
