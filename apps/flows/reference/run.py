#!/usr/bin/env python3
"""Compares the collector with the reference decoder, on exporters that are made at random.

    apps/flows/reference/run.py --seconds 60             # another seed each time; it is printed
    apps/flows/reference/run.py --seed 7 --exporters 6000 --only plain,sflow
    apps/flows/reference/run.py --file capture.pcap      # compares on a capture

Both sides read the same schema, with all columns on. Every column of every flow must be equal, in order, and so must the counts of
what could not be read. A disagreement is shrunk to a few bytes and printed.
"""

import argparse
import collections
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent))

import capture
import decoder
import generate
import schema
import shrink
from messages import SFlow

FLOWS = pathlib.Path(__file__).resolve().parents[1]
REASONS = ("unknown_version", "truncated", "malformed", "template_malformed", "waiting_expired", "list_skipped")
BATCH = 300  # exporters that one process of the collector reads
SHOWN = 8  # disagreements that are shrunk


class Collector:
    """The program under test."""

    def __init__(self, program, folder, text):
        self.program, self.folder = program, folder
        self.schema = folder / "all.yaml"
        self.schema.write_text(text)

    def decode(self, datagrams):
        path = self.folder / "batch.pcap"
        capture.write_pcap(path, datagrams)
        return self.replay(path)

    def replay(self, path):
        """The flows, and what was dropped by reason."""
        ran = subprocess.run(
            [self.program, "replay", path, f"--schema={self.schema}", "--output=stdout", "--sampling-wait=0s", "--no-progress",
             "--max-memory=2000000000"], capture_output=True, text=True, check=False)
        if ran.returncode:
            raise SystemExit(f"{self.program} ended with {ran.returncode}:\n{ran.stderr[-3000:]}")
        dropped = {reason: int(n) for reason, n in re.findall(r"dropped\.(\w+)=(\d+)", ran.stderr)}
        flows = [json.loads(line) for line in ran.stdout.split("\n") if line]
        # No address is "::", or the column is absent.
        return [{name: v for name, v in flow.items() if v != "::"} for flow in flows], dropped


class Reference:
    """The other side."""

    def __init__(self, text):
        self.text = text

    def decode(self, datagrams):
        return decoder.decode(self.text, datagrams)


def address(index):
    return f"10.{index >> 16 & 255}.{index >> 8 & 255}.{index & 255}"


def datagrams(scenarios):
    """What all exporters send, one after the other; each scenario has an address of its own."""
    found = []
    for index, messages in enumerate(scenarios):
        for m in messages:
            if isinstance(m, SFlow):
                m.agent = bytes(int(part) for part in address(index + 1).split("."))
            found.append(capture.Datagram(address(index + 1), m.port, m.time * 10**9 + index * 1000, m.encode()))
    return found


class Difference:
    """Where the two disagree about one exporter: columns of a flow, the number of flows, or a count."""

    def __init__(self, names, expected, got):
        self.names, self.expected, self.got = names, expected, got

    def text(self):
        return [f"  {name}: reference {self.expected.get(name)!r}, collector {self.got.get(name)!r}" for name in self.names]


def compare(collector, reference, scenarios):
    """Differences by the index of the exporter; None is that of a count, which names none."""
    sent = datagrams(scenarios)
    want, want_counts = reference.decode(sent)
    got, got_counts = collector.decode(sent)
    found = {}
    by = [collections.defaultdict(list), collections.defaultdict(list)]
    for side, flows in zip(by, (want, got)):
        for flow in flows:
            side[flow.get("exporter_address")].append(flow)
    known = {address(i + 1): i for i in range(len(scenarios))}
    for exporter in [*by[0], *(e for e in by[1] if e not in by[0])]:
        a, b = by[0][exporter], by[1][exporter]
        different = _difference(a, b)
        if different:
            found[known.get(exporter, -1)] = different
    names = [r for r in REASONS if want_counts.get(r, 0) != got_counts.get(r, 0)]
    if names:
        found[None] = Difference(names, want_counts, got_counts)
    return found, len(want)


def _difference(a, b):
    for x, y in zip(a, b):
        if x != y or {n for n, v in x.items() if v is True} != {n for n, v in y.items() if v is True}:
            names = sorted(n for n in x.keys() | y.keys() if not same(x.get(n), y.get(n)))
            if names:
                return Difference(names, x, y)
    if len(a) != len(b):
        return Difference(["number of flows"], {"number of flows": len(a)}, {"number of flows": len(b)})
    return None


def same(a, b):
    return a == b and isinstance(a, bool) == isinstance(b, bool)


def shrunk(collector, reference, messages, different, until):
    """A scenario with the same disagreement, of which nothing can be left out."""
    counted = different.names[0] in REASONS
    names = set(different.names)
    while time.time() < until:
        candidates = list(shrink.smaller(messages))
        smaller, size = None, 4
        while candidates and not smaller:  # a few at a time, because an early one often has it
            smaller = _first(collector, reference, candidates[:size], names, counted)
            candidates, size = candidates[size:], size * 2
        if not smaller:
            break
        messages, different = smaller
    return messages, different


