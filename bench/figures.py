"""The figures of README and other documents: tables and charts, all from the files of bench/results; those of an app's
docs/performance.md are from the newest file of its bench/results.

A document has its figures between `<!-- bench/render: NAME -->` and `<!-- /bench/render -->`; BLOCKS has the names.
"""
import re
import subprocess
import sys
from pathlib import Path

import origins
from compare import is_rival, ratio, duration, stock, times
from grid import CORE, ROOT, TASKS
from recorded import RESULTS, Disagreement, Results, newest

CHARTS = ROOT / "docs/charts"
DOCUMENTS = ("README.md", "docs/performance.md", "docs/rust-remote-write.md", "docs/origins.md")
LANGUAGES = {"cpp": "C++", "rust": "Rust", "go": "Go", "python": "Python"}
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
# docs/performance.md, a chart and a table for each task. name of both: (what, task, case, language, ours)
PERFORMANCE = {
    "decode": [
        ("Rust pool", "rw1-decode", "seeded-10k", "rust", "hotpb-pool"),
        ("Go pool", "rw1-decode", "seeded-10k", "go", "hotpb-pool"),
        ("Go codec, fresh structs", "rw1-decode", "seeded-10k", "go", "hotpb-codec"),
        ("Go view, every level opened", "rw1-decode", "seeded-10k", "go", "hotpb-view"),
        ("Rust pool, remote write 2.0", "rw2-decode", "seeded-10k", "rust", "hotpb-pool"),
        ("Rust visitor, into tables", "rw1-rows", "seeded-10k", "rust", "hotpb-visitor"),
    ],
    "decode-read": [
        ("Rust pool, all of it", "rw1-decode-read", "seeded-10k", "rust", "hotpb-pool"),
        ("Go pool, all of it", "rw1-decode-read", "seeded-10k", "go", "hotpb-pool"),
        ("Go view, all of it", "rw1-decode-read", "seeded-10k", "go", "hotpb-view"),
        ("Go view, a series in the middle", "rw1-find", "seeded-10k", "go", "hotpb-view"),
        ("Rust pool, a series in the middle", "rw1-find", "seeded-10k", "rust", "hotpb-pool"),
        ("C++ view, a field of a nested event", "view-one", "nested-event", "cpp", "hotpb-view"),
    ],
    "write-nested": [
        ("C++ writer, four deep", "protozero-nested", "harness", "cpp", "hotpb-writer"),
        ("C++ writer, flat", "protozero-simple", "harness", "cpp", "hotpb-writer"),
        ("Rust writer, four deep", "protozero-nested", "harness", "rust", "hotpb-writer"),
        ("Go writer, four deep", "protozero-nested", "hot-loop", "go", "hotpb-writer"),
        ("Rust pool, encode the request", "rw1-encode", "seeded-10k", "rust", "hotpb-pool"),
        ("Go pool, encode the request", "rw1-encode", "seeded-10k", "go", "hotpb-pool"),
    ],
    "small": [
        ("Rust pool, a span of 200 bytes", "small-200B", "seeded", "rust", "hotpb-pool"),
        ("Go pool, the same", "small-200B", "seeded", "go", "hotpb-pool"),
        ("Rust pool, 1,000 log records", "otlp-logs", "seeded", "rust", "hotpb-pool"),
        ("Rust pool, maps", "maps", "seeded", "rust", "hotpb-pool"),
        ("Go pool, packed numbers", "packed-ints", "seeded", "go", "hotpb-pool"),
        ("Go pool, sixteen texts of 64 KiB, borrowed", "large-bytes", "seeded", "go", "hotpb-pool:alias"),
    ],
    "codec": [
        ("proto3 event, decode", "codec-event-open", "proto3-decode", "go", "hotpb-codec"),
        ("the same, encode", "codec-event-open", "proto3-encode", "go", "hotpb-codec"),
        ("ten events and four maps, decode", "codec-event-open", "batch-decode", "go", "hotpb-codec"),
        ("the same, encode", "codec-event-open", "batch-encode", "go", "hotpb-codec"),
        ("the same of gogo's structs, decode", "codec-event-gogo", "batch-decode", "go", "hotpb-codec"),
        ("proto2 with an extension of v1's structs, encode", "codec-event-v1", "proto2ext-encode", "go", "hotpb-codec"),
    ],
    "columns": [
        ("a flow of 14 fields, encode", "flow-encode", "14", "go", "hotpb-schema"),
        ("a flow of 33 fields, encode", "flow-encode", "33", "go", "hotpb-schema"),
        ("a NetFlow v9 packet, whose template is known", "template-encode", "netflow9", "go", "hotpb-schema"),
        ("a flow, decode", "dynamic-decode", "flow", "go", "hotpb-schema"),
        ("a request of 2,000 series, decode", "dynamic-decode", "remote-write", "go", "hotpb-schema"),
        ("an IPFIX packet, whose template is known", "template-encode", "ipfix", "go", "hotpb-schema"),
    ],
}
RIVALS = 4
COUNTED = [
    ("C++ writer, flat", "protozero-simple", "hot-loop", "cpp", "hotpb-writer"),
    ("C++ writer, four deep", "protozero-nested", "hot-loop", "cpp", "hotpb-writer"),
    ("C++ view, one field of a nested event", "view-one", "nested-event", "cpp", "hotpb-view"),
    ("Rust pool, decode a request", "rw1-decode", "seeded-10k", "rust", "hotpb-pool"),
    ("Rust pool, a span of 200 bytes", "small-200B", "seeded", "rust", "hotpb-pool"),
]
# name of the file: (title, task, case, languages)
CHARTED = {
    "decode": ("Decode a remote-write request of 10,000 series (ms; shorter is faster)", "rw1-decode", "seeded-10k", ("rust", "go")),
    "decode-read": ("Decode it and read all of it (ms)", "rw1-decode-read", "seeded-10k", ("rust", "go")),
    "write-nested": ("Write a message four deep, C++, ProtoZero's harness (µs)", "protozero-nested", "harness", ("cpp",)),
    "small": ("Decode a span of 200 bytes (µs)", "small-200B", "seeded", ("rust", "go")),
    "codec": ("Decode an event into protoc-gen-go's structs (µs)", "codec-event-open", "proto3-decode", ("go",)),
    "columns": ("Encode a flow of 14 fields, Go (µs; dynamicpb, far longer, is left out)", "flow-encode", "14", ("go",)),
}
COMMITTED = "decode"  # README shows it on the host of the repository; `make docs` draws the others for the site
OURS = ("hotpb-pool", "hotpb-view", "hotpb-codec", "hotpb-writer", "hotpb-schema")
NOT_CHARTED = ("dynamicpb",)  # so long that the other bars would be dots


