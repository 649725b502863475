"""Writes a folder for bench/peers: small messages in the shapes that programs have, filled in at random by a seed."""
import json
import random
import struct
import subprocess
from dataclasses import dataclass
from pathlib import Path

from contenders.descriptors import Set

PROTOC = Path(__file__).resolve().parent.parent / "build/tools/protoc/bin/protoc"
SCALARS = ("int64", "string", "bool", "int32", "bytes", "double", "enum", "fixed64", "uint64", "float", "uint32", "fixed32", "sint64")
MOST_TYPES = 24


@dataclass(frozen=True)
class Shape:
    """A row: how many records, how likely a field is set, how long its text, bytes and lists are, how deep its messages go."""
    type: str
    count: int = 16
    share: float = 1.0
    text: tuple = (4, 24)
    blob: tuple = (4, 40)
    elements: tuple = (1, 2)
    depth: int = 40


SHAPES = {
    "wide": Shape("Wide", share=0.4),
    "wide-full": Shape("Wide"),
    "deep": Shape("Deep", count=4, depth=20),
    "types": Shape("Type0", count=4, share=0.7),
    "blobs": Shape("Blobs", count=4, blob=(8_000, 60_000)),
    "tiny": Shape("Tiny", count=64),
    "packed": Shape("Packed", count=4, elements=(200, 400)),
    "rows": Shape("Rows", count=4, elements=(50, 100)),
}


def proto():
    """The .proto file: proto2, which has the most kinds of presence."""
    def scalars(count):
        for number in range(1, count + 1):
            kind = SCALARS[number % len(SCALARS)]
            yield f"  optional {'Kind' if kind == 'enum' else kind} field_{number} = {number};"

    wide = "\n".join(scalars(60))
    packed = "\n".join(f"  repeated {kind} list_{number} = {number} [packed = true];"
                       for number, kind in enumerate(("int32", "int64", "sint64", "fixed32", "double", "bool"), 1))
    types = "\n".join(f"message Type{n} {{\n" + "\n".join(scalars(3 + n % 9)) +
                      "".join(f"\n  {'repeated' if child % 3 == 0 else 'optional'} Type{child} child_{child} = {child + 20};"
                              for child in (2 * n + 1, 2 * n + 2) if child < MOST_TYPES) + "\n}" for n in range(MOST_TYPES))
    return f"""syntax = "proto2";
package hotpb.made;
enum Kind {{ NONE = 0; SOME = 1; MANY = 2; }}
message Wide {{
{wide}
}}
message Deep {{
  optional uint64 id = 1;
  optional string name = 2;
  repeated string tags = 3;
  optional Deep next = 4;
}}
{types}
message Blobs {{
  optional string name = 1;
  optional bytes first = 2;
  optional fixed32 sum = 3;
  optional bytes second = 4;
}}
message Tiny {{
  optional int64 id = 1;
  optional bool on = 2;
  optional float value = 3;
  optional Kind kind = 5;
}}
message Packed {{
{packed}
}}
message Row {{
  optional string key = 1;
  optional string value = 2;
  optional int64 time = 3;
}}
message Rows {{ repeated Row rows = 1; }}
"""


# Every kind of use of well-known types.
KNOWN = """syntax = "proto3";
package hotpb.known;
import "google/protobuf/any.proto";
import "google/protobuf/duration.proto";
import "google/protobuf/empty.proto";
import "google/protobuf/field_mask.proto";
import "google/protobuf/struct.proto";
import "google/protobuf/timestamp.proto";
import "google/protobuf/wrappers.proto";
message Event {
  string name = 1;
  google.protobuf.Timestamp at = 2;
  repeated google.protobuf.Duration took = 3;
  map<string, google.protobuf.Value> attributes = 4;
  google.protobuf.Struct body = 5;
  oneof extra { google.protobuf.Any any = 6; google.protobuf.Empty none = 7; google.protobuf.StringValue text = 8; }
  google.protobuf.FieldMask mask = 9;
  Inner inner = 10;
  google.protobuf.NullValue null = 11;
}
message Inner { google.protobuf.Timestamp until = 1; google.protobuf.BoolValue flag = 2; }
"""


def varint(value):
    out = bytearray()
    value &= (1 << 64) - 1  # negative numbers have ten bytes
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def delimited(data):
    return varint(len(data)) + data


class Filler:
    """Encodes messages with random contents."""

    def __init__(self, schema, shape, seed):
        self.schema, self.shape, self.draw = schema, shape, random.Random(seed)

    def scalar(self, field):
        kind, draw = field.kind, self.draw
        bits = lambda most: draw.getrandbits(draw.randint(1, most))  # each length is as likely
        if kind == "string":
            return delimited("".join(draw.choices("abcdefghijklmnopqrstuvwxyz /-", k=draw.randint(*self.shape.text))).encode())
        if kind == "bytes":
            return delimited(draw.randbytes(draw.randint(*self.shape.blob)))
        if kind == "bool":
            return varint(1)
        if kind == "enum":
            return varint(draw.choice(self.schema.enums[field.type_name].values)[1])
        if kind in ("double", "float"):
            return struct.pack("<d" if kind == "double" else "<f", draw.randint(1, 1 << 20) / 8)
        if kind in ("fixed64", "fixed32"):
            return draw.randbytes(8 if kind == "fixed64" else 4)
        return varint(bits(31 if kind == "int32" else 32 if kind == "uint32" else 63))

    def message(self, type_name, depth):
        out, message = b"", self.schema.messages[type_name]
        chosen = {oneof: self.draw.choice([f for f in message.fields if f.oneof == oneof]) for oneof in message.oneofs}
        for field in message.fields:
            if field.oneof and field is not chosen[field.oneof]:
                continue
            if self.draw.random() > self.shape.share or field.kind == "message" and depth == 0 and not message.map_entry:
                continue
            count = self.draw.randint(*self.shape.elements) if field.repeated else 1
            if field.packed:
                out += varint(field.number << 3 | 2) + delimited(b"".join(self.scalar(field) for _ in range(count)))
                continue
            wire = {"double": 1, "fixed64": 1, "float": 5, "fixed32": 5, "string": 2, "bytes": 2, "message": 2}.get(field.kind, 0)
            for _ in range(count):
                out += varint(field.number << 3 | wire)
                out += delimited(self.message(field.type_name, max(depth - 1, 0))) if field.kind == "message" else self.scalar(field)
        return out


def make(folder, seed):
    """Writes the folder. Equal seeds make equal bytes."""
    write(folder, seed, "made", proto(), SHAPES)


def make_known(folder, seed):
    """Writes a folder with a message of well-known types."""
    write(folder, seed, "known", KNOWN, {"event": Shape("Event", count=4, depth=4)})


def write(folder, seed, source, text, shapes):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{source}.proto").write_text(text)
    subprocess.run([PROTOC, f"-I{folder}", "--include_imports", f"--descriptor_set_out={folder / f'{source}.fds'}", f"{source}.proto"], check=True)
    schema, manifest = Set(folder / f"{source}.fds"), []
    for name, shape in shapes.items():
        filler = Filler(schema, shape, f"{seed} {name}")
        records = [filler.message(f"hotpb.{source}.{shape.type}", shape.depth) for _ in range(shape.count)]
        (folder / f"{name}.delimited").write_bytes(b"".join(map(delimited, records)))
        manifest.append({"source": source, "name": name, "type": f"hotpb.{source}.{shape.type}", "count": len(records), "bytes": sum(map(len, records))})
    (folder / "manifest.json").write_text(json.dumps(manifest, indent=1) + "\n")
