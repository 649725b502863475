#!/usr/bin/env bash
# compile_fail.sh INCLUDE_DIR: code that must not compile (WTR-3) does not compile with any installed compiler; and the
# same code without the mistake compiles.
set -euo pipefail
generated=$(realpath "$1")
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0 passed=0

# The generated code is read once for each compiler.
printf '%s\n' '#include <'{array,atomic,cstddef,memory,optional,string,vector}'>' '#include "hotpb/vectors_proto2.hot.h"' > "$work/pre.h"
flags=(-std=c++17 -Wall -Wextra -Werror -fno-exceptions -fno-rtti -Iinclude -I"$generated/../../../include" -I"$generated")

# compiles CODE...: each is the body of a function that has writers of two messages, in a file of its number.
compiles() {
  local code number=0
  {
    echo 'using namespace hotpb::vectors::p2::hot;'
    for code; do
      printf '#line 1 "code_%d"\nvoid body_%d([[maybe_unused]] AllWriter& all, [[maybe_unused]] ChildWriter& child) {%s\n}\n' \
        $((++number)) $number "$code"
    done
  } >"$work/bodies.cc"
  "$compiler" "${flags[@]}" -fsyntax-only -include "$work/pre.h" "$work/bodies.cc" 2>"$work/errors"
}
good() { accepted+=("$1"); }
bad() { refused+=("$1"); }
# All that is good is compiled at once, and all that is bad; alone is compiled what then has no result of its own, such as an error
# that the compiler reports once.
results() {
  local code number=0
  if compiles "${accepted[@]}"; then
    passed=$((passed + ${#accepted[@]}))
  else
    for code in "${accepted[@]}"; do
      if compiles "$code"; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "$compiler: does not compile: $code"; head -5 "$work/errors"; fi
    done
  fi
  compiles "${refused[@]}" || true
  cp "$work/errors" "$work/all_errors"
  for code in "${refused[@]}"; do
    if grep -qE "^code_$((++number)):[0-9:]+ (error:| *required from here)" "$work/all_errors" || ! compiles "$code"; then
      passed=$((passed + 1))
    else
      failed=$((failed + 1)); echo "$compiler: compiles: $code"
    fi
  done
}
# says TEXT...: the errors of the last bad code, which are not many, have each text.
says() {
  local text
  ! compiles "${refused[-1]}" || return 0  # which results() tells
  for text in "$@"; do
    if grep -qF "$text" "$work/errors" && [ "$(grep -c 'error:' "$work/errors")" -eq 1 ]; then
      passed=$((passed + 1))
    else
      failed=$((failed + 1)); echo "$compiler: no error says only: $text"; cat "$work/errors"
    fi
  done
}

for compiler in g++ clang++; do
  command -v "$compiler" >/dev/null || continue
  rm -f "$work"/pre.h.*
  accepted=() refused=()
  case $compiler in g++) pre=$work/pre.h.gch ;; *) pre=$work/pre.h.pch ;; esac
  "$compiler" "${flags[@]}" -x c++-header "$work/pre.h" -o "$pre"
  good 'all.set_single_int32(1); child.set_name(std::string("x")); all.set_single_bool(true);'
  bad 'all.set_single_int32("1");'
  bad 'all.set_single_string(1);'
  bad 'all.set_single_string(0);'
  bad 'all.set_single_string(nullptr);'
  bad 'all.set_single_bytes(0);'
  good 'all.set_single_bytes("x"); all.set_single_bytes("");'
  bad 'char buffer[4] = "x"; all.set_single_bytes(buffer);'
  bad 'all.set_single_string(child);'
  good 'const char* s = "x"; all.set_single_string(s); all.set_single_string(std::string_view(s)); all.set_single_bytes(std::string_view(s));'
  bad 'all.set_single_bool("true");'
  bad 'all.set_single_bool(1);'
  bad 'all.set_single_bool(&all);'
  bad 'all.set_single_bool(nullptr);'
  bad 'all.add_packed_bool(1);'
  good 'std::vector<bool> v{true}; all.set_single_bool(v[0]); const auto& w = v; all.set_single_bool(w[0]); all.add_key_bool(v[0], v[0]);'
  good 'std::atomic<bool> flag{true}; all.set_single_bool(flag);'
  bad 'all.set_single_bool([] {});'
  bad 'all.set_single_bool(std::unique_ptr<int>());'
  bad 'all.set_single_bool(std::optional<bool>(true));'
  bad 'all.set_single_bool(std::string("true"));'
  good 'std::vector<std::byte> v(3); all.set_single_bytes(v); std::array<std::byte, 3> a{}; all.set_single_bytes(a);'
  good 'std::vector<std::byte> v(3); hotpb::Span<std::byte> s(v); all.set_single_bytes(s); all.set_single_bytes(hotpb::Span<const std::byte>(v));'
  good 'std::vector<std::uint8_t> v(3); hotpb::Span<std::uint8_t> s(v); all.set_single_bytes(s); all.set_single_bytes(hotpb::Bytes(v));'
  bad 'std::vector<signed char> v(3); all.set_single_bytes(v);'
  bad 'std::vector<std::byte> v(3); all.set_single_string(v);'
  bad 'std::vector<std::uint16_t> v(3); all.set_single_bytes(v);'
  good 'all.add_packed_int32({1, 2, 3}); all.add_packed_bool({true, false}); all.add_packed_double({1, 2.5}); all.add_packed_int32({});'
  good 'bool b[2] = {true, false}; all.add_packed_bool({b, 2}); all.add_packed_bool(b); int n[1] = {1}; all.add_packed_int32({n, 1});'
  bad 'all.add_packed_int32({"x"});'
  bad 'all.add_packed_int32({1.5});'
  bad 'all.add_packed_bool({1, 0});'
  bad 'hotpb::Span<int> s{1, 2};'
  good 'all.set_single_int64(1); all.set_single_double(1); all.set_single_float(1.5f);'
  bad 'all.set_single_int32(&all);'
  bad 'all.set_single_double("1");'
  bad 'all.set_single_int32(Closed{});'
  bad 'all.set_single_closed(true);'
  bad 'all.set_single_closed("CLOSED_ONE");'
  good 'all.set_single_closed(Closed{});'
  bad 'all.set_single_closed(1);'
  bad 'all.set_single_closed(ClosedZero{});'
  good 'ChildWriter c = all.set_single_child(); AllWriter a = all.set_single_all();'
  bad 'AllWriter c = all.set_single_child();'
  bad 'all.set_single_child(child);'
  bad 'all.set_single_child("x");'
  says 'the field is a message: pass a function' ChildWriter
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
  bad 'std::vector<float> v{1}; all.add_packed_int32(v);'
  bad 'std::vector<bool> v{true}; all.add_packed_bool(v);'
  bad 'all.add_single_int32(1);'
  bad 'all.set_repeated_int32(1);'
  bad 'all.set_repeated_child();'
  bad 'all.packed_single_int32();'
  bad 'all.set_data([](ChildWriter&) {});'
  good 'all.set_data([](All_DataWriter& data) { data.set_single_int32(1); });'
  bad 'All_DataWriter data = all.set_single_child();'
  bad 'hotpb::MessageWriter other(hotpb::detail::WriterKey{});'
  bad 'all.append_raw(1);'
  bad 'all.set_single_child("raw");'
  good 'all.set_single_child(hotpb::RawMessage(std::string_view("raw")));'
  good 'all.add_key_string("k", "v"); all.add_value_child(1).set_id(1);'
  bad 'all.add_key_string("k", 1);'
  bad 'all.add_key_string(0, "v");'
  bad 'all.add_key_string("k", 0);'
  bad 'all.add_key_bool(1, true);'
  bad 'all.add_value_closed(1, Closed{});'
  bad 'all.add_value_child(1, child);'
  bad 'all.add_value_child(1, [](AllWriter&) {});'
  bad 'all.add_value_child("k");'
  good 'set_ext_int32(all, 1);'
  bad 'set_ext_int32(child, 1);'
  bad 'set_ext_int32(all, "1");'
  if [ "$compiler" = clang++ ]; then
    # Handles and results that outlive their buffer.
    good 'hotpb::HeapBuffer out; auto w = out.message<AllWriter>(); static_cast<void>(w.finish()); auto x = out.bytes(); static_cast<void>(x);'
    bad 'auto w = hotpb::HeapBuffer().message<AllWriter>(); static_cast<void>(w);'
    bad 'auto w = hotpb::HeapBuffer().delimited<AllWriter>(); static_cast<void>(w);'
    bad 'auto x = hotpb::HeapBuffer().bytes(); static_cast<void>(x);'
    bad 'auto x = hotpb::HeapBuffer().chunks(); static_cast<void>(x);'
    bad 'auto x = hotpb::HeapBuffer().partial_bytes(); static_cast<void>(x);'
    bad 'hotpb::Bytes x = std::string("a string that is gone"); static_cast<void>(x);'
  fi
  results
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
