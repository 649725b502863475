#!/usr/bin/env bash
# check.sh: what takes long: a thousand producers and thirty services are killed, an hour's worth of events (3.6 million) is written
# and read back, a minute of memory that changes under the service, a minute of fuzzing, and the tests under sanitizers.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
export HOTPB_THOROUGH=1 FUZZ_SECONDS=60
examples/tracing/test.sh
examples/tracing/tests/threads.sh
FOLDER=build/tracing-hostile examples/tracing/build.sh -DCMAKE_CXX_COMPILER=clang++ -DTRACING_SANITIZE=address,undefined \
  "-DCMAKE_CXX_FLAGS_RELEASE=-O1 -g1" tracing_vectors_test tracing_sdk_test tracing_session_test tracing_names_test tracing_backlog_test
for test in vectors sdk session names backlog; do build/tracing-hostile/tests/tracing_${test}_test --gtest_brief=1; done
