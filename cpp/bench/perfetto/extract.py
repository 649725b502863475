#!/usr/bin/env python3
"""Extracts ProtoZero from the amalgamated source of the crate perfetto-sdk-sys.

    extract.py AMALGAMATED OUT        writes OUT/protozero.h and OUT/protozero.cc

The whole source takes more than a minute to compile. ProtoZero, unchanged, takes two seconds, so it can be compiled
with every compiler and instruction set that hotpb is compiled with. The script finds headers by their include guards, and
source files by the markers of the amalgamation.
"""
import re
import sys
from pathlib import Path

# All of ProtoZero, and the headers that it needs.
GUARD = re.compile(r"^#ifndef (INCLUDE_PERFETTO_PROTOZERO_\w+_H_|INCLUDE_PERFETTO_BASE_(?:COMPILER|BUILD_CONFIG|EXPORT|LOGGING"
                   r"|ENDIAN)_H_|INCLUDE_PERFETTO_EXT_BASE_UTILS_H_|GEN_BUILD_CONFIG_PERFETTO_BUILD_FLAGS_H_)$", re.M)
SOURCE = re.compile(r"^// gen_amalgamated begin source: (.*)$", re.M)
WANTED = re.compile(r"src/protozero/[^/]+\.cc")
TOP = "// Cut by extract.py out of Perfetto's amalgamated source (Apache License 2.0).\n"


def header(text, guard):
    begin = text.index(f"#ifndef {guard}\n")
    end = re.compile(rf"^#endif  // {guard}$", re.M).search(text, begin)
    if end is None:
        sys.exit(f"extract.py: no end of {guard}")
    return text[begin:end.end()]


def main():
    text = Path(sys.argv[1]).read_text()
    out = Path(sys.argv[2])
    marks = [(m.start(), m.group(1)) for m in SOURCE.finditer(text)] + [(len(text), "")]
    sources = [text[begin:end] for (begin, name), (end, _) in zip(marks, marks[1:]) if WANTED.fullmatch(name)]
    if not sources:
        sys.exit("extract.py: there is no source of ProtoZero")
    headers = [header(text, m.group(1)) for m in GUARD.finditer(text)]
    out.mkdir(parents=True, exist_ok=True)
    (out / "protozero.h").write_text(TOP + '#include "perfetto_c.h"\n' + "\n".join(headers) + "\n")
    (out / "protozero.cc").write_text(TOP + '#include "protozero.h"\n' + "\n".join(sources))


main()
