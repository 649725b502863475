# For the scripts of tests: a folder `work`, checks that are counted, and `compilers`, through which the code of a test goes: clang++, which
# takes half of the time of g++, and with HOTPB_THOROUGH=1 (check-all.sh) each that is installed.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0
check() { # NAME COMMAND...
  local name=$1
  shift
  if "$@" >"$work/log" 2>&1; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAILED: $name"
    head -30 "$work/log"
  fi
}
compilers=()
for compiler in clang++ g++; do
  ! command -v "$compiler" >/dev/null || compilers+=("$compiler")
done
[ "${HOTPB_THOROUGH-}" = 1 ] || compilers=("${compilers[0]}")
