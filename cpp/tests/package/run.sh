#!/usr/bin/env bash
# cpp/tests/package/run.sh BUILD: the ways to use hotpb in a project of your own. The script installs BUILD and moves
# the prefix. Then it builds and runs the project `consumer` with find_package (Ninja), from source (Make), from a
# descriptor set without protoc, and as one file with pkg-config. When an imported .proto changes, the project is built
# again.
set -euo pipefail
build=$(realpath "$1")
cd "$(dirname "${BASH_SOURCE[0]}")"
. ../script.sh
repository=$(realpath ../../..)
export HOTPB_PROTOC=$repository/build/tools/protoc/bin/protoc # of this script; projects get it by name
[ -x "$HOTPB_PROTOC" ] || "$repository/tools/setup" protoc

cmake --install "$build" --prefix "$work/first" >"$work/log" 2>&1 || { tail "$work/log"; exit 1; }
mv "$work/first" "$work/moved"
plugin=$work/moved/bin/protoc-gen-hotpb-cpp
cmake --install "$build" --component hotpb_headers --prefix "$work/headers" >"$work/log" 2>&1
check "no installed file names a path of this machine" \
  test -z "$(grep -rlF -e "$work" -e "$repository" "$work/moved/lib" "$work/moved/share" "$work/moved/include")"
check "what only our tests use is not installed" test -z "$(grep -rlE 'hotpb_test|reencode' "$work/moved/include" "$work/moved/lib")"

