#!/usr/bin/env python3
"""Tests of tools/weighing/budgets.py: which ratios are above their budgets, and that tools/weight then fails."""
import contextlib
import importlib.machinery
import importlib.util
import io
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT))
from tools.weighing import Weight, budgets  # noqa: E402

FIGURES = {"go": {"pool": (2.0, 1.5, 1.0, None)}}
STOCK = Weight(source=1000, seconds=10.0, object=1000, program=1000)


def compare(weight, beside="stock", rows=None):
    """Returns what is above FIGURES, and what was printed."""
    printed = io.StringIO()
    with mock.patch.object(budgets, "RATIOS", FIGURES), contextlib.redirect_stdout(printed):
        comparison = budgets.Comparison()
        comparison.ratios("go", [("stock", STOCK, None), ("pool", weight, beside)] if rows is None else rows)
    return comparison.above, printed.getvalue()


class Ratios(unittest.TestCase):
    def test_figures_and_their_margins_are_met(self):
        self.assertEqual(compare(Weight(source=2000, seconds=15.0, object=1000, program=9000))[0], [])
        self.assertEqual(compare(Weight(source=2059, seconds=22.4, object=1029, program=None))[0], [])

    def test_each_column_that_is_larger_is_named(self):
        for column, size in ("source", 2061), ("seconds", 22.6), ("object", 1031):
            weight = Weight(source=2000, seconds=15.0, object=1000)
            setattr(weight, column, size)
            above, printed = compare(weight)
            self.assertEqual(above, [f"go, made:400, pool: {column} to that of stock"])
            self.assertRegex(printed, rf"pool: {column} to that of stock .* x the budget\n")
            self.assertEqual(printed.count(" met\n"), 2)

    def test_a_row_without_its_neighbour_is_skipped(self):
        above, printed = compare(Weight(source=9000, seconds=99.0, object=9000), beside="absent")
        self.assertEqual(above, [])
        self.assertIn("SKIPPED: go, pool: no absent", printed)

    def test_a_row_that_is_not_measured_is_no_success(self):
        self.assertEqual(compare(None, rows=[("stock", STOCK, None)])[0], ["go, pool: not measured"])

    def test_rows_without_figures_have_no_budget(self):
        self.assertEqual(compare(None, rows=[("stock", STOCK, None), ("pool", STOCK, "stock"), ("view", Weight(source=9000), "stock")])[0], [])

    def test_a_difference_that_noise_has_eaten_is_no_success(self):
        for seconds in 0.0, -0.1:
            stock = Weight(source=1000, seconds=seconds, object=1000)
            rows = [("stock", stock, None), ("pool", Weight(source=2000, seconds=15.0, object=1000), "stock")]
            self.assertEqual(compare(None, rows=rows)[0], ["go, pool: seconds of stock not measured"])

    def test_every_figure_is_of_a_row(self):
        for language, figures in budgets.RATIOS.items():
            module = budgets.LANGUAGES[language]
            rows = set(module.FACES) | {f"+ {row}" for row in getattr(module, "ADDED", ())}
            self.assertEqual(set(figures) - rows, set())
            self.assertEqual({len(row) for row in figures.values()}, {len(budgets.MARGINS)})


class Command(unittest.TestCase):
    def ends(self, above):
        """What tools/weight --budgets ends with, when these budgets are exceeded."""
        loader = importlib.machinery.SourceFileLoader("weight", str(ROOT / "tools/weight"))
        weight = importlib.util.module_from_spec(importlib.util.spec_from_loader("weight", loader))
        loader.exec_module(weight)
        language = mock.Mock()
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(weight, "WORK", Path(folder) / "weight"), mock.patch.object(sys, "argv", ["weight", "--budgets"]), \
                mock.patch.object(weight, "LANGUAGES", dict.fromkeys(budgets.LANGUAGES, language)), mock.patch.object(budgets, "compare", return_value=above):
            weight.main()

    def test_it_succeeds_when_all_are_met(self):
        self.ends([])

    def test_it_fails_and_names_what_is_above(self):
        with self.assertRaises(SystemExit) as end:
            self.ends(["a", "b"])
        self.assertEqual(end.exception.code, "tools/weight: 2 above their budgets: a; b")


if __name__ == "__main__":
    unittest.main()
