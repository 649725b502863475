#!/usr/bin/env bash
# cpp/check-all.sh runs the long tests: the writer with messages of hundreds of megabytes, and with a thousand random
# messages of each schema at every size of room; all tests, in the variants that test.sh leaves out, too (every message straight, by table,
# in line, for other machines), with the sanitizers of g++, and generated code with each
# compiler in each standard; the tests of the runtime and of the vectors, built by clang, and built for 64-bit ARM and
# run by qemu, and the instructions of the writer there; and the coverage of the fuzz targets' inputs. It does not repeat test.sh and fuzz.sh.
# The compiler refuses big-endian machines (hotpb/detail/port.h).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

log=$(mktemp)
trap 'rm -f "$log"' EXIT
cmake --preset sanitize-gcc >"$log" 2>&1 || { cat "$log"; exit 1; }
cmake --build --preset sanitize-gcc --target all hotpb_writer_large --parallel "$(nproc)" >"$log" 2>&1 || { cat "$log"; exit 1; }
status=0
tests=../build/cpp-sanitize/tests
for test in "$tests"/hotpb_*test*; do
  [ -f "$test" ] && [ -x "$test" ] || continue
  "$test" --gtest_brief=1 || status=1
done
HOTPB_THOROUGH=1 tests/compile.sh ../build/cpp/include || status=1
for script in {generated,macros,two_configurations,package/amalgamated}.sh size/size.py; do
  HOTPB_THOROUGH=1 tests/$script ../build/cpp/plugin/protoc-gen-hotpb-cpp || status=1
done
tests/writer/release.sh "$tests/writer/include" || status=1
CXX=g++ tests/package/docs.py ../build/cpp/plugin/protoc-gen-hotpb-cpp || status=1
"$tests/hotpb_writer_large" --gtest_brief=1 || status=1
if [ -x "$tests/hotpb_writer_oracle_test" ]; then
  HOTPB_THOROUGH=1 "$tests/hotpb_writer_oracle_test" --gtest_brief=1 || status=1
fi
for test in test rewrite_test shm_test writer_{inlined_test,test,test_inlined}; do
  HOTPB_THOROUGH=1 "$tests/hotpb_$test" --gtest_brief=1 || status=1
done

# machine PRESET COMPILER [EMULATOR] runs the tests that need no sanitizer and no stock runtime, built with that preset.
machine() {
  local preset=$1 compiler=$2 emulator=${3:-} tool test
  local tests=(hotpb_test hotpb_test_portable hotpb_view_test hotpb_pool_test hotpb_pool_unit_test hotpb_rewrite_test
    hotpb_writer_test hotpb_writer_inlined_test hotpb_writer_test_inlined hotpb_writer_vectors_test)
  for tool in "$compiler" ${emulator:+"${emulator%% *}"}; do
    command -v "$tool" >/dev/null || { echo "SKIPPED: no $tool (tools/setup machines)"; return 0; }
  done
  cmake --preset "$preset" >"$log" 2>&1 || { cat "$log"; return 1; }
  cmake --build --preset "$preset" --target "${tests[@]}" --parallel "$(nproc)" >"$log" 2>&1 || { cat "$log"; return 1; }
  local failed=0
  for test in "${tests[@]}"; do
    # the emulator has options
    $emulator "../build/cpp-$preset/tests/$test" --gtest_brief=1 || failed=1
  done
  return $failed
}
echo "==> cpp: clang"
machine tests-clang clang++ || status=1
echo "==> cpp: arm64"
machine tests-arm64 aarch64-linux-gnu-g++ "qemu-aarch64 -L /usr/aarch64-linux-gnu" || status=1
echo "==> cpp: every compiler, every standard"
tests/matrix.sh ../build/cpp/plugin/protoc-gen-hotpb-cpp || status=1
bench/machines.sh || status=1
./coverage.sh || status=1
exit $status
