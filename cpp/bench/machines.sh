#!/usr/bin/env bash
# cpp/bench/machines.sh counts the instructions of ProtoZero's two documents, written by hotpb and by ProtoZero, on this
# machine (Valgrind) and on 64-bit ARM (qemu, one log line for each instruction), and prints a table in Markdown.
# A count is the difference of two runs, without the loop itself; both writers' messages are checked first.
#   cpp/bench/machines.sh [COMPILER...]      default: g++ clang++ aarch64-linux-gnu-g++ and clang++ for 64-bit ARM
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
. tools/env.sh
for tool in python3 cargo; do
  command -v $tool >/dev/null || { echo "SKIPPED: instructions on other machines: no $tool"; exit 0; }
done
[ -x "$PROTOC" ] || tools/setup protoc
plugin=build/cpp/plugin/protoc-gen-hotpb-cpp
[ -x $plugin ] || { (cd cpp && cmake --preset release && cmake --build --preset release --target protoc-gen-hotpb-cpp) >/dev/null; }
[ $# -gt 0 ] || set -- g++ clang++ aarch64-linux-gnu-g++ "clang++ --target=aarch64-linux-gnu"

out=build/cpp-machines
mkdir -p $out
mkdir -p $out/called
hot() { "$PROTOC" --plugin=protoc-gen-hotpb-cpp=$plugin --hotpb-cpp_out="$1,messages=hotpb.bench.Event:$2" -I proto bench/events.proto; }
hot faces=writer+view,hot=hotpb.bench.Event $out
hot faces=writer,namespace=called $out/called
manifest=$(cargo metadata --locked --format-version 1 --manifest-path cpp/bench/perfetto/Cargo.toml |
  grep -oP '"manifest_path":"\K[^"]*/perfetto-sdk-sys-[^"]*(?=/Cargo.toml")' | head -1)
python3 cpp/bench/perfetto/extract.py "$manifest/libperfetto_c/perfetto_c.cc" $out

# instructions PROGRAM WRITER DOCUMENT MESSAGES
native() { valgrind --tool=callgrind --callgrind-out-file=/dev/null "$@" 2>&1 | sed -n 's/.*Collected : //p'; }
emulated() { qemu-aarch64 -L /usr/aarch64-linux-gnu -singlestep -d exec,nochain -D /dev/stdout "$@" | grep -c '^Trace'; }

writers=(hotpb-writer hotpb-writer:fresh hotpb-writer:called perfetto-protozero:reused+size perfetto-protozero:reused perfetto-protozero)
printf '| machine, compiler | document |'
printf ' %s |' "${writers[@]}"
printf '\n|---|---|'
printf -- '--:|%.0s' "${writers[@]}"
echo
for compiler in "$@"; do
  machine=$(uname -m) count=native run=()
  case $compiler in *aarch64*) machine=aarch64 count=emulated run=(qemu-aarch64 -L /usr/aarch64-linux-gnu) ;; esac
  needs=("${compiler%% *}")
  [ $count = native ] && needs+=(valgrind) || needs+=(aarch64-linux-gnu-g++ qemu-aarch64)
  for tool in "${needs[@]}"; do
    command -v "$tool" >/dev/null || { echo "SKIPPED: $compiler: no $tool (tools/setup machines)" >&2; continue 2; }
  done
  program=$out/writer-${compiler//[^a-z0-9]/_}
  # Code of others without hotpb's warnings. The compiler has options.
  $compiler -std=c++17 -O2 -DNDEBUG -DPERFETTO_IMPLEMENTATION -w -Icpp/include -Icpp/bench -I$out -isystem "$manifest/libperfetto_c" \
    cpp/bench/machines/main.cc cpp/bench/perfetto/logging.cc $out/protozero.cc -o $program
  "${run[@]}" $program check
  declare -A per
  for writer in nothing "${writers[@]}"; do
    for document in simple nested; do
      few=$($count $program $writer $document 20)
      many=$($count $program $writer $document 120)
      per[$writer $document]=$((many - few))
    done
  done
  version=$($compiler -dumpversion)
  for document in simple nested; do
    printf '| %s, %s %s | %s |' "$machine" "$(case $compiler in clang*) echo clang ;; *) echo g++ ;; esac)" "${version%%.*}" $document
    for writer in "${writers[@]}"; do
      awk -v n=${per[$writer $document]} -v loop="${per[nothing $document]}" -v hotpb=${per[hotpb-writer $document]} -v name="$writer" 'BEGIN {
        count = (n - loop) / 100; own = (hotpb - loop) / 100
        if (name ~ /^hotpb/) printf " %.0f |", count; else printf " %.0f (%.1fx) |", count, count / own }'
    done
    echo
  done
done
