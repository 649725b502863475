#!/usr/bin/env bash
# release.sh INCLUDE_DIR runs the writer's tests built like a release: optimised, without asserts and sanitizers. It
# uses g++, while clang compiles the other tests.
set -euo pipefail
generated=$(realpath "$1")
cd "$(dirname "${BASH_SOURCE[0]}")"
repository=$(realpath ../../..)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# The generated headers are read once.
printf '#include "%s_test.cc"\n' hostile lengths misuse sources whole >"$work/all.cc"
"${CXX:-g++}" -std=c++17 -O2 -DNDEBUG -Wall -Wextra -Wconversion -Wshadow -Werror -DHOTPB_REPOSITORY="\"$repository\"" -I. -I.. \
  -I../../include -I"$generated/../../../include" -I"$generated" "$work/all.cc" -o "$work/tests" -lgtest -lgtest_main -pthread
"$work/tests" --gtest_brief=1
