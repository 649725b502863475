#!/usr/bin/env bash
# cpp/surface.sh [--write]: checks that surface.txt lists the public names of the runtime: those of its namespaces but
# `detail`, as clang sees them. test.sh calls it. --write updates the list.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
clang=$(command -v clang++ || command -v clang++-14 || true)
[ -n "$clang" ] || { echo "cpp/surface.sh: clang is not installed, so the public names are not compared (Debian: apt-get install clang)"; exit 0; }

mapfile -t headers < <(find include/hotpb -name '*.h' -not -path '*/wkt/*' | sort)
namespaces=$(sed -n 's/^namespace \([a-z_0-9]*\) {$/\1/p' "${headers[@]}" | sort -u | paste -sd'|')
# A name is of a namespace if all before it are namespaces; members of classes follow their class.
names() {
  printf '#include "%s"\n' "${headers[@]#include/}" |
    "$clang" -std=c++17 -Iinclude -fsyntax-only -Xclang -ast-list -x c++ - |
    grep -E "^hotpb::(($namespaces)::)*(operator[^a-z: ]+|[A-Za-z_0-9]+)$" |
    grep -vE "(^|::)detail(::|$)|::($namespaces|v[0-9]+_[0-9_]+)$" | LC_ALL=C sort -u
}
if [ "${1:-}" = --write ]; then names >surface.txt; exit; fi
if ! changed=$(diff surface.txt <(names)); then
  echo "cpp/surface.sh: the public names have changed. Put names that only generated code calls into a namespace detail;" >&2
  printf 'those that users are to call, cpp/surface.sh --write puts on the list. < is gone, > is new:\n%s\n' "$changed" >&2
  exit 1
fi
echo "cpp/surface.sh: $(wc -l <surface.txt) public names"
