#!/usr/bin/env bash
# generate.sh: writes gen/, with the generators that go.mod has as tools: one package per protocol version, hotpb's below the stock one.
set -euo pipefail
cd "$(dirname "$0")"
. ../../../tools/env.sh
[ -x "$PROTOC" ] || ../../../tools/setup protoc
gen=github.com/hotpb/hotpb/examples/first-light/go/gen
options=module=$gen
for package in prometheus/remote.proto=$gen/prometheus prometheus/types.proto=$gen/prometheus prometheus/write/v2/types.proto=$gen/writev2; do
  options+=,M$package
done
rm -rf gen
mkdir gen
"$PROTOC" -I ../../../proto --plugin="$(go tool -n protoc-gen-go)" --go_out=gen --go_opt="$options" \
  --plugin="$(go tool -n protoc-gen-go-hotpb)" --go-hotpb_out=gen --go-hotpb_opt="faces=view,$options" \
  prometheus/remote.proto prometheus/types.proto prometheus/write/v2/types.proto
