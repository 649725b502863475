"""The figures of README and docs/performance.md: tables and charts, all from the newest file of bench/results; those of an app's
docs/performance.md are from the newest of its bench/results.

The first line of such a file is {"head": ...}: machine, versions, date; {"other": ...} lines are tables that other commands
measured; the rest are the rows of bench/run. A document has its figures between `<!-- bench/render: NAME -->` and
`<!-- /bench/render -->`.
"""
import datetime
import json
import os
import platform
import re
import subprocess
import sys
from pathlib import Path

from grid import APPS, CORE, ROOT, TASKS

RESULTS = ROOT / "bench/results"
CHARTS = ROOT / "docs/charts"
DOCUMENTS = ("README.md", "docs/performance.md", "docs/rust-remote-write.md")
LANGUAGES = {"cpp": "C++", "rust": "Rust", "go": "Go", "python": "Python"}
STOCK = {"python": (), "rust": ("prost",), "go": ("protobuf-go", "goflow2"), "cpp": ("libprotobuf", "libprotobuf-lite")}
# Contenders that are no library, or that do less than the task: tables of bench/render show them; they are never called rivals here.
BOUNDS = ("floor", "hand", "memcpy", "byte-loop", "speed-of-light")
PARTS = ("hotpb-pool:no-rows", *(name for app in APPS for name in app.PARTS))  # a part of the task
BLOCK = re.compile(r"(<!-- bench/render: (\S+) -->\n)(.*?)(<!-- /bench/render -->)", re.S)

# (what, task, case, language, ours)
README = [
    ("Rust, decode a request of 10,000 series", "rw1-decode", "seeded-10k", "rust", "hotpb-pool"),
    ("Go, the same", "rw1-decode", "seeded-10k", "go", "hotpb-pool"),
    ("Go, one label of it", "rw1-last-label", "seeded-10k", "go", "hotpb-view"),
    ("Go codec, decode a proto3 event (hyperpb: not into stock structs)", "codec-event-open", "proto3-decode", "go", "hotpb-codec"),
    ("C++, write a message four deep", "protozero-nested", "harness", "cpp", "hotpb-writer"),
    ("Go view, open **all** of the request", "rw1-decode", "seeded-10k", "go", "hotpb-view"),
]
# name of the file: (title, task, case, languages)
CHARTED = {
    "decode": ("Decode a remote-write request of 10,000 series (ms; shorter is faster)", "rw1-decode", "seeded-10k", ("rust", "go")),
    "decode-read": ("Decode it and read all of it (ms)", "rw1-decode-read", "seeded-10k", ("rust", "go")),
    "write-nested": ("Write a message four deep, C++, ProtoZero's harness (µs)", "protozero-nested", "harness", ("cpp",)),
    "codec": ("Decode an event into protoc-gen-go's structs (µs)", "codec-event-open", "proto3-decode", ("go",)),
}


class Disagreement(Exception):
    pass


def newest(folder=None):
    """The newest results; a file with a name after the date is a run of a few tasks, for the document of that name."""
    folder = folder or RESULTS
    files = sorted(folder.glob("????-??-??.jsonl"))
    if not files:
        raise Disagreement(f"{folder.relative_to(ROOT)} has no results: bench/render --record FILE")
    return files[-1]


class Results:
    def __init__(self, path):
        self.path, self.head, self.rows, self.others = path, None, [], []
        for line in path.read_text().splitlines():
            row = json.loads(line)
            if "head" in row:
                self.head = row["head"]
            elif "other" in row:
                self.others.append(row["other"])
            else:
                self.rows.append(row)
        if not self.head:
            raise Disagreement(f"{path.relative_to(ROOT)}: the first line has to be the head; bench/render --record writes it")

    def of(self, task, case, language):
        """The rows that have a time, the fastest first."""
        return sorted((r for r in self.rows if (r["task"], r["case"], r["language"]) == (task, case, language) and r["ns_per_op"]),
                      key=lambda r: r["ns_per_op"])

    def row(self, task, case, language, rival):
        for r in self.of(task, case, language):
            if r["rival"] == rival:
                return r
        raise Disagreement(f"{self.path.relative_to(ROOT)} has no row {task} {case} {language} {rival}, which README shows")