def chart(name):
    return (f'<picture><source media="(prefers-color-scheme: dark)" srcset="{{up}}docs/charts/{name}-dark.svg">'
            f'<img src="{{up}}docs/charts/{name}-light.svg" alt="{CHARTED[name][0]}" width="760"></picture>')


def readme(results):
    lines = [chart("decode"), "", "| | allocations | the stock runtime takes | the fastest rival takes |", "|---|--:|--:|---|"]
    for title, task, case, language, contender in README:
        mine, rows = results.row(task, case, language, contender), results.ranked(task, case, language)
        usual = stock(rows, language)
        rival = next((r for r in rows if is_rival(r) and r is not usual), None)
        lines.append(f"| {title} | {mine['allocs']:,} | {times(usual, mine) + ' ' + usual['rival'] if usual else '–'} | "
                     f"{times(rival, mine) + ' ' + rival['rival'] if rival else '–'} |")
    return [*lines, "", f"{results.head['note']} Bold is a loss. [docs/performance.md](docs/performance.md) has more, and how to read it."]


def machine(results):
    head = results.head
    lines = [f"- {key}: {value}" for key, value in head.items() if key not in ("note", "versions")]
    lines.append("- versions: " + ", ".join(f"{name} {version}" for name, version in head["versions"].items()))
    return [f"From [`{results.path.relative_to(ROOT)}`]({{up}}{results.path.relative_to(ROOT)}). {head['note']}", "", *lines]


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
            rows = results.ranked(task, case, language)
            for contender in (r for r in rows if r["rival"].startswith("hotpb") and not r["rival"].startswith("hotpb-pool:no-rows")):
                others = [r for r in rows if is_rival(r)]
                usual = stock(rows, language)
                said = ([f"{times(usual, contender)} {usual['rival']}"] if usual else []) + [f"{times(r, contender)} {r['rival']}" for r in others if r is not usual]
                lines.append(f"| `{task}`, `{case}` | {contender['rival']} | {duration(contender['ns_per_op'])} | {contender['allocs']:,} | {contender['spread'] * 100:.0f} % | {', '.join(said)} |")
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
            for contender in (r for r in rows if r["rival"].startswith("hotpb")):
                said = ", ".join(f"{ratio(r['instructions'], contender['instructions'])} {r['rival']}" for r in rows if is_rival(r))
                chosen = small.get((task, case, contender["rival"]))
                lines.append(f"| `{task}`, `{case}` | {contender['rival']} | {contender['instructions']:,} |" +
                             (f" {f'{chosen:,}' if chosen else '–'} |" if small else "") + f" {said} |")
        lines.append("")
    return lines[:-1] or ["None are in these results."]


def elsewhere(results):
    lines = []
    for table in results.others:
        lines += [f"### {table['title']}", "", table["about"], "", *table.get("lines", []), ""]
    return lines[:-1] or ["None of these is in the results."]


