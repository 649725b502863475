#!/usr/bin/env bash
# Checks the page in a real browser: headless Chromium opens the page of a collector that a generator feeds on loopback, in light
# and dark, narrow and wide. Screenshots are in build/flows-page-*.png. Needs Chromium (tools/setup browser brings it).
set -euo pipefail
cd "$(dirname "$0")"
../../tools/setup browser
build=$(cd ../.. && mkdir -p build && cd build && pwd)
scratch=$(mktemp -d)
collector='' generator=''
clean() {
  for process in $generator $collector; do kill "$process" 2> /dev/null || true; done
  wait
  rm -rf "$scratch"
}
trap clean EXIT
go build -o "$scratch/flows" .

"$scratch/flows" collect --listen=127.0.0.1:0 --http=127.0.0.1:0 --output=file --file-folder="$scratch/out" \
  --log-format=json 2> "$scratch/log" &
collector=$!
# field NAME: from the collector's log, as soon as it is there.
field() {
  for _ in $(seq 100); do
    if grep -q "\"$1\"" "$scratch/log"; then
      sed -nE "s/.*\"$1\":\[?\"([^\"]*)\".*/\1/p" "$scratch/log"
      return
    fi
    sleep 0.1
  done
  cat "$scratch/log" >&2
  return 1
}
page=$(field page)
address=$(field addresses)
"$scratch/flows" generate "$address" --rate=2000 --for=120s > "$scratch/account" &
generator=$!
python3 check_page.py "$page" "$build/flows-page" "$collector" "$address"
