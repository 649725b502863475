#!/usr/bin/env bash
# check-copy.sh: the tests of copies, to a folder and to a server of S3's API (gofakes3, which Go builds).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
. ./env.sh
./setup s3
export CARGO_TARGET_DIR=$HOTPB_ROOT/build/cargo-remote-write-server
run() { cargo test --quiet --locked --no-default-features --features copy --test serve -- copy:: "$@"; }
run
scratch=$(mktemp -d)
port=$("$HOTPB_PYTHON" -c 'import socket; s = socket.create_server(("127.0.0.1", 0)); print(s.getsockname()[1])')
"$GOFAKES3" -backend memory -initialbucket metrics -host "127.0.0.1:$port" > "$scratch/log" 2>&1 & server=$!
trap 'kill $server; rm -rf "$scratch"' EXIT
for _ in $(seq 100); do (: < "/dev/tcp/127.0.0.1/$port") 2> /dev/null && break; sleep 0.1; done
export AWS_ACCESS_KEY_ID=key AWS_SECRET_ACCESS_KEY=secret AWS_REGION=us-east-1 AWS_ALLOW_HTTP=true
AWS_ENDPOINT=http://127.0.0.1:$port REMOTE_WRITE_COPY_TEST=s3://metrics run
