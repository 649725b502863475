#!/usr/bin/env python3
"""Writes the pages of the site: the repository's Markdown as MkDocs reads it, and pages that list the vectors.

    tools/docs/pages.py FOLDER
    tools/docs/pages.py --check     writes nothing

FOLDER mirrors the repository, so that a link between two documents is the same in the repository and in the site. A link to
any other file of the repository becomes one to its page at the project's URL, and so does one to a document of an app, which is no page. A
link to a file or a heading that does not exist is an error, in those documents too.
"""
import os
import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote

ROOT = Path(__file__).resolve().parents[2]
URL = re.search(r'^repository = "(.*)"', (ROOT / "rust/Cargo.toml").read_text(), re.M).group(1)
NO_PAGES = re.compile(r"(^|/)(testdata|internal|changes|\.github)/|^tools/")
FENCE = re.compile(r"^( *)(```+|~~~+) *(.*)$")
TARGET = re.compile(r'(?<=\]\()([^)\s]+)|((?:href|src|srcset)=")([^"]+)')
SPEC_ID = re.compile(r"^- \[([A-Z]{3}-\d+)\]")
# A chart in two colours: GitHub goes by the system's setting, the site by the reader's choice.
PICTURE = re.compile(r'<picture><source media="\(prefers-color-scheme: dark\)" srcset="([^"]+)"><img src="([^"]+)" (.*?)></picture>')

# A diagram is scrolled on a phone, so that its text stays readable.
WIDE, WIDE_END = '<div class="wide" markdown="1">\n\n', "\n\n</div>"


class Broken(Exception):
    pass


def repository_files():
    done = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=ROOT, capture_output=True, check=True)
    return {name for name in done.stdout.decode().split("\0") if name and (ROOT / name).is_file()}


class Site:
    """The documents among the files of a repository, and what their links are in the site."""

    def __init__(self, root, files):
        self.root, self.files, self.anchors = root, files, {}
        self.folders = {str(parent) for name in files for parent in Path(name).parents}
        self.texts = sorted(name for name in files if name.endswith(".md") and not NO_PAGES.search(name))
        self.pages = [name for name in self.texts if not name.startswith("apps/")]
        self.pictures = sorted(name for name in files if name.startswith("docs/") and name.endswith(".svg"))

    def target(self, page, link):
        """What a link of a page is in the site."""
        if re.match(r"[a-z+]+:", link):
            return link
        path, hash_, anchor = link.partition("#")
        name = os.path.normpath(os.path.join(os.path.dirname(page), unquote(path))) if path else page
        if name in self.folders and name != "." and f"{name}/README.md" in self.texts:
            name, path = f"{name}/README.md", f"{path.rstrip('/')}/README.md"
        if name in self.texts and anchor and anchor not in self.anchors_of(name):
            raise Broken(f"{page}: {link}: {name} has no such heading")
        if name in self.pages:
            return f"{path}{hash_}{anchor}"
        if name in self.pictures:
            return link
        if name in self.files:
            return f"{URL}/blob/main/{name}{hash_}{anchor}"
        if name in self.folders:
            return f"{URL}/tree/main/{name}"
        raise Broken(f"{page}: {link}: there is no such file")

    def anchors_of(self, page):
        """The anchors of a page's headings, as GitHub and the site make them, and the ids of the specification."""
        if page not in self.anchors:
            found, fence = set(), False
            for line in (self.root / page).read_text().splitlines():
                fence ^= bool(FENCE.match(line))
                if heading := not fence and re.match(r"#+ +(.*)", line):
                    plain = re.sub(r"\[([^\]]*)\]\([^)]*\)|[*`]", r"\1", heading[1])
                    slug = re.sub(r"[^\w\- ]", "", plain.lower()).strip().replace(" ", "-")
                    found.add(next(name for name in (slug, *(f"{slug}-{n}" for n in range(1, 99))) if name not in found))
                if rule := SPEC_ID.match(line):
                    found.add(rule[1])
            self.anchors[page] = found
        return self.anchors[page]

    def markdown(self, page, text):
        """A document as MkDocs reads it: links, attributes of code, anchors of the specification's ids."""
        out, fence, diagram = [], None, False
        for line in text.splitlines():
            mark = FENCE.match(line)
            if fence:
                if mark and mark[2].startswith(fence) and not mark[3]:
                    line += WIDE_END * diagram
                    fence = None
            elif mark:
                fence, diagram = mark[2], mark[3] == "mermaid"
                line = WIDE * diagram + f"{mark[1]}{mark[2]}{language(mark[3])}"
            else:
                line = PICTURE.sub(r'<img src="\2#only-light" \3><img src="\1#only-dark" \3>', line)
                line = TARGET.sub(lambda m: (m[2] or "") + self.target(page, m[1] or m[3]), line)
                line = SPEC_ID.sub(r'- <span id="\1" class="spec-id">\1</span>', line)
                if out and starts_list(line, out[-1]):
                    out.append("")
            out.append(line)
        return "\n".join(out) + "\n"

    def documents(self):
        """(name, text) of each page that the repository has, once all documents have been read."""
        read = {name: self.markdown(name, (self.root / name).read_text()) for name in self.texts}
        return [(page, read[page]) for page in self.pages]


def language(info):
    """The info string of a fence: its language and, of a file, the name. Marks for our tests are not shown."""
    words = info.split()
    title = [word[len("file="):] for word in words[1:] if word.startswith("file=")]
    return " ".join(words[:1]) + (f' title="{title[0]}"' if title else "")


def starts_list(line, before):
    """Whether a list begins without the empty line that Python-Markdown needs before it."""
    item = re.compile(r" *([-*]|\d+\.) ")
    return item.match(line) and before.strip() and not item.match(before) and not before.startswith(" ")


def put(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def main():
    site = Site(ROOT, repository_files())
    try:
        documents = site.documents()
    except Broken as error:
        sys.exit(f"tools/docs/pages.py: {error}")
    if sys.argv[1:] == ["--check"]:
        return
    import vectors  # needs the Python environment of the repository's tools
    out = Path(sys.argv[1])
    for name, text in [*documents, *vectors.pages(ROOT)]:
        put(out / name, text)
    for picture in site.pictures:
        put(out / picture, (ROOT / picture).read_text())


if __name__ == "__main__":
    main()
