#!/usr/bin/env bash
# test.sh: the vectors, the SDK in one process, the service's backlog, no system call per event, producers and services that are killed, text that
# is any bytes, read back by Perfetto's trace processor; libraries that are unloaded; a hostile producer under the address sanitizer. About a minute.
# HOTPB_THOROUGH=1 is the long form (check.sh), of optimised programs.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
. tools/env.sh
tools/setup trace-processor
FOLDER=build/tracing-quick level=-O0
[ -z "${HOTPB_THOROUGH:-}" ] || FOLDER=build/tracing level=-O2
export FOLDER
examples/tracing/build.sh "-DCMAKE_CXX_FLAGS_RELEASE=$level -DNDEBUG" trace-service trace-producer trace-texts tracing-demo \
  tracing_vectors_test tracing_sdk_test tracing_session_test tracing_names_test tracing_backlog_test tracing_syscalls_test
status=0
for test in vectors sdk session names backlog syscalls; do "$FOLDER/tests/tracing_${test}_test" --gtest_brief=1 || status=1; done
PYTHONPATH=$TRACE_PROCESSOR/python "$HOTPB_PYTHON" examples/tracing/tests/processes.py "$FOLDER" || status=1
"$HOTPB_PYTHON" examples/tracing/tests/plugins.py "$FOLDER" || status=1
examples/tracing/tests/hostile.sh || status=1
exit $status