def rivals(rows, language, key):
    """The stock runtime, then the other libraries by their fastest setting, at most RIVALS of them."""
    usual, found = stock(rows, language), {}
    for row in sorted((r for r in rows if is_rival(r) and r[key]), key=lambda r: r[key]):
        if usual is None or row["rival"].split(":")[0] != usual["rival"]:
            found.setdefault(row["rival"].split(":")[0], row)
    return [*([usual] if usual and usual[key] else []), *found.values()][:RIVALS]


def task(name):
    """The block of a task in docs/performance.md."""
    def block(results):
        lines = [*([chart(name), ""] if name == COMMITTED else []), "| | hotpb | allocations | the others take |", "|---|--:|--:|---|"]
        for title, task, case, language, contender in PERFORMANCE[name]:
            mine, rows = results.row(task, case, language, contender), results.ranked(task, case, language)
            lines.append(f"| {title} | {duration(mine['ns_per_op'])} | {mine['allocs']:,} | " +
                         ", ".join(f"{times(r, mine)} {r['rival']}" for r in rivals(rows, language, "ns_per_op")) + " |")
        return lines
    return block


def counted(results):
    """Instructions of one operation, of a few tasks."""
    lines = ["| | hotpb | the others execute |", "|---|--:|---|"]
    for title, task, case, language, contender in COUNTED:
        rows = [r for r in results.rows if (r["task"], r["case"], r["language"]) == (task, case, language) and r["instructions"]]
        mine = next((r for r in rows if r["rival"] == contender), None)
        if mine is None:
            raise Disagreement(f"{results.path.relative_to(ROOT)} has no instructions of {task} {case} {language} {contender}")
        lines.append(f"| {title} | {mine['instructions']:,} | " +
                     ", ".join(f"{ratio(r['instructions'], mine['instructions'])} {r['rival']}" for r in rivals(rows, language, "instructions")) + " |")
    return lines


def imported(title):
    """The block of a table that another command measured."""
    def block(results):
        table = next((t for t in results.others if t["title"] == title), None)
        return [table["about"], "", *table["lines"]] if table else ["It is not in these results."]
    return block


def grid(results):
    """The page with every row, for the site."""
    return ["# The whole grid", "", "Every row of the results, our settings included. [How to read the tables](performance.md#how-to-read-the-tables).", "",
            *(re.sub(r"\[(`[^`]*`)\]\([^)]*\)", r"\1", line) for line in machine(results)), "", "## Times", "", *tables(results), "", "## Instructions", "",
            "Of one operation, counted by Valgrind; rivals' counts ÷ ours. *Compiler chooses* is the same C++ code with `-DHOTPB_SMALL`.", "",
            *instructions(results), "", "## Measured by other commands", "", *elsewhere(results), "", "## Tasks", "",
            *(f"- `{name}`: {described.about}" for name, described in TASKS.items() if name in CORE)]


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
    rows = {(language, r["rival"]): r for language in ("rust", "go") for r in results.ranked(task, "seeded-10k", language)}
    if base not in rows:
        return [f"The results have no `{task}` yet: `bench/run {task}` measures it."]
    lines = ["| | time | | allocations |" + "".join(f" {title} |" for title, _ in extra), "|---|--:|--:|--:|" + "--:|" * len(extra)]
    for language, rival, heading in named:
        row = rows.get((language, rival))
        if row:
            lines.append(f"| {heading} | {duration(row['ns_per_op'])} | {row['ns_per_op'] / rows[base]['ns_per_op']:.2f} | {row['allocs']:,} |" +
                         "".join(f" {value(row)} |" for _, value in extra))
    missing = [heading for language, rival, heading in named if (language, rival) not in rows]
    if missing:
        lines += ["", f"Not in these results: {'; '.join(missing)}."]
    return lines


def steps(results):
    """The way from prost to no allocation: times as multiples of prost's, and where the page's figures come from."""
    return [*compared(results, "rw1-decode", STEPS, ("rust", "prost")), "",
            f"From [`{results.path.name}`]({{up}}{results.path.relative_to(ROOT)}). {results.head['note']}"]


def pieces(results):
    """What it costs to hold a string: times as multiples of a pointer's."""
    def counted(row):
        return f"{int(COUNTS.search(row['note']).group(1)):,}"
    return compared(results, "slice", [("rust", *piece) for piece in PIECES], ("rust", "pointer"), [("changes of reference counts", counted)])


def rows(results):
    """From bytes to rows: times as multiples of those of our row builder."""
    return compared(results, "rw1-rows", [("rust", *row) for row in ROWS], ("rust", "hotpb-tables"))


BLOCKS = {"steps": steps, "pieces": pieces, "rows": rows, "readme": readme, "machine": machine, "tables": tables, "other": elsewhere, "counted": counted,
          "weight": imported("Weight of generated code"), "peers": imported("Messages that others designed"),
          **{name: task(name) for name in PERFORMANCE}, **origins.BLOCKS}


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


