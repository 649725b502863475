"""Tests of measure.py."""
import contextlib
import io
import random
import sys
import unittest

import measure


def machine(names, noise, seed=1):
    """A machine on which `names` take so many ns; a round disturbs all contenders by the same factor, and each a little."""
    draw, requests = random.Random(seed), []

    def run(count, running):
        requests.append((count, sorted(running)))
        times = {name: [] for name in running}
        for _ in range(count):
            weather = draw.uniform(1, 3)
            for name in running:
                times[name].append(names[name] * weather * draw.uniform(1 - noise, 1 + noise))
        return times

    return run, requests


class Measure(unittest.TestCase):
    def test_a_disturbance_of_whole_rounds_is_not_in_the_ratio(self):
        run, _ = machine({"a": 100, "b": 150}, noise=0)
        times = run(9, ["a", "b"])
        for found in measure.ratio(times["a"], times["b"]):
            self.assertAlmostEqual(found, 1.5)

    def test_the_interval_holds_the_ratio_and_grows_with_the_noise(self):
        widths = []
        for noise in (0.02, 0.2):
            held, width = 0, 0
            for seed in range(100):
                run, _ = machine({"a": 100, "b": 150}, noise, seed)
                middle, low, high = measure.ratio(*run(30, ["a", "b"]).values())
                self.assertTrue(low <= middle <= high)
                held += low < 1.5 < high
                width += high - low
            self.assertGreater(held, 85)
            widths.append(width)
        self.assertGreater(widths[1], 3 * widths[0])

    def test_rounds_end_when_the_interval_is_narrow(self):
        run, requests = machine({"a": 100, "b": 150}, noise=0.001)
        measure.rounds(run, [(["a"], ["b"])], most=50)
        self.assertEqual(requests, [(5, ["a", "b"])])

    def test_rounds_end_at_the_limit(self):
        run, requests = machine({"a": 100, "b": 150}, noise=0.9)
        times, _ = measure.rounds(run, [(["a"], ["b"])], most=20)
        self.assertEqual([count for count, _ in requests], [5, 6, 6, 3])
        self.assertEqual(len(times["a"]), 20)

    def test_rounds_end_when_the_time_is_over(self):
        run, requests = machine({"a": 100, "b": 150}, noise=0.9)
        measure.rounds(run, [(["a"], ["b"])], most=50, seconds=0)
        self.assertEqual(len(requests), 1)

    def test_only_those_go_on_that_may_be_the_best_of_a_side(self):
        run, requests = machine({"a": 100, "a2": 103, "slow": 300, "b": 150, "b2": 500}, noise=0.1)
        times, [(mine, theirs, middle, _, _)] = measure.rounds(run, [(["a", "a2", "slow"], ["b", "b2"])], most=40, enough=1)
        self.assertEqual(len(times["slow"]), 5)
        self.assertEqual(len(times["b2"]), 5)
        self.assertEqual(len(times["b"]), 40)
        self.assertIn(mine, ("a", "a2"))
        self.assertEqual(theirs, "b")
        self.assertAlmostEqual(middle, 1.5, delta=0.1)

    def test_a_side_without_contenders_has_no_ratio(self):
        run, _ = machine({"a": 100}, noise=0)
        times, results = measure.rounds(run, [(["a"], [])], most=15)
        self.assertEqual((times.keys(), len(times["a"]), results), ({"a"}, 5, [None]))

    def test_sides_that_go_on_do_not_change_those_that_have_ended(self):
        def run(count, running):  # c is slow in the first rounds, and the fastest after them
            calls.append(sorted(running))
            return {name: [{"a": 100, "b": 150, "c": (300, 10)[len(calls) > 1], "d": 300 + 200 * (i % 2)}[name] for i in range(count)] for name in running}

        calls = []
        _, results = measure.rounds(run, [(["a", "c"], ["b"]), (["c"], ["d"])], most=20)
        self.assertEqual(calls[0], ["a", "b", "c", "d"])
        self.assertEqual(calls[1], ["c", "d"])
        self.assertEqual(results[0][:2], ("a", "b"))
        self.assertEqual(results[1][:2], ("c", "d"))

    def test_each_contender_has_a_row_with_its_interval(self):
        sides = measure.pairs(["a", "a2"], ["b"])
        self.assertEqual(sides, {"a": (["a"], ["b"]), "a2": (["a2"], ["b"]), "b": (["a", "a2"], ["b"])})
        run, _ = machine({"a": 100, "a2": 300, "b": 150}, noise=0.001)
        times, results = measure.rounds(run, list(sides.values()), most=20)
        self.assertEqual([found[:2] for found in results], [("a", "b"), ("a2", "b"), ("a", "b")])
        row = measure.row(times, "a2", ["b"])
        self.assertEqual(row["times"], [float(f"{ns:.5g}") for ns in times["a2"]])
        self.assertEqual(row["ratios"].keys(), {"b"})
        self.assertAlmostEqual(row["ratios"]["b"][0], 0.5, delta=0.01)

    def test_the_spread_is_the_middle_half(self):
        self.assertEqual(measure.spread([10.0]), 0)
        self.assertAlmostEqual(measure.spread([90, 100, 110]), 0.2)

    def test_the_rows_of_a_program_are_compared_with_those_of_the_stock_runtime(self):
        text = """
import json, sys
for op, name, stock, verified in (("decode", "stock", True, True), ("decode", "pool", False, True), ("read", "wrong", False, False), ("read", "view", False, True), ("encode", "pool", False, True)):
    print(json.dumps({"op": op, "name": name, "stock": stock, "verified": verified}))
print("end", flush=True)
for turn, line in enumerate(sys.stdin):
    ms, *rows = line.split()
    assert ms == "2.5"
    if len(sys.argv) > 1:
        sys.exit(3)
    print(*[(100, 50, None, 25, 10)[int(row)] * (turn + 1) for row in rows], flush=True)
"""
        with contextlib.redirect_stderr(io.StringIO()):
            rows = measure.program([sys.executable, "-c", text], 20, "2.5")
            self.assertEqual([(r["name"], r.get("rounds"), {name: middle for name, (middle, _, _) in r.get("ratios", {}).items()}) for r in rows],
                             [("stock", 5, {"stock": 1}), ("pool", 5, {"stock": 2}), ("wrong", None, {}), ("view", 5, {"stock": 4}), ("pool", 5, {})])
            with self.assertRaises(SystemExit) as ended:
                measure.program([sys.executable, "-c", text, "fail"], 20, "2.5")
            self.assertEqual(ended.exception.code, 3)


if __name__ == "__main__":
    unittest.main()
