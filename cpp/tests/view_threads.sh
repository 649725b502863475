#!/usr/bin/env bash
# view_threads.sh: readers of one view with the thread sanitizer, which excludes all others.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"${CXX:-g++}" -std=c++17 -O1 -g1 -DHOTPB_SMALL -fsanitize=thread -Wall -Wextra -Werror -I../include -I../../build/cpp/include \
  view_threads_test.cc -o "$work/threads" -lgtest -lgtest_main -pthread
"$work/threads" --gtest_brief=1