# project NAME ARGUMENT...: configures a copy of the consumer.
project() {
  local name=$1
  shift
  [ -d "$work/$name" ] || cp -r consumer "$work/$name"
  cmake -S "$work/$name" -B "$work/$name/build" -DHOTPB_PROTOC="$HOTPB_PROTOC" -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=-O0 "$@"
}
build() { cmake --build "$work/$1/build" --parallel 2; }
prints() { [ "$("$work/$1/build/consumer")" = "order 7, 1 item, 250 EUR, at 1700000000, cents is field $2" ]; }
# The imported file changes, not the generated one: both headers and the program follow.
follows() {
  local place=$work/$1
  check "$1: builds" build "$1"
  check "$1: runs" prints "$1" 2
  touch "$work/before"
  check "$1: builds again" build "$1"
  check "$1: without a change nothing is generated again" \
    test -z "$(find "$place/build" -newer "$work/before" \( -name '*.hot.h' -o -name '*.o' -o -name '*.fds' \))"
  sed -i 's/cents = 2/cents = 9/' "$place"/*proto/shop/*money.proto
  check "$1: builds after a change of the imported file" build "$1"
  check "$1: the change arrives" prints "$1" 9
  check "$1: what imports the file is generated again, too" \
    test "$place/build/generated/shop/order.hot.h" -nt "$work/before"
}

ninja=Ninja
command -v ninja >/dev/null || { ninja="Unix Makefiles"; echo "ninja is not installed: its rules are not tested"; }
check "package: configures" project package -G "$ninja" -DFROM=package -DCMAKE_PREFIX_PATH="$work/moved"
follows package
check "library: configures" project library -G "$ninja" -DFROM=library -DCMAKE_PREFIX_PATH="$work/moved"
follows library
# Names with blanks and +, of folders and of files.
cp -r consumer "$work/a b+c"
(
  cd "$work/a b+c"
  mv proto "my proto" && mv "my proto/shop/money.proto" "my proto/shop/c++ money.proto"
  sed -i 's|shop/money.proto|"shop/c++ money.proto"|; s|proto/shop/order.proto|"my proto/shop/order.proto"|; s|IMPORT_DIRS proto|IMPORT_DIRS "my proto"|' CMakeLists.txt
  sed -i 's|shop/money.proto|shop/c++ money.proto|' "my proto/shop/order.proto" main.cc
)
check "blanks: configures" project "a b+c" -G "$ninja" -DFROM=package -DCMAKE_PREFIX_PATH="$work/moved"
follows "a b+c"
cp -r "$work/a b+c" "$work/d e"
rm -r "$work/d e/build"
sed -i 's/cents = 9/cents = 2/' "$work/d e/my proto/shop/c++ money.proto"
check "blanks with Make: configures" project "d e" -G "Unix Makefiles" -DFROM=library -DCMAKE_PREFIX_PATH="$work/moved"
follows "d e"
once() { # not grep -q, which ends before nm has written all
  local scan='OrderView::scan_'
  nm -C "$work/library/build/liborder_hot.a" | grep " T .*$scan" &&
    ! nm -C "$work/library/build/CMakeFiles/consumer.dir/main.cc.o" | grep " [TW] .*$scan"
}
check "library: the scan is compiled once" once
check "library: forward declarations stand alone" "${CXX:-c++}" -std=c++17 -Wall -Wextra -Werror -fsyntax-only \
  -I "$work/moved/include" -x c++ "$work/library/build/generated/shop/order.hot.fwd.h"
check "source: configures" project source -G "Unix Makefiles" -DFROM=source -DHOTPB_UNITY=ON -DFETCHCONTENT_FULLY_DISCONNECTED=ON \
  -DFETCHCONTENT_SOURCE_DIR_HOTPB="$repository"
check "source: hotpb sets nothing for the project that uses it" \
  test -z "$(grep -E '^(CMAKE_CXX_STANDARD|CMAKE_CXX_EXTENSIONS)' "$work/source/build/CMakeCache.txt")"
follows source
check "source, with a generator that is there: configures" project ready -DFROM=source \
  -DFETCHCONTENT_SOURCE_DIR_HOTPB="$repository" -DHOTPB_PLUGIN="$plugin"
check "source, with a generator that is there: builds" build ready
check "source, with a generator that is there: runs" prints ready 2
check "source, with a generator that is there: it builds none" \
  test -z "$(find "$work/ready/build" -name 'protoc-gen-hotpb-cpp*')"

# Only the headers, as in the root of another machine, with this machine's generator and a ready descriptor set. CMake
# is configured to compile for another machine, whose programs would need an emulator.
cp -r consumer "$work/set"
"$HOTPB_PROTOC" -I "$work/set/proto" --include_imports --descriptor_set_out="$work/set/order.fds" shop/order.proto
rm -r "$work/set/proto"
check "set: configures" project set -DFROM=set -DCMAKE_PREFIX_PATH="$work/headers" -DHOTPB_PROTOC=/nonexistent \
  -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_CROSSCOMPILING_EMULATOR=/nonexistent -DHOTPB_PLUGIN="$plugin"
check "set: builds" build set
check "set: runs" prints set 2

# refuses CASE MESSAGE ARGUMENT...: checks the message, across its line breaks.
refuses() {
  local case=$1 message=$2
  shift 2
  rm -rf "$work/refused"
  ! cmake -S refused -B "$work/refused" -DCASE="$case" -DHOTPB_PROTOC="$HOTPB_PROTOC" "$@" >"$work/refusal" 2>&1 ||
    return 1
  tr -s ' \n' ' ' <"$work/refusal" | grep -F "$message" || { cat "$work/refusal"; return 1; }
}
installed=-DCMAKE_PREFIX_PATH=$work/moved
check "refused: no target" refuses no_target "TARGET is missing" "$installed"
check "refused: no protos" refuses no_protos "the value of PROTOS is missing" "$installed"
check "refused: an argument that is not known" refuses unknown "there are no arguments LANGUAGE;cpp; the keywords are TARGET, PROTOS," \
  "$installed"
check "refused: the same target twice" refuses twice "there is a target hot already" "$installed"
check "refused: a file that does not exist" refuses missing "there is no file shop/order.proto in" "$installed"
check "refused: a keyword that is misspelt" refuses keyword "there is no file FACE in" "$installed"
check "refused: a file outside of the import directories" refuses elsewhere "is not in an import directory" \
  "$installed"
check "refused: what the runtime has" refuses well_known '#include "hotpb/wkt/plugin.hot.h"' "$installed"
check "refused: import directories beside a set" refuses dirs_and_set "IMPORT_DIRS are for protoc" "$installed"
check "refused: no generator" refuses none "installed without its generator" -DCMAKE_PREFIX_PATH="$work/headers"
check "refused: a generator of another machine" refuses none "runs on the machine that builds" "$installed" \
  -DCMAKE_SYSTEM_NAME=Generic
check "refused: no protoc" refuses none "protoc is missing" "$installed" -DHOTPB_PROTOC=HOTPB_PROTOC-NOTFOUND \
  -DCMAKE_FIND_USE_CMAKE_SYSTEM_PATH=OFF -DCMAKE_MAKE_PROGRAM="$(command -v make)" \
  -DCMAKE_FIND_USE_SYSTEM_ENVIRONMENT_PATH=OFF
check "refused: a protoc that does not exist" refuses none "protoc is missing (/nonexistent)" "$installed" \
  -DHOTPB_PROTOC=/nonexistent
check "refused: a generator that does not exist" refuses none "there is no generator at /nonexistent, which HOTPB_PLUGIN names" \
  "$installed" -DHOTPB_PLUGIN=/nonexistent
sed 's/hotpb 0.1/hotpb 9.0/' -i "$work/set/CMakeLists.txt"
check "refused: another major version" \
  bash -c "! cmake -S '$work/set' -B '$work/major' -DCMAKE_PREFIX_PATH='$work/moved'"

if command -v pkg-config >/dev/null; then
  export PKG_CONFIG_PATH=$work/moved/share/pkgconfig
  by_hand() {
    local hot=$work/by_hand
    mkdir "$hot"
    "$HOTPB_PROTOC" --plugin="$(pkg-config --variable=plugin hotpb)" -I consumer/proto --hotpb-cpp_out="$hot" \
      shop/money.proto shop/order.proto
    # shellcheck disable=SC2046 # flags are words
    "${CXX:-c++}" -std=c++17 -I "$hot" $(pkg-config --cflags hotpb) consumer/main.cc -o "$hot/consumer"
    [ "$("$hot/consumer")" = "order 7, 1 item, 250 EUR, at 1700000000, cents is field 2" ]
  }
  check "pkg-config: builds and runs" by_hand
  check "pkg-config: the version is that of the package" pkg-config --exact-version \
    "$(sed -n 's/^set(PACKAGE_VERSION "\(.*\)")/\1/p' "$work/moved/lib/cmake/hotpb/hotpbConfigVersion.cmake")" hotpb
else
  echo "pkg-config is not installed: hotpb.pc is not tested"
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
