#!/usr/bin/env bash
# compile_fail.sh INCLUDE_DIR: what must not compile does not, with each compiler that is there; and the same code
# without the mistake does.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
generated=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0 passed=0

# compiles NAME CODE: the body of a function with writers of two messages at hand.
compiles() {
  printf '%s\n' '#include <string>' '#include <vector>' '#include "hotpb/vectors_proto2.hot.h"' \
    'using namespace hotpb::vectors::p2::hot;' \
    'void body([[maybe_unused]] AllWriter& all, [[maybe_unused]] ChildWriter& child) {' "$1" '}' > "$work/body.cc"
  "$compiler" -std=c++17 -fsyntax-only -Wall -Wextra -Werror -fno-exceptions -fno-rtti -Iinclude -I"$generated" \
    "$work/body.cc" 2>"$work/errors"
}
good() { if compiles "$1"; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "$compiler: does not compile: $1"; head -5 "$work/errors"; fi; }
bad() { if compiles "$1"; then failed=$((failed + 1)); echo "$compiler: compiles: $1"; else passed=$((passed + 1)); fi; }

for compiler in g++ clang++; do
  command -v "$compiler" >/dev/null || continue
  good 'all.set_single_int32(1); child.set_name(std::string("x")); all.set_single_bool(true);'
  bad 'all.set_single_int32("1");'
  bad 'all.set_single_string(1);'
  bad 'all.set_single_bool("true");'
  bad 'all.set_single_bool(1);'
  good 'all.set_single_closed(Closed{});'
  bad 'all.set_single_closed(1);'
  bad 'all.set_single_closed(ClosedZero{});'
  good 'ChildWriter c = all.set_single_child(); AllWriter a = all.set_single_all();'
  bad 'AllWriter c = all.set_single_child();'
  bad 'all.set_single_child(child);'
  bad 'all.set_single_child([](AllWriter&) {});'
  good 'all.set_single_child([](ChildWriter&) {});'
  bad 'child.set_single_int32(1);'
  bad 'all.put_uint64<4>(1);'
  bad 'child.open<AllWriter, 3>();'
  bad 'AllWriter copy(all);'
  bad 'AllWriter fresh;'
  bad 'all = child;'
  good 'std::vector<std::int32_t> v{1}; all.add_packed_int32(v); all.packed_packed_int32().add(1);'
  bad 'std::vector<std::int64_t> v{1}; all.add_packed_int32(v);'
  bad 'std::vector<std::int32_t> v{1}; all.add_unpacked_int32(v);'
  bad 'all.packed_packed_int32().add("x");'
  good 'all.add_key_string("k", "v"); all.add_value_child(1).set_id(1);'
  bad 'all.add_key_string("k", 1);'
  bad 'all.add_value_child("k");'
  good 'set_ext_int32(all, 1);'
  bad 'set_ext_int32(child, 1);'
  bad 'set_ext_int32(all, "1");'
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
