"""Descriptors with features resolved (spec/plan.md, PLN-5 to PLN-12), for the reference decoder."""
from dataclasses import dataclass, field

TYPES = [
    "", "double", "float", "int64", "uint64", "int32", "fixed64", "fixed32", "bool", "string", "group", "message", "bytes",
    "uint32", "enum", "sfixed32", "sfixed64", "sint32", "sint64",
]
WIRE = {
    **dict.fromkeys("int32 int64 uint32 uint64 sint32 sint64 bool enum".split(), 0),
    **dict.fromkeys("fixed64 sfixed64 double".split(), 1),
    **dict.fromkeys("string bytes message".split(), 2),
    **dict.fromkeys("fixed32 sfixed32 float".split(), 5),
}
# field_presence, enum_type, repeated_field_encoding, utf8_validation, message_encoding, as numbered in descriptor.proto.
EXPLICIT, IMPLICIT, LEGACY_REQUIRED = 1, 2, 3
OPEN, CLOSED = 1, 2
PACKED, EXPANDED = 1, 2
VERIFY, NONE = 2, 3
LENGTH_PREFIXED, DELIMITED = 1, 2


def features(presence, enum, repeated, utf8, message):
    return {
        "field_presence": presence, "enum_type": enum, "repeated_field_encoding": repeated,
        "utf8_validation": utf8, "message_encoding": message,
    }


PROTO2 = features(EXPLICIT, CLOSED, EXPANDED, NONE, LENGTH_PREFIXED)
PROTO3 = features(IMPLICIT, OPEN, PACKED, VERIFY, LENGTH_PREFIXED)
EDITIONS = features(EXPLICIT, OPEN, PACKED, VERIFY, LENGTH_PREFIXED)


@dataclass
class Enum:
    name: str
    closed: bool
    numbers: list


@dataclass
class Message:
    name: str
    file: str
    map_entry: bool = False
    message_set: bool = False
    fields: dict = field(default_factory=dict)  # number -> Field, without extensions
    extensions: dict = field(default_factory=dict)  # number -> Field, those of the same file only


@dataclass
class Field:
    name: str
    number: int
    type: str
    repeated: bool
    presence: str  # repeated, required, explicit, implicit
    packed: bool
    checked: bool  # a string that is UTF-8 by the schema
    delimited: bool
    oneof: str  # name of the real oneof, or ""
    type_name: str
    message: Message = None
    enum: Enum = None

    @property
    def is_map(self):
        return self.message is not None and self.message.map_entry

    @property
    def wire_type(self):
        return 3 if self.delimited else WIRE[self.type]

    @property
    def packable(self):
        return self.repeated and self.type not in ("string", "bytes", "message")


class Schema:
    def __init__(self, files):
        self.messages, self.enums, self._links, self._extensions = {}, {}, [], []
        for file in files:
            syntax = file.get("syntax", "proto2")
            start = {"proto2": PROTO2, "proto3": PROTO3, "editions": EDITIONS}[syntax]
            scope = _Scope(self, file["name"], syntax == "editions")
            package = file.get("package", "")
            own = scope.inherit(start, file)
            for enum in file.get("enum_type", []):
                scope.enum(enum, package, own)
            for message in file.get("message_type", []):
                scope.message(message, package, own)
            for extension in file.get("extension", []):
                scope.extension(extension, package, own)
        for linked in self._links:
            if linked.type == "enum":
                linked.enum = self.enums[linked.type_name]
            else:
                linked.message = self.messages[linked.type_name]
                if linked.message.map_entry:
                    linked.delimited = False
        for file, extendee, extension in self._extensions:
            if self.messages[extendee].file == file:
                self.messages[extendee].extensions[extension.number] = extension


class _Scope:
    """One file's way from declarations to Message, Enum and Field."""

    def __init__(self, schema, file, editions):
        self.schema, self.file, self.editions = schema, file, editions

    def inherit(self, outer, element):
        if not self.editions:
            return outer
        own = element.get("options", {}).get("features", {})
        return {**outer, **{key: value for key, value in own.items() if value}}

    def enum(self, element, scope, outer):
        own = self.inherit(outer, element)
        name = f"{scope}.{element['name']}"
        self.schema.enums[name] = Enum(name, own["enum_type"] == CLOSED, [v["number"] for v in element["value"]])

    def message(self, element, scope, outer):
        own = self.inherit(outer, element)
        options = element.get("options", {})
        name = f"{scope}.{element['name']}"
        message = Message(name, self.file, bool(options.get("map_entry")), bool(options.get("message_set_wire_format")))
        self.schema.messages[name] = message
        oneofs = element.get("oneof_decl", [])
        for declared in element.get("field", []):
            made = self.field(declared, own, oneofs, message.map_entry)
            message.fields[made.number] = made
        message.fields = dict(sorted(message.fields.items()))
        for nested in element.get("nested_type", []):
            self.message(nested, name, own)
        for enum in element.get("enum_type", []):
            self.enum(enum, name, own)
        for extension in element.get("extension", []):
            self.extension(extension, name, own)

    def extension(self, element, scope, outer):
        made = self.field(element, outer, [], False)
        made.name = f"{scope}.{element['name']}"
        self.schema._extensions.append((self.file, element["extendee"].lstrip("."), made))

    def field(self, element, outer, oneofs, in_entry):
        index = -1 if element.get("proto3_optional") else element.get("oneof_index", -1)
        own = self.inherit(self.inherit(outer, oneofs[index]) if index >= 0 else outer, element)
        kind = TYPES[element["type"]]
        repeated = element["label"] == 3
        delimited = kind == "group" or (kind == "message" and own["message_encoding"] == DELIMITED)
        kind = "message" if kind == "group" else kind
        if repeated:
            presence = "repeated"
        elif element["label"] == 2 or own["field_presence"] == LEGACY_REQUIRED:
            presence = "required"
        elif kind == "message" or index >= 0 or element.get("extendee") or element.get("proto3_optional"):
            presence = "explicit"
        else:
            presence = "explicit" if own["field_presence"] == EXPLICIT else "implicit"
        packed = own["repeated_field_encoding"] == PACKED
        if not self.editions and "packed" in element.get("options", {}):
            packed = bool(element["options"]["packed"])
        made = Field(
            name=element["name"], number=element["number"], type=kind, repeated=repeated, presence=presence,
            packed=repeated and packed and kind not in ("string", "bytes", "message"),
            checked=kind == "string" and own["utf8_validation"] == VERIFY, delimited=delimited and not in_entry,
            oneof=oneofs[index]["name"] if index >= 0 else "", type_name=element.get("type_name", "").lstrip("."),
        )
        if made.type_name:
            self.schema._links.append(made)
        return made
