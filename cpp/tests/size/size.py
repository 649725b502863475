#!/usr/bin/env python3
"""cpp/tests/size/size.py PLUGIN: measures the code of the writer and the pool in a binary, for
a generated schema of 100 messages.

  unused code costs nothing         an object that includes the header and uses none of it is as large as one that does
                                    not include it; code for one message does not depend on the 99 others, and code for
                                    some fields does not depend on the others
  unused code of the pool, too      a program that decodes one message does not pay for 99 that it cannot hold
  a setter has at most 40 bytes     the growth of a function from 50 to 100 calls; and at most 500 where hot= names the
                                    message

The code is built like a release, without sanitizers. HOTPB_THOROUGH=1 uses every installed compiler, not only the first.
"""
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
LIMITS = {"hundred": 40, "inlined": 500}  # bytes per call
FLAGS = ["-std=c++17", "-DNDEBUG", "-fno-exceptions", "-fno-rtti", "-Wall", "-Wextra", "-Werror"]

SCALARS = [("int32", "a"), ("uint64", "b"), ("sint64", "c"), ("bool", "d"), ("double", "e"), ("fixed32", "f"),
           ("string", "g"), ("bytes", "h"), ("Kind", "i")]
# A call of each kind of setter; `v` is the caller's data, `k` the number of the call.
CALLS = {
    "int32": "w.set_a(v[k].a);",
    "uint64": "w.set_b(v[k].b);",
    "sint64": "w.set_c(v[k].c);",
    "bool": "w.set_d(v[k].d);",
    "double": "w.set_e(v[k].e);",
    "fixed32": "w.set_f(v[k].f);",
    "string": "w.set_g(std::string_view(v[k].text, v[k].size));",
    "enum": "w.set_i(v[k].i);",
}
# Three calls in one: open, set, end.
CHILD = "{ auto child = w.set_next(); child.set_a(v[k].a); }"
DATA = """
#include <cstdint>
#include <string_view>
#include "%s.hot.h"
using namespace size::hot;
struct Values {
  std::int32_t a; std::uint64_t b; std::int64_t c; bool d; double e; std::uint32_t f; const char* text; std::size_t size;
  Kind i;
};
"""
failures = []
checks = 0


def check(holds, text):
    global checks
    checks += 1
    if not holds:
        failures.append(text)
        print("FAILED:", text)


def schema(messages, fields=0):
    """Returns a schema of `messages` messages with nine scalars and a child, and `fields` more in each."""
    text = 'syntax = "proto3";\npackage size;\nenum Kind { NONE = 0; ONE = 1; }\n'
    for m in range(messages):
        text += f"message M{m} {{\n"
        text += "".join(f"  {kind} {name} = {i};\n" for i, (kind, name) in enumerate(SCALARS, 1))
        text += f"  M{(m + 1) % messages} next = 10;\n  repeated int64 numbers = 11;\n"
        text += "".join(f"  {SCALARS[i % 9][0]} more{i} = {20 + i};\n" for i in range(fields)) + "}\n"
    return text


def compile_object(compiler, source, options):
    subprocess.run([compiler, *FLAGS, *options, "-I", ROOT / "cpp/include", "-I", ".", "-c", source, "-o", "out.o"],
                   check=True)
    return "out.o"


def allocated(compiler, source, options=("-O2",)):
    """Returns the bytes of the sections that are loaded."""
    out = subprocess.run(["size", compile_object(compiler, source, options)], check=True, capture_output=True, text=True)
    return int(out.stdout.splitlines()[1].split()[3])


def functions(obj):
    """Returns the sizes of functions, with their cold parts."""
    out = subprocess.run(["nm", "-S", "--defined-only", obj], check=True, capture_output=True, text=True).stdout
    sizes = {}
    for line in out.splitlines():
        parts = line.split()
        if len(parts) == 4 and parts[2] in "tT":
            name = parts[3].split(".")[0]
            sizes[name] = sizes.get(name, 0) + int(parts[1], 16)
    return sizes


def write(name, text):
    Path(name).write_text(text)
    return name


