#!/usr/bin/env bash
# go/testees.sh: builds the conformance testees of Go into build/conformance/.
set -euo pipefail
cd "$(dirname "$0")/conformance"
mkdir -p ../../build/conformance
for testee in cmd/*; do
  go build -o "../../build/conformance/${testee#cmd/}" "./$testee"
done
