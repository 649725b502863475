#!/usr/bin/env bash
# cpp/tests/generated.sh PLUGIN: compiles the generated code of nasty schemas after the headers of C and POSIX with all
# their macros, without warnings, exceptions and RTTI, with each installed compiler, as C++17 and C++20; also the writer
# without the other faces. HOTPB_THOROUGH=1 compiles with each compiler in each standard. Then it checks the versions that
# runtimes accept (FCE-6).
set -euo pipefail
plugin=$(realpath "$1")
well_known=$(dirname "$plugin")/../include
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
protoc=build/tools/protoc
[ -x $protoc/bin/protoc ] || tools/setup protoc

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0
# Types with the names that the functions of an extension would have.
mkdir -p "$work/proto"
cat >"$work/proto/functions.proto" <<'PROTO'
syntax = "proto2";
package functions;
message M { extensions 100 to 199; }
enum set_x { A = 1; }
message add_y {}
message packed_y { optional set_x x = 1; optional add_y y = 2; }
extend M {
  optional set_x x = 100;
  repeated int32 y = 101 [packed = true];
}
PROTO

# Comments that would be code, continue on the next line, or be commands (FCE-29), and what is deprecated (FCE-30).
cat >"$work/proto/comments.proto" <<'PROTO'
syntax = "proto2";
package commented;

// A message. */ ends no comment /* and begins none.
// A path: C:\temp\
// a trigraph ??/
// int this_is_code; @param x no command, \brief neither, mail@example.org
//
//	A tab, and "quotes" with $name$ in them. A line that is so long that the generator must break it somewhere: backslash \ backslash \ backslash \ ??/ end
message Old {
  // The old name.
  optional string name = 1 [deprecated = true];
  optional bytes blob = 2 [deprecated = true];  // After the field.
  repeated Old children = 3 [deprecated = true];
  optional Old child = 4 [deprecated = true];
  map<string, Old> by_name = 5 [deprecated = true];
  map<string, int32> counts = 6 [deprecated = true];
  repeated int32 numbers = 7 [packed = true, deprecated = true];
  repeated string names = 8 [deprecated = true];
  optional Kind kind = 9 [default = FORMER, deprecated = true];
  optional Kind other = 10 [default = FORMER];
  repeated Kind kinds = 11 [deprecated = true];
  optional group Grp = 12 [deprecated = true] { optional int32 x = 1; }
  oneof choice { string a = 13 [deprecated = true]; Old b = 14 [deprecated = true]; int64 c = 15 [deprecated = true]; }
  required int32 must = 16 [deprecated = true];
  extensions 100 to 199;
}

/* A kind.
 * With a star: \
 */
enum Kind {
  FORMER = 0 [deprecated = true];  // Do not use.
  // In use. ‮ turned ‬.
  CURRENT = 1;
  LOWEST = -2147483648 [deprecated = true];
}
extend Old {
  // An extension.
  optional string note = 100 [deprecated = true];
  repeated Old more = 101 [deprecated = true];
}
PROTO

# Files whose paths differ only in case, or in characters that no macro can have.
for path in a-b a_b A_B a/b; do
  mkdir -p "$work/proto/guards/$(dirname "$path")"
  message=Of$((count = ${count:-0} + 1))
  printf 'syntax = "proto3";\npackage guards;\nmessage %s {}\n' "$message" >"$work/proto/guards/$path.proto"
  used+="using Used$count = guards::hot::${message}Fields;"$'\n'
done
# The whole list, because the headers of different C++ libraries include different ones of them.
for header in cassert cctype cerrno cfenv cfloat cinttypes climits clocale cmath csetjmp csignal cstdarg cstddef cstdint cstdio \
  cstdlib cstring ctime cuchar cwchar cwctype fcntl.h netinet/in.h pthread.h sys/socket.h sys/stat.h sys/types.h sys/wait.h \
  unistd.h; do
  macros+="#include <$header>"$'\n'
