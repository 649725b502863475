#!/usr/bin/env bash
# sql-test.sh: builds the server with SQL, which takes minutes because of DataFusion, and runs the tests of SQL. Words after
# the name go to the tests.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
. ../../tools/env.sh
export CARGO_TARGET_DIR=$HOTPB_ROOT/build/cargo-remote-write-sql
cargo test --quiet --locked --no-default-features --features sql --lib --test serve -- sql:: "$@"
