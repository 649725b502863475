#!/usr/bin/env bash
# go/gogo/testgen.sh: generates the messages that the tests use, with the generators that go.mod pins.
set -euo pipefail
cd "$(dirname "$0")"
. ../../tools/env.sh
[ -x "$PROTOC" ] || ../../tools/setup protoc
bin=$(mktemp -d)
trap 'rm -rf "$bin"' EXIT
go build -o "$bin/" github.com/gogo/protobuf/protoc-gen-gogo github.com/gogo/protobuf/protoc-gen-gogofast github.com/gogo/protobuf/protoc-gen-gogofaster

gogoproto=$(go list -m -f '{{.Dir}}' github.com/gogo/protobuf)

# generate GENERATOR ROOT FILE FOLDER [OPTIONS]: copies the generator's file from the folder that go_package names to FOLDER.
generate() {
  rm -rf "$bin/out" "internal/$4"
  mkdir -p "$bin/out" "internal/$4"
  "$PROTOC" --plugin="$bin/protoc-gen-$1" "--$1_out=${5:-}:$bin/out" -I "$2" -I "$PROTOC_INCLUDE" -I "$gogoproto" "$3"
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
  generate "${generator:-gogo}" "$3" "$4" "stock/$1" "$packages"
  name=$(sed -n 's/^package //p' "internal/stock/$1/"*.pb.go)
  "$PROTOC" --plugin="$bin/protoc-gen-go-hotpb" "--go-hotpb_out=." -I "$3" -I "$PROTOC_INCLUDE" -I "$gogoproto" \
    --go-hotpb_opt="$packages;$name,module=$module,faces=codec,runtime=${generator:-gogo},${hot:-}" "$4"
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

# types are the types of custom3.proto that are written by hand.
types_of() { sed "s/^package .*/package $2/" internal/proto/types.txt > "internal/stock/$1/types.go"; }

# With the options of gogo that change structs, and with what gogofaster changes by itself.
stock custom3 "$types" internal/proto custom3.proto
types_of custom3 custom3
stock custom2 "" internal/proto custom2.proto
stock casts "" internal/proto casts.proto
for file in custom2 custom3; do # under other names, as above
  for variant in faster fast plain; do
    mkdir -p "$bin/$variant"
    sed "s/^package gogotest/&.$variant/" "internal/proto/$file.proto" > "$bin/$variant/$file.proto"
  done
  generator=gogofaster stock "${file}_faster" "$types" "$bin" "faster/$file.proto"
  generator=gogofast hot=hot=* stock "${file}_fast" "$types" "$bin" "fast/$file.proto" # no message by table
  sed -i '/marshaler_all\|sizer_all\|gogoproto.sizer\|protosizer\|custom.Int"\|"int"/d' "$bin/plain/$file.proto" # the runtime encodes
  stock "${file}_plain" "$types" "$bin" "plain/$file.proto"
done
for variant in faster fast plain; do types_of "custom3_$variant" custom3; done

# values NAME OPTIONS ROOT FILE: the structs that our generator writes by itself, in internal/stock/NAME.
values() {
  local packages="M$4=$module/internal/stock/$1;$1,"
  "$PROTOC" --plugin="$bin/protoc-gen-go-hotpb" "--go-hotpb_out=." -I "$3" -I "$PROTOC_INCLUDE" -I "$gogoproto" \
    --go-hotpb_opt="${packages}module=$module,faces=codec,structs=value,$2" "$4"
}
# What gogofaster writes and we do, from the same files. A struct of Google's as a value is refused.
for file in custom2 custom3; do
  mkdir -p "$bin/twin"
  sed "s/^package gogotest/&.twin/; /Timestamp plain_value/d" "internal/proto/$file.proto" > "$bin/twin/$file.proto"
  generator=gogofaster stock "${file}_twin" "$types" "$bin" "twin/$file.proto"
  values "${file}_value" runtime=gogofaster "$bin" "twin/$file.proto"
  values "${file}_value_hot" "runtime=gogofaster,hot=*" "$bin" "twin/$file.proto"
  values "${file}_value_cold" "runtime=gogofaster,cold=*" "$bin" "twin/$file.proto"
done
for name in custom3_{twin,value,value_hot,value_cold}; do
  if [ $name = custom3_twin ]; then types_of $name custom3; else types_of $name $name; fi
done

# Every kind of field, for tests in the main module, too.
rm -rf ../internal/testgen/values/kinds ../internal/testgen/values/kinds2
for file in kinds_elsewhere kinds kinds2; do
  "$PROTOC" --plugin="$bin/protoc-gen-go-hotpb" "--go-hotpb_out=.." -I internal/proto -I "$PROTOC_INCLUDE" -I "$gogoproto" \
    --go-hotpb_opt="module=github.com/hotpb/hotpb/go,faces=codec,structs=value,runtime=gogofast" "$file.proto"
done
cp internal/proto/kinds.txt ../internal/testgen/values/kinds/types.go