done
# Long names and paths: lines that are too wide are broken, but directives, comments and literals are not.
long_names() {
  local size=$1 n m p folder
  n=$(printf "%0${size}d" 0 | tr 0 n)
  m=M${n:1}
  p=p$size.${n:0:200}  # protoc has a limit for packages
  folder=$(printf 'folder_%.0s' $(seq $((size / 7 > 30 ? 30 : size / 7))))
  folder=$folder/$folder
  mkdir -p "$work/proto/$folder"
  cat >"$work/proto/$folder/imported_$size.proto" <<PROTO
syntax = "proto2";
package imported.$p;
message $m { required string $n = 1; optional $m child_$n = 2; extensions 100 to 199; }
enum E$m { ${n}_ZERO = 0; ${n}_FIVE = 5; ${n}_LOW = -2147483648; }
PROTO
  cat >"$work/proto/$folder/long_$size.proto" <<PROTO
syntax = "proto2";
package long.$p;
import "$folder/imported_$size.proto";
message $m {
  optional string $n = 1 [default = "a // literal \"with\" many blanks: a b c d e f g h i j k l m n o p q r s t u v w x y z"];
  required $m.Inner_$m inner_$n = 2;
  repeated imported.$p.$m other_$n = 3;
  map<string, imported.$p.E$m> map_$n = 4;
  map<int32, $m> messages_$n = 5;
  optional group Group_$m = 6 { repeated imported.$p.E$m closed_$n = 1 [packed = true]; }
  oneof choice_$n { int64 a_$n = 7; bytes b_$n = 8; $m c_$n = 9; imported.$p.E$m d_$n = 10; }
  message Inner_$m { repeated double $n = 16 [packed = true]; repeated string s_$n = 2048; }
}
extend imported.$p.$m { optional string x_$n = 100; repeated $m y_$n = 101; repeated sint64 z_$n = 102 [packed = true]; }
PROTO
}
for size in 1 40 89 116 119 120 121 240 600; do long_names $size; done
mapfile -t long < <(cd "$work/proto" && find . -name '*_[0-9]*.proto' -printf '%P\n' | sort)

# generate FACES generates the code of all schemas in $work/FACES.
generate() {
  mkdir -p "$work/$1"
  for proto in proto/hotpb/nasty/*.proto "$work"/proto/{functions,comments}.proto "$work"/proto/guards/*.proto "$work"/proto/guards/a/b.proto \
    "${long[@]/#/$work/proto/}"; do
    $protoc/bin/protoc --plugin=protoc-gen-hotpb-cpp="$plugin" --hotpb-cpp_out="faces=$1:$work/$1" -I proto \
      -I "$work/proto" -I $protoc/include "$proto" 2>"$work/errors" || { cat "$work/errors"; exit 1; }
  done
  (cd "$work/$1" && find . -name '*.h' -printf '#include "%P"\n' | sort) >"$work/$1/headers"
  [ "$(wc -l <"$work/$1/headers")" -ge 33 ] || { echo "only $(wc -l <"$work/$1/headers") headers were generated"; exit 1; }
  { printf '%s' "$macros"; cat "$work/$1/headers"; printf '%s' "$used"; } >"$work/$1/all.cc"
}
# compiles FACES COMPILER STANDARD FLAG...
compiles() {
  local faces=$1 compiler=$2 standard=$3
  shift 3
  if "$compiler" "-std=$standard" -I"$work/$faces" -Icpp/include -I"$well_known" -fsyntax-only -Wall -Wextra -Wpedantic -Wconversion \
    -Wshadow -Wsign-conversion -Wold-style-cast -Wcast-qual -Wundef -Wnon-virtual-dtor -Woverloaded-virtual \
    -Wnull-dereference -Werror -fno-exceptions -fno-rtti "$@" "$work/$faces/all.cc" 2>"$work/errors"; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAILED: $faces, $compiler, $standard $*"
    grep -A4 error "$work/errors" | head -40
  fi
}
generate writer+view+pool+builder+visitor
generate writer
for compiler in g++ clang++; do
  command -v "$compiler" >/dev/null || continue
  standards=(c++17 c++20)
  # Without HOTPB_THOROUGH, each compiler reads one standard: g++ C++17, clang C++20.
  [ "${HOTPB_THOROUGH-}" = 1 ] || ! command -v clang++ >/dev/null || case $compiler in
    g++) standards=(c++17) ;;
    *) standards=(c++20) ;;
  esac
  for standard in "${standards[@]}"; do compiles writer+view+pool+builder+visitor "$compiler" "$standard"; done
  [ "$compiler" = g++ ] || [ "${HOTPB_THOROUGH-}" != 1 ] || compiles writer "$compiler" c++17 -DHOTPB_SMALL
done
compiles writer g++ c++17 -DHOTPB_SMALL
if [ "${HOTPB_THOROUGH-}" = 1 ]; then
  generate writer+view+pool,split
  compiles writer+view+pool,split g++ c++17
fi
# Of the well-known types, code includes the faces that it has itself (FCE-37).
for faces in view writer+view writer+view+pool; do
  printf 'syntax = "proto3";\nimport "google/protobuf/timestamp.proto";\nmessage M { google.protobuf.Timestamp t = 1; }\n' >"$work/t.proto"
  $protoc/bin/protoc --plugin=protoc-gen-hotpb-cpp="$plugin" --hotpb-cpp_out="faces=$faces:$work" -I "$work" -I $protoc/include "$work/t.proto"
  case $faces in writer+view+pool) wanted=timestamp.hot.h ;; view) wanted=timestamp.view.hot.h ;; *) wanted=$'timestamp.view.hot.h\ntimestamp.writer.hot.h' ;; esac
  if [ "$(grep -oP '#include "hotpb/wkt/\K[^"]+' "$work/t.hot.h")" = "$wanted" ] && g++ -std=c++17 -fsyntax-only -Icpp/include -I"$well_known" -x c++ "$work/t.hot.h"; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAILED: the well-known types of faces=$faces: $(grep wkt "$work/t.hot.h")"
  fi
done
# A runtime refuses generated code outside of its range, and the error says what to update.
version=$(sed -n 's/^constexpr int kMaxGenerated = \(.*\);$/\1/p' cpp/include/hotpb/version.h)
# accepted MIN MAX: compiles generated code with a runtime that accepts these versions.
accepted() {
  mkdir -p "$work/runtime/hotpb"
  sed "s/\(kMinGenerated =\).*/\1 $1;/; s/\(kMaxGenerated =\).*/\1 $2;/" cpp/include/hotpb/version.h >"$work/runtime/hotpb/version.h"
  g++ -std=c++17 -fsyntax-only -I"$work/runtime" -I"$work/writer" -Icpp/include -I"$well_known" -x c++ "$work/writer/functions.hot.h" \
    2>"$work/errors"
}
# fails_with MESSAGE MIN MAX
fails_with() { ! accepted "$2" "$3" && grep -qF "$1" "$work/errors"; }
for check in "accepted $version $version" "accepted $((version - 1)) $((version + 1))" \
  "fails_with older $((version + 1)) $((version + 2))" "fails_with newer $((version - 1)) $((version - 1))"; do
  read -r name first second third <<<"$check"
  case $first in
    older) first="functions.hot.h is older than hotpb supports: generate it again" ;;
    newer) first="functions.hot.h is newer than hotpb supports: update hotpb" ;;
  esac
  if "$name" "$first" "$second" ${third:+"$third"}; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAILED: $check: $(cat "$work/errors")"
  fi
