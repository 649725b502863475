#!/usr/bin/env bash
# Regenerates the rivals' code and our own under go/bench, with the versions that go.mod pins.
set -euo pipefail
cd "$(dirname "$0")"
. ../../tools/env.sh
bin="$HOTPB_ROOT/build/bench/bin" module=github.com/hotpb/hotpb/go/bench
mkdir -p "$bin"
go build -o "$bin/" google.golang.org/protobuf/cmd/protoc-gen-go github.com/planetscale/vtprotobuf/cmd/protoc-gen-go-vtproto \
  ./protoc/gogovalues ./protoc/renamed
(cd .. && go build -o "$bin/" ./cmd/protoc-gen-go-hotpb)
protoc() {
  "$PROTOC" -I "$HOTPB_ROOT/proto" --plugin="$bin/protoc-gen-go" --plugin="$bin/protoc-gen-go-vtproto" \
    --plugin="protoc-gen-gogo=$bin/gogovalues" --plugin="protoc-gen-hotpb=$bin/protoc-gen-go-hotpb" "$@"
}

# options PLUGIN PACKAGE FILE...: puts the files into that package of this module.
options() {
  local plugin=$1 package="$module/$2" file
  [ "$plugin" = hotpb ] || package+=";${2##*/}"
  shift 2
  printf -- '--%s_out=. --%s_opt=module=%s' "$plugin" "$plugin" "$module"
  for file; do printf -- ' --%s_opt=M%s=%s' "$plugin" "$file" "$package"; done
}

# stock PACKAGE "VTPROTO-FEATURES" "POOLED-MESSAGES" FILE...: the stock runtime's structs, with vtprotobuf's methods.
stock() {
  local package=$1 features=$2 pooled=() message
  for message in $3; do pooled+=("--go-vtproto_opt=pool=$module/$package.$message"); done
  shift 3
  # shellcheck disable=SC2046
  protoc $(options go "$package" "$@") $(options go-vtproto "$package" "$@") "--go-vtproto_opt=features=$features" "${pooled[@]}" "$@"
}

# gogo PACKAGE FILE...
gogo() { protoc --gogo_out=. --gogo_opt="$1" "${@:2}"; }

# hotpb PACKAGE FACES FILE...
hotpb() {
  # shellcheck disable=SC2046
  protoc $(options hotpb "$1" "${@:3}") --hotpb_opt="faces=$2" "${@:3}"
}

# opaque PACKAGE NAME "-lazy" FILE...: the opaque API of the stock runtime, lazy or not, under another name.
opaque() {
  local package=$1 name=$2 lazy=$3 set
  shift 3
  set=$(mktemp)
  protoc --descriptor_set_out=/dev/stdout --include_imports "$@" | "$bin/renamed" -prefix "$name" $lazy > "$set"
  set -- "${@/#/$name/}"
  # shellcheck disable=SC2046
  "$PROTOC" --descriptor_set_in="$set" --plugin="$bin/protoc-gen-go" $(options go "$package" "$@") \
    --go_opt=default_api_level=API_OPAQUE "$@"
  rm -f "$set"
}

all=marshal+unmarshal+unmarshal_unsafe+size+pool
remote=(prometheus/remote.proto prometheus/types.proto)
stock rw1/prompb $all "WriteRequest TimeSeries" "${remote[@]}"
gogo rw1/prompb/gogo "${remote[@]}"
opaque rw1/prompb/lazy lazy -lazy "${remote[@]}"

stock zeropb/raftpb $all "Message Entry" hotpb/raft.proto
gogo zeropb/raftpb/gogo hotpb/raft.proto
opaque zeropb/raftpb/opaque opaque "" hotpb/raft.proto
opaque zeropb/raftpb/lazy lazy -lazy hotpb/raft.proto

# The message of ProtoZero's benchmark, for those that write.
stock protozero/eventspb marshal+size "" bench/events.proto
hotpb protozero/eventspb writer bench/events.proto

shapes=(bench/shapes.proto bench/blob.proto)
stock messages/shapespb $all "Packed Maps Node Span Blob" "${shapes[@]}"
gogo messages/shapespb/gogo "${shapes[@]}"
hotpb messages/shapespb pool+view "${shapes[@]}"
