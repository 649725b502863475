#!/usr/bin/env bash
# demo.sh [FILE]: hotpb's main job on real input. C++'s writer turns a /metrics page into a remote-write request, Rust's
# pool decodes that and what a real Prometheus POSTed into rows, Go's view finds one series without decoding the rest;
# all are checked against their stock runtimes and timed beside them.
#   FILE             a request of yours: remote write 1.0 or 2.0, snappy or not
#   PAGE=FILE|URL    a /metrics page of yours in place of the committed one; a URL is fetched with curl
#   FIND=name=value  the label that the view looks for
set -euo pipefail
file=${1:+$(realpath -m -- "$1")}
page=${PAGE:-}
case $page in *://* | '') ;; *) page=$(realpath -m -- "$page") ;; esac
cd "$(dirname "$0")/../.."
out=build/first-light
corpora=vectors/corpora
page=${page:-$corpora/etcd_3.4_metrics.txt}
mkdir -p "$out"
die() { echo "first light: $*" >&2; exit 1; }

# quiet COMMAND: what it prints is shown when it fails.
quiet() { "$@" > $out/log 2>&1 || { cat $out/log >&2; return 1; }; }
building() { [ -x "$1" ] || echo "first light: building $2 …" >&2; }
rust=build/cargo-first-light/release/first-light
building $rust "Rust's half"
cargo build --release --locked --quiet --manifest-path examples/first-light/rust/Cargo.toml --target-dir build/cargo-first-light
go=$out/first-light-go
building $go "Go's half"
(cd examples/first-light/go && { [ -d gen ] || go generate; } && go build -o "../../../$go" .)
cpp=$out/cpp/first-light-cpp
building $cpp "C++'s half"
quiet cmake --preset release -S cpp
quiet cmake --build build/cpp --target protoc-gen-hotpb-cpp --parallel "$(nproc)"
quiet cmake -S examples/first-light/cpp -B $out/cpp -DHOTPB_PLUGIN="$PWD/build/cpp/plugin/protoc-gen-hotpb-cpp"
quiet cmake --build $out/cpp --parallel "$(nproc)"
request=build/bench/rw1_10k.bin
if ! (cd build/bench 2>/dev/null && grep ' rw1_10k.bin$' ../../bench/corpus/SHA256SUMS | sha256sum --check --status 2>/dev/null); then
  (cd bench/corpus && go run . -body ../../$corpora/prometheus_0.315_v1.snappy -out ../../build/bench -shape 10k >/dev/null)
fi

# fetch URL FILE
fetch() {
  command -v curl >/dev/null || die "$1: curl is missing (Debian: apt-get install curl); or name a file: PAGE=page.txt"
  rm -f "$2"
  curl --fail --silent --show-error --location --compressed --globoff --proto =http,https --max-time 10 \
    --max-filesize 268435456 --output "$2" --url "$1" 2> $out/log || die "$1: $(tail -1 $out/log)"
  [ -s "$2" ] || die "$1: the page is empty"
}

instance=$(basename -- "$page")
case $page in
  *://*)
    instance=${page#*://} instance=${instance%%[/?#]*} instance=${instance##*@}
    fetch "$page" $out/page.txt
    page=$out/page.txt ;;
esac

# says COUNTS PROGRAM BODY: runs it, and fails unless it reads just so many series, labels and samples.
says() {
  local counts=$1 read
  shift
  read=$("$@")
  printf '%s\n' "$read"
  grep -qF " $counts;" <<< "$read" || die "$1 does not read what C++ wrote: $counts"
}

# The page becomes a request, which the others must read as it was written.
of_page() {
  local written counts
  written=$($cpp --label job=first-light --label "instance=$instance" "$1" $out/page.rw)
  counts=$(sed -n 's/^  C++ writer //p' <<< "$written")
  printf '\n%s\n' "$written"
  says "$counts" $rust $out/page.rw
  says "$counts" $go ${FIND:+-find "$FIND"} $out/page.rw
}

bodies() {
  local body
  for body; do
    echo
    $rust "$body"
    $go ${FIND:+-find "$FIND"} "$body"
  done
}

# table WHAT: of tab-separated rows: the request (series, bytes), then language, what, ns, MB/s, allocations. A language's
# first row is the stock runtime's, to which the others are compared.
table() {
  LC_ALL=C awk -F '\t' -v what="$1" '
    function thousands(n,  s) { s = sprintf("%d", n); while (s ~ /[0-9][0-9][0-9][0-9]/) s = gensub_last(s); return s }
    function gensub_last(s) { match(s, /[0-9]+/); return substr(s, 1, RLENGTH - 3) "," substr(s, RLENGTH - 2) }
    function time(ns) { return ns >= 1e6 ? sprintf("%.2f ms", ns / 1e6) : sprintf("%.1f us", ns / 1e3) }
    $1 == "request" {
      printf "%s series (%s, %s bytes), measured now, on one core:\n", thousands($2), what, thousands($3)
      printf "        %-38s %10s %12s %13s %10s\n", "", "time", "MB/s", "allocations", "to stock"
      next
    }
    {
      if ($1 != language) { language = $1; stock = $2 ~ /^hotpb/ ? 0 : $3 }
      ratio = stock ? sprintf("%.1fx", stock / $3) : "-"
      printf "  %-5s %-38s %10s %12s %13s %10s\n", $1, $2, time($3), thousands($4), thousands($5), ratio
      absent = absent || !stock
    }
    END { if (absent) print "        no libprotobuf to compare with (Debian: libprotobuf-dev protobuf-compiler)" }'
}

echo "hotpb, first light: a /metrics page through C++'s writer, Prometheus remote write through Rust's pool and Go's view"
# The file that was named comes first: if it is bad, that is all there is to say.
[ -z "$file" ] || bodies "$file"
of_page "$page"
bodies $corpora/prometheus_0.315_v1.snappy $corpora/prometheus_0.315_v2.snappy

echo
$cpp --time "$page" | table "the page's, encoded"
echo
{ printf 'request\t10000\t%s\n' "$(wc -c < $request)"; $rust --time $request; $go -time $request; } \
  | table "made from the 1.0 body by a seeded generator"
