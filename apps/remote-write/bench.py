"""The server beside its rivals, from HTTP to 204. The program `load` writes; this starts receivers, in turn, and prints tables."""

import json
import os
import pathlib
import random
import statistics
import subprocess
import sys

from processes import Prometheus, Server

OURS, PROST, PROMETHEUS, LOAD, SCRATCH = sys.argv[1:6]
PARTS = sys.argv[6:] or ["http", "memory"]
ROUNDS = int(os.environ.get("REMOTE_WRITE_BENCH_ROUNDS", "3"))
SECONDS = float(os.environ.get("REMOTE_WRITE_BENCH_SECONDS", "10"))
RECEIVES = (
    "--web.enable-remote-write-receiver",
    "--web.remote-write-receiver.accepted-protobuf-messages=prometheus.WriteRequest",
    "--web.remote-write-receiver.accepted-protobuf-messages=io.prometheus.write.v2.Request",
)
OPTIONS = {"without sync": ["--durability=os"], "4 GiB": ["--memory=4GiB"]}
SCRAPES_NOTHING = "global: {scrape_interval: 1m}\n"


def receiver(name, number):
    folder = pathlib.Path(SCRATCH) / f"{name.replace(' ', '-')}-{number}"
    if name == "Prometheus":
        return Prometheus(PROMETHEUS, folder, SCRAPES_NOTHING, *RECEIVES).start()
    folder.mkdir()
    options = next((options for ending, options in OPTIONS.items() if name.endswith(ending)), [])
    return Server(PROST if name.endswith("prost") else OURS, folder, *options).start()


def load(receiver, **options):
    """Writes to a receiver, and returns what `load` printed."""
    command = [LOAD, f"--url={receiver.url}/api/v1/write", f"--pid={receiver.process.pid}"]
    command += [f"--{name.replace('_', '-')}={value}" for name, value in options.items()]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def in_turn(names, **options):
    """Each receiver in each round, in a new order, with an empty store; the rows of each."""
    rows = {name: [] for name in names}
    for number in range(ROUNDS):
        for name in random.sample(names, len(names)):
            program = receiver(name, f"{number}-{len(os.listdir(SCRATCH))}")
            rows[name].append(load(program, **options))
            program.kill()
    return rows


def median(rows, column):
    return statistics.median(row[column] for row in rows)


def http():
    for version in 1, 2:
        names = ["ours", "ours without sync", "Prometheus"] + ["ours with prost"] * (version == 1)
        rows = in_turn(names, version=version, seconds=SECONDS)
        print(f"\nremote write {version}.0: 100,000 series, 2,000 samples a request, four senders, {SECONDS:g} s, the median of {ROUNDS} rounds")
        print("| receiver | samples/s | CPU s for a million | p50 ms | p99 ms | peak MiB | CPU time of ours |")
        print("|---|---|---|---|---|---|---|")
        of_ours = median(rows["ours"], "cpu_seconds_per_million")
        for name in names:
            cpu = median(rows[name], "cpu_seconds_per_million")
            numbers = [f"{median(rows[name], 'samples_per_second'):,.0f}", f"{cpu:.2f}"]
            numbers += [f"{median(rows[name], column):.1f}" for column in ("p50_ms", "p99_ms", "resident_mib_peak")]
            print(f"| {name} | {' | '.join(numbers)} | {cpu / of_ours:.1f}x |")


def memory():
    # With the usual memory, 1 GiB for each core, rows go to files before all are there.
    names = ["ours", "ours with 4 GiB", "Prometheus"]
    rows = in_turn(names, series=1_000_000, rounds=2)
    print(f"\na million series, two samples each: the median of {ROUNDS} rounds")
    print("| receiver | MiB after | MiB at most | of Prometheus' | samples/s |")
    print("|---|---|---|---|---|")
    theirs = median(rows["Prometheus"], "resident_mib_peak")
    for name in names:
        after, peak = median(rows[name], "resident_mib_after"), median(rows[name], "resident_mib_peak")
        print(f"| {name} | {after:,.0f} | {peak:,.0f} | {peak / theirs:.2f}x | {median(rows[name], 'samples_per_second'):,.0f} |")


def soak():
    program = receiver("ours", "probe")
    rate = load(program, seconds=SECONDS)["samples_per_second"] * 0.8
    program.kill()
    program = receiver("ours", "soak")
    seconds = float(os.environ.get("REMOTE_WRITE_SOAK_SECONDS", "600"))
    row = load(program, seconds=seconds, rate=rate)
    program.stop()
    print(f"\nsoak: {seconds:g} s at {rate:,.0f} samples/s, 80 % of what it took: {row['samples']:,} samples written")
    print(f"answers p50 {row['p50_ms']:.1f} ms, p99 {row['p99_ms']:.1f} ms, at most {row['max_ms']:.0f} ms; {row['busy']} times busy (503)")
    print(f"memory at most {row['resident_mib_first_half']:.0f} MiB in the first half, {row['resident_mib_second_half']:.0f} in the second")


for part in PARTS:
    {"http": http, "memory": memory, "soak": soak}[part]()
