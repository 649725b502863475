#!/usr/bin/env bash
# rust/fuzz/libfuzzer.sh SECONDS [TARGET…]: the fuzz targets under libFuzzer and the address sanitizer, for so long each,
# on the nightly toolchain of rust/nightly.sh. What is found lies in build/fuzz/rust/<target>/, and fails.
set -euo pipefail
cd "$(dirname "$0")"
seconds=${1:?usage: rust/fuzz/libfuzzer.sh SECONDS [TARGET…]}
shift
toolchain=$(../nightly.sh)
host=$(rustc -vV | sed -n 's/^host: //p')
[ $# -gt 0 ] || set -- wire check decode visit reset stream extensions writer generator

# What cargo-fuzz passes, too: counters on every edge, comparisons traced, and the sanitizer.
export RUSTFLAGS="-Zsanitizer=address -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
-Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
-Cllvm-args=-sanitizer-coverage-trace-compares"
# For the target only: build scripts and macros are not instrumented.
cargo "+$toolchain" build --quiet --release --target "$host" --manifest-path libfuzzer/Cargo.toml \
  --target-dir ../target/libfuzzer
unset RUSTFLAGS
cargo build --quiet -p hotpb-fuzz
seeds=../target/debug/hotpb-fuzz
fuzzer=../target/libfuzzer/$host/release/hotpb-libfuzzer

# Instrumented frames are large, and messages nest a hundred levels deep.
ulimit -S -s "$(ulimit -H -s)"
status=0
for target; do
  dir=../../build/fuzz/rust/$target
  mkdir -p "$dir/seeds" "$dir/corpus"
  "$seeds" seeds "$target" "$dir/seeds"
  echo "libfuzzer $target"
  HOTPB_FUZZ_TARGET=$target "$fuzzer" -max_total_time="$seconds" -max_len=16384 -rss_limit_mb=4096 -timeout=20 \
    -print_final_stats=1 -artifact_prefix="$dir/" "$dir/corpus" "$dir/seeds" > "$dir/log" 2>&1 || status=1
  grep -E 'ERROR|panicked|SUMMARY|stat::number_of_executed_units|cov: [0-9]+ .*DONE' "$dir/log" | tail -4
done
exit $status
