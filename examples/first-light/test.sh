#!/usr/bin/env bash
# The demo's promises: the readers read the committed bodies, snappy or not, and what C++'s half made of a page, and say
# what is wrong with a bad one, in one line that names code, offset and path, the same in both languages.
set -euo pipefail
cd "$(dirname "$0")/../.."
mkdir -p build/bench
(cd examples/first-light/go && go generate)
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

# C++ writes, the others read: as the demo does with its own page, and here through the smallest chunks.
cpp=build/first-light/cpp/first-light-cpp
page=vectors/corpora/etcd_3.4_metrics.txt
$cpp --chunk 64 --label job=etcd $page "$scratch/request" > /dev/null
reads $rust "$scratch/request" ' 1,819 series, 9,306 labels, 1,819 samples, 124 metadata;'
reads $go "$scratch/request" ' 1,819 series, 9,306 labels, 1,819 samples, 124 metadata;'
grep -qE '^  C\+\+ +hotpb writer, through 4 KiB chunks .* 0 +([0-9.]+x|-)$' build/bench/first-light.txt && ok \
  || bad "the writer allocates, or its row is missing"

# A page of yours, from a file or from a server on this machine.
printf '# TYPE up gauge\nup{a="b"} 1\ndown 0\n' > "$scratch/page"
printf '<html><body>404</body></html>\n' > "$scratch/html"
: > "$scratch/nothing"
(cd "$scratch" && exec python3 -u -m http.server --bind 127.0.0.1 0) > "$scratch/server" 2> /dev/null & server=$!
trap 'kill $server 2> /dev/null || true; rm -rf "$scratch"' EXIT
for _ in $(seq 100); do grep -q port "$scratch/server" && break; sleep 0.1; done
host=127.0.0.1:$(sed -n 's/.*port \([0-9]*\).*/\1/p' "$scratch/server")

shown=$(FIND=instance=$host PAGE=http://$host/page ./examples/first-light/demo.sh)
for line in 'page.txt: a /metrics page, 3 lines, 35 bytes' '  C++ writer 2 series, 7 labels, 2 samples, 1 metadata' \
  '             found in series 1 of 2; the 1 behind it were never opened'; do
  grep -qFx -- "$line" <<< "$shown" && ok || bad "the demo with a page of a server does not say '$line'"
done
# refuses PAGE MESSAGE: the demo ends with status 1 and one line that says why.
refuses() {
  local out status=0
  out=$(PAGE=$1 ./examples/first-light/demo.sh 2>&1 > /dev/null) || status=$?
  if [ $status -eq 1 ] && [ "$(wc -l <<< "$out")" -eq 1 ] && grep -qE -- "$2" <<< "$out"; then ok
  else bad "PAGE=$1: status $status, wanted one line like '$2', got: $out"; fi
}
refuses "http://$host/missing" "^first light: http://$host/missing: curl: \(22\) .*404"
refuses "http://$host/nothing" 'nothing: the page is empty$'
refuses "http://$host/html" 'line 1, column 1: this is HTML or XML, not a /metrics page$'
refuses "ftp://$host/page" 'curl: \(1\) '
refuses "$scratch/none" 'none: No such file or directory$'
kill $server
wait $server 2> /dev/null || true
refuses "http://$host/page" 'curl: \(7\) '

echo "$passed passed, $failed failed"
[ $failed -eq 0 ] && examples/first-light/cpp/test.sh
