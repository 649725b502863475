#!/usr/bin/env python3
"""page_as_text.py PAGE TIMESTAMP_MS [NAME=VALUE...]: prints the request that a page must become, in protobuf's text format.

It reads the page with regular expressions, and shares no code with page.cc. protoc --encode turns its output into bytes,
which the test compares with the output of C++'s writer.
"""
import re
import sys

NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
SAMPLE = re.compile(rf"({NAME})(?:{{(.*)}})? (\S+)(?: (-?\d+))?")
LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\.)*)",?')
COMMENT = re.compile(rf"# (HELP|TYPE) ({NAME}) (.*)")


def unescape(text):
    return re.sub(r"\\(.)", lambda match: {"n": "\n"}.get(match[1], match[1]), text)


def quoted(text):
    return '"' + "".join(f"\\{byte:03o}" for byte in text.encode()) + '"'


def main():
    page, timestamp, added = sys.argv[1], sys.argv[2], dict(pair.split("=", 1) for pair in sys.argv[3:])
    metadata = {}
    for line in open(page, encoding="utf-8", newline="\n").read().split("\n")[:-1]:
        if match := COMMENT.fullmatch(line):
            metadata.setdefault(match[2], {})[match[1]] = match[3]
            continue
        match = SAMPLE.fullmatch(line)
        own = {name: unescape(value) for name, value in LABEL.findall(match[2] or "")}
        labels = {"__name__": match[1], **own, **added}
        pairs = " ".join(f"labels {{name: {quoted(name)} value: {quoted(labels[name])}}}" for name in sorted(labels))
        value = match[3].lower().replace("+", "")
        print(f"timeseries {{{pairs} samples {{value: {value} timestamp: {match[4] or timestamp}}}}}")
    for name, said in metadata.items():
        kind = said.get("TYPE", "untyped").upper().replace("UNTYPED", "UNKNOWN")
        help_text = said.get("HELP", "").replace("\\\\", "\0").replace("\\n", "\n").replace("\0", "\\")
        print(f"metadata {{type: {kind} metric_family_name: {quoted(name)} help: {quoted(help_text)}}}")


main()
