#!/usr/bin/env bash
# two_configurations.sh PLUGIN: files of a program that were compiled with different settings of hotpb do not collide
# (detail/abi.h). Each works, no two share a function of hotpb or of generated code, and a type that is passed from one to the
# other does not link. HOTPB_THOROUGH=1 uses each installed compiler.
set -euo pipefail
plugin=$(realpath "$1")
well_known=$(dirname "$plugin")/../include
cd "$(dirname "${BASH_SOURCE[0]}")"
. ./script.sh
include=$(realpath ../include)
repository=$(realpath ../..)
[ -x "$repository/build/tools/protoc/bin/protoc" ] || "$repository/tools/setup" protoc

"$repository/build/tools/protoc/bin/protoc" --plugin=protoc-gen-hotpb-cpp="$plugin" -I package/consumer/proto \
  --hotpb-cpp_out=faces=writer+view:"$work" shop/money.proto shop/order.proto

# One file, compiled in each configuration; NAME identifies it.
cat >"$work/part.cc" <<'CC'
#include <cstdint>
#include <string>

#include "hotpb/chunk/callback.h"
#include "shop/order.hot.h"

#define JOIN2(a, b) a##b
#define JOIN(a, b) JOIN2(a, b)

// Whether this part reads what it has written, across chunks; exceptions of a source where there are any.
bool JOIN(works_, NAME)() {
  hotpb::HeapOptions options;
  options.first_chunk = options.largest_chunk = 64;
  hotpb::HeapBuffer out(options);
  auto order = out.message<shop::hot::OrderWriter>();
  order.set_id(1234567890123);
  for (std::uint32_t i = 0; i < 50; ++i) {
    auto price = order.set_price();
    price.set_cents(static_cast<std::int64_t>(i) * 1000003);
  }
  if (!order.finish().ok()) return false;
  shop::hot::OrderView view;
  shop::hot::MoneyView price;
  return view.decode(out.bytes()).ok() && view.validate().ok() && view.id() == 1234567890123 &&
         price.open(view.price()).ok() && price.cents() == 49 * 1000003;
}

#ifdef DEFINES
void take(hotpb::HeapBuffer& out) { out.clear(); }
void take_view(shop::hot::OrderView& view) { view = shop::hot::OrderView(); }
#endif
void take(hotpb::HeapBuffer& out);
void take_view(shop::hot::OrderView& view);
#ifdef PASSES
void pass() {
  hotpb::HeapBuffer out;
  take(out);
  shop::hot::OrderView view;
  take_view(view);
}
#endif
CC

# NAME, the part of its namespace after the version, flags
configurations=("plain - " "small _small -DHOTPB_SMALL" "portable _portable -DHOTPB_PORTABLE"
  "quiet _noexcept -fno-exceptions" "filled _fill -DHOTPB_DEBUG_FILL=0xa5" "own _acme -DHOTPB_ABI_TAG=acme"
  "several _small_portable_noexcept_acme -DHOTPB_SMALL -DHOTPB_PORTABLE -fno-exceptions -DHOTPB_ABI_TAG=acme")
if grep -qw bmi2 /proc/cpuinfo 2>/dev/null && grep -qw avx2 /proc/cpuinfo; then
  configurations+=("bmi2 _bmi2 -mbmi2" "avx2 _avx2_popcnt -mavx2" "v3 _v3 -march=x86-64-v3")
fi
flags=(-std=c++17 -O0 -Wall -Wextra -Wconversion -Wshadow -Wpedantic -Werror -I"$include" -I"$well_known" -I"$work")
version=$(sed -n 's/^project(hotpb VERSION \([0-9.]*\).*/\1/p' ../CMakeLists.txt)
space=v${version//./_}

# OBJECT: the symbols of hotpb and of generated code in it; all others belong to std or to the part.
symbols() { nm "$1" | awk '{print $NF}' | grep -E '5hotpb|4shop3hot' | sort -u; }

program() { # COMPILER: all parts in one program, linked in both orders; each has symbols of its own namespace only
  local compiler=$1 configuration name suffix options objects=() backwards=()
  {
    for configuration in "${configurations[@]}"; do echo "bool works_${configuration%% *}();"; done
    echo 'int main() { return '
    for configuration in "${configurations[@]}"; do echo "works_${configuration%% *}() &&"; done
    echo 'true ? 0 : 1; }'
  } >"$work/main.cc"
  for configuration in "${configurations[@]}"; do
    read -r name suffix options <<<"$configuration"
    # shellcheck disable=SC2086 # flags are words
    "$compiler" "${flags[@]}" $options -DNAME="$name" -c "$work/part.cc" -o "$work/$name.o" || return 1
    objects+=("$work/$name.o")
    backwards=("$work/$name.o" "${backwards[@]}")
    suffix=$space${suffix#-}
    symbols "$work/$name.o" >"$work/symbols"
    [ -s "$work/symbols" ] || { echo "$name has no symbols of hotpb"; return 1; }
    if grep -vE "(5hotpb|4shop3hot)${#suffix}$suffix" "$work/symbols" >"$work/others"; then
      echo "$name has symbols that are not in $suffix:"
      c++filt <"$work/others" | head
      return 1
    fi
  done
  "$compiler" "$work/main.cc" "${objects[@]}" -o "$work/program" && "$work/program" || return 1
  "$compiler" "$work/main.cc" "${backwards[@]}" -o "$work/program" && "$work/program" || return 1
}
# COMPILER FLAG: whether a part with FLAG can pass types of the runtime and of generated code to one without.
passes() {
  "$1" "${flags[@]}" ${2:+"$2"} -DNAME=giver -DPASSES -c "$work/part.cc" -o "$work/giver.o" || return 1
  "$1" "$work/pass.cc" "$work/taker.o" "$work/giver.o" -o "$work/pass" && "$work/pass"
}
does_not_pass() {
  ! passes "$@" 2>"$work/refusal" || { echo "it links"; return 1; }
  local what
  for call in 'take(' 'take_view('; do
    grep -q "undefined reference to .*$call" "$work/refusal" || { cat "$work/refusal"; return 1; }
  done
}
echo 'void pass(); int main() { pass(); }' >"$work/pass.cc"
for compiler in "${compilers[@]}"; do
  check "$compiler: parts of one program" program "$compiler"
  check "$compiler: a part that takes types" "$compiler" "${flags[@]}" -DNAME=taker -DDEFINES -c "$work/part.cc" -o "$work/taker.o"
  check "$compiler: one configuration passes types" passes "$compiler" ""
  for flag in -DHOTPB_SMALL -fno-exceptions -DHOTPB_ABI_TAG=acme; do
    check "$compiler: $flag passes no type" does_not_pass "$compiler" "$flag"
  done
done

# A generated class that is declared in advance is the one that is defined.
cat >"$work/forward.cc" <<'CC'
#include "hotpb/detail/abi.h"
namespace shop::hot { inline namespace HOTPB_ABI { class OrderView; } }
void take_view(shop::hot::OrderView& view);
#include "shop/order.hot.h"
void take_view(shop::hot::OrderView& view) { view = shop::hot::OrderView(); }
CC
check "a class that is declared in advance" "${compilers[0]}" "${flags[@]}" -fsyntax-only "$work/forward.cc"
same_version() {
  local numbers
  numbers=$(awk '/^#define HOTPB_VERSION_(MAJOR|MINOR|PATCH)/ {print $3}' "$include/hotpb/detail/abi.h" | paste -sd.)
  [ "$numbers" = "$version" ] || { echo "abi.h: $numbers, CMakeLists.txt: $version"; return 1; }
}
check "abi.h has the version of CMakeLists.txt" same_version
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
