"""What rounds say: medians, ratios with their intervals, and how many rounds more are needed. Nothing else computes these.

Contenders take turns within each round, so that a ratio is that of two neighbours in time. The interval is a bootstrap's: the middle 95 %
of the medians of resampled rounds.
"""
import random
import statistics

ENOUGH = 1.06       # an interval is narrow when its ends are 3 % around its middle
FIRST, MORE = 5, 6  # rounds before the first look, and between two looks
CLOSE = 1.10        # a contender within a tenth of the best of its side stays until the end
RESAMPLES = 400


def ratio(ours, rival):
    """The median of rival / ours over the rounds that both have, and its 95 % interval."""
    each = [b / a for a, b in zip(ours, rival)]
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


def compare(times, ours, rivals):
    """The best of both sides: ours, rival, and the ratio of their times with its interval. None when a side has nobody."""
    mine, theirs = best(times, ours), best(times, rivals)
    return (mine, theirs, *ratio(times[mine], times[theirs])) if mine and theirs else None


def rounds(run, sides, most, enough=ENOUGH):
    """The times of each contender, round by round.

    run(count, names) measures: it returns a dict of lists, one time a round for each name. sides are pairs of lists of names, ours and
    rivals, whose best ones are to be compared. After the first rounds only those go on that may be the best of a side; the others keep
    what they have. It ends when all ratios are narrow, or after `most` rounds.
    """
    everybody = sorted({name for side in sides for half in side for name in half})
    times = {name: [] for name in everybody}

    def measure(count, names):
        for name, more in run(count, names).items():
            times[name] += more

    measure(min(FIRST, most), everybody)
    while True:
        running, narrow = set(), True
        length = max(map(len, times.values()))
        for side in sides:
            halves = []
            for half in side:
                half = [name for name in half if len(times[name]) == length]
                least = min((statistics.median(times[name]) for name in half), default=0)
                halves.append([name for name in half if statistics.median(times[name]) <= CLOSE * least])
            found = compare(times, *halves)
            if found and found[4] > enough * found[3]:
                narrow = False
                running.update(*halves)
        if narrow or length >= most:
            return times
        # Those of a narrow side stop, too, and have fewer rounds than the others from then on.
        measure(min(MORE, most - length), sorted(running))
