#!/usr/bin/env bash
# cpp/tests/generated.sh PLUGIN: what the generator makes of the schemas made to annoy generators compiles without a
# warning, without exceptions and RTTI, as C++17 and C++20, with each compiler that is there.
set -euo pipefail
plugin=$(realpath "$1")
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
protoc=build/tools/protoc
[ -x $protoc/bin/protoc ] || tools/setup protoc

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0
for proto in proto/hotpb/nasty/*.proto; do
  $protoc/bin/protoc --plugin=protoc-gen-hotpb-cpp="$plugin" --hotpb-cpp_out="faces=writer+view:$work" -I proto \
    -I $protoc/include "${proto#proto/}" 2>"$work/errors" || { cat "$work/errors"; exit 1; }
done
(cd "$work" && find . -name '*.h' -printf '#include "%P"\n' | sort) >"$work/all.cc"
[ "$(wc -l <"$work/all.cc")" -ge 10 ] || { echo "only $(wc -l <"$work/all.cc") headers were generated"; exit 1; }
for compiler in g++ clang++; do
  command -v "$compiler" >/dev/null || continue
  for standard in c++17 c++20; do
    if "$compiler" "-std=$standard" -I"$work" -Icpp/include -fsyntax-only -Wall -Wextra -Wconversion -Wshadow -Wpedantic \
      -Werror -fno-exceptions -fno-rtti "$work/all.cc" 2>"$work/errors"; then
      passed=$((passed + 1))
    else
      failed=$((failed + 1))
      echo "FAILED: $compiler, $standard"
      grep -A4 error "$work/errors" | head -40
    fi
  done
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
