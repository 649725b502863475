#!/usr/bin/env bash
# tools/releasing/conan.sh PACKAGES: Conan builds our recipe from the archive, and a project gets the package from Conan alone.
set -euo pipefail
packages=$(realpath "$1")
cd "$(dirname "${BASH_SOURCE[0]}")"
# shellcheck source=tools/env.sh
. ../env.sh
../setup conan
../setup protoc
conan=$HOTPB_TOOLS/conan/bin/conan
version=$(cat ../../VERSION)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export CONAN_HOME=$work/home
log=$work/log
step() { "$@" >"$log" 2>&1 || { echo "FAILED: $*"; tail -40 "$log"; exit 1; }; }

cp -r "$packages/conan" "$work/recipe"
sed -i "s|https://github.com/hotpb/hotpb/releases/download/v$version/|file://$packages/archives/|" "$work/recipe/conandata.yml"
step "$conan" profile detect
step "$conan" create "$work/recipe"

cp -r testdata/consumer "$work/consumer"
cd "$work/consumer"
printf '[requires]\nhotpb/%s\n[generators]\nCMakeToolchain\n' "$version" > conanfile.txt
step "$conan" install . --output-folder=build --settings=build_type=Release
step cmake -S . -B build -DCMAKE_TOOLCHAIN_FILE=build/conan_toolchain.cmake -DCMAKE_BUILD_TYPE=Release -DHOTPB_PROTOC="$PROTOC"
step cmake --build build
printed=$(build/consumer)
[ "$printed" = "$version parse" ] || { echo "FAILED: it printed '$printed'"; exit 1; }

# An archive that is not the one of the release is refused.
printf 'sources:\n  "%s":\n    url: "file://%s/archives/hotpb-cpp-%s.tar.gz"\n    sha256: "%064d"\n' \
  "$version" "$packages" "$version" 0 > "$work/recipe/conandata.yml"
"$conan" remove --confirm "hotpb/*" >"$log" 2>&1
if "$conan" create "$work/recipe" >"$log" 2>&1; then echo "FAILED: another archive was accepted"; exit 1; fi
grep -qi "sha256" "$log" || { echo "FAILED: refused, and not for its checksum"; tail -20 "$log"; exit 1; }
echo "2 passed, 0 failed"
