"""The files of bench/results: what they hold, the newest, and how a run becomes one.

The first line is {"head": ...}: machine, versions, date; {"other": ...} lines are tables that other commands measured. {"columns": ...}
names the columns of the lines after it, the rows of bench/run.
"""
import datetime
import json
import os
import platform
import re
import subprocess
import sys
from pathlib import Path

from grid import CORE, ROOT

RESULTS = ROOT / "bench/results"


class Disagreement(Exception):
    pass


def newest(folder=None, pattern="????-??-??.jsonl"):
    """The newest results; a file with a name after the date is a run of a few tasks, for the document of that name."""
    folder = folder or RESULTS
    files = sorted(folder.glob(pattern))
    if not files:
        raise Disagreement(f"{folder.relative_to(ROOT)} has no results: bench/render --record FILE")
    return files[-1]


class Results:
    def __init__(self, path):
        self.path, self.head, self.rows, self.others = path, None, [], []
        columns = []
        for line in path.read_text().splitlines():
            row = json.loads(line)
            if isinstance(row, list):
                self.rows.append(dict(zip(columns, row)))
            elif "head" in row:
                self.head = row["head"]
            elif "other" in row:
                self.others.append(row["other"])
            else:
                columns = row["columns"]
        if not self.head:
            raise Disagreement(f"{path.relative_to(ROOT)}: the first line has to be the head; bench/render --record writes it")

    def ranked(self, task, case, language):
        """The rows that have a time, the fastest first."""
        return sorted((r for r in self.rows if (r["task"], r["case"], r["language"]) == (task, case, language) and r["ns_per_op"]),
                      key=lambda r: r["ns_per_op"])

    def row(self, task, case, language, rival):
        for r in self.ranked(task, case, language):
            if r["rival"] == rival:
                return r
        raise Disagreement(f"{self.path.relative_to(ROOT)} has no row {task} {case} {language} {rival}, which a document shows")


def put_table(file):
    """Puts the table of another command, {"title", "about", "lines"}, into the newest results, in place of the one with its title."""
    added, path = json.loads(Path(file).read_text()), newest()
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    kept = [line for line in lines if not (isinstance(line, dict) and line.get("other", {}).get("title") == added["title"])]
    kept.insert(1, {"other": added})
    path.write_text("".join(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n" for line in kept))


def said(*command):
    try:
        return subprocess.run(command, capture_output=True, text=True, cwd=ROOT).stdout.strip().splitlines()[0]
    except (OSError, IndexError):
        return ""


def versions():
    """Compilers, and the rivals as the benchmarks' manifests pin them."""
    found = {"g++": said("g++", "-dumpfullversion"), "Rust": said("rustc", "--version").split(" (")[0].removeprefix("rustc "),
             "Go": said("go", "env", "GOVERSION").removeprefix("go")}
    rust = (ROOT / "rust/bench/Cargo.toml").read_text()
    for name in ("prost", "buffa", "quick-protobuf", "google-protobuf", "protobuf"):
        match = re.search(rf'^{name} = (?:"|\{{.*?version = ")=?([\d.]+)', rust, re.M)
        if match:
            found["rust-protobuf" if name == "protobuf" else name] = match.group(1)
    go = (ROOT / "go/bench/go.mod").read_text()
    for module in ("google.golang.org/protobuf", "github.com/gogo/protobuf", "github.com/planetscale/vtprotobuf", "github.com/VictoriaMetrics/easyproto",
                   "buf.build/go/hyperpb", "github.com/netsampler/goflow2/v2"):
        match = re.search(rf"^\s*(?:require )?{re.escape(module)} (v\S+)", go, re.M)
        if match:
            found[module] = match.group(1)
    return {name: version for name, version in found.items() if version}


def record(rows, note, processor, counts=None, document=""):
    """Writes the rows of a run as today's results, and copies the tables of other commands from the previous results. Those
    of a run of a few tasks are the results of one document, if it is named; `apps/NAME` stands for that app's.

    `counts` is a run with --callgrind: rows without instruction counts take them from there. Rows that only `counts` has
    are recorded without their times, because a run with Valgrind is short.
    """
    def read(path):
        lines = [json.loads(line) for line in Path(path).read_text().splitlines() if line.strip()]
        heads = [line["head"] for line in lines if "head" in line]
        return heads[0] if heads else {}, [line for line in lines if "head" not in line]

    folder = ROOT / document / "bench/results" if document.startswith("apps/") else RESULTS
    document = "" if folder != RESULTS else document
    measured, found = read(rows)
    if counts:
        key = ("task", "case", "language", "rival")
        counted = {tuple(r[k] for k in key): r for r in read(counts)[1]}
        for row in found:
            row["instructions"] = row["instructions"] or counted.pop(tuple(row[k] for k in key), row)["instructions"]
        found += [{**row, "ns_per_op": None, "mb_per_s": None} for row in counted.values() if row["instructions"]]
    foreign = sorted({row["task"] for row in found} - set(CORE)) if folder == RESULTS else []
    if foreign:
        sys.exit(f"bench/render: {rows}: {', '.join(foreign)} belongs to an app; --record-for apps/NAME")
    wrong = [f"{r['task']} {r['case']} {r['rival']}" for r in found if not r["verified"] and not r["note"].startswith("wrong: ") and r["ns_per_op"]]
    if not found or wrong:
        sys.exit(f"bench/render: {rows}: " + ("not verified: " + ", ".join(wrong) if wrong else "holds no rows"))
    others = Results(newest(folder)).others if list(folder.glob("*.jsonl")) and not document else []
    today = datetime.date.today().isoformat()
    head = {"date": today, "machine": f"{processor}, {os.cpu_count()} processors, {platform.system()} {platform.machine()}",
            "commit": measured.get("commit") or said("git", "rev-parse", "--short=12", "HEAD"), "note": note, "versions": measured.get("versions") or versions()}
    folder.mkdir(parents=True, exist_ok=True)
    for row in found:
        row.pop("times", None)  # the ratios come from them
    columns = list(dict.fromkeys(key for row in found for key in row))
    lines = [{"head": head}, *({"other": o} for o in others), {"columns": columns}, *([row.get(column) for column in columns] for row in found)]
    path = folder / ("-".join(filter(None, (today, document))) + ".jsonl")
    path.write_text("".join(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n" for line in lines))
    print(f"{path.relative_to(ROOT)}: {len(found)} rows")