def duration(ns):
    for unit, scale in (("ms", 1e6), ("µs", 1e3)):
        if ns >= scale:
            return f"{ns / scale:.3g} {unit}" if ns < 1000 * scale else f"{ns / scale:,.0f} {unit}"
    return f"{ns:.3g} ns"


def ratio(rival, ours):
    """The rival's figure over ours; a loss is bold."""
    times_ours = rival / ours
    shown = f"{times_ours:.0f}x" if times_ours >= 100 else f"{times_ours:.1f}x" if times_ours >= 0.95 else f"{times_ours:.2f}x"
    return f"**{shown}**" if times_ours < 1 else shown


def times(rival, ours):
    """How many times as long the rival takes. Where the interval of the ratio holds 1, nobody is called faster."""
    middle, low, high = ours.get("ratios", {}).get(rival["rival"], 3 * [rival["ns_per_op"] / ours["ns_per_op"]])
    return "≈1x" if low <= 1 <= high else ratio(middle, 1)


def is_rival(row):
    return not row["rival"].startswith("hotpb") and row["rival"].split("+")[0] not in BOUNDS


def comparable(task, rival):
    """Reports whether a contender does the whole task, and is a library or one of ours. hyperpb has its own messages where the task sets the structs."""
    return rival.split("+")[0] not in BOUNDS + PARTS and not (task.startswith("codec-event") and rival == "hyperpb")


def stock(rows, language):
    return next((r for name in STOCK[language] for r in rows if r["rival"] == name), None)


def chart(name):
    return (f'<picture><source media="(prefers-color-scheme: dark)" srcset="{{up}}docs/charts/{name}-dark.svg">'
            f'<img src="{{up}}docs/charts/{name}-light.svg" alt="{CHARTED[name][0]}" width="760"></picture>')


def readme(results):
    lines = [chart("decode"), "", "| | hotpb | allocations | the stock runtime takes | the fastest rival takes |", "|---|--:|--:|--:|---|"]
    for what, task, case, language, ours in README:
        mine, rows = results.row(task, case, language, ours), results.of(task, case, language)
        usual = stock(rows, language)
        rival = next((r for r in rows if is_rival(r) and r is not usual), None)
        lines.append(f"| {what} | {duration(mine['ns_per_op'])} | {mine['allocs']:,} | {times(usual, mine) + ' ' + usual['rival'] if usual else '–'} | "
                     f"{times(rival, mine) + ' ' + rival['rival'] if rival else '–'} |")
    return [*lines, "", f"{results.head['note']} Bold is a loss. [docs/performance.md](docs/performance.md) has all tables, and how to read them."]


def machine(results):
    head = results.head
    lines = [f"- {key}: {value}" for key, value in head.items() if key not in ("note", "versions")]
    lines.append("- versions: " + ", ".join(f"{name} {version}" for name, version in head["versions"].items()))
    return [f"From [`{results.path.relative_to(ROOT)}`]({{up}}{results.path.relative_to(ROOT)}). {head['note']}", "", *lines]


def charts(_):
    return [line for name in CHARTED for line in (chart(name), "")][:-1]


