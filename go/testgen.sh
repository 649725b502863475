#!/usr/bin/env bash
# go/testgen.sh: generates the Go code that only tests use: internal/testgen, the structs of gogo and golang/protobuf
# in gogo/internal and googlev1/internal, and googlev1/test/fast. tools/testgen calls it when necessary; git ignores its output.
#   --inputs   builds the generators, and prints the files that the output depends on
#   --there    reports whether there is any output (exit status)
set -euo pipefail
cd "$(dirname "$0")"
if [ "${1:-}" = --there ]; then
  [ -d internal/testgen/stock/vectors ] && [ -d gogo/internal/stock/raft ] && [ -d googlev1/internal/stock/raft ] && [ -f googlev1/test/fast/fast_test.go ] && [ -d internal/testgen/descriptor ] && [ -d test/vtproto/internal/opaque/codec_proto3 ]
  exit
fi
. ./generate.sh
if [ "${1:-}" = --inputs ]; then
  printf '%s\n' "$bin/protoc-gen-go-hotpb" "$bin/protoc-gen-go" "$PWD"/{generate,testgen,gogo/testgen,googlev1/testgen,test/vtproto/testgen}.sh \
    "$PWD"/{gogo,googlev1,test/vtproto}/go.{mod,sum} ../tools/protoc.txt
  ls googlev1/gen.sh gogo/test/fast/*.go
  find ../proto gogo/internal/proto -type f | grep '\.proto$\|\.txt$' | LC_ALL=C sort
  exit
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

rm -rf internal/testgen/*hot internal/testgen/*/*hot
# Tests re-encode messages, and so need the well-known types with +reencode, which the runtime's own do not have.
tested=view+reencode+writer+rewrite+pool+canonical
generate $tested+reflect "" hotpb/vectors.proto hotpb/vectors_elsewhere.proto hotpb/vectors_2023.proto hotpb/vectors_2024.proto
generate $tested+edit+reflect "" hotpb/vectors_proto2.proto
generate $tested+edit "" hotpb/raft.proto
generate pool+canonical "" hotpb/wide_oneof.proto
# Some of the same messages with fields left out: dropped, or kept among the unknown fields.
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

# Maps as sorted lists: keys and values of every sort, and values with required fields.
maps=(key_int32 key_uint64 key_sint64 key_bool key_string value_double value_bytes value_open value_child value_all bool_to_child)
generate pool+canonical+reflect "$(mapped sorted_p3 hotpb/vectors.proto)maps=sorted,keep_skipped,messages=$p3.All,only=$(fields $p3.All \
  single_int32 single_all repeated_all "${maps[@]}")," hotpb/vectors.proto
generate pool+canonical "$(mapped sorted_p2 hotpb/vectors_proto2.proto)maps=sorted,messages=$p2.Needs," hotpb/vectors_proto2.proto

# All messages by table, and all straight.
by_tier=(vectors vectors_elsewhere vectors_2023 vectors_2024 vectors_proto2 wide_oneof)
by_tier=("${by_tier[@]/#/hotpb/}")
for tier in cold hot; do
  packages=
  for name in "${by_tier[@]}"; do packages+=$(mapped "$tier/${name#hotpb/}" "$name.proto"); done
  generate view+reencode+pool+canonical "$packages$tier=*," "${by_tier[@]/%/.proto}"
  for syntax in p2 p3; do
    file=vectors.proto maps=$p3.All
    if [ $syntax = p2 ]; then file=vectors_proto2.proto maps=$p2.Needs; fi
    generate pool+canonical "$(mapped "$tier/sorted_$syntax" "hotpb/$file")$tier=*,maps=sorted,messages=$maps," "hotpb/$file"
  done
done

generate writer "$(mapped strict_p3 hotpb/vectors.proto)utf8=strict," hotpb/vectors.proto

