"""Pages that list the vectors: one for each folder of vectors/, a table for each file."""
import html
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "vectors"))
from hotpb_vectors.cases import read_yaml, rows, substitute  # noqa: E402

TITLES = {
    "wire": ("Vectors: bytes that decode", "What re-encoding must return, for each legal encoding of one value."),
    "invalid": ("Vectors: bytes that are refused", "The error that a reader must return. `@` marks the offset of the error."),
    "stream": ("Vectors: delimited streams", "The messages of a stream, and the error at its end."),
    "writer": ("Vectors: calls on a writer", "The bytes that come of the calls, and how they lie in chunks."),
    "primitive": ("Vectors: varints and UTF-8", "For a wire layer without schemas."),
}
SHOWN = 90  # characters of an input or a result


def rules(root):
    """{id: file} of all rules of the specification."""
    return {rule: path.name for path in sorted((root / "spec").glob("*.md")) for rule in re.findall(r"^- \[([A-Z]{3}-\d+)\]", path.read_text(), re.M)}


def pages(root):
    """(name, Markdown) of each page."""
    where, tables = rules(root), read_yaml(root / "vectors/types.yaml")
    for kind, (title, promise) in TITLES.items():
        out = [f"# {title}", "", f"{promise} [vectors/README.md](README.md) explains the notation. A name is the sentence that the case proves;"
               " a case stands for one vector for each schema, and for each row of its table of types, of which the first is shown.", ""]
        for path in sorted((root / "vectors" / kind).glob("*.yaml")):
            cases = [first_row(case, tables) for case in read_yaml(path) or []]
            out += [f"## {path.name}", "", comment(path), "", f"{len(cases)} cases.", "", "| the case | spec | first input | result |", "|---|---|---|---|"]
            out += [f"| {sentence(case)} | {' '.join(link(rule, where) for rule in case['ids'])} | {code(first_input(case))} | {result(case)} |"
                    for case in cases]
            out.append("")
        yield f"vectors/{kind}.md", "\n".join(out)


def first_row(case, tables):
    """A case whose `each:` names a table, as it is for the first row."""
    return substitute({key: value for key, value in case.items() if key != "each"}, next(iter(rows(case, tables))))


def comment(path):
    """The comment at the head of a file: what its cases are about."""
    lines = []
    for line in path.read_text().splitlines():
        if not line.startswith("#"):
            break
        lines.append(line.lstrip("# "))
    return html.escape(" ".join(lines), quote=False).replace("|", "\\|").replace("*", "\\*")


def sentence(case):
    return case["name"].replace("_", " ")


def link(rule, where):
    if rule not in where:
        raise SystemExit(f"tools/docs: {rule} is not a rule of spec/")
    return f"[{rule}](../spec/{where[rule]}#{rule})"


def first_input(case):
    if "calls" in case:
        return "; ".join(call(entry) for entry in case["calls"])
    inputs = case.get("inputs", case.get("input", ""))
    if isinstance(inputs, dict):
        inputs = next(iter(inputs.values()))
    return inputs[0] if isinstance(inputs, list) and inputs else inputs or ""


def call(words):
    return " ".join(map(str, words)) if isinstance(words, list) else str(words)


def result(case):
    if "error" in case:
        error = case["error"]
        parts = error.values() if isinstance(error, dict) else error if isinstance(error, list) else [error]
        return ", ".join(code(value) for value in parts if value)
    for key in ("canonical", "output", "value", "messages"):
        if key in case:
            value = case[key]
            if isinstance(value, dict):
                value = next(iter(value.values()))
            return "the input" if value == "same" else code(" · ".join(value) if isinstance(value, list) else value)
    return ""


def code(text):
    """Text as code in a cell of a table."""
    text = str(text).strip()
    text = text if len(text) <= SHOWN else text[:SHOWN - 1] + "…"
    return f"<code>{html.escape(text, quote=False).replace('|', '&#124;').replace('*', '&#42;').replace('_', '&#95;').replace('`', '&#96;')}</code>" if text else ""