def tables(results):
    """One line for each of our contenders in each case, with the other contenders ordered by time."""
    lines = []
    for language, title in LANGUAGES.items():
        cases = list(dict.fromkeys((r["task"], r["case"]) for r in results.rows if r["language"] == language))
        order = list(TASKS)
        cases.sort(key=lambda case: (order.index(case[0]), TASKS[case[0]].default.index(case[1]) if case[1] in TASKS[case[0]].default else 99))
        if not cases:
            continue
        lines += [f"### {title}", "", "| task, case | hotpb | time | allocations | spread | the others take |", "|---|---|--:|--:|--:|---|"]
        for task, case in cases:
            rows = results.of(task, case, language)
            for ours in (r for r in rows if r["rival"].startswith("hotpb") and not r["rival"].startswith("hotpb-pool:no-rows")):
                others = [r for r in rows if is_rival(r)]
                usual = stock(rows, language)
                said = ([f"{times(usual, ours)} {usual['rival']}"] if usual else []) + [f"{times(r, ours)} {r['rival']}" for r in others if r is not usual]
                lines.append(f"| `{task}`, `{case}` | {ours['rival']} | {duration(ours['ns_per_op'])} | {ours['allocs']:,} | {ours['spread'] * 100:.0f} % | {', '.join(said)} |")
        lines.append("")
    return lines[:-1]


def instructions(results):
    """Of C++ and Rust: what each contender executes; in C++ also what is executed where the compiler chooses what it inlines."""
    lines = []
    for language, title in LANGUAGES.items():
        counted = [r for r in results.rows if r["language"] == language and r["instructions"]]
        small = {(r["task"], r["case"].removesuffix(":small"), r["rival"]): r["instructions"] for r in counted if r["case"].endswith(":small")}
        cases = dict.fromkeys((r["task"], r["case"]) for r in counted if ":" not in r["case"])
        if not cases:
            continue
        lines += [f"### {title}", "", "| task, case | hotpb | instructions |" + (" compiler chooses |" if small else "") + " the others execute |",
                  "|---|---|--:|" + ("--:|" if small else "") + "---|"]
        for task, case in cases:
            rows = sorted((r for r in counted if (r["task"], r["case"]) == (task, case)), key=lambda r: r["instructions"])
            for ours in (r for r in rows if r["rival"].startswith("hotpb")):
                said = ", ".join(f"{ratio(r['instructions'], ours['instructions'])} {r['rival']}" for r in rows if is_rival(r))
                chosen = small.get((task, case, ours["rival"]))
                lines.append(f"| `{task}`, `{case}` | {ours['rival']} | {ours['instructions']:,} |" +
                             (f" {f'{chosen:,}' if chosen else '–'} |" if small else "") + f" {said} |")
        lines.append("")
    return lines[:-1] or ["None are in these results."]


def other(results):
    lines = []
    for table in results.others:
        lines += [f"### {table['title']}", "", table["about"], "", *table.get("lines", []), ""]
    return lines[:-1] or ["None of these is in the results."]


# (contender of rw1-decode, its name in docs/rust-remote-write.md)
STEPS = [("rust", "prost", "0: `prost`, a fresh message"), ("rust", "prost:reuse", "1: `clear` and `merge`"), ("rust", "prost:greptime-2-elements", "2: elements stay"),
         ("rust", "prost:greptime-3-bytes", "3: `Bytes` that share, by prost's function"), ("rust", "prost:greptime-4-slice", "4: one handle for each string"),
         ("rust", "prost:greptime-6-without-count", "6: `Bytes` without a count"), ("rust", "prost:greptime-7-pointers", "7: pointers"),
         ("rust", "hotpb-codec", "hotpb's codec, prost's structs"), ("rust", "hotpb-pool", "hotpb's pool"),
         ("go", "easyproto", "Go: a decoder of VictoriaMetrics' shape over easyproto"), ("go", "hotpb-pool", "Go: hotpb's pool")]
PIECES = [("bytes:slice", "`Bytes::slice`"), ("bytes:copy_to_bytes", "`copy_to_bytes` of a `Bytes`"), ("bytes:copied", "`copy_to_bytes` of a `&[u8]`"),
          ("string", "a fresh `String`"), ("string:reused", "a `String` that keeps its memory"), ("pointer", "a pointer and a length"), ("hotpb-span", "hotpb's span")]