used=()
for name in any duration field_mask struct timestamp wrappers; do used+=("google/protobuf/$name.proto"); done
wkt=$(mapped wkt "${used[@]}")
generate $tested+edit "$wkt" "${used[@]}"
# Google's files whose code users generate; descriptions of schemas are on no hot path.
generate view+edit+writer+pool+reflect "$(mapped api google/protobuf/{api,type}.proto)cold=*," google/protobuf/{api,type}.proto
generate view+edit+writer+pool+reflect "$(mapped descriptor google/protobuf/{compiler/plugin,descriptor}.proto)cold=*," google/protobuf/{compiler/plugin,descriptor}.proto
for name in proto2 proto3 proto2_editions proto3_editions edition2023; do
  file=google/protobuf/test_messages_$name.proto
  imports=$wkt
  case $name in *2*) imports= ;; esac # only the proto3 ones import well-known types
  faces=$tested+edit
  case $name in *_editions) faces=$tested ;; esac # their code is the same as that of the others
  generate "$faces" "$imports$(mapped "test_messages_$name" "$file")" "$file"
done
generate view "$(mapped conformance conformance/conformance.proto)" conformance/conformance.proto
generate view+writer+pool+reflect "$(mapped prometheus "${prometheus[@]}")" "${prometheus[@]}"

# stock PACKAGE OPTIONS FILE...: the structs of the runtime's own generator in PACKAGE, and their fast methods; $hot are
# options for our generator only, $root is the folder of the files if it is not ../proto.
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
"$PROTOC" --plugin="$bin/protoc-gen-go" --go_out=. --go_opt="$(mapped stock/wide_oneof hotpb/wide_oneof.proto)module=$module" -I ../proto hotpb/wide_oneof.proto
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
for tier in cold hot; do # all messages by table, with pools of vtprotobuf's sort, and all straight
  hot="$tier=*,"
  [ $tier = hot ] || hot+="compat=vtproto,pool=**,"
  stock vectors_$tier "" hotpb/vectors.proto
  stock vectors_proto2_$tier "" hotpb/vectors_proto2.proto
done
hot=
stock vectors_opaque default_api_level=API_OPAQUE, hotpb/vectors.proto
stock vectors_proto2_opaque default_api_level=API_OPAQUE, hotpb/vectors_proto2.proto
hot=compat=csproto stock compat "" hotpb/compat.proto
for name in hybrid opaque selected; do # one file for each message, under another name, because the runtime accepts a name once per program
  mkdir -p "$work/$name"
  sed "s/^package hotpb\./&$name./" ../proto/hotpb/compat.proto > "$work/$name/compat.proto"
  case $name in
    selected) options= hot=messages=hotpb.selected.compat.Choice.Size+hotpb.selected.compat.Item,filepermessage=true ;;
    *) options=default_api_level=API_${name^^}, hot=compat=csproto,filepermessage=true ;;
  esac
  root=$work stock compat_$name "$options" $name/compat.proto
done
hot=
for name in proto2 proto3 proto2_editions proto3_editions edition2023; do
  stock "test_messages_$name" "" "google/protobuf/test_messages_$name.proto"
done
# Structs that our generator writes by itself.
values() { # values PACKAGE FILE...
  local packages
  packages=$(mapped "values/$1" "${@:2}")
  generate codec "${packages}structs=value," "${@:2}"
}
values vectors hotpb/vectors.proto
values vectors_proto2 hotpb/vectors_proto2.proto
values vectors_2023 hotpb/vectors_2023.proto
values vectors_2024 hotpb/vectors_2024.proto
for name in proto2 proto3 proto2_editions proto3_editions edition2023; do
  values "test_messages_$name" "google/protobuf/test_messages_$name.proto"
done
# The runtime's structs alone, for the schemas that all runtimes accept, in each of its APIs. The runtime accepts a name
# once per program, so all but the open API's have names of their own.
plain() { # plain API FILE: internal/testgen/stock/FILE_API, of a copy of hotpb/FILE.proto in package hotpb.API.…
  local api=$1 file=$2
  mkdir -p "$work/$api"
  sed "s/^package hotpb\./&$api./" "../proto/hotpb/$file.proto" > "$work/$api/$file.proto"
  "$PROTOC" --plugin="$bin/protoc-gen-go" --go_out=. -I "$work" "$api/$file.proto" \
    --go_opt="default_api_level=API_${api^^},module=$module,M$api/$file.proto=$module/internal/testgen/stock/${file}_$api"
}
for file in codec_proto2 codec_proto3; do
  "$PROTOC" --plugin="$bin/protoc-gen-go" --go_out=. --go_opt=module=$module -I ../proto "hotpb/$file.proto"
  plain hybrid $file
  plain opaque $file
done

gogo/testgen.sh
googlev1/testgen.sh
test/vtproto/testgen.sh