def unused(compiler):
    plain = allocated(compiler, write("plain.cc", "int answer() { return 42; }\n"))
    included = allocated(compiler, write("included.cc", '#include "hundred.hot.h"\nint answer() { return 42; }\n'))
    check(included == plain, f"{compiler}: the header alone costs {included - plain} bytes")
    use = "void use(hotpb::FixedBuffer& out, const Values* v) { auto w = out.message<M0Writer>(); const int k = 0; %s }\n"
    sizes = {}
    for name in ("one", "hundred", "wide"):
        source = write(f"use_{name}.cc", DATA % name + use % (" ".join(CALLS.values()) + CHILD.replace("set_next", "set_next")))
        sizes[name] = allocated(compiler, source)
    check(sizes["hundred"] == sizes["one"],
          f"{compiler}: 99 unused messages cost {sizes['hundred'] - sizes['one']} bytes")
    check(sizes["wide"] == sizes["hundred"],
          f"{compiler}: unused fields cost {sizes['wide'] - sizes['hundred']} bytes")
    print(f"{compiler}: header alone {included - plain}, 99 unused messages {sizes['hundred'] - sizes['one']}, "
          f"100 x 100 unused fields {sizes['wide'] - sizes['hundred']} bytes")


def unused_in_pool(compiler, protoc, plugin):
    """Checks the same for the pool. The messages do not hold one another, because code for one needs that for the other."""
    for name, messages in (("pool_one", 1), ("pool_hundred", 100)):
        text = 'syntax = "proto3";\npackage size;\n'
        text += "".join(f"message M{m} {{ string a = 1; repeated int64 b = 2; map<string, int32> c = 3; }}\n" for m in range(messages))
        write(f"{name}.proto", text)
        subprocess.run([protoc, f"--plugin=protoc-gen-hotpb-cpp={plugin}", "--hotpb-cpp_out=faces=pool:.", "-I", ".",
                        f"{name}.proto"], check=True)
    plain = allocated(compiler, write("plain.cc", "int answer() { return 42; }\n"))
    included = allocated(compiler, write("included.cc", '#include "pool_hundred.hot.h"\nint answer() { return 42; }\n'))
    check(included == plain, f"{compiler}: the pool's header alone costs {included - plain} bytes")
    use = ('#include "%s.hot.h"\nbool use(size::hot::M0Pool& pool, hotpb::Bytes body, hotpb::EncodeBuffer& out) '
           "{ return pool.decode(body).ok() && out.encode(*pool).ok(); }\n")
    single, hundred = (allocated(compiler, write(f"use_{name}.cc", use % name)) for name in ("pool_one", "pool_hundred"))
    check(hundred == single, f"{compiler}: 99 unused messages in the pool's header cost {hundred - single} bytes")
    print(f"{compiler}: the pool's header alone {included - plain}, 99 unused messages {hundred - single} bytes")


def per_call(compiler, schema, options):
    """Returns the bytes of code per call of each kind."""
    text = DATA % schema
    for kind, call in {**CALLS, "child": CHILD}.items():
        for count in (50, 100):
            body = "\n".join("  " + call.replace("[k]", f"[{k % 3}]") for k in range(count))
            text += f'extern "C" void {kind}_{count}(M0Writer& w, const Values* v) {{\n{body}\n}}\n'
    sizes = functions(compile_object(compiler, write("calls.cc", text), options))
    return {kind: (sizes[f"{kind}_100"] - sizes[f"{kind}_50"]) / 50 for kind in [*CALLS, "child"]}


def main(plugin):
    protoc = ROOT / "build/tools/protoc/bin/protoc"
    for name, text in (("one", schema(1)), ("hundred", schema(100)), ("inlined", schema(100)), ("wide", schema(100, 100))):
        write(f"{name}.proto", text)
        hot = ",hot=*" if name == "inlined" else ""
        subprocess.run([protoc, f"--plugin=protoc-gen-hotpb-cpp={plugin}", f"--hotpb-cpp_out=faces=writer{hot}:.", "-I", ".",
                        f"{name}.proto"], check=True)
    thorough = os.environ.get("HOTPB_THOROUGH") == "1"
    compilers = [compiler for compiler in ("g++", "clang++") if shutil.which(compiler)]
    modes = [("calls, -Os", "hundred", "-Os"), ("calls, -O2", "hundred", "-O2"), ("inlined, -O2", "inlined", "-O2")]
    for compiler in compilers if thorough else compilers[:1]:
        unused(compiler)
        unused_in_pool(compiler, protoc, plugin)
        for mode, name, option in modes:
            sizes = per_call(compiler, name, [option])
            print(f"{compiler}, {mode}, bytes per call: " + ", ".join(f"{k} {v:.1f}" for k, v in sizes.items()))
            for kind, size in sizes.items():
                check(size > 8, f"{compiler}, {mode}: a call of {kind} cannot be {size} bytes")
                limit = LIMITS[name] * (3 if kind == "child" else 1)
                check(size <= limit, f"{compiler}, {mode}: {kind} takes {size} bytes, {limit} at most")
    print(f"{checks - len(failures)} passed, {len(failures)} failed")
    return bool(failures)


if __name__ == "__main__":
    given = Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as work:
        os.chdir(work)
        sys.exit(main(given))
