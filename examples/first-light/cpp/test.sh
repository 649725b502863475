#!/usr/bin/env bash
# Tests the promises of the demo's C++ half, built with the sanitizers. The request is the data of the page (read again
# by tests/page_as_text.py and by protoc, the stock runtime), at every chunk size. An error of a page is one line. No
# failure leaves a request, or half of one.
set -euo pipefail
cd "$(dirname "$0")"
. ../../../tools/env.sh
here=$PWD
cd "$HOTPB_ROOT"
build=build/first-light/cpp-sanitize
page=vectors/corpora/etcd_3.4_metrics.txt
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
quiet() { "$@" > "$scratch/log" 2>&1 || { cat "$scratch/log"; return 1; }; }
quiet cmake -S examples/first-light/cpp -B $build -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_COMPILE_WARNING_AS_ERROR=ON -DHOTPB_PLUGIN="$PWD/build/cpp/plugin/protoc-gen-hotpb-cpp" \
  -DPROTOC_FOR_LIBPROTOBUF="$PROTOC_FOR_LIBPROTOBUF" \
  -DCMAKE_CXX_FLAGS_RELWITHDEBINFO='-O1 -g1 -fsanitize=address,undefined -fno-sanitize-recover=all'
quiet cmake --build $build --parallel "$(nproc)"
program=$build/first-light-cpp
passed=0 failed=0
ok() { passed=$((passed + 1)); }
bad() { failed=$((failed + 1)); echo "FAILED: $*"; }

as_text() { "$PROTOC" -I proto --decode=prometheus.WriteRequest prometheus/remote.proto; }
as_bytes() { "$PROTOC" -I proto --encode=prometheus.WriteRequest prometheus/remote.proto; }
# written OPTION... PAGE prints the request as text.
written() { "$program" "$@" "$scratch/written" > "$scratch/report" && as_text < "$scratch/written"; }
# same WHAT A B
same() { if cmp -s "$2" "$3"; then ok; else bad "$1"; diff "$2" "$3" | head -5 || true; fi; }

# ---- a real page, read a second time by other means ----
python3 "$here/tests/page_as_text.py" $page 1795289345387 job=etcd instance=127.0.0.1:2379 | as_bytes > "$scratch/want"
options=(--timestamp 1795289345387 --label job=etcd --label instance=127.0.0.1:2379)
written "${options[@]}" $page > "$scratch/text"
as_bytes < "$scratch/text" > "$scratch/got"
same "the request differs from the page" "$scratch/want" "$scratch/got"
grep -q '^  C++ writer 1,819 series, 11,125 labels, 1,819 samples, 124 metadata$' "$scratch/report" && ok \
  || bad "the counts: $(cat "$scratch/report")"
for chunk in 64 65 67 100 128 1000 65536 1000000; do
  written --chunk $chunk "${options[@]}" $page > "$scratch/chunked"
  same "chunks of $chunk bytes change the request" "$scratch/text" "$scratch/chunked"
done
written "${options[@]}" - < $page > "$scratch/chunked"
same "standard input changes the request" "$scratch/text" "$scratch/chunked"

# ---- each rule of the format ----
cat > "$scratch/rules.txt" <<'PAGE'
# HELP disk_free A \\ backslash, a \n newline, a \" that is none.
# TYPE disk_free gauge
disk_free{path="C:\\dir\n\"quoted\" \x",empty="",} 1.5e3 -17
  disk_free	{ zone = "é" , Zone="1" }   +0x1p-2
# a comment
#HELP neither
# TYPE requests untyped
# TYPE lost summary
# UNIT lost seconds

