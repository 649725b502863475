#!/usr/bin/env bash
# go/fuzz.sh SECONDS: runs every fuzz target of the Go module for that long each.
set -euo pipefail
cd "$(dirname "$0")"
seconds=${1:?usage: go/fuzz.sh SECONDS}
[ -f ../build/vectors/wire.jsonl ] || ../tools/vectors/compile

status=0
for package in $(go list -f '{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}{{end}}' ./...); do
  for target in $(go test -list '^Fuzz' "$package" | grep '^Fuzz' || true); do
    echo "== $package $target"
    go test -run '^$' -fuzz "^$target\$" -fuzztime "${seconds}s" "$package" || status=1
  done
done
exit $status