done
# FCE-29, FCE-30. Each use of something deprecated is a warning (of an enumerator, g++ has two), and of nothing else. The line of a
# use, in a file of its name, is a function.
{
  printf '%s\n' '#include "comments.hot.h"' 'using namespace commented::hot;' \
    'void write(OldWriter& w) { w.set_other(Kind::CURRENT); }' 'bool read(const OldView& v) { return static_cast<void>(v.other()), v.has_other(); }'
  number=0
  for use in 'w.set_name("a")' 'w.add_children()' 'w.add_children([](OldWriter&) {})' 'w.set_child(hotpb::RawMessage(hotpb::Bytes()))' \
    'w.add_by_name("a")' 'w.add_counts("a", 1)' 'w.packed_numbers()' 'w.set_grp()' 'w.set_other(Kind::FORMER)' 'set_note(w, "a")' \
    'add_more(w)' 'v.name()' 'v.has_name()' 'v.children()' 'v.counts()' 'v.has_kind()' 'v.a()' 'v.grp()' 'v.overwrite_must({}, 1)' \
    'v.overwrite_numbers({}, 0, 1)'; do
    printf '#line 1 "use_%d"\nvoid use_%d([[maybe_unused]] OldWriter& w, [[maybe_unused]] const OldView& v) { static_cast<void>(%s); }\n' \
      $((++number)) $number "$use"
  done
} >"$work/uses.cc"
uses() {
  local use found
  g++ -std=c++17 -fsyntax-only -I"$work/writer+view+pool+builder+visitor" -Icpp/include -I"$well_known" "$work/uses.cc" 2>&1 |
    grep 'is deprecated' >"$work/warnings"
  for use in $(seq $number); do
    found=$(grep -c "^use_$use:" "$work/warnings") || true
    [ "$found" -eq 1 ] || [ "$found" -eq 2 ] || { echo "$found warnings of use $use"; return 1; }
  done
  ! grep -v '^use_' "$work/warnings" || return 1
  grep -q '^  /// The old name\.$' "$work/writer+view+pool+builder+visitor/comments.hot.h" || return 1
  $protoc/bin/protoc --plugin=protoc-gen-hotpb-cpp="$plugin" --hotpb-cpp_out="comments=off:$work" -I "$work/proto" comments.proto
  ! grep -q '///' "$work/comments.hot.h"
}
if uses; then
  passed=$((passed + 1))
else
  failed=$((failed + 1))
  echo "FAILED: comments and what is deprecated"
fi
# The faces that only hotpb's tests use are not in the product.
if "$plugin" --help | grep -q reencode || "$plugin" --descriptor_set=none --opt=faces=view+reencode --out="$work" 2>"$work/errors" ||
  ! grep -q 'the face "reencode" is not in this version of the C++ generator; it has writer, view, pool, builder, visitor$' "$work/errors"; then
  echo "FAILED: faces=view+reencode is not refused: $(cat "$work/errors")"
  failed=$((failed + 1))
else
  passed=$((passed + 1))
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