lost{quantile="0.5"} NaN
lost{quantile="0.9"} +Inf
lost{quantile="1",instance="its own"} -inf
a:b -0
zero 0
PAGE
as_bytes > "$scratch/want" <<'TEXT'
timeseries {
  labels {name: "__name__" value: "disk_free"} labels {name: "instance" value: "us"}
  labels {name: "path" value: "C:\\dir\n\"quoted\" \\x"} samples {value: 1500 timestamp: -17}
}
timeseries {
  labels {name: "Zone" value: "1"} labels {name: "__name__" value: "disk_free"} labels {name: "instance" value: "us"}
  labels {name: "zone" value: "é"} samples {value: 0.25 timestamp: 1000}
}
timeseries {
  labels {name: "__name__" value: "lost"} labels {name: "instance" value: "us"} labels {name: "quantile" value: "0.5"}
  samples {value: nan timestamp: 1000}
}
timeseries {
  labels {name: "__name__" value: "lost"} labels {name: "instance" value: "us"} labels {name: "quantile" value: "0.9"}
  samples {value: inf timestamp: 1000}
}
timeseries {
  labels {name: "__name__" value: "lost"} labels {name: "exported_instance" value: "its own"}
  labels {name: "instance" value: "us"} labels {name: "quantile" value: "1"} samples {value: -inf timestamp: 1000}
}
timeseries {
  labels {name: "__name__" value: "a:b"} labels {name: "instance" value: "us"} samples {value: -0 timestamp: 1000}
}
timeseries {
  labels {name: "__name__" value: "zero"} labels {name: "instance" value: "us"} samples {timestamp: 1000}
}
metadata {type: GAUGE metric_family_name: "disk_free" help: "A \\ backslash, a \n newline, a \\\" that is none."}
metadata {metric_family_name: "requests"}
metadata {type: SUMMARY metric_family_name: "lost" unit: "seconds"}
TEXT
written --timestamp 1000 --label instance=us "$scratch/rules.txt" | as_bytes > "$scratch/got"
same "the rules of the format" "$scratch/want" "$scratch/got"
# The ordinary NaN of Prometheus; 7ff0000000000002 would be its stale marker.
od -An -v -tx1 "$scratch/written" | tr -d ' \n' | grep -q '09010000000000f87f10e807' && ok || bad "NaN is not the ordinary one"

# OpenMetrics: exemplars are skipped, and # EOF ends the page.
printf '# TYPE a counter\na_total{b="c"} 3 # {trace_id="x"} 0.5 123.4\n# EOF\n' > "$scratch/open.txt"
written --timestamp 1000 "$scratch/open.txt" > "$scratch/text"
grep -q 'value: 3$' "$scratch/text" && grep -q '; 1 exemplars skipped$' "$scratch/report" && ok \
  || bad "OpenMetrics: $(cat "$scratch/report")"

# ---- errors of a page ----
# wrong PAGE MESSAGE: status 1, one line with MESSAGE, and no request.
wrong() {
  local out status=0
  rm -f "$scratch/written"
  out=$("$program" "$1" "$scratch/written" 2>&1 > /dev/null) || status=$?
  if [ $status -ne 1 ] || [ "$out" != "first-light: $2" ]; then bad "status $status, wanted '$2', got '$out'"
  elif [ -n "$(find "$scratch" -name 'written*')" ]; then bad "'$2' left a request"
  else ok; fi
}
bad_page() {
  printf "$1" > "$scratch/bad.txt"
  wrong "$scratch/bad.txt" "$scratch/bad.txt: $2"
}
bad_page '' 'the page is empty'
bad_page '# HELP a b\n' 'no sample in the page'
bad_page '<!DOCTYPE html>\n<html>\n' 'line 1, column 1: this is HTML or XML, not a /metrics page'
bad_page 'a 1\nb 2' 'line 2: the page ends inside a line: it was cut off'
bad_page 'a 1\nb\n' 'line 2, column 2: the value is missing'
bad_page 'a 1\n1b 2\n' 'line 2, column 1: the name of a metric should be here'
bad_page 'a 1,5\n' 'line 1, column 3: not a number'
bad_page 'a nan(1)\n' 'line 1, column 3: not a number'
bad_page 'a 1e999\n' 'line 1, column 3: not a number'
bad_page 'a 1\r\n' 'line 1, column 3: not a number'
bad_page 'a 1 2.5\n' 'line 1, column 5: not a timestamp in milliseconds'
bad_page 'a 1 99999999999999999999\n' 'line 1, column 5: not a timestamp in milliseconds'
bad_page 'a 1 2 3\n' 'line 1, column 7: nothing should be here, after the timestamp'
bad_page 'a{b="c"\n' 'line 1, column 8: , or } should be here'
bad_page 'a{b="c} 1\n' "line 1, column 10: the label's value has no closing quote"
bad_page 'a{b="c\\"} 1\n' "line 1, column 12: the label's value has no closing quote"
bad_page 'a{b=c} 1\n' 'line 1, column 5: a value in quotes should be here'
bad_page 'a{b} 1\n' "line 1, column 4: = should be here, after the label's name"
bad_page 'a{1="c"} 1\n' 'line 1, column 3: the name of a label or } should be here'
bad_page 'a{b="1",b="2"} 1\n' "line 1, column 17: a label's name occurs twice"
bad_page 'a{b="\377"} 1\n' "line 1, column 8: the label's value is not UTF-8"
bad_page '# HELP a \303\n' 'line 1, column 11: not UTF-8'
bad_page '# TYPE a counters\n' 'line 1, column 18: not a known type of metrics'
bad_page '# TYPE a gauge 1\n' 'line 1, column 16: nothing should be here, after the type'
bad_page '# HELP 1\n' 'line 1, column 8: the name of a metric should be here'
bad_page 'a 1 # b\n' "line 1, column 7: an exemplar's { should be here"
bad_page 'a 1\n# EOF\nb 1\n' 'line 3, column 1: nothing may follow # EOF'
bad_page 'a 1 2\n# EOF\n' 'line 2, column 6: an OpenMetrics page with timestamps, which first-light does not read'
{ printf 'a{b="'; head -c 3000000 /dev/zero | tr '\0' x; printf '"} 1\n'; } > "$scratch/bad.txt"
wrong "$scratch/bad.txt" "$scratch/bad.txt: line 1: a line is longer than 1048576 bytes"
wrong "$scratch/missing.txt" "$scratch/missing.txt: No such file or directory"
wrong "$scratch" "$scratch: line 1: Is a directory"
for arguments in '' "$page" "--chunk 63 $page x" "--chunk 4k $page x" "--label job $page x" "--timestamp 1.5 $page x" \
  "--time $page x" "--what 1 $page x"; do
  status=0
  # shellcheck disable=SC2086  # words are meant
  "$program" $arguments > /dev/null 2> "$scratch/usage" || status=$?
  [ $status -eq 2 ] && grep -q '^usage: ' "$scratch/usage" && ok || bad "'$arguments' is accepted, with status $status"
