#!/usr/bin/env bash
# The tests of the benchmarks: the corpora are generated as committed, wrong results are not timed, and the result of every
# contender in every task equals the stock runtime's. Times mean nothing here: two rounds, and no optimisation.
set -euo pipefail
cd "$(dirname "$0")/.."
bench/render --check # the figures of README, docs/performance.md and those of apps are those of their results
tools/testgen go/bench rust/bench
(cd bench/corpus && go vet ./... && go test ./...)
(cd go/bench && go vet ./... && go test ./...)
(cd go/bench/v1 && go vet ./... && go test ./...)
python3 bench/measure_test.py
python3 bench/run_test.py
python3 bench/contenders_test.py
# Every contender of small messages of each shape is right.
bench/peers --make build/peers/test --seed 7
bench/peers build/peers/test --rounds 2 --ms 1 2>&1 | tee build/peers/test.txt
if grep ' is wrong: ' build/peers/test.txt; then exit 1; fi
# Well-known types in Go, whose stock runtime has them in packages of its own.
(cd bench && python3 -c 'import shapes; from pathlib import Path; shapes.make_known(Path("../build/peers/known"), 7)')
bench/peers build/peers/known --language go --rounds 2 --ms 1 --table build/peers/known.json
cases=(seeded-2k seeded harness hot-loop random one-byte nested-events nested-event descriptor none complex-repeated encode-complex
  14-bytes 1KiB proto3-decode proto2ext-decode-get proto2ext-encode 14 netflow9 ipfix raft)
export HOTPB_BENCH_ROUND_MS=5
bench/run "${cases[@]/#/--case=}" --rounds 2 --installed --unoptimised > build/bench/test.jsonl
# Shapes that take other paths through a reader than the usual ones.
bench/run rw1-decode rw1-rows --case shuffled --case unknown-sprinkled --rounds 2 --installed --unoptimised >> build/bench/test.jsonl
bench/render build/bench/test.jsonl > /dev/null
python3 - build/bench/test.jsonl <<'PYTHON'
import json, sys
KEYS = ["task", "case", "language", "rival", "ns_per_op", "mb_per_s", "bytes_per_op", "allocs", "instructions", "spread", "verified", "note",
        "ratios", "times"]
passed = failed = 0
seen = set()
for line in open(sys.argv[1]):
    row = json.loads(line)
    seen.add((row["language"], row["task"]))
    # The loops that were written for one layout of the fields refuse any other.
    refused = row["rival"] == "floor" and row["case"] in ("shuffled", "unknown-sprinkled")
    refused |= row["rival"] in ("mapbox-protozero", "perfetto-protozero") and row["case"] == "unknown-sprinkled"
    refused |= row["rival"] == "vtprotobuf" and row["case"].startswith("proto2ext") and row["note"].startswith("wrong: ")
    wrong = [why for why, bad in {
        "keys": list(row) != KEYS,
        "no interval": row["verified"] is True and (not row["ratios"] or any(not low <= middle <= high for middle, low, high in row["ratios"].values())),
        "not verified": row["verified"] is not True and not refused,
        "no time": not row["ns_per_op"] and not refused,
        # Every contender returns fresh bytes here: one allocation. Of a call, tonic allocates the rest.
        "the pool allocates": not row["task"].startswith("grpc") and row["rival"] in ("hotpb-pool", "hotpb-pool:alias") and row["allocs"] > (row["task"] == "many-types-encode"),
        "the codec allocates": (row["language"], row["rival"]) == ("rust", "hotpb-codec") and row["allocs"] != 0,
        "the view allocates": row["rival"] == "hotpb-view" and row["allocs"] != 0,
        "the schema face allocates": row["rival"].startswith("hotpb-schema") and row["allocs"] > (2 if row["task"] == "flow-batch" else 0),
        "the writer allocates": row["rival"].startswith("hotpb-writer") and row["allocs"] != 0,
    }.items() if bad]
    passed, failed = passed + (not wrong), failed + bool(wrong)
    if wrong:
        print(f"{row['task']} {row['language']} {row['rival']}: {', '.join(wrong)}")
wanted = {("cpp", task) for task in ("protozero-simple", "protozero-nested", "varint-mix", "scatter", "view-one", "view-all",
                                     "many-types-decode", "many-types-encode", "rw1-decode", "rw1-decode-read", "rw1-encode",
                                     "rw1-rows", "rw2-decode", "googlemsg1", "otlp-logs", "packed-ints", "maps", "deep", "small-200B")}
wanted |= {(language, f"many-types-{what}") for language in ("rust", "go") for what in ("decode", "encode")}
wanted |= {(language, task) for language in ("rust", "go") for task in (
    "rw1-decode", "rw1-decode-read", "rw1-find", "rw1-encode", "rw1-body", "packed-ints", "maps", "deep", "small-200B", "protozero-simple",
    "protozero-nested")}
wanted |= {("rust", task) for task in ("rw1-last-label", "rw1-rows", "rw2-decode", "googlemsg1", "otlp-logs", "googlemsg1-two", "slice",
                                      "otlp-logs-two", "small-200B-two", "descriptor-set")}
wanted |= {("rust", task) for task in ("grpc-echo", "grpc-echo-tcp")}
wanted |= {("go", task) for task in ("zeropb", "rw1-last-label", "large-bytes", "decode-string", "flow-encode", "flow-batch", "template-encode",
                                         "dynamic-decode")}
wanted |= {("go", f"codec-event-{structs}") for structs in ("open", "opaque", "gogo", "v1")}
for language, task in sorted(wanted - seen):
    print(f"{task}: no row of {language}")
    failed += 1
print(f"{passed} passed, {failed} failed")
sys.exit(failed != 0)
PYTHON
