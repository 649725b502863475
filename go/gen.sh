#!/usr/bin/env bash
# go/gen.sh: regenerates the Go code that is committed: the well-known types of the runtime and the code for tests.
set -euo pipefail
cd "$(dirname "$0")"
. ../tools/env.sh
[ -x "$PROTOC" ] || ../tools/setup protoc

bin=$(mktemp -d)
trap 'rm -rf "$bin"' EXIT
go build -o "$bin/protoc-gen-go-hotpb" ./cmd/protoc-gen-go-hotpb
# The runtime's own generator, in the version of go.mod; with its legacy tag, because it refuses message sets without.
go build -tags protolegacy -o "$bin/protoc-gen-go" google.golang.org/protobuf/cmd/protoc-gen-go

module=github.com/hotpb/hotpb/go
well_known=(any api compiler/plugin descriptor duration empty field_mask source_context struct timestamp type wrappers)
well_known=("${well_known[@]/#/google/protobuf/}")
well_known=("${well_known[@]/%/.proto}")

# generate FACES PACKAGES FILE...: PACKAGES is a list of M options, each with a comma behind it.
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

rm -rf wkt/*.hot.go wkt/wktreflect
rm -rf internal/testgen/*hot internal/testgen/*/*hot
generate view+edit+writer+pool+reflect "" "${well_known[@]}"

# Tests write messages back and so need the well-known types with +reencode, which the runtime's own do not have.
tested=view+reencode+writer+rewrite+pool+canonical
generate $tested+reflect "" hotpb/vectors.proto hotpb/vectors_elsewhere.proto hotpb/vectors_2023.proto hotpb/vectors_2024.proto
generate $tested+edit+reflect "" hotpb/vectors_proto2.proto
generate $tested+edit "" hotpb/raft.proto
# Some of the same messages with fields left out: dropped, and kept among the unknown fields.
fields() { local message=$1 all=() name; shift; for name; do all+=("$message.$name"); done; (IFS=+; echo "${all[*]}"); }
p2=hotpb.vectors.p2 p3=hotpb.vectors.p3
selected_p2=messages=$p2.Child+$p2.Needs+$p2.Numbers,only=$(fields $p2.Child id child children),
selected_p2+=skip=$(fields $p2.Needs by_id picked other grp)+$(fields $p2.Must name)+$(fields $p2.Numbers n15 n2048 n18999 n20000),
selected_p3=messages=$p3.All,only=$(fields $p3.All single_string single_child single_all repeated_int32 repeated_all value_all other_number other_text),
for at in p2:hotpb/vectors_proto2.proto p3:hotpb/vectors.proto; do
  syntax=${at%%:*} file=${at#*:} selected=selected_${at%%:*}
  generate view+pool+reflect "$(mapped "dropped_$syntax" "$file")${!selected}" "$file"
  generate view+reencode+pool+canonical "$(mapped "kept_$syntax" "$file")keep_skipped,${!selected}" "$file"
done

# Maps as sorted lists: keys and values of every sort, and values that need fields.
maps=(key_int32 key_uint64 key_sint64 key_bool key_string value_double value_bytes value_open value_child value_all bool_to_child)
generate pool+canonical+reflect "$(mapped sorted_p3 hotpb/vectors.proto)maps=sorted,keep_skipped,messages=$p3.All,only=$(fields $p3.All \
  single_int32 single_all repeated_all "${maps[@]}")," hotpb/vectors.proto
generate pool+canonical "$(mapped sorted_p2 hotpb/vectors_proto2.proto)maps=sorted,messages=$p2.Needs," hotpb/vectors_proto2.proto

used=()
for name in any duration field_mask struct timestamp wrappers; do used+=("google/protobuf/$name.proto"); done
wkt=$(mapped wkt "${used[@]}")
generate $tested+edit "$wkt" "${used[@]}"
for name in proto2 proto3 proto2_editions proto3_editions edition2023; do
  file=google/protobuf/test_messages_$name.proto
  imports=$wkt
  case $name in *2*) imports= ;; esac # only the proto3 ones import well-known types
  faces=$tested+edit
  case $name in *_editions) faces=$tested ;; esac # their code is that of the others
  generate "$faces" "$imports$(mapped "test_messages_$name" "$file")" "$file"
done
generate view "$(mapped conformance conformance/conformance.proto)" conformance/conformance.proto
prometheus=(prometheus/remote.proto prometheus/types.proto)
generate view+writer+pool+reflect "$(mapped prometheus "${prometheus[@]}")" "${prometheus[@]}"

