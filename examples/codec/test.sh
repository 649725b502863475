#!/usr/bin/env bash
# The programs read each other's journal: all four write into one, one after the other, and each shows the same.
set -euo pipefail
cd "$(dirname "$0")"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
passed=0 failed=0
./generate.sh
for module in gogo googlev1 googlev2; do
  (cd $module && go vet ./... && go build -o "$scratch/$module" .)
done
(cd gogo && go test -count=1 .)
"$scratch/gogo" -journal "$scratch/journal" -add gogo > "$scratch/out"
"$scratch/gogo" -moved -journal "$scratch/journal" -add moved > "$scratch/out"
"$scratch/googlev1" -journal "$scratch/journal" -add v1 > "$scratch/out"
"$scratch/googlev2" -journal "$scratch/journal" -add v2 > "$scratch/expected"
cat "$scratch/expected"
for program in gogo "gogo -moved" googlev1 googlev2; do
  # shellcheck disable=SC2086
  "$scratch/"$program -journal "$scratch/journal" > "$scratch/out"
  # Whose messages they are differs, and spaces do.
  if diff <(grep -v '^#' "$scratch/expected" | tr -d ' ') <(grep -v '^#' "$scratch/out" | tr -d ' ') && [ "$(grep -c '"o-' "$scratch/out")" = 4 ]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1)) && echo "FAILED: $program"
  fi
done
# Who has moved links nothing of what was left behind.
for module in googlev2 service; do
  if (cd $module && go list -deps .) | grep -E '^github.com/(gogo|golang)/'; then failed=$((failed + 1)); else passed=$((passed + 1)); fi
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
