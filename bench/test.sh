#!/usr/bin/env bash
# The benchmarks' own tests: the corpora come out as committed, what is wrong is not timed, and every contender of every
# task gives what the stock runtime gives. Times mean nothing here: two rounds.
set -euo pipefail
cd "$(dirname "$0")/.."
(cd bench/corpus && go vet ./... && go test ./...)
(cd go/bench && go vet ./... && go test ./harness)
bench/run --case seeded-2k --rounds 2 > build/bench/test.jsonl
bench/render build/bench/test.jsonl > /dev/null
python3 - build/bench/test.jsonl <<'PYTHON'
import json, sys
KEYS = ["task", "case", "language", "rival", "ns_per_op", "mb_per_s", "bytes_per_op", "allocs", "instructions", "spread", "verified", "note"]
passed = failed = 0
for line in open(sys.argv[1]):
    row = json.loads(line)
    wrong = [why for why, bad in {
        "keys": list(row) != KEYS,
        "not verified": row["verified"] is not True,
        "no time": not row["ns_per_op"],
        "the pool allocates": row["rival"] == "hotpb-pool" and row["allocs"] != 0,
        "the view allocates": row["rival"] == "hotpb-view" and row["allocs"] != 0,
    }.items() if bad]
    passed, failed = passed + (not wrong), failed + bool(wrong)
    if wrong:
        print(f"{row['task']} {row['language']} {row['rival']}: {', '.join(wrong)}")
print(f"{passed} passed, {failed} failed")
sys.exit(failed != 0)
PYTHON
