#!/usr/bin/env bash
# Regenerates the rivals' code and our own under go/bench, with the versions that go.mod pins.
set -euo pipefail
cd "$(dirname "$0")"
. ../../tools/env.sh
bin="$HOTPB_ROOT/build/bench/bin"
mkdir -p "$bin"
go build -o "$bin/" google.golang.org/protobuf/cmd/protoc-gen-go github.com/planetscale/vtprotobuf/cmd/protoc-gen-go-vtproto

stock=github.com/hotpb/hotpb/go/bench/rw1/prompb
files=(prometheus/remote.proto prometheus/types.proto)
options=(--go_opt=module=$stock --go-vtproto_opt=module=$stock --hotpb_opt=module=$stock,faces=view+pool
  --go-vtproto_opt=features=marshal+unmarshal+unmarshal_unsafe+size+pool
  --go-vtproto_opt=pool=$stock.WriteRequest --go-vtproto_opt=pool=$stock.TimeSeries)
for f in "${files[@]}"; do
  options+=("--go_opt=M$f=$stock" "--go-vtproto_opt=M$f=$stock" "--hotpb_opt=M$f=$stock")
done
(cd .. && go build -o "$bin/" ./cmd/protoc-gen-go-hotpb)
mkdir -p rw1/prompb
"$PROTOC" -I "$HOTPB_ROOT/proto" --plugin="$bin/protoc-gen-go" --plugin="$bin/protoc-gen-go-vtproto" --plugin="protoc-gen-hotpb=$bin/protoc-gen-go-hotpb" \
  --go_out=rw1/prompb --go-vtproto_out=rw1/prompb --hotpb_out=rw1/prompb "${options[@]}" "${files[@]}"

# The message of ProtoZero's benchmark, for those that write.
events=github.com/hotpb/hotpb/go/bench/protozero/eventspb file=bench/events.proto
options=(--go_opt=module=$events --go-vtproto_opt=module=$events --go-vtproto_opt=features=marshal+size --hotpb_opt=module=$events,faces=writer
  "--go_opt=M$file=$events" "--go-vtproto_opt=M$file=$events" "--hotpb_opt=M$file=$events")
mkdir -p protozero/eventspb
"$PROTOC" -I "$HOTPB_ROOT/proto" --plugin="$bin/protoc-gen-go" --plugin="$bin/protoc-gen-go-vtproto" --plugin="protoc-gen-hotpb=$bin/protoc-gen-go-hotpb" \
  --go_out=protozero/eventspb --go-vtproto_out=protozero/eventspb --hotpb_out=protozero/eventspb "${options[@]}" "$file"
