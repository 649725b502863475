#!/usr/bin/env bash
# rust/fuzz.sh SECONDS [TARGET…]: runs each fuzz target for that long. A finding prints its input in hex and fails.
# Seeds: the vectors (tools/vectors/compile) and the descriptor sets of vectors/plans. The targets `codec` (prost's
# structs) and `arrow` are tests of other workspaces, which make test runs with fewer inputs: they run for ten seconds or more.
set -euo pipefail
cd "$(dirname "$0")"
seconds=${1:?usage: rust/fuzz.sh SECONDS [TARGET…]}
shift
../tools/testgen rust
[ -f ../build/vectors/wire.jsonl ] || ../tools/vectors/compile
targets=("$@") others=()
for name in codec arrow; do
  if [ $# -eq 0 ]; then [ "$seconds" -lt 10 ] || others+=("$name"); elif [[ " $* " = *" $name "* ]]; then others+=("$name"); fi
done
for name in "${others[@]}"; do
  for i in "${!targets[@]}"; do [ "${targets[i]}" != "$name" ] || unset "targets[i]"; done
done
if [ $# -eq 0 ] || [ ${#targets[@]} -gt 0 ]; then
  # With the assertions of debug builds: the walk that explains an error must agree with the decoder.
  # Without -p, and in short runs with the features of the tests: generated code is not compiled once more.
  tables=()
  [ "$seconds" -lt 10 ] || tables=(--features hotpb-tests/tables)
  cargo build --quiet --bin hotpb-fuzz "${tables[@]}"
  "${CARGO_TARGET_DIR:-target}/debug/hotpb-fuzz" "$seconds" "${targets[@]}"
fi
export HOTPB_FUZZ_SECONDS=$seconds
for name in "${others[@]}"; do
  case $name in
    codec) cargo test --quiet --locked -p hotpb-prost-tests --test prost random:: -- --nocapture ;;
    arrow) cargo test --quiet --locked -p hotpb-arrow --test arrow damage:: -- --nocapture ;;
  esac
done
