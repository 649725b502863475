#!/usr/bin/env bash
# apps/remote-write/check-all.sh: what `make check-all` adds for the server: tests and lints with TLS; a minute of random requests; a server that is
# killed 1,000 times, with damaged copies of its store between; 100 bits of each file of a store; three other engines read the
# files; the files are copied to a folder and to S3; requests go to Kafka; and the tests of SQL.
# REMOTE_WRITE_FUZZ_SECONDS, REMOTE_WRITE_KILLS and REMOTE_WRITE_DAMAGES set other numbers.
set -euo pipefail
cd "$(dirname "$0")"
export CARGO_TARGET_DIR=../../build/cargo-remote-write-server
cargo test --quiet --locked
cargo clippy --quiet --locked --all-targets -- -D warnings
export REMOTE_WRITE_FUZZ_SECONDS=${REMOTE_WRITE_FUZZ_SECONDS:-60} REMOTE_WRITE_KILLS=${REMOTE_WRITE_KILLS:-1000}
export REMOTE_WRITE_DAMAGES=${REMOTE_WRITE_DAMAGES:-100}
cargo test --quiet --locked --test serve -- --nocapture fuzz:: kill:: damage::
./check-files.sh
./check-copy.sh
./check-kafka.sh
./sql-test.sh
