#!/usr/bin/env bash
# cpp/quick.sh < CHANGED runs the tests and vectors of the rooms that the changed files belong to, without sanitizers.
# Without a changed file, it runs those of all rooms. tools/quick calls it.
set -euo pipefail
cd "$(dirname "$0")"
wire=no view=no pool=no writer=no shm=no
while read -r file; do
  case $file in
    include/hotpb/view*) view=yes ;;
    include/hotpb/pool*) pool=yes ;;
    include/hotpb/writer* | include/hotpb/chunk/*) writer=yes ;;
    include/hotpb/shm* | tests/shm/*) shm=yes ;;
    include/* | plugin/* | testgen/*) wire=yes view=yes pool=yes writer=yes ;;
    tests/writer/*) writer=yes ;;
    tests/view*) view=yes ;;
    tests/pool*) pool=yes ;;
    tests/*) wire=yes ;;
  esac
done
[ "$wire$view$pool$writer$shm" != nonononono ] || wire=yes view=yes pool=yes writer=yes shm=yes
targets=()
[ $wire = no ] || targets+=(hotpb_test)
[ $view = no ] || targets+=(hotpb_view_test)
[ $pool = no ] || targets+=(hotpb_pool_test hotpb_pool_unit_test)
[ $writer = no ] || targets+=(hotpb_writer_test hotpb_writer_vectors_test)
[ $shm = no ] || targets+=(hotpb_shm_test hotpb_shm_syscalls_test)
log=$(mktemp)
trap 'rm -f "$log"' EXIT
cmake --preset quick >"$log" 2>&1 || { cat "$log"; exit 1; }
cmake --build --preset quick --parallel "$(nproc)" --target "${targets[@]}" >"$log" 2>&1 || { grep -E -A8 'error|warning' "$log" || cat "$log"; exit 1; }
ulimit -s 131072 2>/dev/null || true  # without optimisation the frames of a deep message are large
for target in "${targets[@]}"; do ../build/cpp-quick/tests/"$target" --gtest_brief=1; done