def _first(collector, reference, candidates, names, counted):
    """The first candidate that has the disagreement. Counts name no exporter, so each is tried alone."""
    if counted:
        for messages in candidates:
            found = compare(collector, reference, [messages])[0].get(None)
            if found and names & set(found.names):
                return messages, found
        return None
    found = compare(collector, reference, candidates)[0]
    for index in sorted(i for i in found if i is not None and i >= 0):
        if names & set(found[index].names):
            return candidates[index], found[index]
    return None


def counts_differ(collector, reference, scenarios):
    """The scenario whose counts differ, by halves."""
    while len(scenarios) > 1:
        half = scenarios[:len(scenarios) // 2]
        scenarios = half if None in compare(collector, reference, [m for _, m in half])[0] else scenarios[len(half):]
    return scenarios[0]


def fuzz(collector, reference, seed, seconds, names=None, shown=SHOWN, out=print, limit=float("inf")):
    """Returns how many disagreements there were; it shrinks and prints one of each kind. It ends after the seconds, or at the limit of exporters."""
    begin = time.time()
    kinds, total, exporters, flows, templates = {}, 0, 0, 0, 0
    while time.time() - begin < seconds and exporters < limit:
        made = [generate.scenario(random.Random(f"{seed}/{exporters + i}"), names) for i in range(BATCH)]
        found, n = compare(collector, reference, [messages for _, messages in made])
        exporters, flows = exporters + BATCH, flows + n
        templates += sum(len(getattr(s, "definitions", ())) for _, messages in made for m in messages for s in getattr(m, "sets", ()))
        total += len(found)
        for index, different in sorted(found.items(), key=lambda item: item[0] is None):
            if index == -1:
                out(f"flows of an exporter that sent none: {different.got}")
                continue
            if index is None:
                if len(found) > 1:
                    continue  # as the flows differ, so may the counts
                name, messages = counts_differ(collector, reference, made)
            else:
                name, messages = made[index]
            kind = name, different.names[0]
            if kind in kinds or len(kinds) >= shown:
                kinds[kind] = kinds.get(kind, 0) + 1
                continue
            kinds[kind] = 1
            messages, different = shrunk(collector, reference, messages, different, time.time() + 15)
            report(name, messages, different, out)
    out(f"{exporters} exporters, {templates} templates, {flows} flows in {time.time() - begin:.0f} s, seed {seed}: {total} disagreements")
    for (name, column), n in sorted(kinds.items(), key=lambda item: -item[1]):
        out(f"  {n} of {name}, {column}")
    return total


def report(name, messages, different, out):
    out(f"disagreement ({name}):")
    for line in different.text():
        out(line)
    for d, m in zip(datagrams([messages]), messages):
        for line in m.describe():
            out(f"    {line}")
        out(f"    port {d.port}, hex {d.payload.hex()}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--exporters", type=int, default=0, help="ends after so many exporters, not after seconds")
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--only", default="", help="names of scenarios: " + ", ".join(generate.SCENARIOS))
    parser.add_argument("--file", default="", help="a capture to compare on")
    parser.add_argument("--program", default="", help="the collector; it is built if this is missing")
    arguments = parser.parse_args()
    text = schema.complete((FLOWS / "flows.yaml").read_text())
    with tempfile.TemporaryDirectory(prefix="hotpb-reference.") as name:
        folder = pathlib.Path(name)
        program = arguments.program or folder / "flows"
        if not arguments.program:
            subprocess.run(["go", "build", "-o", program, "."], cwd=FLOWS, check=True)
        collector, reference = Collector(program, folder, text), Reference(text)
        if arguments.file:
            return file(collector, reference, arguments.file)
        seed = random.randrange(10**9) if arguments.seed is None else arguments.seed
        names = [n for n in arguments.only.split(",") if n] or None
        seconds, limit = (float("inf"), arguments.exporters) if arguments.exporters else (arguments.seconds, float("inf"))
        return 1 if fuzz(collector, reference, seed, seconds, names, limit=limit) else 0


# What a .dgrams file does not have for sFlow: when it was received.
NOT_IN_FILES = ("time_received", "flow_start", "flow_end")


def file(collector, reference, path):
    want, counts = reference.decode(capture.read(path))
    got, dropped = collector.replay(path)
    for flow in want + got:
        if path.endswith(".dgrams") and flow["flow_type"] == "SFLOW_V5":
            for name in NOT_IN_FILES:
                flow.pop(name, None)
    differences = collections.Counter()
    for number, (a, b) in enumerate(zip(want, got)):
        different = _difference([a], [b])
        if different:
            if not differences:
                print(f"flow {number}:", *different.text(), sep="\n")
            differences.update(different.names)
    print(f"{path}: reference {len(want)} flows {counts}, collector {len(got)} flows {dropped}, different {dict(differences)}")
    return 1 if differences or len(want) != len(got) else 0


if __name__ == "__main__":
    sys.exit(main())
