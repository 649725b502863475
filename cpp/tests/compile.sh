#!/usr/bin/env bash
# cpp/tests/compile.sh [WELL_KNOWN]: every header compiles alone, without warnings, exceptions and RTTI; all together, with each
# installed compiler, as C++17 and C++20; a big-endian target and C++14 are errors. HOTPB_THOROUGH=1 uses each compiler for all.
# WELL_KNOWN is a folder with the headers hotpb/wkt, which the generator makes.
set -euo pipefail
well_known=${1:+$(realpath "$1")}
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. tests/script.sh

warnings=(-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wsign-conversion -Wold-style-cast -Wcast-qual -Wundef -Wnon-virtual-dtor
  -Woverloaded-virtual -Wnull-dereference)
flags=(-Iinclude -fsyntax-only "${warnings[@]}" -Werror -fno-exceptions -fno-rtti -x c++)

mapfile -t headers < <(find include/hotpb -name '*.h' | sort)
printf '#include "%s"\n' "${headers[@]#include/}" >"$work/all.cc"
checked() { check "$*" "$@"; }
# Bytes accept all containers of bytes.
cat >"$work/bytes.cc" <<'CODE'
#include <array>
#include <span>
#include <string>
#include <vector>
#include "hotpb/wire.h"
std::size_t size_of(hotpb::Bytes bytes);
template <class Byte>
std::size_t all(std::vector<Byte>& vector, const std::array<Byte, 3>& array, std::span<Byte> span, std::span<const Byte> fixed) {
  return size_of(vector) + size_of(array) + size_of(span) + size_of(fixed);
}
template std::size_t all(std::vector<char>&, const std::array<char, 3>&, std::span<char>, std::span<const char>);
template std::size_t all(std::vector<std::byte>&, const std::array<std::byte, 3>&, std::span<std::byte>,
                         std::span<const std::byte>);
template std::size_t all(std::vector<std::uint8_t>&, const std::array<std::uint8_t, 3>&, std::span<std::uint8_t>,
                         std::span<const std::uint8_t>);
std::size_t read(char* text, const void* mapped, std::byte (&array)[3]) {
  return size_of({text, 3}) + size_of({mapped, 3}) + size_of({array, 3}) + size_of({nullptr, 0});
}
static_assert(std::is_convertible_v<const char (&)[3], hotpb::Bytes> && !std::is_convertible_v<char (&)[3], hotpb::Bytes>);
static_assert(!std::is_convertible_v<const char*, hotpb::Bytes> && !std::is_convertible_v<std::nullptr_t, hotpb::Bytes>);
static_assert(!std::is_constructible_v<hotpb::Bytes, const int*, std::size_t>);
static_assert(!std::is_convertible_v<std::vector<int>, hotpb::Bytes> && !std::is_convertible_v<std::vector<bool>, hotpb::Bytes>);
CODE
for compiler in g++ clang++; do
  ! command -v "$compiler" >/dev/null || for standard in c++17 c++20; do checked "$compiler" "${flags[@]}" "-std=$standard" "$work/all.cc"; done
done
foreign_faces() { ! "$1" "${flags[@]}" -I"$well_known" -std=c++17 -MM "$work/$2.cc" | grep -oE 'hotpb/(writer|view|pool)\.h' | grep -v "$2"; }
for compiler in "${compilers[@]}"; do
  checked "$compiler" "${flags[@]}" -std=c++20 "$work/bytes.cc"
  checked "$compiler" "${flags[@]}" -std=c++17 -DHOTPB_PORTABLE "$work/all.cc"
  case $(uname -m) in x86_64) checked "$compiler" "${flags[@]}" -std=c++17 -march=x86-64-v3 "$work/all.cc" ;; esac
  for header in "${headers[@]}"; do checked "$compiler" "${flags[@]}" -std=c++17 -include "$header" /dev/null; done
  # The well-known types: each face alone, without the runtime of the others, and all together.
  for face in ${well_known:+writer view pool ready}; do
    (cd "$well_known" && case $face in ready) set -- hotpb/wkt/*.hot.h ;; *) set -- hotpb/wkt/*."$face".hot.h ;; esac && printf '#include "%s"\n' "$@") >"$work/$face.cc"
    checked "$compiler" "${flags[@]}" -I"$well_known" -std=c++17 "$work/$face.cc"
    [ "$face" = ready ] || checked foreign_faces "$compiler" "$face"
  done
done
flags+=(${well_known:+-I"$well_known"})
# Only hotpb's headers and those of the C and C++17 standard libraries; chunk/iovec.h is for <sys/uio.h>, and shm/ needs
# Linux.
standard=' algorithm atomic cstddef cstdint cstdio cstdlib cstring deque initializer_list iterator limits map memory new
  optional ostream set string string_view type_traits utility vector emmintrin.h immintrin.h '
foreign() {
  local found=0 header name
  while IFS=: read -r header name; do
    case "$standard" in *[[:space:]]"$name"[[:space:]]*) continue ;; esac
    case "$header $name" in "include/hotpb/chunk/iovec.h sys/uio.h" | include/hotpb/shm/*.h\ *) continue ;; esac
    { echo "$header includes <$name>" >&2; found=1; }
  done < <(grep -rHoP '^#include <\K[^>]+' include/hotpb)
  return $found
}
checked foreign
big_endian() { ! g++ "${flags[@]}" -std=c++17 -U__BYTE_ORDER__ -D__BYTE_ORDER__=__ORDER_BIG_ENDIAN__ "$work/all.cc" 2>"$work/refusal"; }
checked big_endian
checked grep -q 'big-endian machines are not supported' "$work/refusal"
no_endian() { ! g++ "${flags[@]}" -std=c++17 -U__BYTE_ORDER__ "$work/all.cc" 2>"$work/refusal"; }
checked no_endian
checked grep -q 'does not define __BYTE_ORDER__' "$work/refusal"
too_old() { ! g++ "${flags[@]}" -std=c++14 "$work/all.cc" 2>"$work/refusal"; }
checked too_old
checked grep -q 'hotpb needs C++17 or newer: compile with -std=c++17' <(grep -m1 error "$work/refusal")
# clang warns if Bytes outlive the string that they borrow from, and only then.
cat >"$work/dangling.cc" <<'CODE'
#include <string>
#include <string_view>
#include "hotpb/wire.h"
std::string make();
std::string_view view();
std::size_t size_of(hotpb::Bytes bytes);
std::size_t good(const std::string& text) {
  const hotpb::Bytes named = text, viewed = view();
  return named.size() + viewed.size() + size_of(make());
}
#ifdef DANGLING
std::size_t bad() { const hotpb::Bytes bytes = make(); return bytes.size(); }
#endif
CODE
dangling() { ! "$1" "${flags[@]}" -std=c++17 -DDANGLING "$work/dangling.cc" 2>"$work/refusal" && grep -q dangling "$work/refusal"; }
if clang=$(command -v clang++ || command -v clang++-14); then
  checked "$clang" "${flags[@]}" -std=c++17 "$work/dangling.cc"
  checked dangling "$clang"
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
