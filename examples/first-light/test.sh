#!/usr/bin/env bash
# The demo's promises: both halves read the committed bodies, snappy or not, and say what is wrong with a bad one, in one line
# that names code, offset and path, the same in both languages.
set -euo pipefail
cd "$(dirname "$0")/../.."
./examples/first-light/demo.sh > build/bench/first-light.txt
rust=build/cargo-first-light/release/first-light
go=build/first-light/first-light-go
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
passed=0 failed=0
ok() { passed=$((passed + 1)); }
bad() { failed=$((failed + 1)); echo "FAILED: $*"; }

# says PROGRAM FILE PATTERN: ends with status 1 and one line that matches.
says() {
  local out status=0
  out=$("$1" "$2" 2>&1 > /dev/null) || status=$?
  if [ $status -eq 1 ] && [ "$(wc -l <<< "$out")" -eq 1 ] && grep -qE -- "$3" <<< "$out"; then ok
  else bad "$1 $2: status $status, wanted one line like '$3', got: $out"; fi
}
# reads PROGRAM FILE PATTERN: ends well, and prints a line that matches.
reads() {
  local out
  if out=$("$1" "$2" 2>&1) && grep -qE -- "$3" <<< "$out"; then ok
  else bad "$1 $2: wanted '$3', got: $out"; fi
}

request=build/bench/rw1_10k.bin
head -c 100000 $request > "$scratch/truncated.bin"
head -c 9000 vectors/corpora/prometheus_0.315_v1.snappy > "$scratch/truncated.snappy"
{ head -c 700000 $request; printf '\377'; tail -c +700002 $request; } > "$scratch/utf8.bin"
: > "$scratch/empty"
printf '\xff\xff\xff\xff\x0f' > "$scratch/bomb.snappy"
for program in $rust $go; do
  reads $program vectors/corpora/prometheus_0.315_v1.snappy '✓'
  reads $program vectors/corpora/prometheus_0.315_v2.snappy '✓'
  reads $program $request '✓'
  says $program "$scratch/missing" 'missing.*[Nn]o such file'
  says $program "$scratch/truncated.bin" 'Truncated at offset 99972 in timeseries\[579\]'
  says $program "$scratch/utf8.bin" 'InvalidUtf8 at offset 700000 in timeseries\[4081\]\.labels\[0\]\.value'
  says $program "$scratch/truncated.snappy" 'not a snappy block.*: [A-Z][A-Za-z0-9]+ at offset [0-9]+( in .+)?$'
  says $program "$scratch/bomb.snappy" 'above the limit.*: [A-Z][A-Za-z0-9]+ at offset [0-9]+( in .+)?$'
  says $program "$scratch/empty" 'without a series|at offset'
done
# The error is the same in both languages, to the letter.
for file in "$scratch"/*; do
  if diff <($rust "$file" 2>&1) <($go "$file" 2>&1); then ok; else bad "the languages differ on $(basename "$file")"; fi
done
grep -q 'never opened' build/bench/first-light.txt && ok || bad "the demo's output does not say what the view left unopened"
grep -qE 'hotpb pool, decode .* 0 +[0-9.]+x$' build/bench/first-light.txt && ok || bad "the pool allocates, or its row is missing"
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
