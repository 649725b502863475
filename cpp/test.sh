#!/usr/bin/env bash
# cpp/test.sh runs all C++ tests with the address and undefined-behaviour sanitizers of clang, which compiles them in
# half the time; without clang, with those of g++. (check-all.sh uses both, and has the same tests in every variant:
# HOTPB_TEST_VARIANTS.) The vectors must have been compiled
# (tools/vectors/compile), which make test does. Debug information took a fifth of the time: for lines in a report of the address
# sanitizer, CXXFLAGS=-g1 in a new build folder.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

command -v cmake >/dev/null || { echo "cpp/test.sh: cmake is missing (Debian: apt-get install cmake)" >&2; exit 1; }
[ -x ../build/tools/protoc/bin/protoc ] || ../tools/setup protoc
preset=sanitize build=../build/cpp-sanitize-clang
command -v clang++ >/dev/null || preset=sanitize-gcc build=../build/cpp-sanitize
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# built PRESET TARGET...
built() {
  cmake --preset "$1" >"$log" 2>&1 || { cat "$log"; exit 1; }
  grep -A2 'CMake Warning\|is not tested' "$log" || true
  cmake --build --preset "$1" ${2:+--target "${@:2}"} --parallel "$(nproc)" >"$log" 2>&1 ||
    { grep -E -A8 'error|warning' "$log" || cat "$log"; exit 1; }
}
# The generator and the well-known types as users have them, which other steps of make test also need.
built release hotpb_well_known
built "$preset"

# The scripts compile small programs and run beside the tests: each of the two uses one core most of the time.
scripts() {
  local plugin=../build/cpp/plugin/protoc-gen-hotpb-cpp
  ./surface.sh
  tests/compile.sh ../build/cpp/include
  tests/generated.sh $plugin
  tests/macros.sh $plugin
  tests/two_configurations.sh $plugin
  tests/linear.sh $plugin
  tests/package/run.sh ../build/cpp
  tests/package/amalgamated.sh $plugin
  tests/package/docs.py $plugin
  tests/writer/compile_fail.sh "$build/tests/writer/include"
  tests/view_threads.sh
  tests/writer/threads.sh "$build/tests/writer/include"
  tests/shm/threads.sh "$build/tests/writer/include"
  tests/writer/release.sh "$build/tests/writer/inlined"
  tests/size/size.py $plugin
}
scripts >"$log" 2>&1 &
# Views that are written again are deeply nested, and clang's frames are large without optimisation. Tests of code that
# promises to need no deep stack do not get one.
tests_of() {
  case $1 in
    */hotpb_view* | */hotpb_pool* | */hotpb_rewrite*) ulimit -s 131072 2>/dev/null || true ;;
  esac
  "$@"
}
# Variants are not built here; they may be of an older tree.
[ $preset != sanitize ] || rm -f "$build"/tests/hotpb_{{pool,view}_cold_test,pool_hot_test,{,writer_}test_portable,test_v3,writer_{,oracle_,vectors_}test_inlined}
# One process for each program, not for each test: it is fast, and prints googletest's own summary.
status=0
for test in "$build"/tests/hotpb_*test*; do
  [ -f "$test" ] && [ -x "$test" ] || continue
  (tests_of "$test" --gtest_brief=1) || status=1
done
wait $! || status=1
cat "$log"
exit $status
