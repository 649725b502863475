#!/usr/bin/env bash
# apps/flows/bench/test.sh: the collector's row of the benchmark grid: the result of every contender equals goflow2's, and the collector allocates nothing.
# Times mean nothing here: two rounds.
set -euo pipefail
cd "$(dirname "$0")"
go vet ./...
go test ./...
cd ../../..
bench/render --check # the figures of docs/performance.md are those of bench/results
export HOTPB_BENCH_ROUND_MS=5
bench/run flow-datagram --rounds 2 --installed > build/bench/flows.jsonl
bench/render build/bench/flows.jsonl > /dev/null
python3 - build/bench/flows.jsonl << 'PYTHON'
import json, sys
rows = [json.loads(line) for line in open(sys.argv[1])]
wrong = {(row["case"], row["rival"]): why for row in rows for why, bad in {
    "not verified": row["verified"] is not True, "no time": not row["ns_per_op"], "no ratio": not row["ratios"],
    "allocates": row["rival"].startswith("hotpb-flows") and row["allocs"] != 0}.items() if bad}
wrong |= {(case, "hotpb-flows"): "no row" for case in ("netflow9", "sflow", "ipfix", "netflow5")
          if (case, "hotpb-flows") not in {(row["case"], row["rival"]) for row in rows}}
for place, why in sorted(wrong.items()):
    print(*place, why)
print(f"{len(rows) - len(wrong)} passed, {len(wrong)} failed")
sys.exit(len(wrong) != 0)
PYTHON
