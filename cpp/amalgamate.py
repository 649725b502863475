#!/usr/bin/env python3
"""cpp/amalgamate.py [FOLDER]: the runtime as one header (default: into build/amalgamated).

  FOLDER/hotpb.h       all of include/hotpb
  FOLDER/hotpb_wkt.h   the well-known types, for schemas that use them; includes hotpb.h
  FOLDER/hotpb_shm.h   packets in shared memory (Linux); includes hotpb.h and the system's headers

Code generated with the option single_header includes these two and nothing else of hotpb. Each part keeps its include
guard, so that the one header and the folder of many may even meet in one file.
"""
import re
import sys
from pathlib import Path

CPP = Path(__file__).resolve().parent
INCLUDE = CPP / "include"
ONLY_WITH = {"hotpb/chunk_iovec.h": "<sys/uio.h>"}  # what not every system has

BODY = ("namespace", "HOTPB_NAMESPACE_BEGIN", "#endif  //")  # where a header's code begins

HEAD = """\
// hotpb {version}: Protocol Buffers on hot paths, {what}. Needs C++17 and its standard library, nothing else.
// SPDX-License-Identifier: Apache-2.0 (https://www.apache.org/licenses/LICENSE-2.0)
// Made by cpp/amalgamate.py of its many headers. Change those.
"""


class Amalgamation:
    """Parts in the order in which the compiler would meet them, and the system's headers that they want."""

    def __init__(self, elsewhere=()):
        self.seen = set(elsewhere)
        self.system = set()
        self.text = []

    def add(self, name):
        if name in self.seen:
            return
        self.seen.add(name)
        lines = (INCLUDE / name).read_text().splitlines()
        # What stands above its code comes first, as one reads it; what stands below has to stay there.
        for line in lines[:next(i for i, line in enumerate(lines) if line.startswith(BODY))]:
            if line.startswith('#include "'):
                self.add(line.split('"')[1])
        only_with = ONLY_WITH.get(name)
        if only_with:
            self.text.append(f"#if __has_include({only_with})")
        self.text.append(f"// ---- {name} ----")
        depth = 0  # of conditions; 1 inside the include guard
        for line in lines:
            directive = re.match(r"#\s*(\w+)", line)
            directive = directive and directive.group(1)
            if directive in ("if", "ifdef", "ifndef"):
                depth += 1
            elif directive == "endif":
                depth -= 1
            if directive == "include":
                what = line.split(None, 1)[1]
                if what.startswith('"'):
                    assert depth == 1, f"{name}: {line} is under a condition"
                    self.add(what.strip('"'))
                    continue
                if depth == 1 and what != only_with:
                    self.system.add(what)
                    continue
            self.text.append(line)
        assert depth == 0, f"{name}: conditions do not end"
        if only_with:
            self.text.append("#endif")

    def write(self, path, what, includes=()):
        version = re.search(r"VERSION (\d+\.\d+\.\d+)", (CPP / "CMakeLists.txt").read_text()).group(1)
        guard = path.name.upper().replace(".", "_") + "_"
        lines = [HEAD.format(version=version, what=what) + f"#ifndef {guard}", f"#define {guard}", ""]
        lines += [f"#include {header}" for header in sorted(self.system)]
        lines += [f'#include "{header}"' for header in includes] + [""] + self.text
        text = "\n".join(lines + ["", f"#endif  // {guard}", ""])
        path.write_text(re.sub(r"\n{3,}", "\n\n", text))


def headers(pattern):
    return sorted(path.relative_to(INCLUDE).as_posix() for path in INCLUDE.glob(pattern))


def main():
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else CPP.parent / "build/amalgamated"
    folder.mkdir(parents=True, exist_ok=True)
    runtime = Amalgamation()
    for name in headers("hotpb/**/*.h"):
        if not name.startswith(("hotpb/wkt/", "hotpb/shm/")):
            runtime.add(name)
    runtime.write(folder / "hotpb.h", "in one header")
    ready = Amalgamation(runtime.seen)
    for name in headers("hotpb/wkt/*.h"):
        ready.add(name)
    ready.write(folder / "hotpb_wkt.h", "writers and views of the well-known types", ["hotpb.h"])
    shared = Amalgamation(runtime.seen)
    for name in headers("hotpb/shm/*.h"):
        shared.add(name)
    shared.write(folder / "hotpb_shm.h", "packets in shared memory", ["hotpb.h"])


if __name__ == "__main__":
    main()
