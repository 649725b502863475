"""Tests of bench/run: who is compared with whom, what a record keeps, and what the results and targets make of it."""
import contextlib
import importlib.machinery
import importlib.util
import io
import json
import re
import sys
import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parent))
import compare
import figures
import origins
import recorded
import targets


def program(name):
    loader = importlib.machinery.SourceFileLoader(name, str(Path(__file__).resolve().parent / name))
    spec = importlib.util.spec_from_loader(name, loader)
    module = importlib.util.module_from_spec(spec)
    sys.dont_write_bytecode, before = True, sys.dont_write_bytecode
    loader.exec_module(module)
    sys.dont_write_bytecode = before
    return module


RUN = program("run")


def contender(name, mark=""):
    language, _, rival = name.partition(" ")
    return SimpleNamespace(language=language, rival=rival, mark=mark, name=name)


def row(rival, times, case="a", **others):
    return {"task": "deep", "case": case, "language": "go", "rival": rival, "ns_per_op": sorted(times)[len(times) // 2], "mb_per_s": 1.0, "bytes_per_op": 0, "allocs": 0,
            "instructions": None, "spread": 0.0, "verified": True, "note": "", "ratios": {}, "times": times, **others}


class Opposed(unittest.TestCase):
    def test_ours_are_compared_with_the_rivals_of_their_language_and_these_with_ours(self):
        names = ["go hotpb-pool", "go hotpb-view", "go easyproto", "go floor", "rust hotpb-pool", "python ptars"]
        self.assertEqual(RUN.opposed("deep", [contender(name) for name in names]), {
            "go hotpb-pool": (["go hotpb-pool"], ["go easyproto"]), "go hotpb-view": (["go hotpb-view"], ["go easyproto"]),
            "go easyproto": (["go hotpb-pool", "go hotpb-view"], ["go easyproto"]), "go floor": (["go hotpb-pool", "go hotpb-view"], ["go floor"]),
            "rust hotpb-pool": (["rust hotpb-pool"], ["python ptars"]), "python ptars": (["rust hotpb-pool"], ["python ptars"])})

    def test_who_does_a_part_of_the_task_is_no_best(self):
        found = RUN.opposed("rw1-rows", [contender(f"rust {rival}") for rival in ("hotpb-tables", "hotpb-pool:no-rows", "prost", "floor")])
        self.assertEqual(found["rust prost"], (["rust hotpb-tables"], ["rust prost"]))
        self.assertEqual(found["rust hotpb-tables"], (["rust hotpb-tables"], ["rust prost"]))
        found = RUN.opposed("codec-event-open", [contender(f"go {rival}") for rival in ("hotpb-codec", "hyperpb", "vtprotobuf")])
        self.assertEqual(found["go hotpb-codec"], (["go hotpb-codec"], ["go vtprotobuf"]))

    def test_an_older_commit_is_compared_with_today(self):
        found = RUN.opposed("deep", [contender("go hotpb-pool"), contender("go prost"), contender("go hotpb-pool@v1", "@v1"), contender("go hotpb-old@v1", "@v1")])
        self.assertEqual(found["go hotpb-pool"], (["go hotpb-pool"], ["go hotpb-pool@v1"]))
        self.assertEqual(found["go hotpb-pool@v1"], (["go hotpb-pool"], ["go hotpb-pool@v1"]))
        self.assertEqual(found["go hotpb-old@v1"], ([], ["go hotpb-old@v1"]))


class Record(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name) / "rows.jsonl"
        silent = contextlib.redirect_stderr(io.StringIO())
        silent.__enter__()
        self.addCleanup(silent.__exit__, None, None, None)

    def test_a_case_that_is_whole_is_not_measured_again(self):
        RUN.Record(self.path).put([row("hotpb-pool", [1.0]), row("prost", [2.0])])
        record = RUN.Record(self.path)
        self.assertTrue(record.has("deep", "a", [("go", "prost"), ("go", "hotpb-pool")]))
        self.assertFalse(record.has("deep", "a", [("go", "prost"), ("rust", "prost")]))
        self.assertFalse(record.has("deep", "b", [("go", "prost")]))
        record.put([row("prost", [3.0])])
        record.put([row("prost", [4.0], case="b")])
        _, *rows = map(json.loads, self.path.read_text().splitlines())
        self.assertEqual([(r["case"], r["rival"], r["times"]) for r in rows], [("a", "prost", [3.0]), ("b", "prost", [4.0])])

    def test_rows_of_another_commit_are_refused(self):
        RUN.Record(self.path).put([row("prost", [1.0])])
        with mock.patch.object(recorded, "said", lambda *_: "another"), self.assertRaises(SystemExit):
            RUN.Record(self.path)
        self.path.write_text(json.dumps(row("prost", [1.0])) + "\n")
        with self.assertRaises(SystemExit):
            RUN.Record(self.path)

    def test_results_have_the_commit_of_the_measurement_and_no_rounds(self):
        RUN.Record(self.path).put([row("prost", [1.0])])
        head = json.loads(self.path.read_text().splitlines()[0])["head"]
        head["commit"] = "abc"
        self.path.write_text(json.dumps({"head": head}) + "\n" + self.path.read_text().split("\n", 1)[1])
        with mock.patch.object(recorded, "RESULTS", self.path.parent / "results"), mock.patch.object(recorded, "ROOT", self.path.parent), contextlib.redirect_stdout(io.StringIO()):
            recorded.record(self.path, "A note.", "a machine")
            results = recorded.Results(recorded.newest())
        self.assertEqual((results.head["commit"], [r["rival"] for r in results.rows], "times" in results.rows[0]), ("abc", ["prost"], False))

    def test_rows_of_an_app_are_its_results_and_not_those_of_the_core(self):
        RUN.Record(self.path).put([row("prost", [1.0])])
        root = self.path.parent
        with mock.patch.object(recorded, "RESULTS", root / "results"), mock.patch.object(recorded, "ROOT", root), mock.patch.object(recorded, "CORE", ()), \
                contextlib.redirect_stdout(io.StringIO()):
            with self.assertRaises(SystemExit):
                recorded.record(self.path, "A note.", "a machine")
            self.assertFalse((root / "results").exists())
            recorded.record(self.path, "A note.", "a machine", document="apps/a")
            results = recorded.Results(recorded.newest(root / "apps/a/bench/results"))
        self.assertEqual([r["rival"] for r in results.rows], ["prost"])


class Documents(unittest.TestCase):
    def test_the_site_has_a_chart_above_each_table_that_has_none_in_the_repository(self):
        with tempfile.TemporaryDirectory() as folder:
            page = Path(folder) / "docs/performance.md"
            page.parent.mkdir()
            before = "".join(f"<!-- bench/render: {name} -->\n| a table |\n<!-- /bench/render -->\n" for name in ("decode", "small", "machine"))
            page.write_text(before)
            with mock.patch.object(figures, "with_charts"), mock.patch.object(figures, "drawn", lambda results, names: {f"{name}.svg": name for name in names}):
                figures.complete(Path(folder))
            self.assertEqual(re.findall(r'src="([^"]*)"', page.read_text()), ["charts/small-light.svg#only-light", "charts/small-dark.svg#only-dark"])
            self.assertEqual(re.sub(r"<img.*>\n\n", "", page.read_text()), before)
            self.assertEqual({file.stem for file in (page.parent / "charts").iterdir()}, set(figures.CHARTED))

    def test_the_page_of_the_grid_has_every_row_of_ours_and_links_to_pages_alone(self):
        results = recorded.Results(recorded.newest())
        text = "\n".join(figures.grid(results))
        for r in results.rows:
            if r["ns_per_op"] and r["rival"].startswith("hotpb") and r["rival"] != "hotpb-pool:no-rows":
                self.assertIn(f"| `{r['task']}`, `{r['case']}` | {r['rival']} | ", text)
        self.assertEqual(re.findall(r"\]\(([^)]*)\)", text), ["performance.md#how-to-read-the-tables"])

    def test_a_table_has_the_stock_runtime_and_the_fastest_setting_of_at_most_three_libraries(self):
        rows = [row(name, [time]) for name, time in (("hotpb-pool", 1.0), ("protobuf-go", 9.0), ("protobuf-go:lazy", 5.0), ("a:x", 4.0), ("a", 2.0),
                                                     ("b", 3.0), ("c", 6.0), ("d", 7.0), ("floor", 0.5))]
        self.assertEqual([r["rival"] for r in figures.rivals(rows, "go", "ns_per_op")], ["protobuf-go", "a", "b", "c"])

    def test_a_row_that_is_not_in_the_results_has_no_figure(self):
        results = SimpleNamespace(rows=[row("gogo", [20.0]), row("hotpb-view", [10.0]), row("slow", [5.0])])
        for slow, fast, wanted in (("gogo", "hotpb-view", "2.0x"), ("slow", "hotpb-view", "**0.50x**"), ("zeropb", "hotpb-view", "–"), ("gogo", "hotpb-pool", "–")):
            self.assertEqual(origins.measured(results, "deep", "a", "go", slow, fast), wanted)
        self.assertEqual(origins.measured(results, "deep", "a", "go", "gogo", "hotpb-view", "instructions"), "–")


class Claims(unittest.TestCase):
    def test_a_target_is_met_at_the_worse_end_of_the_interval(self):
        target = targets.Target("deep", "a", "go/prost", "go/hotpb-pool", 1.5)
        with mock.patch.object(targets, "TARGETS", [target]):
            for times, met in (([15.2, 15.1, 15.3], True), ([19.0, 14.0, 15.2], False)):
                found = [line for line in targets.measured([row("hotpb-pool", [10.0] * 3), row("prost", times)]) if line[0] == str(target)]
                self.assertEqual([line[3] for line in found], [met], found)

    def test_the_peers_have_targets_by_source(self):
        rows = [("HyperProtoBench0", "decode", 4.0), ("HyperProtoBench1", "decode", 9.0), ("fleetbench", "decode", 2.0), ("made", "encode", 0.9)]
        self.assertEqual(list(targets.of_peers("cpp", "", rows)), [
            ("HyperProtoBench, decode: geometric mean", "≥ 6", "6.00", True), ("fleetbench, decode: geometric mean", "≥ 2.5", "2.00", False),
            ("the least of all rows", "≥ 0.97", "0.90", False)])
        self.assertEqual(list(targets.of_peers("go", "codec", [])), [])

    def test_who_is_within_the_interval_is_not_called_faster(self):
        for ratio, wanted in (([1.1, 0.98, 1.2], "≈1x"), ([1.1, 1.01, 1.2], "1.1x"), ([0.9, 0.8, 0.97], "**0.90x**")):
            self.assertEqual(compare.times(row("prost", [10.0]), row("hotpb-pool", [9.0], ratios={"prost": ratio})), wanted)
        self.assertEqual(compare.times(row("prost", [20.0]), row("hotpb-pool", [10.0])), "2.0x")


if __name__ == "__main__":
    unittest.main()
