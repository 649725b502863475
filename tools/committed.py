"""Generated files in git: tools/committed.txt lists them, with the reason for each. tools/lint compares the list with what git tracks.

A line is `PATTERN  REASON`: a path, in which * stands for any characters, and after two spaces or more why the file is not made where it is
used. Lines are sorted by pattern.
"""
import fnmatch
import re
from pathlib import Path

LIST = Path(__file__).resolve().parent / "committed.txt"
# What a command prints: by name, or by a mark in one of the first lines.
NAMED = re.compile(r"\.hot\.|\.pb\.|_vtproto\.|(^|/)goldens/|(^|/)plans/\w+\.json$|(^|/)(go\.sum|Cargo\.lock|package-lock\.json)$|\.(fds|binpb|gz|svg|jsonl)$|(^|/)macros\.inc$")
MARKED = re.compile(r"^(?://|#|/\*) .*(?:[Gg]enerated (?:by|from) .*DO NOT EDIT|@generated\b)")


def generated(name, path):
    if NAMED.search(name):
        return True
    with open(path, "rb") as file:
        return any(MARKED.match(file.readline(500).decode(errors="replace")) for _ in range(3))


def entries(text):
    """(pattern, number of its line) of each entry, or what is wrong with a line."""
    previous = ""
    for number, line in enumerate(text.splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        pattern, _, reason = line.partition("  ")
        if not reason.strip():
            yield f"tools/committed.txt: line {number}: no reason after two spaces: {line}"
        elif pattern <= previous:
            yield f"tools/committed.txt: line {number}: {pattern} is not sorted"
        else:
            yield pattern, number
            previous = pattern


def breaches(names, root, text):
    """What is wrong: generated files without an entry, and entries without a generated file."""
    made = {name for name in names if generated(name, root / name)}
    unlisted = set(made)
    for entry in entries(text):
        if isinstance(entry, str):
            yield entry
            continue
        pattern, number = entry
        match = re.compile(fnmatch.translate(pattern)).match
        found = {name for name in made if match(name)}
        if not found:
            yield f"tools/committed.txt: line {number}: no generated file in git matches {pattern}"
        unlisted -= found
    for name in sorted(unlisted):
        yield f"{name}: a command prints this file, so it is not for git; or tools/committed.txt gives the reason"
