#!/usr/bin/env bash
# cpp/tests/matrix.sh PLUGIN: all public headers and generated code of all faces, with each installed gcc and clang, as
# C++17, as C++20 without exceptions and RTTI, and as C++23 without them and with the assertions of libstdc++, without
# warnings; a program of all faces runs with these assertions. (generated.sh compiles far more code.) Then the same headers as clang reads them in its mode for Microsoft's language, which knows no
# __GNUC__: with clang's built-ins, and with HOTPB_PORTABLE, the way of other compilers.
set -euo pipefail
plugin=$(realpath "$1")
well_known=$(dirname "$plugin")/../include
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
protoc=build/tools/protoc
[ -x $protoc/bin/protoc ] || tools/setup protoc

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0
check() {
  if "$@" 2>"$work/errors"; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAILED: $*"; grep -m5 -A4 error "$work/errors" || head "$work/errors"; fi
}
mkdir "$work/gen"
$protoc/bin/protoc --plugin=protoc-gen-hotpb-cpp="$plugin" --hotpb-cpp_out="faces=writer+view+pool:$work/gen" -I proto -I $protoc/include \
  hotpb/vectors_proto2.proto hotpb/raft.proto
# With -O1, gcc sees late which function a list of closed enums calls.
cat >"$work/closed.proto" <<'PROTO'
syntax = "proto2";
package closed;
enum Kind { NONE = 0; GIVEN = 1; }
message Kinds { repeated Kind kinds = 1; }
PROTO
$protoc/bin/protoc --plugin=protoc-gen-hotpb-cpp="$plugin" --hotpb-cpp_out="faces=view:$work/gen" -I "$work" closed.proto
headers() { (cd "$1" && find . -name '*.h' "${@:2}" -printf '%P\n' | sort | sed 's/.*/#include "&"/'); }
headers cpp/include >"$work/all.cc"
headers "$well_known" >>"$work/all.cc"
headers "$work/gen" >>"$work/all.cc"
headers cpp/include -not -path '*/shm*' -not -name iovec.h >"$work/anywhere.cc"
headers "$well_known" >>"$work/anywhere.cc"
headers "$work/gen" >>"$work/anywhere.cc"
cat >"$work/run.cc" <<'CODE'
#include <string>
#include "closed.hot.h"
#include "hotpb/debug.h"
#include "hotpb/raft.hot.h"
#include "hotpb/vectors_proto2.hot.h"
namespace p2 = hotpb::vectors::p2::hot;
int sum(const closed::hot::KindsView& view) {
  int total = 0;
  for (const closed::hot::Kind kind : view.kinds()) total += static_cast<int>(kind);
  return total;
}
int main() {
  hotpb::HeapBuffer out;
  auto all = out.message<p2::AllWriter>();
  all.set_single_string("text");
  all.add_packed_int32({1, 2, 300});
  for (int i = 0; i < 300; ++i) {
    auto child = all.add_repeated_child();
    child.set_id(i);
    child.set_name(std::string(static_cast<std::size_t>(i), 'x'));
  }
  all.add_key_string("key", "value");
  if (!all.finish().ok()) return 1;
  p2::AllView view;
  p2::AllPool pool;
  hotpb::EncodeBuffer again;
  if (!view.decode(out.bytes()).ok() || !view.validate().ok() || !pool.decode(out.bytes()).ok()) return 2;
  hotpb::Error error;
  int ids = 0;
  for (const p2::ChildView& child : hotpb::view::opened(view.repeated_child(), error)) ids += child.id();
  if (!error.ok() || ids != 300 * 299 / 2 || pool->repeated_child().size() != 300) return 3;
  if (!again.encode(*pool).ok() || hotpb::debug_string(*pool) != hotpb::debug_string(p2::AllView::kTable, again.bytes())) return 4;
  closed::hot::KindsView kinds;
  if (!kinds.decode(std::string_view("\10\1\10\2\10\1")).ok() || sum(kinds) != 2) return 5;
  return 0;
}
CODE

warnings=(-Wall -Wextra -Wconversion -Wshadow -Wpedantic -Werror)
found=()
seen=" "
for compiler in g++ g++-{11..16} clang++ clang++-{14..22}; do
  command -v "$compiler" >/dev/null || continue
  version=$("$compiler" --version | head -1)
  case "$seen" in *"$version"*) continue ;; esac
  seen+="$version "
  found+=("$compiler $("$compiler" -dumpversion)")
  for options in -std=c++17 "-std=c++20 -fno-exceptions -fno-rtti" "-std=c++2b -fno-exceptions -fno-rtti -D_GLIBCXX_ASSERTIONS"; do
    # options are words
    check "$compiler" $options -fsyntax-only "${warnings[@]}" -Icpp/include -I"$well_known" -I"$work/gen" "$work/all.cc"
  done
  check "$compiler" -std=c++17 -O1 -D_GLIBCXX_ASSERTIONS -Icpp/include -I"$well_known" -I"$work/gen" "$work/run.cc" -o "$work/run"
  check "$work/run"
done
if command -v clang++ >/dev/null; then
  # What libstdc++ expects of gcc, and this mode does not define.
  microsoft=(-fms-compatibility -fms-extensions -fms-compatibility-version=19.30 -D__GCC_ATOMIC_TEST_AND_SET_TRUEVAL=1 '-Wno-#warnings')
  for type in BOOL CHAR CHAR16_T CHAR32_T WCHAR_T SHORT INT LONG LLONG POINTER; do microsoft+=("-D__GCC_ATOMIC_${type}_LOCK_FREE=2"); done
  for options in "" -DHOTPB_PORTABLE -DHOTPB_SMALL; do
    check clang++ -std=c++17 -fsyntax-only -Wall -Wextra -Werror "${microsoft[@]}" ${options:+"$options"} -Icpp/include -I"$well_known" -I"$work/gen" "$work/anywhere.cc"
  done
fi
printf 'compilers:'; printf ' %s,' "${found[@]}"; printf ' clang for Microsoft'\''s language\n'
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