ROWS = [("prost", "prost, then a hash map of row vectors"), ("prost:foldhash", "the same with a fast hash (foldhash)"), ("prost:greptime-rows", "GreptimeDB's way"),
        ("hotpb-tables:cold", "`Tables`, the first request of a process"), ("hotpb-tables", "`Tables`, series known"), ("hotpb-pool:no-rows", "hotpb's pool, decode alone")]
COUNTS = re.compile(r"(\d+) changes of a reference count")


def compared(results, task, named, base, extra=()):
    """A line for each contender that was measured; the time is also given as a multiple of the one that takes 1."""
    rows = {(language, r["rival"]): r for language in ("rust", "go") for r in results.of(task, "seeded-10k", language)}
    if base not in rows:
        return [f"The results have no `{task}` yet: `bench/run {task}` measures it."]
    lines = ["| | time | | allocations |" + "".join(f" {title} |" for title, _ in extra), "|---|--:|--:|--:|" + "--:|" * len(extra)]
    for language, rival, what in named:
        row = rows.get((language, rival))
        if row:
            lines.append(f"| {what} | {duration(row['ns_per_op'])} | {row['ns_per_op'] / rows[base]['ns_per_op']:.2f} | {row['allocs']:,} |" +
                         "".join(f" {value(row)} |" for _, value in extra))
    missing = [what for language, rival, what in named if (language, rival) not in rows]
    if missing:
        lines += ["", f"Not in these results: {'; '.join(missing)}."]
    return [*lines, "", f"From [`{results.path.name}`]({{up}}{results.path.relative_to(ROOT)}). {results.head['note']}"]


def steps(results):
    """The way from prost to no allocation: times as multiples of prost's."""
    return compared(results, "rw1-decode", STEPS, ("rust", "prost"))


def pieces(results):
    """What it costs to hold a string: times as multiples of a pointer's."""
    def counted(row):
        return f"{int(COUNTS.search(row['note']).group(1)):,}"
    return compared(results, "slice", [("rust", *piece) for piece in PIECES], ("rust", "pointer"), [("changes of reference counts", counted)])


def rows(results):
    """From bytes to rows: times as multiples of those of our row builder."""
    return compared(results, "rw1-rows", [("rust", *row) for row in ROWS], ("rust", "hotpb-tables"))


BLOCKS = {"steps": steps, "pieces": pieces, "rows": rows, "readme": readme, "machine": machine, "charts": charts, "tables": tables, "instructions": instructions, "other": other}


def documents(results):
    """The documents with the figures of these results: {path: text}."""
    latest = {ROOT / name: max([*RESULTS.glob(f"????-??-??-{Path(name).stem}.jsonl"), results.path]) for name in DOCUMENTS}
    latest |= {folder.parent.parent / "docs/performance.md": newest(folder) for folder in sorted(ROOT.glob("apps/*/bench/results"))}
    found = {}
    for path, file in latest.items():
        name = str(path.relative_to(ROOT))
        shown = results if file == results.path else Results(file)
        up = "../" * name.count("/")

        def fill(match):
            if match.group(2) not in BLOCKS:
                raise Disagreement(f"{name}: unknown figures {match.group(2)!r}; known: {', '.join(BLOCKS)}")
            return match.group(1) + "\n".join(BLOCKS[match.group(2)](shown)).replace("{up}", up) + "\n" + match.group(4)
        text = path.read_text()
        found[path], count = BLOCK.subn(fill, text)
        if count == 0:
            raise Disagreement(f"{name} has no <!-- bench/render: NAME --> block")
        if len(re.findall("<!-- bench/render", text)) != count or len(re.findall("<!-- /bench/render", text)) != count:
            raise Disagreement(f"{name}: a <!-- bench/render --> block does not end, or ends twice")
    return found


