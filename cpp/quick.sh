#!/usr/bin/env bash
# cpp/quick.sh < CHANGED runs the tests and vectors of the rooms that the changed files belong to, without sanitizers.
# Without a changed file, it runs those of all rooms. tools/quick calls it.
set -euo pipefail
cd "$(dirname "$0")"
wire=no view=no writer=no shm=no
while read -r file; do
  case $file in
    include/hotpb/view*) view=yes ;;
    include/hotpb/writer* | include/hotpb/chunk*) writer=yes ;;
    include/hotpb/shm/* | tests/shm/*) shm=yes ;;
    include/* | plugin/* | testgen/*) wire=yes view=yes writer=yes ;;
    tests/writer/*) writer=yes ;;
    tests/view*) view=yes ;;
    tests/*) wire=yes ;;
  esac
done
[ "$wire$view$writer$shm" != nononono ] || wire=yes view=yes writer=yes shm=yes
targets=()
[ $wire = no ] || targets+=(hotpb_test)
[ $view = no ] || targets+=(hotpb_view_test)
[ $writer = no ] || targets+=(hotpb_writer_test hotpb_writer_vectors_test)
[ $shm = no ] || targets+=(hotpb_shm_test hotpb_shm_syscalls_test)
log=$(mktemp)
trap 'rm -f "$log"' EXIT
cmake --preset quick >"$log" 2>&1 || { cat "$log"; exit 1; }
cmake --build --preset quick --parallel "$(nproc)" --target "${targets[@]}" >"$log" 2>&1 || { grep -E -A8 'error|warning' "$log" || cat "$log"; exit 1; }
for target in "${targets[@]}"; do ../build/cpp-quick/tests/"$target" --gtest_brief=1; done
