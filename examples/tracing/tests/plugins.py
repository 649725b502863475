#!/usr/bin/env python3
"""Libraries that are loaded, trace and are unloaded, by g++ and clang++, with symbols of their own and the program's (TRC-56).

usage: plugins.py BUILD_DIR

BUILD_DIR has trace-service and the generated headers; the programs are compiled into BUILD_DIR/plugins.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
BUILD = pathlib.Path(sys.argv[1]).resolve()
OUT = BUILD / "plugins"
SQL = "select category, sum(dur < 0) as open, max(depth) as depth from slice group by 1 order by 1"
ERRORS = "select name from stats where value > 0 and severity != 'info'"

# Of each library the flags, and whether it uses the symbols of a program that exports them.
LIBRARIES = {"default": ([], True), "inlines-hidden": (["-fvisibility-inlines-hidden"], True), "hidden": (["-fvisibility=hidden"], False)}


def compile(compiler, name, *flags):
    out = OUT / name
    cached = ["ccache"] if shutil.which("ccache") else []
    subprocess.run([*cached, *compiler, "-std=c++17", "-O1", f"-I{ROOT}/examples/tracing", f"-I{ROOT}/cpp/include",
                    f"-I{BUILD}/hotpb_generate/tracing_messages/include", "-pthread", *flags, "-c", "-o", f"{out}.o"], check=True)
    links = ["-shared"] if name.endswith(".so") else [flag for flag in flags if flag == "-rdynamic"]
    subprocess.run([*compiler, "-pthread", *links, f"{out}.o", "-o", out, "-ldl"], check=True)
    return out


def run(host, library, mode, scope, folder):
    socket, trace = folder / "socket", folder / "trace"
    trace.unlink(missing_ok=True)
    service = subprocess.Popen([BUILD / "trace-service", "--socket", socket, "--out", trace], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert "listens" in service.stderr.readline()
        done = subprocess.run([host, socket, library, mode, scope], stdout=subprocess.PIPE, text=True, timeout=60)
        assert done.returncode == 0, f"status {done.returncode}"
        wanted = json.loads(done.stdout)
    finally:
        service.terminate()
        counts = json.loads(service.communicate(timeout=60)[0])
    assert wanted["dropped"] == 0 and counts["refused"] == {}, (wanted, counts)
    assert counts["written"] == wanted["host"] + wanted["plugin"], (wanted, counts)
    # g++ marks variables as unique by default, and a library that has such ones stays; so does one with a session.
    assert (wanted["unloaded"] == 4) == (mode != "starts" and library.name != "g++-default.so"), wanted
    return trace


def check_nesting(trace):
    queried = subprocess.run(["node", HERE.parent / "oracle/query.js", trace, "-"], input=json.dumps([ERRORS, SQL]), text=True, capture_output=True, check=True)
    errors, rows = json.loads(queried.stdout)
    assert errors == [], errors
    assert [(row["category"], row["open"], row["depth"]) for row in rows] == [("host", 0, 0), ("plugin", 0, 2)], rows


def main():
    OUT.mkdir(exist_ok=True)
    compilers = {"g++": [os.environ.get("CXX", "g++")], "clang++": ["clang++"]}
    compilers = {name: command for name, command in compilers.items() if shutil.which(command[0])}
    hosts = {exports: compile(compilers["g++"], f"host-{'exports' if exports else 'alone'}", *(["-rdynamic"] if exports else []), str(HERE / "plugin_host.cc"))
             for exports in (True, False)}
    runs = 0
    with tempfile.TemporaryDirectory(prefix="tracing.") as folder:
        for compiler, command in compilers.items():
            for name, (flags, uses_program) in LIBRARIES.items():
                flags = [*flags, "-fno-gnu-unique"] if compiler == "g++" and name != "default" else flags  # else it is never unloaded
                library = compile(command, f"{compiler}-{name}.so", "-fPIC", *flags, str(HERE / "plugin.cc"))
                for exports, host in hosts.items():
                    if name == "inlines-hidden" and not exports:
                        continue  # as the default
                    for mode in ("linked",) if exports and uses_program else ("adopts", "alone", "starts"):
                        for scope in ("LOCAL", "GLOBAL") if name == "default" else ("LOCAL",):
                            try:
                                trace = run(host, library, mode, scope, pathlib.Path(folder))
                                if name == "hidden" and mode == "adopts" and scope == "LOCAL":
                                    check_nesting(trace)
                            except Exception as error:
                                sys.exit(f"plugins: {library.name}, {host.name}, {mode}, {scope}: {error}")
                            runs += 1
    print(f"plugins: {runs} programs loaded, traced and unloaded a library")


main()
