#!/usr/bin/env bash
# threads.sh INCLUDE_DIR: the tests with threads, with the thread sanitizer, which excludes all others.
set -euo pipefail
generated=$(realpath "$1")
cd "$(dirname "${BASH_SOURCE[0]}")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"${CXX:-g++}" -std=c++17 -O1 -g1 -fsanitize=thread -Wall -Wextra -Werror -I../../include -I"$generated/../../../include" -I"$generated" -I.. threads_test.cc \
  -o "$work/threads" -lgtest -lgtest_main -pthread
"$work/threads" --gtest_brief=1
