#!/usr/bin/env bash
# rust/quick.sh < CHANGED: unit tests and vectors of the rooms that the changed files belong to; without a changed file,
# those of all rooms. tools/quick calls it.
set -euo pipefail
cd "$(dirname "$0")"
runtime=() tests=()
while read -r file; do
  case $file in
    hotpb/src/pool* | hotpb/src/wkt*) runtime=(-p hotpb) tests+=(vectors::) ;;
    hotpb/src/writer* | hotpb/src/chunk*) runtime=(-p hotpb) tests+=(writer_vectors::) ;;
    hotpb/*) runtime=(-p hotpb) tests+=(vectors:: writer_vectors::) ;;
    hotpb-codegen/*) tests+=(plan_goldens:: vectors:: writer_vectors::) ;;
    test/faces/tests/main.rs) tests+=("") ;; # all
    test/faces/tests/*.rs) name=${file##*/} tests+=("${name%.rs}::") ;;
  esac
done
if [ ${#runtime[@]} -eq 0 ] && [ ${#tests[@]} -eq 0 ]; then
  runtime=(-p hotpb) tests=(vectors:: writer_vectors::)
fi
../tools/testgen rust
if [ ${#runtime[@]} -gt 0 ]; then cargo test --quiet "${runtime[@]}" --lib; fi
if [ ${#tests[@]} -gt 0 ]; then cargo test --quiet -p hotpb-tests --test faces -- "${tests[@]}"; fi
