"""Reads descriptor sets (google/protobuf/descriptor.proto), as far as generators of contenders need them."""
from dataclasses import dataclass, field
from pathlib import Path

KINDS = ("", "double", "float", "int64", "uint64", "int32", "fixed64", "fixed32", "bool", "string", "group", "message", "bytes", "uint32", "enum",
         "sfixed32", "sfixed64", "sint32", "sint64")
LABELS = ("", "optional", "required", "repeated")
NUMERIC = set(KINDS[1:]) - {"string", "bytes", "message", "group"}


def varint(data, at):
    """A varint and the place after it."""
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def records(data):
    """The fields of a message: number and value, an int or bytes. Descriptors have no groups."""
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        if tag & 7 == 0:
            value, at = varint(data, at)
        else:
            size, at = varint(data, at) if tag & 7 == 2 else ({1: 8, 5: 4}[tag & 7], at)
            value, at = data[at:at + size], at + size
        yield tag >> 3, value


def fields(data):
    """The values of each field by number, in their order."""
    found = {}
    for number, value in records(data):
        found.setdefault(number, []).append(value)
    return found


def last(found, number, default=None):
    return found.get(number, [default])[-1]


def text(found, number, default=""):
    return found[number][-1].decode() if number in found else default


@dataclass
class Field:
    name: str
    number: int
    label: str          # optional, required or repeated
    kind: str           # int32, message, group, …
    type_name: str      # of a message, group or enum, without a leading dot
    oneof: str          # of a real oneof, else ""
    proto3_optional: bool
    packed: bool        # as it is written
    presence: bool      # absence differs from the default
    default: str        # as in the descriptor, or None
    cord: bool          # the option ctype = CORD

    @property
    def repeated(self):
        return self.label == "repeated"


@dataclass
class Message:
    fullname: str
    file: str
    parent: str
    map_entry: bool
    fields: list = field(default_factory=list)
    oneofs: list = field(default_factory=list)  # the real ones


@dataclass
class Enum:
    fullname: str
    file: str
    parent: str
    values: list        # (name, number)


@dataclass
class File:
    name: str
    package: str
    syntax: str         # proto2, proto3 or editions
    deps: list
    options: bytes
    messages: list = field(default_factory=list)  # full names of all, nested ones included
    enums: list = field(default_factory=list)


class Set:
    """A descriptor set with its imports."""

    def __init__(self, path):
        self.path, self.name = Path(path), Path(path).stem
        self.files, self.messages, self.enums = {}, {}, {}
        for content in fields(self.path.read_bytes()).get(1, []):
            self._file(fields(content))

    def _file(self, found):
        file = File(text(found, 1), text(found, 2), text(found, 12, "proto2"), [name.decode() for name in found.get(3, [])], last(found, 8, b""))
        self.files[file.name] = file
        for content in found.get(4, []):
            self._message(file, file.package, "", fields(content))
        for content in found.get(5, []):
            self._enum(file, file.package, "", fields(content))

    def _message(self, file, scope, parent, found):
        fullname = f"{scope}.{text(found, 1)}".lstrip(".")
        message = Message(fullname, file.name, parent, bool(last(fields(last(found, 7, b"")), 7, 0)))
        self.messages[fullname] = message
        file.messages.append(fullname)
        declared = [text(fields(content), 1) for content in found.get(8, [])]
        for content in found.get(2, []):
            message.fields.append(self._field(file, declared, fields(content)))
        message.oneofs = [name for name in declared if any(f.oneof == name for f in message.fields)]
        for content in found.get(3, []):
            self._message(file, fullname, fullname, fields(content))
        for content in found.get(4, []):
            self._enum(file, fullname, fullname, fields(content))

    def _enum(self, file, scope, parent, found):
        fullname = f"{scope}.{text(found, 1)}".lstrip(".")
        values = [(text(value, 1), signed(last(value, 2, 0))) for value in map(fields, found.get(2, []))]
        self.enums[fullname] = Enum(fullname, file.name, parent, values)
        file.enums.append(fullname)

    @staticmethod
    def _field(file, oneofs, found):
        options = fields(last(found, 8, b""))
        label, kind = LABELS[last(found, 4, 1)], KINDS[last(found, 5)]
        optional = bool(last(found, 17, 0))
        oneof = oneofs[found[9][-1]] if 9 in found and not optional else ""
        proto3 = file.syntax == "proto3"
        return Field(
            name=text(found, 1), number=last(found, 3), label=label, kind=kind, type_name=text(found, 6).lstrip("."), oneof=oneof,
            proto3_optional=optional, packed=label == "repeated" and kind in NUMERIC and bool(last(options, 2, proto3)),
            presence=label != "repeated" and (not proto3 or optional or bool(oneof) or kind in ("message", "group")),
            default=text(found, 7, None), cord=last(options, 1, 0) == 1)

    def reachable(self, fullname):
        """The message and those that its fields lead to, in the order in which they are found."""
        found, queue = {}, [fullname]
        while queue:
            name = queue.pop(0)
            if name not in found:
                found[name] = self.messages[name]
                queue += [f.type_name for f in found[name].fields if f.kind in ("message", "group")]
        return list(found.values())


def signed(value):
    return value - (1 << 64) if value >> 63 else value
