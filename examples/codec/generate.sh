#!/usr/bin/env bash
# Writes the messages of the three programs, each with the generators that its go.mod has as tools. gogo's has both
# gogo's code and, for the types that moved already, Google's.
set -euo pipefail
cd "$(dirname "$0")"
. ../../tools/env.sh
[ -x "$PROTOC" ] || ../../tools/setup protoc
bin=$(mktemp -d)
trap 'rm -rf "$bin"' EXIT
gogofast=$(cd gogo && go tool -n protoc-gen-gogofast)
gov1=$(cd googlev1 && go tool -n protoc-gen-go)
gov2=$(cd googlev2 && go tool -n protoc-gen-go)
hotpb=$(cd googlev2 && go tool -n protoc-gen-go-hotpb)

# generate FOLDER GENERATOR NAME [OPTION…]: FOLDER/NAME/NAME.pb.go
generate() {
  local folder=$1 generator=$2 name=$3
  shift 3
  mkdir -p "$bin/out" "$folder/$name"
  "$PROTOC" --plugin="protoc-gen-$generator=${!generator}" "--${generator}_out=$bin/out" "$@" -I . "$name.proto"
  find "$bin/out" -name '*.go' -exec mv {} "$folder/$name/" \;
}

rm -rf gogo/{before,moved} googlev1/{customers,orders} googlev2/{customers,orders}
for name in customers orders; do
  generate gogo/before gogofast $name
  generate googlev1 gov1 $name
  module=github.com/hotpb/hotpb/examples/codec/googlev2
  fast=(--plugin="protoc-gen-hotpb=$hotpb" "--hotpb_out=$bin/out" "--hotpb_opt=faces=codec")
  generate googlev2 gov2 $name "--gov2_opt=M$name.proto=$module/$name" "${fast[@]}" "--hotpb_opt=M$name.proto=$module/$name"
done
module=github.com/hotpb/hotpb/examples/codec/gogo/moved
generate gogo/moved gov2 customers "--gov2_opt=Mcustomers.proto=$module/customers" \
  "${fast[@]}" "--hotpb_opt=Mcustomers.proto=$module/customers"
