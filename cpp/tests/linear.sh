#!/usr/bin/env bash
# cpp/tests/linear.sh PLUGIN: twice the input takes at most 2.3 times the instructions, whatever the sender has chosen:
# keys that collide, messages in many records, oneofs that switch. (linear.cc has the cases; nth(), find() of a view's map
# and the fields of groups by wire::Reader are walks by their documentation, and are no cases.) Valgrind counts.
set -euo pipefail
plugin=$(realpath "$1")
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
command -v valgrind >/dev/null || { echo "valgrind is not installed: the work of readers is not counted (Debian: apt-get install valgrind)"; exit 0; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
build/tools/protoc/bin/protoc --plugin=protoc-gen-hotpb-cpp="$plugin" --hotpb-cpp_out="faces=view+pool:$work" -I cpp/tests/peers peers.proto
"${CXX:-g++}" -std=c++17 -O1 -I"$work" -Icpp/include cpp/tests/linear.cc -o "$work/linear"
passed=0 failed=0
count() { # CASE SIZE: the instructions, or 0 if the program failed
  valgrind --tool=callgrind --toggle-collect=work --callgrind-out-file=/dev/null "$work/linear" "$1" "$2" >"$work/log" 2>&1 || { echo 0; return; }
  sed -n 's/.*Collected : //p' "$work/log"
}
while IFS= read -r name; do
  once=$(count "$name" 2000)
  twice=$(count "$name" 4000)
  if [ "$once" -gt 10000 ] && [ "$twice" -gt 10000 ] && [ $((10 * twice)) -le $((23 * once)) ]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAILED: $name: $once instructions for 2000 records, $twice for 4000"
  fi
done < <("$work/linear")
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
