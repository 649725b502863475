#!/usr/bin/env python3
"""usage: seeds.py REPOSITORY OUT: writes seeds for the fuzz targets, from the compiled vectors and the golden plans' sets."""
import json
import sys
from pathlib import Path

repository, out = Path(sys.argv[1]), Path(sys.argv[2])


def seeds(target, inputs):
    folder = out / target
    folder.mkdir(parents=True, exist_ok=True)
    for index, data in enumerate(sorted(set(inputs))):
        (folder / f"seed-{index:05}").write_bytes(data)


def rows(name):
    path = repository / "build/vectors" / f"{name}.jsonl"
    if not path.exists():
        sys.exit(f"{path} is missing: run tools/vectors/compile")
    with open(path, encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def vectors(name):
    return [bytes.fromhex(row["input"]) for row in rows(name)]


def named(name):
    return [(row["message"].removeprefix("hotpb.vectors."), bytes.fromhex(row["input"])) for row in rows(name)]


messages = vectors("wire") + vectors("invalid")
small = [m for m in messages if len(m) <= 200]
seeds("wire", small[::4] + vectors("primitive"))
seeds("check", small[::4])
seeds("view", small[::3])
# The first eight bytes are choices (lifetime_fuzzer.cc). Messages in several records come first.
split = [bytes.fromhex(f"{c:016x}") + m for m in small if m.count(m[:2]) > 1 for c in (0, 0x0102030405000102)]
seeds("lifetime", split + [bytes(8) + m for m in small[1::5]])
# The first byte chooses the message (reencode_fuzzer.cc).
seeds("reencode", [bytes([0]) + m for m in small[::4]] + [bytes([1]) + m for m in small[1::8]])
# So it does in pool_fuzzer.cc, whose list of nine this is but for raft's; nine more is with the option `strict`. Each
# vector is the message that it belongs to.
POOLS = ("p2.All", "p3.All", "e23.All", "e24.All", "p2.Needs", "p2.Numbers", "p2.Child", "p2.MessageSet")
known = [(POOLS.index(name), m) for name, m in named("wire") + named("invalid") if name in POOLS and len(m) <= 200]
seeds("pool", [bytes([index]) + m for index, m in known[::4]] + [bytes([index + 9]) + m for index, m in known[1::16]])
seeds("owned", [bytes([index]) + m for index, m in known[1::4]] + [bytes([index + 9]) + m for index, m in known[2::16]])
seeds("delimited", vectors("stream"))
sets = sorted((repository / "vectors/plans").glob("**/*.fds"))
seeds("generate", [s.read_bytes() for s in sets if s.stat().st_size < 40000])


# Passes and chunks (shm_fuzzer.cc).
def record(kind, data):
    return (kind << 13 | len(data)).to_bytes(2, "little") + data


def chunk(index, number, records, writer=1, phase=0x13):
    return bytes([index, writer, number, phase, len(records), 0]) + records


WHOLE, BEGIN, MIDDLE, END, PATCHES, LOST = range(6)
poll = b"\x40"
split = [record(BEGIN, b"\x1a" + bytes(4)), record(MIDDLE, b"ab"), record(PATCHES, bytes([0, 1, 2])) + record(END, b"")]
seeds("shm", [
    b"\x01" + chunk(0, 0, record(WHOLE, b"abc")) + poll,
    b"\x01" + b"".join(chunk(i, i, r) for i, r in enumerate(split)) + poll,
    b"\x01" + b"".join(chunk(9 - i, i - 1 & 255, r, 2) for i, r in enumerate(split)) + poll + b"\x2f\x21" + poll,
    b"\x01" + chunk(3, 0, record(LOST, b"\x05") + record(WHOLE, b""), phase=0x12) + poll + poll + poll,
    b"\x02" + chunk(0, 0, b"".join(split)) + poll + b"\x2e" + poll,
    b"\x03" + b"".join(chunk(i, i, r) for i, r in enumerate(split)) + poll + poll + poll,
    b"\x01" + chunk(3, 0, split[0]) + poll + chunk(4, 2, record(WHOLE, b"x"), phase=0x11) + poll + b"\x10\x40\x00\x7f\x22" + poll,
    bytes(1) + (0x316d687362707468).to_bytes(8, "little") + bytes([1, 0, 0, 0, 80]) + bytes(11) + bytes([128, 0, 0, 0, 16, 0, 0, 0, 3])
    + bytes(7) + b"".join(n.to_bytes(8, "little") for n in (4096, 4224, 8192, 12288, 16384)) + bytes([3]),
])
