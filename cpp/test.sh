#!/usr/bin/env bash
# cpp/test.sh: all C++ tests, under the address and undefined-behaviour sanitizers. The vectors must have been compiled
# (tools/vectors/compile); make test sees to that.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

command -v cmake >/dev/null || { echo "cpp/test.sh: cmake is missing (Debian: apt-get install cmake)" >&2; exit 1; }
[ -x ../build/tools/protoc/bin/protoc ] || ../tools/setup protoc
log=$(mktemp)
trap 'rm -f "$log"' EXIT
cmake --preset sanitize >"$log" 2>&1 || { cat "$log"; exit 1; }
grep -A2 'CMake Warning\|is not tested' "$log" || true
cmake --build --preset sanitize --parallel "$(nproc)" >"$log" 2>&1 || { grep -E -A8 'error|warning' "$log" || cat "$log"; exit 1; }

# What compiles small programs, and beside it the tests themselves: both use one core most of the time.
scripts() {
  tests/compile.sh
  tests/generated.sh ../build/cpp-sanitize/plugin/protoc-gen-hotpb-cpp
  tests/two_configurations.sh ../build/cpp-sanitize/plugin/protoc-gen-hotpb-cpp
  tests/package/run.sh ../build/cpp-sanitize
  tests/package/amalgamated.sh ../build/cpp-sanitize/plugin/protoc-gen-hotpb-cpp
  tests/package/docs.py ../build/cpp-sanitize/plugin/protoc-gen-hotpb-cpp
  tests/writer/compile_fail.sh ../build/cpp-sanitize/tests/writer/include
  tests/view_threads.sh
  tests/writer/threads.sh ../build/cpp-sanitize/tests/writer/include
  tests/size/size.py ../build/cpp-sanitize/plugin/protoc-gen-hotpb-cpp
}
scripts >"$log" 2>&1 &
# One process for each executable, not one for each test: googletest's own summary, and quick.
status=0
for test in ../build/cpp-sanitize/tests/hotpb_*test*; do
  [ -f "$test" ] && [ -x "$test" ] || continue
  "$test" --gtest_brief=1 || status=1
done
wait $! || status=1
cat "$log"
exit $status
