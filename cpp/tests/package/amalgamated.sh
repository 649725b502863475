#!/usr/bin/env bash
# cpp/tests/package/amalgamated.sh PLUGIN: the single header has the whole runtime, and is enough for generated code (no
# other folder of hotpb is on the include path), in several files of a program and beside the many headers, without
# warnings, exceptions and RTTI, and for 32 bits if that can be compiled. HOTPB_THOROUGH=1 uses each installed compiler.
set -euo pipefail
plugin=$(realpath "$1")
well_known=$(dirname "$plugin")/../include
cd "$(dirname "${BASH_SOURCE[0]}")"
. ../script.sh
include=$(realpath ../../include)
protoc=$(realpath ../../..)/build/tools/protoc/bin/protoc
[ -x "$protoc" ] || ../../../tools/setup protoc

python3 ../../amalgamate.py "$work"
protos=(shop/money.proto shop/order.proto)
"$protoc" --plugin=protoc-gen-hotpb-cpp="$plugin" -I consumer/proto \
  --hotpb-cpp_out=faces=writer+view,single_header:"$work" "${protos[@]}"

mapfile -t headers < <(find "$include" "$well_known" -name '*.h' | sort)
for header in "${headers[@]}"; do
  name=${header#"$include/"} name=${name#"$well_known/"}
  guard=$(sed -n 's/^#ifndef //p;T;q' "$header")
  check "$name is in it once" test "$(cat "$work/hotpb.h" "$work/hotpb_wkt.h" "$work/hotpb_extras.h" "$work/hotpb_shm.h" | grep -cx "#ifndef $guard")" = 1
done
check "no part of it includes another" test -z "$(grep -n '#include "hotpb/' "$work/hotpb.h" "$work/hotpb_wkt.h" "$work/hotpb_extras.h" "$work/hotpb_shm.h")"
includes=$(grep -rhoE '#include "(hotpb.*)"' "$work/shop" | sort | uniq | xargs)
check "generated code includes the two and no other" test "$includes" = '#include hotpb.h #include hotpb_wkt.h'

mkdir "$work/extras"
"$protoc" --plugin=protoc-gen-hotpb-cpp="$plugin" -I consumer/proto \
  --hotpb-cpp_out=faces=pool+builder+visitor,single_header:"$work/extras" "${protos[@]}"
printf '#include "shop/order.%s.hot.h"\n' builder visitor >"$work/extras.cc"
cat >>"$work/extras.cc" <<'CC'
int main() {
  shop::hot::OrderBuilder order;
  hotpb::EncodeBuffer buffer;
  return order.mutable_placed().set_seconds(1) && order.encode(buffer).ok() &&
                 hotpb::visit<shop::hot::Order>(buffer.bytes(), shop::hot::OrderVisitor()).ok() ? 0 : 1;
}
CC
extras() { "$1" -std=c++17 -I"$work/extras" "${flags[@]}" "$work/extras.cc" -o "$work/extras/main" && "$work/extras/main"; }

printf '#include "shop/order.hot.h"\nint other() { return shop::hot::OrderView().decode({}).ok(); }\n' >"$work/other.cc"
for name in hotpb/writer.h hotpb/view.h hotpb/check.h hotpb/chunk/iovec.h; do
  printf '#include "%s"\n#include "hotpb.h"\n#include "%s"\n' "$name" "$name"
done >"$work/both.cc"
printf '#include <string>\nint main(int n, char**) { return static_cast<int>(std::string(n, 1).size()) - 1; }\n' \
  >"$work/thirty_two.cc"
flags=(-I"$work" -Wall -Wextra -Wconversion -Wshadow -Wpedantic -Werror -fno-exceptions -fno-rtti)
runs() { # COMPILER FLAG...
  "$@" "${flags[@]}" consumer/main.cc "$work/other.cc" -o "$work/consumer" &&
    [ "$("$work/consumer")" = "order 7, 1 item, 250 EUR, at 1700000000, cents is field 2" ]
}
for compiler in "${compilers[@]}"; do
  for standard in c++17 c++20; do check "$compiler, $standard" runs "$compiler" "-std=$standard"; done
  check "$compiler, builders and visitors" extras "$compiler"
  for define in HOTPB_SMALL HOTPB_PORTABLE; do
    check "$compiler, $define" "$compiler" -std=c++17 "${flags[@]}" "-D$define" -fsyntax-only consumer/main.cc
  done
  if "$compiler" -m32 "$work/thirty_two.cc" -o "$work/thirty_two" 2>/dev/null && "$work/thirty_two"; then
    check "$compiler, 32 bits" runs "$compiler" -std=c++17 -m32
  else
    echo "$compiler: 32 bits are not tested here (Debian: apt-get install g++-multilib)"
  fi
  check "$compiler: beside the many headers" "$compiler" -std=c++17 "${flags[@]}" -I"$include" -fsyntax-only \
    "$work/both.cc"
done
refuses() {
  ! "$protoc" --plugin=protoc-gen-hotpb-cpp="$plugin" -I consumer/proto --hotpb-cpp_out="$1:$work" "${protos[@]}" \
    2>"$work/refusal" && grep -F "$2" "$work/refusal"
}
check "a value of single_header is refused" refuses single_header=hotpb.h "single_header=hotpb.h: it has no value"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
