#!/usr/bin/env bash
# build.sh [-D…] TARGET...: builds targets of this folder in build/tracing, with hotpb's generator from build/cpp.
# FOLDER=build/… is another folder, for other options.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
. tools/env.sh
folder=${FOLDER:-build/tracing}
log=$(mktemp)
trap 'rm -f "$log"' EXIT
[ -x "$PROTOC" ] || tools/setup protoc
quietly() { "$@" > "$log" 2>&1 || { grep -E -A8 'error|warning' "$log" || cat "$log"; exit 1; }; }
(cd cpp && quietly cmake --preset release && quietly cmake --build --preset release --target protoc-gen-hotpb-cpp --parallel "$(nproc)")
options=()
while [[ ${1:-} == -D* ]]; do options+=("$1"); shift; done
quietly cmake -S examples/tracing -B "$folder" -DCMAKE_BUILD_TYPE=Release "-DCMAKE_CXX_FLAGS_RELEASE=-O2 -DNDEBUG" -DTRACING_TESTS=ON \
  "-DHOTPB_PLUGIN=$PWD/build/cpp/plugin/protoc-gen-hotpb-cpp" "-DTRACING_PLUGIN_LIBRARY=$PWD/build/cpp/plugin/libhotpb_plugin.a" "${options[@]}"
quietly cmake --build "$folder" --parallel "$(nproc)" --target "$@"
