#!/usr/bin/env bash
# go/quick.sh < CHANGED: runs the tests of the packages that the changed files belong to, and the vectors of the faces that
# depend on them. tools/quick calls it. Without changed files it runs the tests of all faces.
set -euo pipefail
cd "$(dirname "$0")"
packages=() all=yes generator=no
add() { for package; do [[ " ${packages[*]} " == *" $package "* ]] || packages+=("$package"); done; }
while read -r file; do
  all=no
  case $file in
    wire/* | *.go) case $file in */*) ;; *) add . ./test/hotpb ;; esac ;;&
    wire/*) add ./wire ./rt/... ./test/... ;;
    internal/gen/*) generator=yes ;;
    */*.go) folder=${file%/*}
      for package in "./$folder" "./test/$folder"; do
        if [ -n "$(go list "$package" 2>/dev/null)" ]; then add "$package"; fi
      done ;;
  esac
done
if [ $all = yes ]; then add ./wire ./chunk ./rt/... ./test/...; fi
if [ $generator = yes ]; then
  ../tools/testgen go
  add ./internal/gen/... ./rt/... ./test/...
fi
[ ${#packages[@]} -gt 0 ] || { echo "go: no package has changed"; exit 0; }
go vet "${packages[@]}"
go test -vet=off -count=1 -short "${packages[@]}"
