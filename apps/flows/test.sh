#!/usr/bin/env bash
# apps/flows/test.sh: format, vet and all tests of the collector that need only Go and Python. Tests that need a browser, a broker,
# live exporters or ClickHouse are in check.sh and check-page.sh.
set -euo pipefail
cd "$(dirname "$0")"
unformatted=$(gofmt -l .)
[ -z "$unformatted" ] || { echo "not formatted: $unformatted"; exit 1; }
# As programs.py installs the collector, so that the packages of others are compiled once for both.
GOFLAGS="$(go env GOFLAGS) -trimpath"
export GOFLAGS
go vet ./...
# -count=1: the test cache does not notice changes of the captures and the schema file, which are outside the packages.
go test -vet=off -count=1 ./... | { grep -v 'no test files' || true; }
# The collector and the reference decoder, on exporters that are made at random: always the same ones here, however fast the machine; more in check-all.sh, others in check.sh.
python3 reference/test_reference.py
python3 reference/run.py --seed 1 --exporters 900
