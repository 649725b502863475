#!/usr/bin/env python3
"""Prints the folders of Go's packages that have a page: those that programs import, of all modules, without what only generated code imports."""
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NO_MODULE = re.compile(r"/(bench|conformance|internal|cmd|test)/")
NO_PACKAGE = re.compile(r"/(internal|wkt|rt|test)(/|$)")
LIBRARIES = '{{if and .GoFiles (ne .Name "main")}}{{.Dir}}{{end}}'


def folders():
    modules = subprocess.run(["git", "ls-files", "go/go.mod", "go/*/go.mod"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    found = []
    for module in (ROOT / name for name in modules if not NO_MODULE.search(name)):
        listed = subprocess.run(["go", "list", "-e", "-f", LIBRARIES, "./..."], cwd=module.parent, stdout=subprocess.PIPE, text=True, check=True).stdout.split()
        found += [str(Path(folder).relative_to(ROOT)) for folder in listed]
    return [folder for folder in found if not NO_PACKAGE.search(folder)]


if __name__ == "__main__":
    print("\n".join(folders()))
