"""The budgets of generated code: its bytes and its compile time beside those of other generators, and how it grows with a schema.

RATIOS has the ratios that tools/weight printed for made:400 when they were written here. A ratio that is larger by more than the margin of its
column is above its budget; after a change that makes code lighter, write the new ratios.
"""
import subprocess

from . import ROOT, cpp, fresh, go, run, rust, schemas

LANGUAGES = {"go": go, "rust": rust, "cpp": cpp}
SCHEMA = "made:400"
# Bytes are the same in each run; seconds are not: under a load of twenty, ratios move by a third to a half.
MARGINS = {"source": 1.03, "seconds": 1.5, "object": 1.03, "program": 1.03}
# language: row: its ratios to the row that it stands beside, in the order of MARGINS. None: not measured.
RATIOS = {
    "go": {
        "+ codec": (0.89, 1.12, 1.45, None),
        "view": (1.06, 1.71, None, None),
        "writer": (0.53, 1.18, None, None),
        "pool": (1.84, 4.33, None, None),
    },
    "rust": {
        "view": (1.03, 0.69, 0.79, 1.00),
        "writer": (0.65, 0.28, 0.57, None),
        "pool": (0.93, 0.91, 1.28, 1.19),
    },
    "cpp": {
        "view": (0.20, 0.77, 0.65, None),
        "pool": (0.28, 0.49, 0.55, None),
    },
}
LAYOUT = "{:<72} {:>8} {:>8} {:<3} {}"


class Comparison:
    """Prints measured budgets, and keeps the names of those that are exceeded."""

    def __init__(self):
        self.above = []
        print(f"\n{LAYOUT.format('budget', 'now', 'at most', '', '')}".rstrip(), flush=True)

    def check(self, name, measured, most, unit="x"):
        if measured > most:
            self.above.append(name)
        self.show(name, measured, most, unit)

    def show(self, name, measured, most, unit):
        """Prints a budget of seconds, which a slow machine may exceed."""
        print(LAYOUT.format(name, f"{measured:.2f}", f"{most:.2f}", unit, "met" if measured <= most else f"{measured / most:.2f} x the budget"), flush=True)

    def ratios(self, language, rows):
        """Compares rows (name, weight, the row that it stands beside) with RATIOS; returns the weights by name."""
        missing = dict(RATIOS[language])
        weights = {}
        for row, weight, beside in rows:
            weights[row] = weight
            figures = missing.pop(row, None)
            if figures is None:
                continue
            if beside not in weights:
                print(f"SKIPPED: {language}, {row}: no {beside} on this machine", flush=True)
                continue
            for (column, margin), figure in zip(MARGINS.items(), figures):
                if figure is None:
                    continue
                base = getattr(weights[beside], column)
                if base <= 0:  # a difference of seconds that noise has eaten
                    self.above.append(f"{language}, {row}: {column} of {beside} not measured")
                    continue
                self.check(f"{language}, {SCHEMA}, {row}: {column} to that of {beside}", getattr(weight, column) / base, figure * margin)
        self.above += [f"{language}, {row}: not measured" for row in missing]
        return weights


def compare(languages):
    """Measures, prints, and returns the names of the budgets that are exceeded."""
    comparison = Comparison()
    made = schemas.named(SCHEMA)
    weights = {}
    for language in languages:
        module = LANGUAGES[language]
        weights[language] = comparison.ratios(language, module.rows(made, [face for face in module.FACES if face in RATIOS[language]]))
    if "rust" in languages:
        small, large = (rust.weigh(schemas.connected(count), "pool") for count in (100, 400))
        comparison.check("rust, 100 -> 400 connected messages, pool: lines", large.lines / small.lines, 4.2)
        seconds, _ = run("cargo", "build", "--release", "--quiet", "-p", "hotpb", "--target-dir", fresh("rust-cold"), cwd=ROOT / "rust")
        comparison.show("rust, crate hotpb, cold release build", seconds, 3, "s")
    if "go" in languages:
        small, large = (go.weigh(schemas.members(count), "pool") for count in (100, 400))
        comparison.check("go, oneof of 100 -> 400 messages, pool: bytes", large.source / small.source, 4.2)
        three = "messages=" + "+".join(message.fullname for message in made.three())
        for row in ("pool", "view", "writer"):
            comparison.check(f"go, {SCHEMA}, {row}: a program of three, to one with messages=", weights["go"][row].program / go.weigh(made, row, three).program, 1.01)
    if "cpp" in languages:
        nine(comparison)
    return comparison.above


def nine(comparison):
    """A file that walks nine views, whose code stands in sources."""
    folder = fresh("nine")
    run(cpp.PLUGIN, f"--descriptor_set={schemas.named('descriptor').path}", f"--out={folder}", "--opt=faces=view,sources")
    target = folder / "nine.o"
    seconds, _ = run("g++", "-std=c++17", "-O2", f"-I{folder}", *cpp.INCLUDES, "-c", ROOT / "cpp/bench/weight/nine.cc", "-o", target)
    text = subprocess.run(["size", target], check=True, capture_output=True, text=True).stdout.split("\n")[1].split()[0]
    comparison.show("cpp, a file that walks nine views, with sources", seconds, 1.3, "s")
    comparison.check("cpp, the same: code", int(text) / 1000, 30, "kB")
