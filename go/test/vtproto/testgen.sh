#!/usr/bin/env bash
# go/test/vtproto/testgen.sh: generates the structs of the tests: with vtprotobuf's methods below internal/theirs, with
# ours below internal/ours. go/testgen.sh calls it.
set -euo pipefail
cd "$(dirname "$0")"
. ../../../tools/env.sh
[ -x "$PROTOC" ] || ../../../tools/setup protoc
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# Both generators of others reject message sets without their legacy tag.
go build -tags protolegacy -o "$work/" google.golang.org/protobuf/cmd/protoc-gen-go github.com/planetscale/vtprotobuf/cmd/protoc-gen-go-vtproto
(cd ../.. && go build -o "$work/protoc-gen-go-hotpb" ./cmd/protoc-gen-go-hotpb)
module=github.com/hotpb/hotpb/go/test/vtproto
rm -rf internal/ours internal/theirs

# generate SIDE NAME ROOT OPTIONS FILE...: the structs of the files in internal/SIDE/NAME. OPTIONS are for protoc-gen-go; $methods is the plugin
# for the methods, a colon and its options. The runtime accepts a name of a file or type once per program, so all have SIDE in front.
generate() {
  local side=$1 name=$2 root=$3 options=$4 file files=() packages=
  shift 4
  for file; do
    mkdir -p "$work/$side/$(dirname "$file")"
    sed -E "s/^package /&$side./; s/^import \"prometheus/import \"$side\/prometheus/" "$root/$file" > "$work/$side/$file"
    packages+="M$side/$file=$module/internal/$side/$name,"
    files+=("$side/$file")
  done
  "$PROTOC" --plugin="$work/protoc-gen-go" --go_out=. "--go_opt=${packages}${options}module=$module" \
    --plugin="$work/protoc-gen-go-${methods%%:*}" "--go-${methods%%:*}_out=." "--go-${methods%%:*}_opt=${packages}module=$module,${methods#*:}" \
    -I "$work" -I "$PROTOC_INCLUDE" "${files[@]}"
}

proto=../../../proto
for side in ours theirs; do
  pools=
  for message in WriteRequest TimeSeries Sample; do pools+="pool=$module/internal/$side/prometheus.$message,"; done
  pools+="pool=$module/internal/$side/codec_proto3.*"
  case $side in ours) plugin=hotpb:faces=codec,compat=vtproto, ;; *) plugin=vtproto: ;; esac
  methods=$plugin$pools
  generate $side prometheus $proto "" prometheus/remote.proto prometheus/types.proto
  generate $side codec_proto3 $proto "" hotpb/codec_proto3.proto
  methods=${plugin%,}
  generate $side codec_proto2 $proto "" hotpb/codec_proto2.proto
  methods=${plugin}pool=$module/internal/$side/raft.Entry
  generate $side raft $proto "" hotpb/raft.proto
  methods=${plugin%,}
  for syntax in proto2 proto3; do generate $side test_messages_$syntax $proto/conformance "" google/protobuf/test_messages_$syntax.proto; done
done
# The same methods on hybrid and opaque structs, which vtprotobuf does not support.
for api in hybrid opaque; do
  methods="hotpb:default_api_level=API_${api^^},faces=codec,compat=vtproto,pool=$module/internal/$api/**"
  generate $api prometheus $proto "default_api_level=API_${api^^}," prometheus/remote.proto prometheus/types.proto
  generate $api codec_proto3 $proto "default_api_level=API_${api^^}," hotpb/codec_proto3.proto
done
