#!/usr/bin/env bash
# cpp/coverage.sh measures which lines of the runtime's headers and of the generated readers the fuzz targets' corpora
# and seeds execute. It needs clang and llvm (llvm-profdata, llvm-cov). The corpora are those that cpp/fuzz.sh left;
# without them, it uses only the seeds. HOTPB_FUZZ_TARGETS="view generate" chooses targets.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

clang=$(command -v clang++ || command -v clang++-14 || true)
if [ -z "$clang" ] || ! command -v llvm-profdata >/dev/null || ! command -v llvm-cov >/dev/null; then
  echo "cpp/coverage.sh: skipped: it needs clang and llvm (Debian: apt-get install clang llvm)"
  exit 0
fi
[ -x ../build/tools/protoc/bin/protoc ] || ../tools/setup protoc
[ -f ../build/vectors/wire.jsonl ] || ../tools/vectors/compile
build=../build/cpp-coverage
read -ra targets <<<"${HOTPB_FUZZ_TARGETS:-wire check delimited generate view lifetime reencode}"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
cmake --preset coverage -DCMAKE_CXX_COMPILER="$clang" >"$log" 2>&1 || { cat "$log"; exit 1; }
cmake --build --preset coverage --target "${targets[@]/#/fuzz_}" --parallel "$(nproc)" >"$log" 2>&1 \
  || { grep -E -A8 'error|warning' "$log" || cat "$log"; exit 1; }
rm -rf "$build/seeds" "$build/profiles"
python3 fuzz/seeds.py .. "$build/seeds"
mkdir -p "$build/profiles"

objects=()
for target in "${targets[@]}"; do
  inputs=("$build/seeds/$target")
  [ ! -d "../build/cpp-fuzz/corpus/$target" ] || inputs+=("../build/cpp-fuzz/corpus/$target")
  LLVM_PROFILE_FILE="$build/profiles/$target.profraw" "$build/fuzz/fuzz_$target" -runs=0 "${inputs[@]}" >"$log" 2>&1 \
    || { tail -20 "$log"; exit 1; }
  objects+=(-object "$build/fuzz/fuzz_$target")
done
llvm-profdata merge -sparse "$build"/profiles/*.profraw -o "$build/profile"

llvm-cov export -summary-only -instr-profile "$build/profile" "${objects[@]:1}" >"$build/coverage.json" 2>"$log" \
  || { cat "$log"; exit 1; }
python3 - "$build/coverage.json" <<'PYTHON'
import json
import sys

files = json.load(open(sys.argv[1]))["data"][0]["files"]
groups = {
    "runtime": lambda path: "/cpp/include/hotpb/" in path and "/writer" not in path,
    "generated readers": lambda path: path.endswith(".hot.h"),
    "generator": lambda path: "/cpp/plugin/" in path,
}
print(f"{'covered':>8} {'lines':>6}  file")
for title, wanted in groups.items():
    covered = total = 0
    for file in sorted(files, key=lambda file: file["filename"]):
        lines = file["summary"]["lines"]
        if not wanted(file["filename"]) or lines["count"] == 0:
            continue
        covered += lines["covered"]
        total += lines["count"]
        print(f"{lines['percent']:7.1f}% {lines['count']:6}  {file['filename'].rsplit('/cpp/', 1)[-1].rsplit('include/', 1)[-1]}")
    print(f"{100 * covered / max(total, 1):7.1f}% {total:6}  all of the {title}\n")
PYTHON
