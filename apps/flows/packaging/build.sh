#!/usr/bin/env bash
# apps/flows/packaging/build.sh PROGRAM ARCH FOLDER [LICENSES]: writes flows_VERSION-1_ARCH.deb (or with FORMAT=rpm, an RPM package) of a program
# that is built for the architecture (amd64, arm64), into the folder. LICENSES is a file with those of the modules that the program links.
set -euo pipefail
[ $# -ge 3 ] || { echo "usage: apps/flows/packaging/build.sh PROGRAM ARCH FOLDER [LICENSES]" >&2; exit 2; }
program=$(realpath "$1") ARCH=$2 out=$(realpath "$3") licenses=${4:+$(realpath "$4")}
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=tools/env.sh
. ../../tools/env.sh
./setup nfpm
VERSION=$(../../tools/version)
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
# The same sources are the same package: times are those of the commit.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 0)}
export ARCH VERSION SOURCE_DATE_EPOCH

cp "$program" "$stage/program"
ln -s "$PWD" "$stage/flows"
packaging/unit.sh > "$stage/flows.service"
gzip -9n < packaging/flows.1 > "$stage/flows.1.gz"
gzip -9n < docs/guide.md > "$stage/guide.md.gz"
{
  echo "flows is part of hotpb, https://github.com/hotpb/hotpb"
  echo "Copyright (c) 2026 The hotpb authors"
  printf '\nLicensed under the Apache License, Version 2.0; Debian has it in /usr/share/common-licenses/Apache-2.0.\n'
  [ -z "$licenses" ] || { echo; cat "$licenses"; }
} > "$stage/copyright"
cat > "$stage/changelog.yaml" <<YAML
- semver: $VERSION-1
  date: $(date -u -d "@$SOURCE_DATE_EPOCH" +%Y-%m-%dT%H:%M:%SZ)
  packager: The hotpb authors <hotpb@users.noreply.github.com>
  deb: {urgency: medium, distributions: [stable]}
  changes:
    - note: "Version $VERSION; CHANGELOG.md of the source says what is new."
YAML
cd "$stage"
"$HOTPB_TOOLS/nfpm/nfpm" package --config flows/packaging/nfpm.yaml --packager "${FORMAT:-deb}" --target "$out/"
