#!/usr/bin/env python3
"""Checks that no file of a site loads anything from another host: scripts, styles, fonts, images. Links to others are free.

    tools/docs/check.py build/site
"""
import re
import sys
from html.parser import HTMLParser
from pathlib import Path

LOADS = {"script": "src", "img": "src", "source": "srcset", "iframe": "src", "link": "href"}
LINKS = {"canonical", "next", "prev", "alternate"}  # relations that browsers do not fetch
ELSEWHERE = re.compile(r"(?:https?:)?//")
STYLE = re.compile(r"(?:url\(|@import\s)\s*['\"]?((?:https?:)?//[^'\")\s]+)")


class Loads(HTMLParser):
    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        if tag == "link" and set((attrs.get("rel") or "").split()) & LINKS:
            return
        value = attrs.get(LOADS.get(tag)) or ""
        if ELSEWHERE.match(value):
            self.found.append(value)


def elsewhere(path):
    text = path.read_text(errors="replace")
    if path.suffix == ".css":
        return STYLE.findall(text)
    loads = Loads()
    loads.feed(text)
    return loads.found


def main():
    site = Path(sys.argv[1])
    files = [path for path in site.rglob("*") if path.suffix in (".html", ".css")]
    found = [f"{path}: loads {url}" for path in sorted(files) for url in elsewhere(path)]
    print("\n".join(found), file=sys.stderr) if found else None
    if found or not files:
        sys.exit(f"tools/docs/check.py: {len(files)} files, {len(found)} loads from elsewhere")


if __name__ == "__main__":
    main()
