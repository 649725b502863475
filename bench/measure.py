"""The statistics of rounds, for bench/run, bench/peers and `hotpb bench`: medians, ratios with their intervals, and how many rounds more are needed.

Contenders take turns within each round, so that a ratio is that of two neighbours in time. The interval is a bootstrap's: the middle 95 %
of the medians of resampled rounds.
"""
import json
import math
import random
import statistics
import subprocess
import sys
import time

ENOUGH = 1.06       # an interval is narrow when its ends are 3 % around its middle
FIRST, MORE = 5, 6  # rounds before the first look, and between two looks
CLOSE = 1.10        # a contender within a tenth of the best of its side stays until the end
RESAMPLES = 400


def ratio(contender, rival):
    """The median of rival / ours over the rounds that both have, and its 95 % interval."""
    each = [b / a for a, b in zip(contender, rival)]
    draw = random.Random(len(each))
    medians = sorted(statistics.median(draw.choices(each, k=len(each))) for _ in range(RESAMPLES))
    return statistics.median(each), medians[RESAMPLES // 40], medians[-1 - RESAMPLES // 40]


def spread(times):
    """The middle half of the rounds over the median."""
    if len(times) < 2:
        return 0.0
    low, _, high = statistics.quantiles(times, n=4)
    return (high - low) / statistics.median(times)


def best(times, names):
    """The contender with the least median; None without any."""
    return min(names, key=lambda name: statistics.median(times[name]), default=None)


def compare(times, contenders, rivals):
    """Of contenders that have the same rounds, the best of both sides: ours, rival, and the ratio of their times with its interval. None when a side has nobody."""
    mine, theirs = best(times, contenders), best(times, rivals)
    return (mine, theirs, *ratio(times[mine], times[theirs])) if mine and theirs else None


def pairs(contenders, rivals):
    """For each contender two sides: itself, and those of whom the best is what it is compared with."""
    return {**{name: ([name], rivals) for name in contenders}, **{name: (contenders, [name]) for name in rivals}}


def row(times, name, opponents):
    """What the rounds of a contender add to its row: the median, the spread, how many times as long each opponent takes, with the interval, and the rounds."""
    return {"ns_per_op": round(statistics.median(times[name]), 1), "spread": round(spread(times[name]), 4),
            "ratios": {opponent: [round(part, 4) for part in ratio(times[name], times[opponent])] for opponent in opponents if times[opponent]},
            "times": [float(f"{ns:.5g}") for ns in times[name]]}


def near(times, names):
    """Those that may be the fastest of some that have the same rounds."""
    least = min((statistics.median(times[name]) for name in names), default=0)
    return [name for name in names if statistics.median(times[name]) <= CLOSE * least]


def rounds(run, sides, most, enough=ENOUGH, seconds=math.inf):
    """The times of each contender, round by round, and the result of `compare` for each pair of sides.

    run(count, names) measures: it returns a dict of lists, one time a round for each name. sides are pairs of lists of names, ours and
    rivals, whose best ones are to be compared. After the first rounds only those go on that may be the best of a side; the others keep
    what they have. A pair of sides ends when its ratio is narrow; all end after `most` rounds, or at the first look after so many seconds.
    """
    end = time.monotonic() + seconds
    times = {name: [] for side in sides for half in side for name in half}
    results, running, count = [None] * len(sides), dict(enumerate(sides)), min(FIRST, most)
    while running:
        for name, more in run(count, sorted({name for side in running.values() for half in side for name in half})).items():
            times[name] += more
        for index, side in list(running.items()):
            side = running[index] = [near(times, half) for half in side]
            found = results[index] = compare(times, *side)
            length = max(len(times[name]) for half in side for name in half) if any(side) else most
            if found is None or found[4] <= enough * found[3] or length >= most or time.monotonic() > end:
                del running[index]
            else:
                count = min(MORE, most - length)
    return times, results


def program(command, most, ms):
    """Measures the rows of a program of `hotpb bench`, and returns them with their times and their ratios to the stock runtime's rows.

    The program prints its rows as JSON, a line each, then `end`. It answers a line "MS ROW ROW…" with the ns per message of these rows, each
    measured for MS in that order; a row is the number of its line.
    """
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        rows = []
        for line in process.stdout:
            if line == "end\n":
                break
            rows.append(json.loads(line))
        order = random.Random(0)

        def run(count, numbers):
            times = {number: [] for number in numbers}
            for _ in range(count):
                order.shuffle(numbers)
                try:
                    process.stdin.write(" ".join(map(str, [ms, *numbers])) + "\n")
                    process.stdin.flush()
                except BrokenPipeError:
                    pass
                answer = process.stdout.readline()
                if not answer:  # it says why on stderr
                    sys.exit(process.wait() or 1)
                for number, ns in zip(numbers, answer.split()):
                    times[number].append(max(float(ns), 0.001))  # a coarse clock may stand still
            return times

        groups = {}
        for number, listed in enumerate(rows):
            if listed["verified"]:
                groups.setdefault("decode" if listed["op"] == "read" else listed["op"], []).append(number)
        for op, numbers in groups.items():
            print(f"measuring {op}, {len(numbers)} rows", file=sys.stderr, flush=True)
            stock = [number for number in numbers if rows[number]["stock"]]
            sides = [([number], [rival]) for number in numbers for rival in stock if number != rival] or [([number], []) for number in numbers]
            times, _ = rounds(run, sides, most)
            for number in numbers:
                measured = row(times, number, stock)
                rows[number] |= {"ns_per_message": measured["ns_per_op"], "rounds": len(times[number]),
                                 "ratios": {rows[rival]["name"]: values for rival, values in measured["ratios"].items()}}
        process.stdin.close()
    if process.returncode:
        sys.exit(process.returncode)
    return rows


if __name__ == "__main__":
    for measured_row in program(sys.argv[3:], int(sys.argv[1]), sys.argv[2]):
        print(json.dumps(measured_row))
