"""The schemas that are weighed: files, and one generated from a seed."""
import gzip
import random
import re

from bench.contenders.descriptors import Set

from . import INCLUDE, PROTOC, ROOT, WORK, Failure, fresh, run


class Schema:
    """A descriptor set, imports included, and the files of it that code is generated for."""

    def __init__(self, name, raw, files=None):
        self.name = name
        self.path = WORK / f"{name}.fds"
        self.path.write_bytes(raw)
        self.set = Set(self.path)
        self.files = files or [file for file in self.set.files if not file.startswith("google/protobuf/")]
        self.messages = [message for message in self.set.messages.values() if message.file in self.files and not message.map_entry]

    def three(self):
        """Messages of a program: of all by the number of types that they lead to, that in the middle, at three quarters and at nine tenths."""
        ordered = sorted((message for message in self.messages if message.fields and not message.parent),
                         key=lambda message: (len(self.set.reachable(message.fullname)), message.fullname))
        return list({ordered[len(ordered) * part // 20].fullname: ordered[len(ordered) * part // 20] for part in (10, 15, 18)}.values())


def proto(name, files, folder=None, text=None):
    """A schema from .proto files."""
    if text is not None:
        folder = fresh(f"proto-{name}")
        (folder / files[0]).write_text(text)
    out = WORK / f"{name}.set"
    run(PROTOC, *(["-I", folder] if folder else []), "-I", ROOT / "proto", "-I", INCLUDE, "--include_imports", f"--descriptor_set_out={out}", *files)
    return Schema(name, out.read_bytes(), list(files))


def opened(path):
    """A schema from a .proto file or a descriptor set, which may be compressed."""
    raw, name = path.read_bytes(), path.name
    if name.endswith(".gz"):
        raw, name = gzip.decompress(raw), name[:-3]
    if not name.endswith(".proto"):
        return Schema(re.sub(r"\W", "_", name.split(".")[0]), raw)
    if path.name == name:
        return proto(path.stem, [name], folder=path.resolve().parent)
    return proto(name[:-6], [name], text=raw.decode())


def named(word):
    """descriptor, logs, made:N, or a file."""
    if word == "descriptor":
        return proto(word, ["google/protobuf/descriptor.proto"])
    if word == "logs":
        return proto(word, ["bench/otlp_logs.proto"])
    if found := re.fullmatch(r"made:(\d+)", word):
        return proto(f"made-{found[1]}", ["made.proto"], text=made(int(found[1])))
    path = WORK.parent.parent / word
    if not path.is_file():
        raise Failure(f"{word} is no file, and neither descriptor, logs nor made:N")
    return opened(path)


# How many fields messages have, and their kinds, in hundredths: the proportions of the schema of a mobile game's protocol of 1,800 messages.
FIELDS = {0: 5, 1: 22, 2: 26, 3: 15, 4: 10, 5: 6, 6: 4, 7: 3, 8: 3, 10: 3, 15: 2, 30: 1}
KINDS = {"message": 19, "string": 15, "int32": 14, "enum": 12, "bool": 9, "int64": 6, "member": 6, "float": 5, "repeated message": 4, "double": 3,
         "repeated string": 1, "repeated enum": 1, "uint32": 1, "fixed64": 1, "bytes": 1, "repeated int32": 1, "uint64": 1}


def made(count, seed=1):
    """A .proto file of so many messages."""
    choose = random.Random(seed)

    def any_of(table):
        return choose.choices(list(table), list(table.values()))[0]

    def word():
        return "_".join(choose.choice(("account", "badge", "battle", "camera", "distance", "event", "friend", "item", "level", "map", "quest", "reward",
                                       "session", "status", "target", "time", "update", "version")) for _ in range(choose.randint(1, 4)))

    enums = max(1, count // 3)
    text = ['syntax = "proto3";', "package hotpb.weight;"]
    for number in range(enums):
        values = [f"  KIND{number}_{word().upper()}_{value} = {value};" for value in range(choose.randint(2, 28))]
        text += [f"enum Kind{number} {{", *values, "}"]
    for number in range(count):
        size = any_of(FIELDS)
        if size == 30:
            size = choose.randint(20, 60) if choose.random() < 0.95 else 300
        fields, members = [], []
        for field in range(1, size + 1):
            kind = any_of(KINDS)
            label = "repeated " if kind.startswith("repeated ") else ""
            # Most messages are held by one that comes after them, few by many.
            target = f"Message{choose.randrange(min(12, count)) if choose.random() < 0.08 else choose.randrange(max(1, number))}"
            type_ = {"message": target, "member": target, "enum": f"Kind{choose.randrange(enums)}"}.get(kind.removeprefix("repeated "), kind.removeprefix("repeated "))
            (members if kind == "member" else fields).append(f"  {label}{type_} {word()}_{field} = {field};")
        if members:
            fields += ["  oneof choice {", *("  " + member for member in members), "  }"]
        text += [f"message Message{number} {{", *fields, "}"]
    return "\n".join(text) + "\n"


def connected(count):
    """Messages that each contain all of their neighbours: such schemas once made generated code grow with the square."""
    text = 'syntax = "proto3";\npackage connected;\n'
    for i in range(count):
        holds = "".join(f"  M{1000 + (i + step) % count} m{step} = {step + 2};\n" for step in (1, 2, 3))
        text += f"message M{1000 + i} {{\n  uint64 id = 1;\n{holds}}}\n"
    return proto(f"connected-{count}", ["connected.proto"], text=text)


def members(count):
    """A oneof of so many messages."""
    text = 'syntax = "proto3";\npackage members;\nmessage All {\n  oneof member {\n'
    text += "".join(f"    M{1000 + i} m{1000 + i} = {1000 + i};\n" for i in range(count)) + "  }\n}\n"
    text += "".join(f"message M{1000 + i} {{ uint64 number = 1; string text = 2; }}\n" for i in range(count))
    return proto(f"members-{count}", ["members.proto"], text=text)
