# Source this from go/gen.sh and go/testgen.sh: it builds the generators and defines the functions that run them.
. ../tools/env.sh
[ -x "$PROTOC" ] || ../tools/setup protoc

bin=$HOTPB_ROOT/build/testgen/bin
mkdir -p "$bin"
# This generator also has the faces for tests, which the released one does not.
go build -buildvcs=false -o "$bin/protoc-gen-go-hotpb" ./internal/testgenerator
# The runtime's own generator, in the version of go.mod; with its legacy tag, because it rejects message sets without it.
go build -tags protolegacy -o "$bin/protoc-gen-go" google.golang.org/protobuf/cmd/protoc-gen-go

module=github.com/hotpb/hotpb/go
prometheus=(prometheus/remote.proto prometheus/types.proto)

# generate FACES PACKAGES FILE...: PACKAGES is a list of M options, each followed by a comma.
generate() {
  local faces=$1 packages=$2
  shift 2
  "$PROTOC" --plugin="$bin/protoc-gen-go-hotpb" --go-hotpb_out=. \
    --go-hotpb_opt="${packages}module=$module,faces=$faces" \
    -I ../proto -I ../proto/conformance -I ../proto/prometheus -I "$PROTOC_INCLUDE" "$@"
}

# mapped PACKAGE FILE...: the M options that put files into a package of the test code.
mapped() {
  local package=$1 file
  shift
  for file; do printf 'M%s=%s/internal/testgen/%s,' "$file" "$module" "$package"; done
}
