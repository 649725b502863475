"""C++: g++ -O2, beside libprotobuf's classes, full and lite."""
import os
import re
import shutil

from bench.contenders.cpp import header, length, qualified, varint, without_cords

from . import ROOT, fresh, run, source, stripped, text_and_data

PLUGIN = ROOT / "build/cpp/plugin/protoc-gen-hotpb-cpp"
INCLUDES = [f"-I{ROOT}/cpp/include", f"-I{ROOT}/build/cpp/include"]
COMPILER = [os.environ.get("CXX", "g++"), "-std=c++17", "-O2", "-ffunction-sections", "-fdata-sections", "-w"]
# Headers are compiled in a file that includes them all.
FACES = {"view, headers": "view", "view": "view,sources", "writer, headers": "writer", "pool, headers": "pool", "pool": "pool,sources",
         "view+writer+pool": "view+writer+pool,sources"}

CALLS = {
    "libprotobuf": "{{ {type} m; if (m.ParseFromString(data)) m.AppendToString(&out); }}",
    "pool": "{{ hotpb::Pool<{type}> m; hotpb::EncodeBuffer buffer; if (m.decode(data).ok() && buffer.encode(*m).ok()) out += buffer.bytes().text(); }}",
    "view": "{{ {type}View m; if (m.decode(data).ok() && m.validate().ok()) out += '1'; }}",
}

MAIN = """{includes}
#include <iostream>
#include <iterator>
#include <string>
int main() {{
  const std::string data((std::istreambuf_iterator<char>(std::cin)), std::istreambuf_iterator<char>());
  std::string out;
{bodies}  std::cout << out;
}}
"""


def prepare():
    run("cmake", "--preset", "release", cwd=ROOT / "cpp")
    run("cmake", "--build", "--preset", "release", "--target", "hotpb_well_known", cwd=ROOT / "cpp")


def lite(data):
    """A descriptor set whose files ask for the lite runtime: a field that stands twice is merged."""
    out, at = bytearray(), 0
    while at < len(data):
        tag, at = varint(data, at)
        size, at = varint(data, at)
        file = data[at:at + size] + b"\x42\x02\x48\x03"  # options { optimize_for: LITE_RUNTIME }
        out += length(tag) + length(len(file)) + file
        at += size
    return bytes(out)


def stock(schema, row):
    protoc = os.environ.get("PROTOC_FOR_LIBPROTOBUF", "/usr/bin/protoc")
    if not shutil.which(protoc):
        return None
    folder = fresh("cpp")
    plain = without_cords(schema.path.read_bytes())
    (folder / "plain.fds").write_bytes(lite(plain) if row == "libprotobuf-lite" else plain)
    # A lite message cannot hold one that is not: with imports that the library has, there is no lite row.
    if row == "libprotobuf-lite" and set(schema.files) != set(schema.set.files):
        return None
    run(protoc, f"--cpp_out={folder}", f"--descriptor_set_in={folder}/plain.fds", *schema.files)
    return compiled(folder, sorted(folder.rglob("*.pb.cc")), source(folder, ".pb.h", ".pb.cc"), schema, row)


def weigh(schema, row, *options):
    folder = fresh("cpp")
    run(PLUGIN, f"--descriptor_set={schema.path}", f"--out={folder}", f"--files={'+'.join(schema.files)}", f"--opt={','.join([f'faces={FACES[row]}', *options])}")
    weight = source(folder, ".hot.h", ".hot.cc")
    sources = sorted(folder.rglob("*.hot.cc"))
    if "headers" in row:
        sources = [folder / "all.cc"]
        sources[0].write_text("".join(f'#include "{file.relative_to(folder)}"\n' for file in sorted(folder.rglob("*.hot.h"))))
    return compiled(folder, sources, weight, schema, row)


def compiled(folder, sources, weight, schema, row):
    objects = []
    for at, file in enumerate(sources):
        objects.append(folder / f"{at}.o")
        seconds, memory = run(*COMPILER, f"-I{folder}", *INCLUDES, "-c", file, "-o", objects[-1], cwd=folder)
        weight.seconds += seconds
        weight.memory = max(weight.memory, memory)
    weight.object = text_and_data(*objects)
    call = re.split(r"[,+-]", row)[0]
    if call in CALLS and "+" not in row:
        theirs = call == "libprotobuf"
        types = [qualified(message, schema.set.files, *([] if theirs else ["hot"])) for message in schema.three()]
        includes = "".join(f'#include "{header(file, ".pb.h" if theirs else ".hot.h")}"\n' for file in schema.files)
        (folder / "main.cc").write_text(MAIN.format(includes=includes, bodies="".join(f"  {CALLS[call].format(type=type_)}\n" for type_ in types)))
        # Headers alone: the program's own file has the code.
        linked = [] if "headers" in row else objects
        libraries = [] if not theirs else ["-lprotobuf-lite" if row.endswith("lite") else "-lprotobuf", "-lpthread"]
        run(*COMPILER, "-static", f"-I{folder}", *INCLUDES, "main.cc", *linked, "-Wl,--gc-sections", *libraries, "-o", "program", cwd=folder)
        weight.program = stripped(folder / "program")
    return weight


def rows(schema, faces=FACES):
    """Each row's name, its weight, and the name of the row that it is compared with."""
    for row in ("libprotobuf", "libprotobuf-lite"):
        weight = stock(schema, row)
        if weight:
            yield row, weight, None
    for row in faces:
        yield row, weigh(schema, row), "libprotobuf"
