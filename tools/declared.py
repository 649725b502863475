"""The function words that a file declares as names: docs/style.md says why they are none.

tools/lint refuses them but for the exceptions in tools/declared.txt and apps/*/declared.txt, and tools/budgets counts all of them. Comments and strings do not count.
Python is parsed; in Go, Rust and C++, patterns find functions, types, variables, parameters and fields. They miss some, such as the bindings of
a `match`, and find nothing else.
"""
import ast
import re
from pathlib import Path

WORDS = "what|how|with|says|of|again|other|one|both|far|taken|asked|ours|maybe|it|back|behind"
WORD = rf"(?:{WORDS})\b"
EXCEPTIONS = Path(__file__).resolve().parent / "declared.txt"

NO_CODE = {
    ".go": re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|`[^`]*`|'(?:\\.|[^'\\\n])+'", re.S),
    ".rs": re.compile(r"//[^\n]*|/\*.*?\*/|r(#*)\".*?\"\1|\"(?:\\.|[^\"\\])*\"|'(?:\\[^\n]+?|[^\\'\n])'", re.S),
    ".cc": re.compile(r"//[^\n]*|/\*.*?\*/|R\"(\w*)\(.*?\)\1\"|\"(?:\\.|[^\"\\\n])*\"|(?<!\w)'(?:\\.|[^'\\\n])+'", re.S),
}
DECLARED = {
    ".go": re.compile(
        rf"\bfunc (?:\([^)\n]*\) )?{WORD}[\[(]|\b(?:var|const|type) (?:\w+, )*{WORD}|^\s+(?:\w+, )*{WORD}(?:, \w+)* +[\[*\w]"
        rf"|\b(?:\w+, )*{WORD}(?:, \w+)* :=|[(,] ?{WORD}(?:, \w+)* (?:\.\.\.|\[|\*|<-|func\(|\w)", re.M),
    ".rs": re.compile(
        rf"\bfn {WORD}|\blet (?:mut )?{WORD}|\blet \([^=;\n]*\b{WORD}[^=;\n]*\) =|\bfor (?:mut )?{WORD} in\b|[(,|] ?(?:mut )?{WORD}(?=: |\||, [^|\n]*\| )"
        rf"|^\s+(?:pub(?:\([a-z]+\))? )?{WORD}(?=: (?:[A-Z]\w*(?:<.*>)?|&(?!\[\]).*|\w+(?:::\w+)*(?:<.*>)?|\w+),$)", re.M),
    ".cc": re.compile(
        rf"(?:(?<=\w)|(?<=[\w>*&]>)|(?<=[\w>][*&])|(?<=[\w>]&&))(?<!\breturn)(?<!\bthrow)(?<!\bcase)(?<!\belse)(?<!\bgoto)(?<!\bdelete)(?<!\bsizeof)"
        rf" {WORD}(?=[(),;{{:]| [=:])", re.M),
}
NO_CODE[".h"], DECLARED[".h"] = NO_CODE[".cc"], DECLARED[".cc"]
NAME = re.compile(rf"\b(?:{WORDS})\b")


def names(path, text):
    """Returns the declared function words of a file, with their lines: one for each line and word."""
    if path.suffix == ".py" or text.startswith("#!") and "python" in text[:30]:
        return sorted(set(in_python(text)))
    if path.suffix not in DECLARED:
        return []
    code = NO_CODE[path.suffix].sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)
    found = set()
    for match in DECLARED[path.suffix].finditer(code):
        if path.suffix == ".rs" and match[0][0] in "(,|" and in_braces(code, match.start()):
            continue  # a field of a value
        for word in NAME.finditer(match[0]):
            found.add((code.count("\n", 0, match.start() + word.start()) + 1, word[0]))
    return sorted(found)


def in_braces(code, at):
    """Reports whether the nearest bracket that is open before a position is a brace."""
    depth = 0
    for c in reversed(code[max(0, at - 4000) : at + (code[at] == "(")]):
        if c in ")]}":
            depth += 1
        elif c in "([{":
            if depth == 0:
                return c == "{"
            depth -= 1
    return False


def in_python(text):
    words = set(WORDS.split("|"))
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.alias):
            declared = node.asname
        elif isinstance(node, ast.arg):
            declared = node.arg
        elif isinstance(node, ast.Name):
            declared = isinstance(node.ctx, ast.Store) and node.id
        else:
            declared = getattr(node, "name", None)  # a function, a class, an exception, a capture
        if declared in words:
            yield node.lineno, declared


def exceptions():
    """Reads declared.txt: lines `PATH WORD REASON`. PATH is a file or, with a slash at the end, a folder; WORD may be `*`. An app has a list of its own."""
    entries = []
    for path in (EXCEPTIONS, *sorted(EXCEPTIONS.parents[1].glob("apps/*/declared.txt"))):
        folder = "" if path == EXCEPTIONS else f"apps/{path.parent.name}/"
        for line in path.read_text().splitlines():
            if line and not line.startswith("#"):
                place, word, reason = line.split(" ", 2)
                entries.append((folder + place, word, reason))
    return entries


def refused(files, read):
    """Yields a breach for each name that no exception allows, and for each exception that nothing needs."""
    allowed, needed = exceptions(), set()
    for name in files:
        for line, word in read(name):
            fitting = [e for e in allowed if (name == e[0] or e[0].endswith("/") and name.startswith(e[0])) and e[1] in ("*", word)]
            needed.update(fitting)
            if not fitting:
                yield f"{name}: line {line}: `{word}` is no name: use the noun or verb of the field (docs/style.md)"
    for entry in allowed:
        if entry not in needed:
            yield f"declared.txt: nothing needs the exception {entry[0]} {entry[1]}"
