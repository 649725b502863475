#!/usr/bin/env bash
# tools/releasing/test.sh [--all]: the version is the same everywhere; consumers need the packages and nothing else; tools/release
# refuses invalid releases. With --all (make check-all) also the slow tests: programs in C++ and Rust, Conan, vcpkg, a whole release.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
case ${1-} in '' | --all) ;; *) echo "usage: tools/releasing/test.sh [--all]" >&2; exit 2 ;; esac

tools/version check
(cd tools/releasing && unformatted=$(gofmt -l .) && [ -z "$unformatted" ] || { echo "not formatted: $unformatted"; exit 1; })
(cd tools/releasing && go vet ./... && go test -count=1 ./...)
PYTHONPATH=tools python3 -B -m unittest releasing.test_prerequisites releasing.test_changes releasing.test_programs releasing.test_version releasing.test_release

tools/readme-programs
if [ "${1-}" = --all ]; then
  for document in cpp/README.md rust/README.md docs/tonic.md docs/migrate-from-prost.md; do
    tools/readme-programs --file $document
  done
fi
[ "${1-}" = --all ] || exit 0

tools/readme-programs --file tools/releasing/testdata/programs.md
packages=$(mktemp -d)
trap 'rm -rf "$packages"' EXIT
tools/packages --out "$packages" cpp
tools/releasing/conan.sh "$packages"
tools/releasing/vcpkg.sh "$packages"
tools/setup machines || echo "SKIPPED: programs for other machines whose compilers are missing"
tools/release --dry-run --uncommitted
