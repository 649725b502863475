#!/usr/bin/env bash
# rust/hotpb-arrow/test.sh: the tests of hotpb-arrow.
set -euo pipefail
cd "$(dirname "$0")"
../../tools/vectors/compile
cargo test --quiet --locked