# stock PACKAGE OPTIONS FILE...: the structs of the runtime's own generator in PACKAGE, and their fast methods; $hot are
# options of ours alone, $root is where the files are when that is not ../proto.
stock() {
  local package=stock/$1 options=$2 packages
  shift 2
  packages=$(mapped "$package" "$@")
  mkdir -p "internal/testgen/$package"
  "$PROTOC" --plugin="$bin/protoc-gen-go" --go_out=. --go_opt="${packages}${options}module=$module" \
    --plugin="$bin/protoc-gen-go-hotpb" --go-hotpb_out=. --go-hotpb_opt="${packages}${options}module=$module,faces=codec,${hot:-}" \
    -I "${root:-../proto}" -I ../proto/conformance -I ../proto/prometheus -I "$PROTOC_INCLUDE" "$@"
}

rm -rf internal/testgen/stock
stock prometheus "" "${prometheus[@]}"
stock raft "" hotpb/raft.proto
stock lazy "" hotpb/lazy.proto
hot=protomethods=true stock vectors_hooked "" hotpb/vectors.proto
hot=protomethods=true stock vectors_2024_hooked "" hotpb/vectors_2024.proto
hot=protomethods=true,messages=hotpb.raft.Entry stock raft_hooked "" hotpb/raft.proto
stock raft_opaque default_api_level=API_OPAQUE, hotpb/raft.proto
stock raft_hybrid default_api_level=API_HYBRID, hotpb/raft.proto
stock vectors "" hotpb/vectors.proto
stock vectors_proto2 "" hotpb/vectors_proto2.proto
stock vectors_2023 "" hotpb/vectors_2023.proto
stock vectors_2024 "" hotpb/vectors_2024.proto
stock vectors_opaque default_api_level=API_OPAQUE, hotpb/vectors.proto
stock vectors_proto2_opaque default_api_level=API_OPAQUE, hotpb/vectors_proto2.proto
hot=compat=csproto stock compat "" hotpb/compat.proto
for name in hybrid opaque selected; do # one file for each message, under another name: the runtime takes one once per program
  mkdir -p "$bin/$name"
  sed "s/^package hotpb\./&$name./" ../proto/hotpb/compat.proto > "$bin/$name/compat.proto"
  case $name in
    selected) options= hot=messages=hotpb.selected.compat.Choice.Size+hotpb.selected.compat.Item,filepermessage=true ;;
    *) options=default_api_level=API_${name^^}, hot=compat=csproto,filepermessage=true ;;
  esac
  root=$bin stock compat_$name "$options" $name/compat.proto
done
hot=
for name in proto2 proto3 proto2_editions proto3_editions edition2023; do
  stock "test_messages_$name" "" "google/protobuf/test_messages_$name.proto"
done
# The runtime's structs by themselves, of the schemas that all runtimes take, in each of its APIs. It takes a name once
# per program, so that all but the open API's are under names of their own.
plain() { # plain API FILE: internal/testgen/stock/FILE_API, of a copy of hotpb/FILE.proto in package hotpb.API.…
  local api=$1 file=$2
  mkdir -p "$bin/$api"
  sed "s/^package hotpb\./&$api./" "../proto/hotpb/$file.proto" > "$bin/$api/$file.proto"
  "$PROTOC" --plugin="$bin/protoc-gen-go" --go_out=. -I "$bin" "$api/$file.proto" \
    --go_opt="default_api_level=API_${api^^},module=$module,M$api/$file.proto=$module/internal/testgen/stock/${file}_$api"
}
for file in codec_proto2 codec_proto3; do
  "$PROTOC" --plugin="$bin/protoc-gen-go" --go_out=. --go_opt=module=$module -I ../proto "hotpb/$file.proto"
  plain hybrid $file
  plain opaque $file
done

# The schema face's testee imports the official test schemas as protoc described them.
cp ../vectors/plans/test_messages_*.fds conformance/cmd/go-schema/descriptors/

# For review only: what a user gets for a schema of usual size, one file per face.
goldens=../vectors/goldens/go
mkdir -p "$goldens" "$bin/golden"
for face in view pool writer; do
  "$PROTOC" --plugin="$bin/protoc-gen-go-hotpb" --go-hotpb_out="$bin/golden" -I ../proto/prometheus -I ../proto \
    --go-hotpb_opt="$(mapped prometheus "${prometheus[@]}")module=$module,faces=$face" "${prometheus[@]}"
  cp "$bin/golden/internal/testgen/prometheus/prometheushot/types.hot.go" "$goldens/$face.go.txt"
done
# The codec is beside the stock structs.
cp internal/testgen/stock/prometheus/types.hot.go "$goldens/codec.go.txt"
# With csproto's names, where fields leave them free.
cp internal/testgen/stock/compat/compat.hot.go "$goldens/codec-csproto.go.txt"
# The bridge of both faces is in a package of its own.
cp internal/testgen/prometheus/prometheushot/prometheushotreflect/types_reflect.hot.go "$goldens/reflect.go.txt"

# The messages of the modules for other runtimes, by those runtimes' generators.
gogo/gen.sh
googlev1/gen.sh
