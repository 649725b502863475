#!/usr/bin/env bash
# cpp/check-all.sh: what takes long: the writer with messages of hundreds of megabytes, with a thousand random messages
# of each schema at every size of room, and all its tests as clang compiles them; what the fuzz targets' inputs cover.
# test.sh and fuzz.sh have run before.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

log=$(mktemp)
trap 'rm -f "$log"' EXIT
cmake --preset sanitize >"$log" 2>&1 || { cat "$log"; exit 1; }
cmake --build --preset sanitize --target hotpb_writer_large --parallel "$(nproc)" >"$log" 2>&1 || { cat "$log"; exit 1; }
status=0
tests=../build/cpp-sanitize/tests
"$tests/hotpb_writer_large" --gtest_brief=1 || status=1
if [ -x "$tests/hotpb_writer_oracle_test" ]; then
  HOTPB_THOROUGH=1 "$tests/hotpb_writer_oracle_test" --gtest_brief=1 || status=1
fi
HOTPB_THOROUGH=1 "$tests/hotpb_rewrite_test" --gtest_brief=1 || status=1
tests/writer/clang.sh "$tests/writer" || status=1
./coverage.sh || status=1
exit $status
