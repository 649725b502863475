#!/usr/bin/env bash
# apps/flows/check.sh [PATTERN]: the acceptance of the collector, about twenty minutes: the reference decoder, live exporters, a real Kafka
# broker that is killed, ClickHouse. It fetches what it needs (as root on Debian; otherwise it names what is missing). PATTERN
# chooses tests by name.
set -euo pipefail
cd "$(dirname "$0")"
root=../..
"$root/tools/setup" check go python3
for part in venv chdb; do "$root/tools/setup" "$part"; done
../setup kafka
./setup exporters
# Processes that the tests start end with them, however they end. Files and mounts of the tests are in TMPDIR.
TMPDIR=$(mktemp -d /tmp/hotpb-check.XXXXXX)
export TMPDIR
cleanup() {
  awk -v dir="$TMPDIR/" 'index($2, dir) == 1 {print $2}' /proc/mounts | xargs -r umount --lazy
  rm -rf "$TMPDIR"
}
trap cleanup EXIT
status=0
if [ $# = 0 ]; then # ten minutes of exporters that are made at random, and another decoder where there is one
  python3 reference/run.py --seconds 600 || status=$?
  python3 reference/tshark.py || status=$?
fi
log=$root/build/logs/check-flows.log
mkdir -p "$root/build/logs"
go vet -tags acceptance ./acceptance
go test -count=1 -run TestNetSNMP ./internal/snmp || status=$? # asks snmpd, by v2c and v3
go test -tags acceptance -count=1 -v -timeout 20m -run "${1:-.}" ./acceptance 2>&1 \
  | tee "$log" | grep -v '^=== ' || status=$?
count() { grep -c "^--- $1" "$log" || true; }
echo "check-flows: $(count PASS) passed, $(count FAIL) failed, $(count SKIP) skipped (build/logs/check-flows.log)"
exit $status
