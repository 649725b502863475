#!/usr/bin/env bash
# clang.sh BUILD_DIR: the writer's tests compile with clang too, without a warning. BUILD_DIR is where CMake has put
# the code that it generates for them.
set -euo pipefail
build=$(realpath "$1")
cd "$(dirname "${BASH_SOURCE[0]}")/.."
clang=$(command -v clang++ || command -v clang++-14 || true)
[ -n "$clang" ] || { echo "clang.sh: clang is not installed (Debian: apt-get install clang); nothing was compiled"; exit 0; }
passed=0 failed=0
flags=(-fsyntax-only -Wall -Wextra -Wconversion -Wshadow -Werror -DHOTPB_REPOSITORY='""' -I../include -I. -I../testgen
  -I"$build/include" -I"$build" -isystem "$build/oracle")
for file in writer/*.cc; do
  case $file in
    writer/rewrite_test.cc) continue ;; # it goes with testgen's headers
    writer/bridge*.cc | writer/property_test.cc) [ -e "$build/oracle/bridge_definitions.inc" ] || continue ;;
  esac
  if "$clang" -std=c++17 "${flags[@]}" "$file"; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
