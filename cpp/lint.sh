#!/usr/bin/env bash
# cpp/lint.sh checks the house rules that a script can check: sizes and widths of files, include guards, warnings as
# errors, and clang-tidy's bug finders if it is installed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

failed=0
complain() { echo "cpp/lint.sh: $*"; failed=1; }
while IFS= read -r file; do
  long=$(awk 'length($0) > 120 {print FNR; exit}' "$file")
  [ -z "$long" ] || complain "$file:$long: wider than 120 columns"
  ! grep -nE '[[:space:]]+$' "$file" || complain "$file: trailing blanks"
  ! grep -nP '\t' "$file" || complain "$file: tabs"
  case $file in
    *.h)
      guard=HOTPB_$(sed 's|^\./||; s|^include/hotpb/||' <<<"$file" | tr 'a-z/.' 'A-Z__')_
      [[ $(head -1 "$file") == "// "* ]] || complain "$file: its first line does not say what the file is"
      grep -q "^#ifndef $guard$" "$file" || complain "$file: its include guard is not $guard" ;;
  esac
done < <(find . \( -name '*.h' -o -name '*.cc' \) -not -path './plugin/bootstrap/*') # those are generated
tests/compile.sh
tidy=$(command -v clang-tidy || command -v clang-tidy-14 || true)
if [ -n "$tidy" ]; then
  "$tidy" --quiet --warnings-as-errors='*' --checks='-*,bugprone-*,-bugprone-easily-swappable-parameters,performance-*' \
    plugin/*.cc -- -std=c++17 -Iinclude -Iplugin || failed=1
else
  echo "cpp/lint.sh: clang-tidy is not installed, so its checks do not run (Debian: apt-get install clang-tidy)"
fi
exit $failed
