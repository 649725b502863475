#!/usr/bin/env bash
# go/gogo/testgen.sh: generates the messages that the tests use, with the generators that go.mod pins.
set -euo pipefail
cd "$(dirname "$0")"
. ../../tools/env.sh
[ -x "$PROTOC" ] || ../../tools/setup protoc
bin=$(mktemp -d)
trap 'rm -rf "$bin"' EXIT
go build -o "$bin/" github.com/gogo/protobuf/protoc-gen-gogo github.com/gogo/protobuf/protoc-gen-gogofast

# generate GENERATOR ROOT FILE FOLDER [OPTIONS]: copies the generator's file from the folder that go_package names to FOLDER.
generate() {
  rm -rf "$bin/out" "internal/$4"
  mkdir -p "$bin/out" "internal/$4"
  "$PROTOC" --plugin="$bin/protoc-gen-$1" "--$1_out=${5:-}:$bin/out" -I "$2" -I "$PROTOC_INCLUDE" "$3"
  find "$bin/out" -name '*.pb.go' -exec cp {} "internal/$4/" \;
}

rm -rf internal/codec_* internal/stock
for file in codec_proto2 codec_proto3; do
  generate gogo ../../proto "hotpb/$file.proto" "$file"
  # With gogo's own marshalling methods, and under another name, because a registry accepts a name once.
  mkdir -p "$bin/fast"
  sed 's/^package hotpb\./&fast./' "../../proto/hotpb/$file.proto" > "$bin/fast/$file.proto"
  generate gogofast "$bin" "fast/$file.proto" "${file}_fast"
done

# stock NAME OPTIONS ROOT FILE: plain structs and their fast methods in internal/stock/NAME.
(cd .. && go build -o "$bin/protoc-gen-go-hotpb" ./cmd/protoc-gen-go-hotpb)
module=github.com/hotpb/hotpb/go/gogo
# $hot are options for our generator only.
stock() {
  local name packages="$2M$4=$module/internal/stock/$1"
  generate gogo "$3" "$4" "stock/$1" "$packages"
  name=$(sed -n 's/^package //p' "internal/stock/$1/"*.pb.go)
  "$PROTOC" --plugin="$bin/protoc-gen-go-hotpb" "--go-hotpb_out=." -I "$3" -I "$PROTOC_INCLUDE" \
    --go-hotpb_opt="$packages;$name,module=$module,faces=codec,runtime=gogo,${hot:-}" "$4"
}
types=
for name in any duration field_mask struct timestamp wrappers; do types+=Mgoogle/protobuf/$name.proto=github.com/gogo/protobuf/types,; done
stock vectors_proto2 "" ../../proto hotpb/vectors_proto2.proto
hot=compat=csproto,filepermessage=true stock compat "" ../../proto hotpb/compat.proto
stock raft "" ../../proto hotpb/raft.proto
stock test_messages_proto3 "$types" ../../proto/conformance google/protobuf/test_messages_proto3.proto
# Under another name, as above.
for file in codec_proto2 codec_proto3; do
  mkdir -p "$bin/stock"
  sed 's/^package hotpb\./&stock./' "../../proto/hotpb/$file.proto" > "$bin/stock/$file.proto"
  stock "$file" "" "$bin" "stock/$file.proto"
done
