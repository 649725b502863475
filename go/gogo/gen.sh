#!/usr/bin/env bash
# go/gogo/gen.sh: regenerates the messages that the tests use, with the generators that go.mod pins.
set -euo pipefail
cd "$(dirname "$0")"
. ../../tools/env.sh
[ -x "$PROTOC" ] || ../../tools/setup protoc
bin=$(mktemp -d)
trap 'rm -rf "$bin"' EXIT
go build -o "$bin/" github.com/gogo/protobuf/protoc-gen-gogo github.com/gogo/protobuf/protoc-gen-gogofast

# generate GENERATOR ROOT FILE FOLDER: the generator puts its file where go_package says, wherever that is.
generate() {
  rm -rf "$bin/out" "internal/$4"
  mkdir -p "$bin/out" "internal/$4"
  "$PROTOC" --plugin="$bin/protoc-gen-$1" "--$1_out=$bin/out" -I "$2" "$3"
  find "$bin/out" -name '*.pb.go' -exec cp {} "internal/$4/" \;
}

rm -rf internal
for file in codec_proto2 codec_proto3; do
  generate gogo ../../proto "hotpb/$file.proto" "$file"
  # With gogo's own marshalling methods, and under another name: a registry takes a name once.
  mkdir -p "$bin/fast"
  sed 's/^package hotpb\./&fast./' "../../proto/hotpb/$file.proto" > "$bin/fast/$file.proto"
  generate gogofast "$bin" "fast/$file.proto" "${file}_fast"
done