def drawn(results, names):
    """The charts of these names: {file: SVG}."""
    import pygal
    from pygal.style import Style
    found = {}
    for name, (title, task, case, languages) in ((name, CHARTED[name]) for name in names):
        bars = []
        for language in languages:
            rows = [r for r in results.ranked(task, case, language)
                    if is_rival(r) and r["rival"] not in NOT_CHARTED or r["rival"] in OURS]
            bars += [(f"{LANGUAGES[language]}: {r['rival']}", r) for r in rows]
        if not bars:
            raise Disagreement(f"{results.path.relative_to(ROOT)} has no rows of {task} {case}, which a chart shows")
        scale = 1e6 if "(ms" in title else 1e3
        for shade, ink, accent, neutral in (("light", "#1c2330", "#c2410c", "#94a3b8"), ("dark", "#e2e8f0", "#fb923c", "#64748b")):
            style = Style(background="transparent", plot_background="transparent", foreground=ink, foreground_strong=ink, foreground_subtle=ink,
                          opacity="1", opacity_hover="1", font_family="system-ui, sans-serif", label_font_size=13, major_label_font_size=13,
                          value_font_size=13, title_font_size=16, value_colors=(ink,), colors=(neutral,), guide_stroke_color="transparent",
                          major_guide_stroke_color="transparent")
            plot = pygal.HorizontalBar(style=style, js=[], print_values=True, print_values_position="top", show_legend=False, width=760,
                                       height=70 + 26 * len(bars), title=title, show_x_labels=False, spacing=8, margin=8, pretty_print=True,
                                       value_formatter=lambda value: f"{value:.3g}", range=(0, 1.12 * max(r["ns_per_op"] for _, r in bars) / scale))
            plot.uuid = f"{name}-{shade}"
            plot.x_labels = [label for label, _ in reversed(bars)]
            plot.add("", [{"value": round(r["ns_per_op"] / scale, 6), "color": accent if r["rival"].startswith("hotpb") else neutral} for _, r in reversed(bars)])
            svg = plot.render(is_unicode=True)
            svg = re.sub(r"<!--.*?-->|<script.*?</script>", "", svg, flags=re.S)  # the date, and code that a picture does not need
            svg = re.sub(r"(?<=</text>)<title>[^<]*</title>", "", svg)  # the position of a bar on the axis
            svg = svg.replace('<text text-anchor="middle"', '<text text-anchor="start"')  # values, after their bars
            found[f"{name}-{shade}.svg"] = "\n".join(line.rstrip() for line in svg.splitlines() if line.strip()) + "\n"
    return found


def with_charts():
    """Makes the charts' library importable; installs it when it is missing."""
    tools = ROOT / "build/tools/charts"
    subprocess.run([str(ROOT / "tools/setup"), "charts"], check=True, stdout=sys.stderr)
    sys.path.insert(0, str(tools))


def complete(pages):
    """Draws all charts for the site, whose pages are in this folder, and shows each above its table."""
    with_charts()
    for name, svg in drawn(Results(newest()), CHARTED).items():
        (pages / "docs/charts").mkdir(exist_ok=True)
        (pages / "docs/charts" / name).write_text(svg)
    page = pages / "docs/performance.md"

    def show(match):
        name = match[2]
        if name not in CHARTED or name == COMMITTED:
            return match[0]
        pictures = "".join(f'<img src="charts/{name}-{shade}.svg#only-{shade}" alt="{CHARTED[name][0]}" width="760">' for shade in ("light", "dark"))
        return f"{match[1]}{pictures}\n\n{match[3]}{match[4]}"
    page.write_text(BLOCK.sub(show, page.read_text()))


def update(check):
    """Writes documents and charts; with `check`, names those that disagree with the results instead."""
    with_charts()
    try:
        results = Results(newest())
        wanted = {**documents(results), **{CHARTS / name: svg for name, svg in drawn(results, [COMMITTED]).items()}}
    except Disagreement as error:
        sys.exit(f"bench/render: {error}")
    stale = [path for path, text in wanted.items() if not path.exists() or path.read_text() != text]
    stray = [path for path in CHARTS.glob("*.svg") if path not in wanted]
    if check:
        for path in stale + stray:
            print(f"FAILED: {path.relative_to(ROOT)} disagrees with {results.path.relative_to(ROOT)}; run bench/render --figures")
        print(f"{len(wanted) - len(stale)} passed, {len(stale) + len(stray)} failed")
        return 1 if stale or stray else 0
    CHARTS.mkdir(parents=True, exist_ok=True)
    for path in stray:
        path.unlink()
    for path in stale:
        path.write_text(wanted[path])
        print(path.relative_to(ROOT))
    return 0
