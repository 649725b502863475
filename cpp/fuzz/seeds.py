#!/usr/bin/env python3
"""usage: seeds.py REPOSITORY OUT: seed inputs of the fuzz targets, from the compiled vectors and the golden plans' sets."""
import json
import sys
from pathlib import Path

repository, out = Path(sys.argv[1]), Path(sys.argv[2])


def seeds(target, inputs):
    folder = out / target
    folder.mkdir(parents=True, exist_ok=True)
    for index, data in enumerate(sorted(set(inputs))):
        (folder / f"seed-{index:05}").write_bytes(data)


def vectors(name):
    path = repository / "build/vectors" / f"{name}.jsonl"
    if not path.exists():
        sys.exit(f"{path} is missing: run tools/vectors/compile")
    with open(path, encoding="utf-8") as lines:
        return [bytes.fromhex(json.loads(line)["input"]) for line in lines]


messages = vectors("wire") + vectors("invalid")
small = [m for m in messages if len(m) <= 200]
seeds("wire", small[::4] + vectors("primitive"))
seeds("check", small[::4])
seeds("view", small[::3])
# The first eight bytes are choices: lifetime_fuzzer.cc. Messages in several records first of all.
split = [bytes.fromhex(f"{c:016x}") + m for m in small if m.count(m[:2]) > 1 for c in (0, 0x0102030405000102)]
seeds("lifetime", split + [bytes(8) + m for m in small[1::5]])
# The first byte chooses the message: reencode_fuzzer.cc.
seeds("reencode", [bytes([0]) + m for m in small[::4]] + [bytes([1]) + m for m in small[1::8]])
seeds("delimited", vectors("stream"))
sets = sorted((repository / "vectors/plans").glob("**/*.fds"))
seeds("generate", [s.read_bytes() for s in sets if s.stat().st_size < 40000])
