#!/usr/bin/env bash
# go/bench/testgen.sh: generates the rivals' code and our own under go/bench, with the versions that go.mod pins.
# tools/testgen calls it when it has to; git ignores what it writes.
#   --inputs   builds the generators, and prints the files that decide what is written
#   --there    whether anything is there (exit status)
set -euo pipefail
cd "$(dirname "$0")"
if [ "${1:-}" = --there ]; then
  [ -d rw1/prompb ] && [ -f v1/codec_proto3/codec_proto3.hot.go ]
  exit
fi
. ../../tools/env.sh
bin="$HOTPB_ROOT/build/bench/bin" module=github.com/hotpb/hotpb/go/bench
mkdir -p "$bin"
go build -o "$bin/" google.golang.org/protobuf/cmd/protoc-gen-go github.com/planetscale/vtprotobuf/cmd/protoc-gen-go-vtproto \
  ./protoc/gogovalues ./protoc/gogoplain ./protoc/renamed
(cd .. && go build -o "$bin/" ./cmd/protoc-gen-go-hotpb)
(cd v1 && go build -o "$bin/protoc-gen-go-v1" github.com/golang/protobuf/protoc-gen-go)
if [ "${1:-}" = --inputs ]; then
  printf '%s\n' "$bin"/* testgen.sh go.sum v1/go.sum ../../tools/protoc.txt
  printf '%s\n' ../../bench/many codec/csproto/*.go
  find ../../proto/prometheus ../../proto/bench ../../proto/hotpb -maxdepth 1 -name '*.proto' | LC_ALL=C sort
  exit
fi
find . \( -name '*.pb.go' -o -name '*.hot.go' \) -delete

protoc() {
  "$PROTOC" -I "$HOTPB_ROOT/proto" ${many:+-I "$many"} --plugin="$bin/protoc-gen-go" --plugin="$bin/protoc-gen-go-vtproto" \
    --plugin="protoc-gen-gogo=$bin/gogovalues" --plugin="protoc-gen-gogoplain=$bin/gogoplain" --plugin="protoc-gen-hotpb=$bin/protoc-gen-go-hotpb" \
    --plugin="protoc-gen-hotcodec=$bin/protoc-gen-go-hotpb" "$@"
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

# codec RUNTIME PACKAGE FILE...: our fast methods of that runtime's structs in PACKAGE.
codec() {
  # shellcheck disable=SC2046
  protoc $(options hotcodec "${@:2}") "--hotcodec_opt=faces=codec,runtime=$1" "${@:3}"
}

# opaque PACKAGE NAME "-lazy" FILE...: the opaque API of the stock runtime, lazy or not, under another name; for the
# codec's tasks with our fast methods.
opaque() {
  local package=$1 name=$2 lazy=$3 set fast=()
  shift 3
  set=$(mktemp)
  protoc --descriptor_set_out=/dev/stdout --include_imports "$@" | "$bin/renamed" -prefix "$name" $lazy > "$set"
  set -- "${@/#/$name/}"
  # shellcheck disable=SC2207
  [[ $package != codec/* ]] || fast=("--plugin=protoc-gen-hotcodec=$bin/protoc-gen-go-hotpb" $(options hotcodec "$package" "$@")
    --hotcodec_opt=faces=codec,default_api_level=API_OPAQUE)
  # shellcheck disable=SC2046
  "$PROTOC" --descriptor_set_in="$set" --plugin="$bin/protoc-gen-go" $(options go "$package" "$@") \
    --go_opt=default_api_level=API_OPAQUE "${fast[@]}" "$@"
  rm -f "$set"
}

all=marshal+unmarshal+unmarshal_unsafe+size+pool
remote=(prometheus/remote.proto prometheus/types.proto)
stock rw1/prompb $all "WriteRequest TimeSeries" "${remote[@]}"
gogo rw1/prompb/gogo "${remote[@]}"
opaque rw1/prompb/lazy lazy -lazy "${remote[@]}"
codec google rw1/prompb "${remote[@]}"

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
codec google messages/shapespb "${shapes[@]}"

# Thirty types of one message, and the rivals of each.
many=$(mktemp -d)
trap 'rm -rf "$many"' EXIT
mkdir "$many/bench"
../../bench/many >"$many/bench/many.proto"
mapfile -t wide < <(sed -n 's/^message \(Wide[0-9]*\) {$/\1/p' "$many/bench/many.proto")
stock messages/manypb $all "${wide[*]}" bench/many.proto
gogo messages/manypb/gogo bench/many.proto
hotpb messages/manypb pool bench/many.proto
codec google messages/manypb bench/many.proto
{
  printf '// Code generated by go/bench/testgen.sh. DO NOT EDIT.\n\npackage messages\n\nimport (\n'
  printf '\t"%s/messages/manypb"\n\t"%s/messages/manypb/gogo"\n\thot "%s/messages/manypb/manypbhot"\n)\n\n' "$module" "$module" "$module"
  printf 'func manyTypes() []rivals {\n\treturn []rivals{\n'
  for type in "${wide[@]}"; do
    printf '\t\trivalsOf[manypb.%s, hot.%s, gogo.%s](manypb.%sFromVTPool),\n' "$type" "$type" "$type" "$type"
  done
  printf '\t}\n}\n'
} >messages/many.hot.go

# The flows of run-time schemas.
stock flow/flowpb marshal+unmarshal+size "" bench/flow.proto

# The events of csproto's shape, on the structs of each runtime.
for syntax in 2 3; do
  event=hotpb/codec_proto$syntax.proto
  stock "codec/open$syntax" marshal+unmarshal+size "" "$event"
  codec google "codec/open$syntax" "$event"
  opaque "codec/opaque$syntax" opaque "" "$event"
  protoc --gogoplain_out=. --gogoplain_opt="codec/gogo$syntax" "$event"
  codec gogo "codec/gogo$syntax" "$event"
done

# The port of csproto's mechanism on gogo's structs.
for file in wire hidden proto2 proto3 batch; do
  { printf '// Code generated by go/bench/testgen.sh. DO NOT EDIT.\n\n'
    sed -E '/^\/\/ /d; s/^package csproto$/&gogo/; s/open([23])/gogo\1/g' "codec/csproto/$file.go"; } >"codec/csprotogogo/$file.hot.go"
done

# The structs of golang/protobuf 1.3.5, in the module that has it.
for syntax in 2 3; do
  file=codec_proto$syntax
  "$PROTOC" -I "$HOTPB_ROOT/proto/hotpb" --plugin="protoc-gen-gov1=$bin/protoc-gen-go-v1" \
    --gov1_out=paths=source_relative:v1 "$file.proto"
  mkdir -p "v1/$file" && mv "v1/$file.pb.go" "v1/$file/"
  "$PROTOC" -I "$HOTPB_ROOT/proto/hotpb" --plugin="protoc-gen-hotcodec=$bin/protoc-gen-go-hotpb" --hotcodec_out=v1 "$file.proto" \
    --hotcodec_opt="faces=codec,runtime=v1,module=$module/v1,M$file.proto=$module/v1/$file"
done
