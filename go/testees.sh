#!/usr/bin/env bash
# go/testees.sh: builds the conformance testees of Go into build/conformance/.
set -euo pipefail
cd "$(dirname "$0")/conformance"
../../tools/testgen go
mkdir -p ../../build/conformance
for testee in cmd/*; do
  tags=
  case $testee in *-codec*) tags=protolegacy ;; esac # the runtime reads message sets only with this tag
  go build -tags "$tags" -o "../../build/conformance/${testee#cmd/}" "./$testee"
done
