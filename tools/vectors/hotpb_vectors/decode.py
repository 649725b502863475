"""The reference decoder: spec/wire.md and spec/errors.md read as plainly as they are written, left to right, depth first.

It serves to check the vectors, so it shares no code with the readers of hotpb: one pass over the bytes that
raises the first error with its offset and path, and otherwise leaves a tree of Value.
"""
import sys
from dataclasses import dataclass, field

from .notation import tag, varint

LIMIT_MESSAGE = (1 << 31) - 1
FIXED = {1: 8, 5: 4}


class Fail(Exception):
    def __init__(self, code, offset, path):
        super().__init__(f"{code} at {offset} {path!r}")
        self.code, self.offset, self.path = code, offset, path

    def as_json(self):
        return {"code": self.code, "offset": self.offset, "path": self.path}


@dataclass
class Value:
    """A decoded message. It keeps strings, bytes, floats and doubles as their bytes, so that nothing is lost."""

    message: object
    values: dict = field(default_factory=dict)  # field number -> value, list of values, or dict of a map
    unknown: list = field(default_factory=list)  # whole records, in order


@dataclass
class Options:
    strict: bool = False
    depth: int = 100
    size: int = LIMIT_MESSAGE
    elements: int = None
    allow_partial: bool = False


def read_varint(data, at, end, path):
    """A value or length varint: (64-bit value, where it ends)."""
    start, value = at, 0
    for index in range(10):
        if at == end:
            raise Fail("Truncated", start, path)
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << (7 * index)
        if byte < 0x80:
            return value & ((1 << 64) - 1), at
    raise Fail("VarintOverflow", start, path)


def read_tag(data, at, end, path):
    """(field number, wire type, where the tag ends); ERR-2 sets the order of the checks."""
    start, value = at, 0
    for index in range(5):
        if at == end:
            raise Fail("Truncated", start, path)
        byte = data[at]
        at += 1
        if index == 4 and byte > 0x0F:
            raise Fail("InvalidTag", start, path)
        value |= (byte & 0x7F) << (7 * index)
        if byte < 0x80:
            break
    if value >> 3 == 0:
        raise Fail("InvalidTag", start, path)
    if value & 7 > 5:
        raise Fail("InvalidWireType", start, path)
    return value >> 3, value & 7, at


def ill_formed(data):
    """Length of the longest well-formed UTF-8 prefix, None when all of it is well-formed."""
    try:
        data.decode("utf-8", "strict")
    except UnicodeDecodeError as error:
        return error.start
    return None


def signed(value, bits):
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def scalar_of_varint(kind, value):
    if kind in ("int32", "enum"):
        return signed(value, 32)
    if kind == "int64":
        return signed(value, 64)
    if kind == "uint32":
        return value & 0xFFFFFFFF
    if kind == "uint64":
        return value
    if kind == "bool":
        return value != 0
    if kind == "sint32":
        value &= 0xFFFFFFFF
    return (value >> 1) ^ -(value & 1)


def scalar_of_fixed(kind, data):
    if kind in ("float", "double"):
        return data
    return int.from_bytes(data, "little", signed=kind.startswith("s"))


def default_of(declared):
    if declared.type in ("string", "bytes"):
        return b""
    if declared.type == "message":
        return Value(declared.message)
    if declared.type == "enum":
        return declared.enum.numbers[0]
    if declared.type == "bool":
        return False
    return {"float": bytes(4), "double": bytes(8)}.get(declared.type, 0)


def join(path, name):
    return f"{path}.{name}" if path else str(name)


# Messages may nest 1,000 deep (LIM-6), at two calls a level.
sys.setrecursionlimit(10_000)


