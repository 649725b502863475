#!/usr/bin/env bash
# rust/quick.sh < CHANGED: unit tests and vectors of the rooms that the changed files belong to; without a changed file,
# those of all rooms. tools/quick calls it.
set -euo pipefail
cd "$(dirname "$0")"
runtime=() tests=()
while read -r file; do
  case $file in
    hotpb/src/pool* | hotpb/src/wkt*) runtime=(-p hotpb) tests+=(--test vectors) ;;
    hotpb/src/writer* | hotpb/src/chunk*) runtime=(-p hotpb) tests+=(--test writer_vectors) ;;
    hotpb/*) runtime=(-p hotpb) tests+=(--test vectors --test writer_vectors) ;;
    hotpb-codegen/*) tests+=(--test plan_goldens --test vectors --test writer_vectors) ;;
    test/faces/tests/*.rs) name=${file##*/} tests+=(--test "${name%.rs}") ;;
  esac
done
if [ ${#runtime[@]} -eq 0 ] && [ ${#tests[@]} -eq 0 ]; then
  runtime=(-p hotpb) tests=(--test vectors --test writer_vectors)
fi
../tools/testgen rust
if [ ${#runtime[@]} -gt 0 ]; then cargo test --quiet "${runtime[@]}" --lib; fi
if [ ${#tests[@]} -gt 0 ]; then cargo test --quiet -p hotpb-tests "${tests[@]}"; fi
