#!/usr/bin/env bash
# demo.sh [FILE]: hotpb's main job on real input. Rust's pool decodes what a real Prometheus POSTed into rows, Go's view
# finds one series without decoding the rest, both are checked against their stock runtimes, and all are timed on a
# request of 10,000 series. FILE is a request of yours: remote write 1.0 or 2.0, snappy or not. FIND=name=value names
# the label that the view looks for.
set -euo pipefail
file=${1:+$(realpath -m -- "$1")}
cd "$(dirname "$0")/../.."
out=build/first-light
corpora=vectors/corpora
mkdir -p "$out"

building() { [ -x "$1" ] || echo "first light: building $2 …" >&2; }
rust=build/cargo-first-light/release/first-light
building $rust "Rust's half"
cargo build --release --locked --quiet --manifest-path examples/first-light/rust/Cargo.toml --target-dir build/cargo-first-light
go=$out/first-light-go
building $go "Go's half"
(cd examples/first-light/go && go build -o "../../../$go" .)
request=build/bench/rw1_10k.bin
if ! (cd build/bench 2>/dev/null && grep ' rw1_10k.bin$' ../../bench/corpus/SHA256SUMS | sha256sum --check --status 2>/dev/null); then
  (cd bench/corpus && go run . -body ../../$corpora/prometheus_0.315_v1.snappy -out ../../build/bench -shape 10k >/dev/null)
fi

echo "hotpb, first light: Prometheus remote write, decoded by Rust's pool and read by Go's view"
# The file that was named comes first: if it is bad, that is all there is to say.
for body in ${file:+"$file"} $corpora/prometheus_0.315_v1.snappy $corpora/prometheus_0.315_v2.snappy; do
  echo
  $rust "$body"
  $go ${FIND:+-find "$FIND"} "$body"
done

echo
{ $rust --time $request; $go -time $request; } | LC_ALL=C awk -F '\t' -v bytes="$(wc -c < $request)" '
  function thousands(n,  s) { s = sprintf("%d", n); while (s ~ /[0-9][0-9][0-9][0-9]/) s = gensub_last(s); return s }
  function gensub_last(s) { match(s, /[0-9]+/); return substr(s, 1, RLENGTH - 3) "," substr(s, RLENGTH - 2) }
  function time(ns) { return ns >= 1e6 ? sprintf("%.2f ms", ns / 1e6) : sprintf("%.1f us", ns / 1e3) }
  NR == 1 {
    printf "10,000 series (made from the 1.0 body by a seeded generator, %s bytes), measured now, on one core:\n", thousands(bytes)
    printf "        %-38s %10s %12s %13s %10s\n", "", "time", "MB/s", "allocations", "to stock"
  }
  {
    if ($1 != language) { language = $1; stock = $3 }
    printf "  %-5s %-38s %10s %12s %13s %9.1fx\n", $1, $2, time($3), thousands($4), thousands($5), stock / $3
  }'