class Decoder:
    def __init__(self, data, options):
        self.data, self.options, self.elements = data, options, 0

    def decode(self, message):
        if len(self.data) > self.options.size:
            raise Fail("SizeExceeded", 0, "")
        value = Value(message)
        self.fields(value, 0, len(self.data), 0, "", None)
        return value

    # What is inside one message or group: records up to the end of the range, or to the group's end tag.
    def fields(self, value, at, end, depth, path, group):
        counts = {}
        message = value.message
        while True:
            if at == end:
                if group is not None:
                    raise Fail("Truncated", end, path)
                return at
            start = at
            number, wire, at = read_tag(self.data, at, end, path)
            if wire == 4:
                if number != group:
                    raise Fail("GroupMismatch", start, path)
                return at
            declared = message.fields.get(number) if message else None
            if declared and wire == 2 and declared.packable:
                at = self.packed(declared, value, start, at, end, path, counts)
            elif declared and wire == declared.wire_type:
                at = self.record(declared, value, start, at, end, depth, path, counts)
            else:
                at = self.skip(number, wire, start, at, end, depth, join(path, number))
                value.unknown.append(self.data[start:at])

    def skip(self, number, wire, start, at, end, depth, path):
        if wire == 0:
            return read_varint(self.data, at, end, path)[1]
        if wire in FIXED:
            return self.fixed(wire, at, end, path)[1]
        if wire == 2:
            return self.length(start, at, end, path)[1]
        self.descend(start, depth, path)
        return self.fields(Value(None), at, end, depth + 1, path, number)

    def fixed(self, wire, at, end, path):
        if end - at < FIXED[wire]:
            raise Fail("Truncated", at, path)
        return self.data[at : at + FIXED[wire]], at + FIXED[wire]

    def length(self, start, at, end, path):
        """Where the payload of a length-delimited record starts and ends."""
        size, at = read_varint(self.data, at, end, path)
        if size > self.options.size:
            raise Fail("SizeExceeded", start, path)
        if size > end - at:
            raise Fail("Truncated", at, path)
        return at, at + size

    def descend(self, start, depth, path):
        if depth + 1 > min(self.options.depth, 1000):
            raise Fail("DepthExceeded", start, path)

    def count(self, start, path):
        self.elements += 1
        if self.options.elements is not None and self.elements > self.options.elements:
            raise Fail("CountExceeded", start, path)

    def packed(self, declared, value, start, at, end, path, counts):
        index = counts.get(declared.number, 0)
        first = f"{join(path, declared.name)}[{index}]"
        at, end = self.length(start, at, end, first)
        while at < end:
            here = f"{join(path, declared.name)}[{index}]"
            self.count(start, first)
            element, at = self.scalar(declared, declared.wire_type, at, end, here)
            self.store(declared, value, element)
            index += 1
        counts[declared.number] = index
        return at

    def scalar(self, declared, wire, at, end, path):
        if wire == 0:
            raw, at = read_varint(self.data, at, end, path)
            return scalar_of_varint(declared.type, raw), at
        raw, at = self.fixed(wire, at, end, path)
        return scalar_of_fixed(declared.type, raw), at

    def record(self, declared, value, start, at, end, depth, path, counts):
        here = join(path, declared.name)
        if declared.repeated:
            index = counts.get(declared.number, 0)
            counts[declared.number] = index + 1
            here += f"[{index}]"
        wire = declared.wire_type
        if wire in (0, 1, 5):
            element, at = self.scalar(declared, wire, at, end, here)
            if declared.repeated:
                self.count(start, here)
            self.store(declared, value, element)
            return at
        if wire == 2:
            at, end = self.length(start, at, end, here)
        if declared.type != "message":
            content = self.data[at:end]
            if declared.type == "string" and (declared.checked or self.options.strict):
                bad = ill_formed(content)
                if bad is not None:
                    raise Fail("InvalidUtf8", at + bad, here)
            if declared.repeated:
                self.count(start, here)
            self.store(declared, value, content)
            return end
        self.descend(start, depth, here)
        self.count(start, here)
        if declared.is_map:
            self.entry(declared, value, start, at, end, depth, here)
            return end
        child = value.values.get(declared.number)
        if declared.repeated or child is None:
            child = Value(declared.message)
            self.store(declared, value, child)
        return self.fields(child, at, end, depth + 1, here, declared.number if wire == 3 else None)

    def entry(self, declared, value, start, at, end, depth, path):
        entry = Value(declared.message)
        self.fields(entry, at, end, depth + 1, path, None)
        key_field, value_field = declared.message.fields[1], declared.message.fields[2]
        key = entry.values.get(1, default_of(key_field))
        content = entry.values.get(2, default_of(value_field))
        if value_field.type == "enum" and value_field.enum.closed and content not in value_field.enum.numbers:
            value.unknown.append(self.data[start:end])
            return
        pairs = value.values.setdefault(declared.number, {})
        pairs.pop(key, None)  # the later entry keeps its own position
        pairs[key] = content

    def store(self, declared, value, element):
        misfit = declared.type == "enum" and declared.enum.closed and element not in declared.enum.numbers
        if misfit and not value.message.map_entry:
            value.unknown.append(tag(declared.number, 0) + varint(element))
            return
        if declared.oneof:
            for sibling in value.message.fields.values():
                if sibling.oneof == declared.oneof and sibling.number != declared.number:
                    value.values.pop(sibling.number, None)
        if declared.repeated:
            value.values.setdefault(declared.number, []).append(element)
        else:
            value.values[declared.number] = element


def check_required(value, size, path=""):
    for number, declared in value.message.fields.items():
        if declared.presence == "required" and number not in value.values:
            raise Fail("MissingRequired", size, join(path, declared.name))
    for number, declared in value.message.fields.items():
        if declared.type != "message" or number not in value.values:
            continue
        content, here = value.values[number], join(path, declared.name)
        if declared.is_map:
            if declared.message.fields[2].type == "message":
                for index, child in enumerate(content.values()):
                    check_required(child, size, f"{here}[{index}].value")
        elif declared.repeated:
            for index, child in enumerate(content):
                check_required(child, size, f"{here}[{index}]")
        else:
            check_required(content, size, here)


def decode(message, data, options=None):
    """The decoded message; raises Fail."""
    options = options or Options()
    value = Decoder(data, options).decode(message)
    if not options.allow_partial:
        check_required(value, len(data))
    return value


def decode_stream(message, data, options=None):
    """(payloads of the good messages, Fail or None) of a delimited stream."""
    options, at, good = options or Options(), 0, []
    while at < len(data):
        start = at
        try:
            size, at = read_varint(data, at, len(data), "")
            if size > options.size:
                raise Fail("SizeExceeded", start, "")
            if size > len(data) - at:
                raise Fail("Truncated", start, "")
        except Fail as fail:
            return good, fail
        try:
            decode(message, data[at : at + size], options)
        except Fail as fail:
            return good, Fail(fail.code, fail.offset + at, fail.path)
        good.append(data[at : at + size])
        at += size
    return good, None
