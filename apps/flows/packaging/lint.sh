#!/usr/bin/env bash
# apps/flows/packaging/lint.sh: lints the container file, and checks compose.yaml against the schema of compose files. No engine is needed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
# shellcheck source=tools/env.sh
. ../../../tools/env.sh
../setup containers
"$HOTPB_TOOLS/containers/bin/hadolint" Containerfile
PYTHONPATH="$HOTPB_TOOLS/containers" "$HOTPB_PYTHON" -m check_jsonschema --builtin-schema vendor.compose-spec compose/compose.yaml
# What is mounted is there.
failed=0
for file in $(grep -oE '^ +- \.[^:]+' compose/compose.yaml | cut -d- -f2-); do
  [ -e "compose/$file" ] || { echo "FAILED: compose.yaml mounts $file, which is not there"; failed=1; }
done
echo "$((1 - failed)) passed, $failed failed"
exit $failed
