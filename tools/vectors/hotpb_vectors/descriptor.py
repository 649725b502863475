"""Reads the parts of a FileDescriptorSet that the vectors need as plain dictionaries. protoc wrote the set: trusted input."""

REPEATED = {"file", "message_type", "enum_type", "extension", "field", "nested_type", "extension_range", "oneof_decl", "value", "dependency"}

FEATURES = {1: "field_presence", 2: "enum_type", 3: "repeated_field_encoding", 4: "utf8_validation", 5: "message_encoding"}
ENUM_VALUE = {1: ("name", str), 2: ("number", int)}
ENUM = {1: ("name", str), 2: ("value", ENUM_VALUE), 3: ("options", {7: ("features", FEATURES)})}
FIELD_OPTIONS = {2: ("packed", int), 21: ("features", FEATURES)}
FIELD = {
    1: ("name", str), 2: ("extendee", str), 3: ("number", int), 4: ("label", int), 5: ("type", int), 6: ("type_name", str),
    8: ("options", FIELD_OPTIONS), 9: ("oneof_index", int), 17: ("proto3_optional", int),
}
ONEOF = {1: ("name", str), 2: ("options", {1: ("features", FEATURES)})}
RANGE = {1: ("start", int), 2: ("end", int)}
MESSAGE_OPTIONS = {1: ("message_set_wire_format", int), 7: ("map_entry", int), 12: ("features", FEATURES)}
MESSAGE = {
    1: ("name", str), 2: ("field", FIELD), 4: ("enum_type", ENUM), 5: ("extension_range", RANGE), 6: ("extension", FIELD),
    7: ("options", MESSAGE_OPTIONS), 8: ("oneof_decl", ONEOF),
}
MESSAGE[3] = ("nested_type", MESSAGE)
FILE = {
    1: ("name", str), 2: ("package", str), 3: ("dependency", str), 4: ("message_type", MESSAGE), 5: ("enum_type", ENUM),
    7: ("extension", FIELD), 8: ("options", {50: ("features", FEATURES)}), 12: ("syntax", str), 14: ("edition", int),
}
FILE_SET = {1: ("file", FILE)}


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7


def records(data):
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        wire = key & 7
        if wire == 0:
            value, at = varint(data, at)
        else:
            size = {1: 8, 5: 4}.get(wire)
            if size is None:
                size, at = varint(data, at)
            value, at = data[at : at + size], at + size
        yield key >> 3, value


def read(data, shape):
    out = {}
    for number, value in records(data):
        if number not in shape:
            continue
        if shape is FEATURES:
            out[FEATURES[number]] = value
            continue
        name, kind = shape[number]
        if kind is str:
            value = value.decode()
        elif kind is int:
            value = value - (1 << 64) if value >> 63 else value
        elif kind is FEATURES or name == "features":
            value = read(value, FEATURES)
        else:
            value = read(value, kind)
        if name in REPEATED:
            out.setdefault(name, []).append(value)
        elif isinstance(value, dict) and name in out:
            out[name] = {**out[name], **value}
        else:
            out[name] = value
    return out


def read_file_set(data):
    return read(data, FILE_SET)["file"]
