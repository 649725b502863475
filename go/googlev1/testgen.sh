#!/usr/bin/env bash
# go/googlev1/testgen.sh: generates the messages that the tests use, with the generator that go.mod pins, and the tests that are gogo's, but for
# those of gogo's options.
set -euo pipefail
cd "$(dirname "$0")"
. ../../tools/env.sh
[ -x "$PROTOC" ] || ../../tools/setup protoc
bin=$(mktemp -d)
trap 'rm -rf "$bin"' EXIT

# shellcheck disable=SC2046
./gen.sh $(cd ../gogo && ls test/fast/*.go | grep -vE 'types_test|custom')
go build -o "$bin/" github.com/golang/protobuf/protoc-gen-go
rm -rf internal/codec_* internal/stock
mkdir "$bin/v1"
for file in codec_proto2 codec_proto3; do
  # Under another name, because they are also compiled against a golang/protobuf that shares a registry with google.golang.org/protobuf.
  sed 's/^package hotpb\./&v1./' "../../proto/hotpb/$file.proto" > "$bin/v1/$file.proto"
  mkdir -p "$bin/$file" "internal/$file"
  "$PROTOC" --plugin="$bin/protoc-gen-go" --go_out="$bin/$file" -I "$bin" "v1/$file.proto"
  find "$bin/$file" -name '*.pb.go' -exec cp {} "internal/$file/" \;
done

# stock NAME OPTIONS ROOT FILE: the structs and their fast methods in internal/stock/NAME.
(cd .. && go build -o "$bin/protoc-gen-go-hotpb" ./cmd/protoc-gen-go-hotpb)
module=github.com/hotpb/hotpb/go/googlev1
# $hot are options for our generator only.
stock() {
  local name packages="$2M$4=$module/internal/stock/$1"
  rm -rf "$bin/out"
  mkdir -p "$bin/out" "internal/stock/$1"
  "$PROTOC" --plugin="$bin/protoc-gen-go" "--go_out=$packages:$bin/out" -I "$3" -I "$PROTOC_INCLUDE" "$4"
  find "$bin/out" -name '*.pb.go' -exec cp {} "internal/stock/$1/" \;
  name=$(sed -n 's/^package //p' "internal/stock/$1/"*.pb.go)
  "$PROTOC" --plugin="$bin/protoc-gen-go-hotpb" "--go-hotpb_out=." -I "$3" -I "$PROTOC_INCLUDE" \
    --go-hotpb_opt="$packages;$name,module=$module,faces=codec,runtime=v1,${hot:-}" "$4"
}
stock vectors_proto2 "" ../../proto hotpb/vectors_proto2.proto
hot=compat=csproto stock compat "" ../../proto hotpb/compat.proto
stock raft "" ../../proto hotpb/raft.proto
stock prometheus "" ../../proto prometheus/types.proto
# Under another name, as above.
for file in codec_proto2 codec_proto3; do
  mkdir -p "$bin/stock"
  sed 's/^package hotpb\./&stock./' "../../proto/hotpb/$file.proto" > "$bin/stock/$file.proto"
  stock "$file" "" "$bin" "stock/$file.proto"
done