done

# A long series spans many chunks, which wait until it ends.
{ printf 'a{b="'; head -c 900000 /dev/zero | tr '\0' x; printf '"} 1\nc 2\n'; } > "$scratch/long.txt"
written --timestamp 1000 "$scratch/long.txt" | as_bytes > "$scratch/got"
[ "$(wc -c < "$scratch/got")" -gt 900000 ] && ok || bad "a long series has changed"

# ---- no failure leaves a request, or half of one ----
# Damaged pages: an error, or a request that parses, and no report of a sanitizer.
python3 - "$program" $page "$scratch" <<'PYTHON' && ok || bad "a damaged page (above)"
import random, subprocess, sys
program, page, scratch = sys.argv[1:]
whole, chance = open(page, "rb").read(), random.Random(1)
for _ in range(150):
    start = chance.randrange(len(whole) - 3000)
    damaged = bytearray(whole[whole.index(b"\n", start) + 1:start + 3000])
    for _ in range(chance.randrange(1, 4)):
        damaged[chance.randrange(len(damaged))] = chance.choice(b'{}"\\,= \n#\0\xff\xc3eE-0')
    done = subprocess.run([program, "-", f"{scratch}/damaged"], input=bytes(damaged) + b"\n", capture_output=True)
    if done.returncode not in (0, 1) or done.stderr.count(b"\n") > 1:
        sys.exit(f"status {done.returncode}\n{done.stderr.decode(errors='replace')}\nof {bytes(damaged)}")
PYTHON

echo old > "$scratch/request"
mkfifo "$scratch/pipe"
"$program" --chunk 64 - "$scratch/request" < "$scratch/pipe" & child=$!
exec 3> "$scratch/pipe"
head -c 100000 $page >&3
for _ in $(seq 100); do [ -s "$scratch/request.part" ] && break; sleep 0.1; done
[ -s "$scratch/request.part" ] && ok || bad "nothing is written before the page ends"
kill -KILL $child
wait $child 2> /dev/null || true
exec 3>&-
[ "$(cat "$scratch/request")" = old ] && ok || bad "killed half-way, it left half a request"

status=0
(trap '' XFSZ; ulimit -f 100; "$program" $page "$scratch/request") > /dev/null 2> "$scratch/log" || status=$?
if [ $status -eq 1 ] && [ "$(cat "$scratch/log")" = "first-light: $scratch/request.part: File too large" ] \
  && [ "$(cat "$scratch/request")" = old ] && [ ! -e "$scratch/request.part" ]; then ok
else bad "a full disk: status $status, $(cat "$scratch/log")"; fi
status=0
"$program" $page "$scratch/none/request" 2> "$scratch/log" || status=$?
[ $status -eq 1 ] && grep -q '/none/request.part: No such file or directory$' "$scratch/log" && ok \
  || bad "no folder: $(cat "$scratch/log")"

# ---- the timing ----
"$program" --time $page > "$scratch/rows"
grep -qP '^request\t1819\t\d+$' "$scratch/rows" && grep -qP '^C\+\+\thotpb writer[^\t]*\t[0-9]+\t[0-9]+\t0$' "$scratch/rows" && ok \
  || bad "the writer allocates, or its row is missing: $(cat "$scratch/rows")"
if grep -q libprotobuf "$scratch/rows" || [ ! -x "$PROTOC_FOR_LIBPROTOBUF" ]; then ok; else bad "libprotobuf-lite is not timed beside it"; fi

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
