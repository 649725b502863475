#!/usr/bin/env bash
# What a view of many fields weighs in each tier (spec/plan.md, PLN-32): the generated header, and a file that decodes one
# message of it and reads a field, compiled with -O2. The message is that of the vectors.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
plugin=build/cpp/plugin/protoc-gen-hotpb-cpp
(cd cpp && cmake --preset release && cmake --build --preset release --target protoc-gen-hotpb-cpp --parallel "$(nproc)") >/dev/null
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
cat >"$out/one.cc" <<'CC'
#include "hotpb/vectors.hot.h"
int read(hotpb::Bytes bytes) {
  hotpb::vectors::p3::hot::AllView view;
  return view.decode(bytes).ok() ? view.single_int32() : -1;
}
CC
printf '%-10s %12s %12s %12s\n' tier 'header, KB' 'compile, s' 'text, KB'
for tier in 'hot=*' 'cold=*'; do
  "$plugin" --descriptor_set=vectors/plans/vectors.fds --out="$out/$tier" --opt="faces=view,$tier"
  # g++ or what CXX names; user time, so that other work beside it matters less.
  TIMEFORMAT=%U
  seconds=$({ time "${CXX:-g++}" -std=c++17 -O2 -c -I"$out/$tier" -Icpp/include -o "$out/one.o" "$out/one.cc"; } 2>&1)
  text=$(size "$out/one.o" | awk 'NR == 2 {print $1}')
  printf '%-10s %12s %12s %12s\n' "$tier" $(($(wc -c <"$out/$tier/hotpb/vectors.hot.h") / 1000)) "$seconds" $((text / 1000))
done
