"""Changes since the last release: a file for each in a folder `changes`, one line, which a release joins to the changelog beside it."""
import re

LONGEST = 160


class Malformed(Exception):
    """What is wrong with a file of changes, in a sentence that says what to do."""


def lines(folder):
    """{path: line} of the changes in a folder, by the names of their files; its README is none."""
    found = {}
    for path in sorted(folder.glob("*")) if folder.is_dir() else ():
        if path.name == "README.md":
            continue
        if path.suffix != ".md":
            raise Malformed(f"{path}: a change is a file NAME.md")
        text = path.read_text()
        if not re.fullmatch(r"[^\s#-](.*\S)?\n", text):
            raise Malformed(f"{path}: one line, without a mark of a list before it, and a line break after it")
        if len(text) - 1 > LONGEST:
            raise Malformed(f"{path}: {len(text) - 1} characters; at most {LONGEST}")
        found[path] = text.rstrip("\n")
    return found


def written(changelog, version):
    """The text under the version's heading, if that has no date: a release dates it."""
    found = re.search(rf"^## {re.escape(version)}\n(.*?)(?=^## |\Z)", changelog, re.M | re.S)
    return found[1].strip() if found else ""


def dated(changelog, version, day, changed):
    """The changelog with the section of a release, and this section's text: what was written by hand, then the changes."""
    text = ("\n\n".join(filter(None, [written(changelog, version), "\n".join(f"- {line}" for line in changed)])) or "No changes.") + "\n"
    section = f"## {version} - {day}\n\n{text}"
    if re.search(rf"^## {re.escape(version)}$", changelog, re.M):
        rest = re.split(rf"^## {re.escape(version)}\n.*?(?=^## |\Z)", changelog, maxsplit=1, flags=re.M | re.S)
    else:
        rest = re.split(r"(?=^## )", changelog, maxsplit=1, flags=re.M)
    before, after = rest[0], rest[1] if len(rest) > 1 else ""
    return before.rstrip("\n") + "\n\n" + section + ("\n" + after if after else ""), text
