#!/usr/bin/env bash
# go/fuzz.sh SECONDS [FOLDER…]: runs every Go fuzz target of the repository but those of apps, or of some folders like go/wire, for
# SECONDS each.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:?usage: go/fuzz.sh SECONDS [FOLDER…]}
shift
[ $# -gt 0 ] || set -- . ':!apps'
[ -f build/vectors/wire.jsonl ] || tools/vectors/compile
tools/testgen go

# The targets of a package form one program. `go test -fuzz` would link it for each target, and would compile all its
# packages with coverage counters, including the standard library and every generated schema. Here only our own code, and
# the generated code of two schemas with everything, guide the fuzzer; the other schemas are fuzzed without counters.
module=$(cd go && go list -m)
flags=()
for counted in wire compat/... schema/... prototest cmd/hotpb/... chunk rt/... internal/gen/... internal/testgen/vectors/... internal/testgen/vectors_proto2/... \
  internal/testgen/stock/vectors/... internal/testgen/stock/vectors_proto2/...; do
  flags+=("-gcflags=$module/$counted=-d=libfuzzer")
done
flags+=("-gcflags=${module%/go}/examples/...=-d=libfuzzer" "-gcflags=${module%/go}/apps/...=-d=libfuzzer")
programs=$(mktemp -d)
trap 'rm -rf "$programs"' EXIT
corpus=$(go env GOCACHE)/fuzz # where `go test -fuzz` keeps new inputs

# On a busy machine the fuzzer's own clock may run out on a worker, which the fuzzer reports as a failure, but it is none. A
# real finding names the file with its input.
overtime() { grep -q 'context deadline exceeded' "$1" && ! grep -q 'Failing input\|panic:\|FAIL: .*/' "$1"; }

# With the tag hotpbdebug, reused memory is filled with values that occur in no message: these targets find it if any of them
# shows. The other targets run without the tag, because with it views check each access.
soiled='FuzzStaleMemory|FuzzReusedViews|FuzzEdit|FuzzScripts|FuzzRewrite|FuzzTemplate|FuzzDecode'
# For counters and for the tag all code is compiled again, which takes longer than a short run. Runs of less than ten seconds
# use the programs that go test has compiled: without counters, and without soiled memory.
short=$([ "$seconds" -ge 10 ] || echo yes)
[ -z "$short" ] || flags=()

status=0
for folder in $(git ls-files --cached --others --exclude-standard "$@" | grep '_test\.go$' | xargs grep -l '^func Fuzz' | xargs -n1 dirname | sort -u); do
  # Some folders are modules of their own.
  (cd "$folder" && go test -c "${flags[@]}" -o "$programs/fuzz" .)
  if [ -z "$short" ] && grep -qE "^func ($soiled)\(" "$folder"/*_test.go; then
    (cd "$folder" && go test -c -tags hotpbdebug "${flags[@]}" -o "$programs/soiled" .)
  fi
  for target in $(cd "$folder" && "$programs/fuzz" -test.list '^Fuzz'); do
    program=fuzz
    [ -n "$short" ] || [[ ! $target =~ ^($soiled)$ ]] || program=soiled
    echo "== $folder $target"
    if (cd "$folder" && "$programs/$program" -test.run '^$' -test.fuzz "^$target\$" -test.fuzztime "${seconds}s" -test.fuzzminimizetime 1s \
      -test.fuzzcachedir "$corpus/$(go list)") >"$programs/log" 2>&1; then
      cat "$programs/log"
    elif overtime "$programs/log"; then
      grep '^fuzz: ' "$programs/log" || true # not the line FAIL, so that scripts that count such lines do not count it
      echo "$target: the fuzzer's clock ran out on a worker; nothing found"
    else
      cat "$programs/log"
      for input in $(sed -n 's/.*Failing input written to //p' "$programs/log"); do
        cat "$folder/$input" # which a run in CI loses
      done
      status=1
    fi
    # Without counters the fuzzer would only guess: that is an error.
    [ -n "$short" ] || ! grep -q 'without coverage guidance\|not built with coverage' "$programs/log" || status=1
  done
done
exit $status
