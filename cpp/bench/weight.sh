#!/usr/bin/env bash
# Measures the code of views in the file that uses them, compiled with -O2: a message of many fields in each tier
# (spec/plan.md, PLN-32), and nine messages of descriptor.proto, as headers alone and with the option sources.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
plugin=build/cpp/plugin/protoc-gen-hotpb-cpp
(cd cpp && cmake --preset release && cmake --build --preset release --target hotpb_well_known --parallel "$(nproc)") >/dev/null
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

# row NAME SOURCE [OPTIONS] generates and compiles with g++, or with $CXX. It counts user time, so that other work
# matters less.
row() {
  local name=$1 source=$2 options=${3:-} seconds text header
  "$plugin" --descriptor_set="$out/set.fds" --out="$out/$name" --opt="faces=view${options:+,$options}"
  header=$(find "$out/$name" -name '*.hot.h' -exec cat {} + | wc -c)
  TIMEFORMAT=%U
  seconds=$({ time "${CXX:-g++}" -std=c++17 -O2 -c -I"$out/$name" -Icpp/include -Ibuild/cpp/include -o "$out/one.o" "$source"; } 2>&1)
  text=$(size "$out/one.o" | awk 'NR == 2 {print $1}')
  printf '%-22s %12s %12s %12s\n' "$name" $((header / 1000)) "$seconds" $((text / 1000))
}

printf '%-22s %12s %12s %12s\n' '' 'headers, KB' 'compile, s' 'text, KB'
cp vectors/plans/vectors.fds "$out/set.fds"
for tier in 'hot=*' 'cold=*'; do row "135 fields, $tier" cpp/bench/weight/wide.cc "$tier"; done
build/tools/protoc/bin/protoc -I build/tools/protoc/include --descriptor_set_out="$out/set.fds" google/protobuf/descriptor.proto
row "nine views, headers" cpp/bench/weight/nine.cc
row "nine views, sources" cpp/bench/weight/nine.cc sources
