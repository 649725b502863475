#!/usr/bin/env python3
"""cpp/tests/package/docs.py PLUGIN: compiles and runs the C++ code in the Markdown files, with its assertions.

The first line of a fenced block says what the block is:
  ```proto test NAME       a .proto of the document
  ```cpp test              statements: a function of its own; lines `#include ...` in it go to the top of the file
  ```cpp test global       declarations, for all blocks of the document
  <!-- cpp test global     the same (also with proto), hidden from the reader, for short blocks; `-->` ends it
If `libprotobuf` follows, the block is compiled only where libprotobuf is installed, with the code of its own protoc.
If several blocks below one heading set a `std::string bytes`, these must be equal.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PROTOC = ROOT / "build/tools/protoc/bin/protoc"
STOCK_PROTOC = Path(os.environ.get("PROTOC_FOR_LIBPROTOBUF", "/usr/bin/protoc"))  # as in tools/env.sh
# clang++ takes half of the time of g++, which check-all.sh names.
COMPILER = os.environ.get("CXX") or shutil.which("clang++") or "c++"
FLAGS = ["-std=c++17", "-Wall", "-Wextra", "-Werror", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
FENCE = re.compile(r"^(```|<!-- )(cpp|proto) test\b *(.*)$")

HEAD = """\
#undef NDEBUG
#include <cassert>
#include <cstdio>
#include <map>
#include <string>
namespace {
std::map<std::string, std::string> left;
[[maybe_unused]] void must_agree(const char* heading, const std::string& bytes, int line) {
  const auto [at, is_first] = left.emplace(heading, bytes);
  if (is_first || at->second == bytes) return;
  std::fprintf(stderr, "line %d: `bytes` differs from the block before, under \\"%s\\"\\n", line, heading);
  std::abort();
}
}
"""


class Block:
    def __init__(self, language, words, heading, line):
        self.language, self.words, self.heading, self.line, self.text = language, words, heading, line, []


def blocks_of(path):
    blocks, block, heading = [], None, ""
    for number, line in enumerate(path.read_text().splitlines(), 1):
        fence = FENCE.match(line)
        if block is None and fence:
            block = Block(fence.group(2), fence.group(3).split(), heading, number + 1)
            end = "```" if fence.group(1) == "```" else "-->"
        elif block is not None and line.startswith(end):
            blocks.append(block)
            block = None
        elif block is not None:
            block.text.append(line)
        elif line.startswith("#"):
            heading = line.lstrip("# ")
    assert block is None, f"{path}: a block does not end"
    return blocks


def run(*command, **options):
    words = [str(word) for word in command]
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    if done.returncode != 0:
        raise RuntimeError(done.stdout)


def has_libprotobuf():
    probe = '#include <google/protobuf/message.h>\n'
    found = subprocess.run([COMPILER, "-E", "-x", "c++", "-"], input=probe.encode(), stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL).returncode == 0
    return found and STOCK_PROTOC.exists()


def source(path, blocks):
    """Returns the document as a C++ file. Errors of the compiler and assertions name the document's lines."""
    includes, declarations, functions, calls = [], [], [], []
    for block in blocks:
        lines = []
        for number, line in enumerate(block.text, block.line):
            if line.startswith("#include"):
                includes.append(line)
                line = ""
            lines.append(line)
        text = f'#line {block.line} "{path}"\n' + "\n".join(lines) + "\n"
        if "global" in block.words:
            declarations.append(text)
            continue
        name = f"block_at_line_{block.line}"
        if "std::string bytes" in text:
            text += f'must_agree("{block.heading}", bytes, {block.line});\n'
        functions.append(f"void {name}() {{\n{text}}}\n")
        calls.append(f"  {name}();\n")
    return (HEAD + "\n".join(dict.fromkeys(includes)) + "\n" + "".join(declarations) + "".join(functions) +
            "int main() {\n" + "".join(calls) + "}\n")


def check(path, blocks, plugin, work, stock):
    """Raises RuntimeError with the errors."""
    generated = work / str(path.relative_to(ROOT)).replace("/", "_")
    generated.mkdir()
    protos = {block.words[0]: "\n".join(block.text) + "\n" for block in blocks if block.language == "proto"}
    code = [block for block in blocks if block.language == "cpp" and (stock or "libprotobuf" not in block.words)]
    for name, text in protos.items():
        (generated / name).write_text(text)
    names = list(protos)
    # Documents may also use the repository's own schemas, and then need the files that these import.
    text = "\n".join(line for block in code for line in block.text)
    wanted = [f"{name}.proto" for name in re.findall(r'#include "(\S+?)(?:\.(?:builder|visitor))?\.hot\.h"', text)]
    while wanted:
        name = wanted.pop()
        if name not in names and (ROOT / "proto" / name).exists():
            names.append(name)
            wanted += re.findall(r'^import "(.*)";', (ROOT / "proto" / name).read_text(), re.M)
    if names:
        run(PROTOC, f"--plugin=protoc-gen-hotpb-cpp={plugin}", f"--hotpb-cpp_out=faces=writer+view+pool+builder+visitor:{generated}",
            "-I", generated, "-I", ROOT / "proto", *names)
    sources, libraries = [generated / "blocks.cc"], []
    if any("libprotobuf" in block.words for block in code):
        run(STOCK_PROTOC, f"--cpp_out={generated}", "-I", generated, *protos)
        sources += [generated / name.replace(".proto", ".pb.cc") for name in protos]
        libraries = ["-lprotobuf", "-pthread"]
    sources[0].write_text(source(path.relative_to(ROOT), code))
    run(COMPILER, *FLAGS, "-I", generated, "-I", ROOT / "cpp/include", "-I", plugin.parent.parent / "include", *sources, "-o", generated / "blocks", *libraries)
    run(generated / "blocks", cwd=generated)
    return len(code)


def main():
    plugin = Path(sys.argv[1]).resolve()
    if not PROTOC.exists():
        subprocess.run([str(ROOT / "tools/setup"), "protoc"], check=True)
    stock = has_libprotobuf()
    if not stock:
        print("libprotobuf is not installed: the blocks that use it are left out (Debian: apt-get install "
              "libprotobuf-dev protobuf-compiler)")
    passed = failed = 0
    paths = [ROOT / "README.md", ROOT / "cpp/README.md", *sorted((ROOT / "docs").glob("*.md"))]
    documents = [(path, blocks) for path in paths if (blocks := blocks_of(path))]
    with tempfile.TemporaryDirectory() as work, ThreadPoolExecutor(os.cpu_count()) as pool:
        running = [(path, pool.submit(check, path, blocks, plugin, Path(work), stock)) for path, blocks in documents]
        for path, result in running:
            try:
                passed += result.result()
            except RuntimeError as error:
                failed += 1
                print(f"FAILED: {path.relative_to(ROOT)}\n" + "\n".join(str(error).splitlines()[:60]))
    print(f"{passed} passed, {failed} failed")
    sys.exit(failed != 0)


if __name__ == "__main__":
    main()
