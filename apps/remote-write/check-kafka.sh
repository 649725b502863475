#!/usr/bin/env bash
# check-kafka.sh: the tests of the way to Kafka, with librdkafka's imitation of a broker and with a real one (apps/setup kafka).
# REMOTE_WRITE_KAFKA_KILLS=100 for a longer run.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
. ../../tools/env.sh
"$HOTPB_ROOT/apps/setup" kafka
export CARGO_TARGET_DIR=$HOTPB_ROOT/build/cargo-remote-write-server
run() { cargo test --quiet --locked --no-default-features --features kafka "$@"; }
run --lib -- kafka:: log::
run --test serve -- kafka::
# Each test has a broker of its own, which takes 500 MB.
REMOTE_WRITE_KAFKA_JARS=$HOTPB_TOOLS/kafka run --test serve -- kafka:: --test-threads=2
