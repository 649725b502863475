#!/usr/bin/env bash
# tools/releasing/vcpkg.sh PACKAGES: the overlay port builds a package that a project finds.
#
# vcpkg is not in the package registries that this repository uses. testdata/vcpkg.cmake stands in for the helpers of vcpkg that
# the port calls. It has their arguments and errors and does their work: download by checksum, extract, configure, install, move.
set -euo pipefail
packages=$(realpath "$1")
cd "$(dirname "${BASH_SOURCE[0]}")"
# shellcheck source=tools/env.sh
. ../env.sh
../setup protoc
version=$(cat ../../VERSION)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
step() { "$@" >"$work/log" 2>&1 || { echo "FAILED: $*"; tail -40 "$work/log"; exit 1; }; }
port() { cmake -DPORT="$work/port" -DVERSION="$version" -DWORK="$work/vcpkg" -P testdata/vcpkg.cmake; }

cp -r "$packages/vcpkg/ports/hotpb" "$work/port"
python3 - "$work/port/vcpkg.json" "$version" <<'PYTHON'
import json, re, sys
manifest = json.load(open(sys.argv[1]))
known = {"name", "version", "description", "homepage", "license", "supports", "dependencies"}
assert set(manifest) == known, set(manifest) ^ known
assert (manifest["name"], manifest["version"]) == ("hotpb", sys.argv[2])
for dependency in manifest["dependencies"]:
    assert set(dependency) <= {"name", "host", "platform"}, dependency
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", dependency["name"]), dependency
PYTHON
if grep -n '@[A-Z_]*@' "$work/port/portfile.cmake"; then echo "FAILED: the port has a placeholder"; exit 1; fi
sed -i "s|https://github.com/hotpb/hotpb/releases/download/v$version/|file://$packages/archives/|" "$work/port/portfile.cmake"
step port
cp -r testdata/consumer "$work/consumer"
step cmake -S "$work/consumer" -B "$work/build" -DCMAKE_PREFIX_PATH="$work/vcpkg/packages" -DHOTPB_PROTOC="$PROTOC"
step cmake --build "$work/build"
printed=$("$work/build/consumer")
[ "$printed" = "$version parse" ] || { echo "FAILED: it printed '$printed'"; exit 1; }

sed -i -E 's/SHA512 [0-9a-f]{8}/SHA512 00000000/' "$work/port/portfile.cmake"
rm -rf "$work/vcpkg"
if port >"$work/log" 2>&1; then echo "FAILED: another archive was accepted"; exit 1; fi
grep -q "HASH mismatch\|expected hash" "$work/log" || { echo "FAILED: refused, and not for its checksum"; tail -20 "$work/log"; exit 1; }
echo "2 passed, 0 failed"