def drawn(results):
    """The charts: {path: SVG}."""
    import pygal
    from pygal.style import Style
    found = {}
    for name, (title, task, case, languages) in CHARTED.items():
        bars = []
        for language in languages:
            rows = [r for r in results.of(task, case, language)
                    if is_rival(r) or r["rival"] in ("hotpb-pool", "hotpb-view", "hotpb-codec", "hotpb-writer")]
            bars += [(f"{LANGUAGES[language]}: {r['rival']}", r) for r in rows]
        if not bars:
            raise Disagreement(f"{results.path.relative_to(ROOT)} has no rows of {task} {case}, which a chart shows")
        scale = 1e6 if "(ms" in title else 1e3
        for shade, ink, ours, theirs in (("light", "#1c2330", "#c2410c", "#94a3b8"), ("dark", "#e2e8f0", "#fb923c", "#64748b")):
            style = Style(background="transparent", plot_background="transparent", foreground=ink, foreground_strong=ink, foreground_subtle=ink,
                          opacity="1", opacity_hover="1", font_family="system-ui, sans-serif", label_font_size=13, major_label_font_size=13,
                          value_font_size=13, title_font_size=16, value_colors=(ink,), colors=(theirs,), guide_stroke_color="transparent",
                          major_guide_stroke_color="transparent")
            plot = pygal.HorizontalBar(style=style, js=[], print_values=True, print_values_position="top", show_legend=False, width=760,
                                       height=70 + 26 * len(bars), title=title, show_x_labels=False, spacing=8, margin=8, pretty_print=True,
                                       value_formatter=lambda value: f"{value:.3g}", range=(0, 1.12 * max(r["ns_per_op"] for _, r in bars) / scale))
            plot.uuid = f"{name}-{shade}"
            plot.x_labels = [label for label, _ in reversed(bars)]
            plot.add("", [{"value": round(r["ns_per_op"] / scale, 6), "color": ours if r["rival"].startswith("hotpb") else theirs} for _, r in reversed(bars)])
            svg = plot.render(is_unicode=True)
            svg = re.sub(r"<!--.*?-->|<script.*?</script>", "", svg, flags=re.S)  # the date, and code that a picture does not need
            svg = re.sub(r"(?<=</text>)<title>[^<]*</title>", "", svg)  # the position of a bar on the axis
            svg = svg.replace('<text text-anchor="middle"', '<text text-anchor="start"')  # values, after their bars
            found[CHARTS / f"{name}-{shade}.svg"] = "\n".join(line.rstrip() for line in svg.splitlines() if line.strip()) + "\n"
    return found


def with_charts():
    """Makes the charts' library importable; installs it when it is missing."""
    tools = ROOT / "build/tools/charts"
    subprocess.run([str(ROOT / "tools/setup"), "charts"], check=True, stdout=sys.stderr)
    sys.path.insert(0, str(tools))


def update(check):
    """Writes documents and charts; with `check`, names those that disagree with the results instead."""
    with_charts()
    try:
        results = Results(newest())
        wanted = {**documents(results), **drawn(results)}
    except Disagreement as error:
        sys.exit(f"bench/render: {error}")
    stale = [path for path, text in wanted.items() if not path.exists() or path.read_text() != text]
    stray = [path for path in CHARTS.glob("*.svg") if path not in wanted]
    if check:
        for path in stale + stray:
            print(f"FAILED: {path.relative_to(ROOT)} disagrees with its results; run bench/render --figures")
        print(f"{len(wanted) - len(stale)} passed, {len(stale) + len(stray)} failed")
        return 1 if stale or stray else 0
    CHARTS.mkdir(parents=True, exist_ok=True)
    for path in stray:
        path.unlink()
    for path in stale:
        path.write_text(wanted[path])
        print(path.relative_to(ROOT))
    return 0


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
        row.pop("times", None)  # the ratios are made of them
    lines = [{"head": head}, *({"other": o} for o in others), *found]
    path = folder / ("-".join(filter(None, (today, document))) + ".jsonl")
    path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines))
    print(f"{path.relative_to(ROOT)}: {len(found)} rows")
