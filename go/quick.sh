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
    wire/* | *.go) case $file in */*) ;; *) add . ;; esac ;;&
    wire/*) add ./wire ./view ./pool ./writer ./codec/... ;;
    internal/gen/*) generator=yes ;;
    */*.go) folder=${file%/*}
      if [ -n "$(go list "./$folder" 2>/dev/null)" ]; then add "./$folder"; fi ;;
  esac
done
if [ $all = yes ]; then add ./wire ./chunk ./view ./pool ./writer ./codec/...; fi
if [ $generator = yes ]; then
  ../tools/testgen go
  add ./internal/gen/... ./view ./pool ./writer ./codec/...
fi
[ ${#packages[@]} -gt 0 ] || { echo "go: no package has changed"; exit 0; }
go vet "${packages[@]}"
go test -vet=off -count=1 -short "${packages[@]}"
