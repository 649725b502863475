"""The reference re-encoder: the bytes that +reencode must write for a decoded message (spec/wire.md, OUT-*, EXT-*, SET-*)."""
from .decode import Decoder, Options, Value, decode, default_of, read_tag, read_varint
from .notation import tag, varint
from .schema import Message

# The message was decoded within the limits of its call, so the limits are not checked again.
CHECKED = Options(depth=1 << 30, allow_partial=True)


def scalar(declared, value):
    kind = declared.type
    if kind in ("float", "double"):
        return value
    if kind in ("string", "bytes"):
        return varint(len(value)) + value
    if kind in ("fixed32", "sfixed32"):
        return (value & 0xFFFFFFFF).to_bytes(4, "little")
    if kind in ("fixed64", "sfixed64"):
        return (value & (1 << 64) - 1).to_bytes(8, "little")
    if kind in ("sint32", "sint64"):
        return varint(value << 1 if value >= 0 else (-value << 1) - 1)
    return varint(int(value))


def record(declared, value):
    if declared.type == "message":
        inside = encode(value)
        if declared.delimited:
            return tag(declared.number, 3) + inside + tag(declared.number, 4)
        return tag(declared.number, 2) + varint(len(inside)) + inside
    return tag(declared.number, declared.wire_type) + scalar(declared, value)


def field(declared, value):
    if declared.is_map:
        key_field, value_field = declared.message.fields[1], declared.message.fields[2]
        out = b""
        for key in sorted(value):
            inside = record(key_field, key) + record(value_field, value[key])
            out += tag(declared.number, 2) + varint(len(inside)) + inside
        return out
    if declared.packed:
        inside = b"".join(scalar(declared, element) for element in value)
        return tag(declared.number, 2) + varint(len(inside)) + inside if value else b""
    if declared.repeated:
        return b"".join(record(declared, element) for element in value)
    if declared.presence == "implicit" and value == default_of(declared):
        return b""
    return record(declared, value)


def encode(value):
    if value.message.message_set:
        return message_set(value)
    # The extensions of the extendee's own file are read: their records are decoded as if they were fields.
    extensions = Value(Message(value.message.name, value.message.file, fields=value.message.extensions))
    records = b"".join(value.unknown)
    Decoder(records, CHECKED).fields(extensions, 0, len(records), 0, "", None)
    known = [(value.message.fields[number], content) for number, content in value.values.items()]
    known += [(value.message.extensions[number], content) for number, content in extensions.values.items()]
    known.sort(key=lambda pair: pair[0].number)
    return b"".join(field(*pair) for pair in known) + b"".join(extensions.unknown)


def message_set(value):
    items, rest = {}, []
    for record in value.unknown:
        number, wire, at = read_tag(record, 0, len(record), "")
        type_id, content = None, None
        if number == 1 and wire == 3:
            type_id, content = item(record, at)
        elif wire == 2:  # the extension as if it were a field: SET-6
            type_id, content = number, record[read_varint(record, at, len(record), "")[1]:]
        if type_id in value.message.extensions and content is not None:
            items[type_id] = items.get(type_id, b"") + content
        else:
            rest.append(record)
    out = b""
    for type_id in sorted(items):
        inside = encode(decode(value.message.extensions[type_id].message, items[type_id], CHECKED))
        out += tag(1, 3) + tag(2, 0) + varint(type_id) + tag(3, 2) + varint(len(inside)) + inside + tag(1, 4)
    return out + b"".join(rest)


def item(record, at):
    """(type_id, message) of a group that may be an item of a message set; None for what it lacks."""
    type_id, content = None, None
    inside = Value(None)
    Decoder(record, CHECKED).fields(inside, at, len(record), 0, "", 1)
    for part in inside.unknown:
        number, wire, at = read_tag(part, 0, len(part), "")
        if (number, wire) == (2, 0):
            type_id = read_varint(part, at, len(part), "")[0] & 0xFFFFFFFF
        elif (number, wire) == (3, 2):
            start = read_varint(part, at, len(part), "")[1]
            content = (content or b"") + part[start:]
    return type_id, content


def reencode(message, data, options=None):
    return encode(decode(message, data, options))
