"""Tests of what the generators of contenders share, and of Go's names."""
import importlib
import subprocess
import tempfile
import unittest
from pathlib import Path

from contenders.descriptors import Set
from shapes import PROTOC, Filler, Shape

PROTO = """syntax = "proto3";
package a.b;
message Outer {
  optional int32 optional = 1;
  oneof choice { string text = 2; Inner inner = 3; }
  repeated sint64 packed = 4;
  repeated sint64 loose = 5 [packed = false];
  map<string, Inner> entries = 6;
  Kind kind = 7;
  message Inner { Outer outer = 1; }
  enum Kind { ZERO = 0; BELOW = -1; }
}
message Alone {}
"""


def parsed(text):
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "a.proto").write_text(text)
        subprocess.run([PROTOC, f"-I{folder}", f"--descriptor_set_out={folder}/a.fds", "a.proto"], check=True)
        return Set(f"{folder}/a.fds")


class Contenders(unittest.TestCase):
    def test_a_set_has_what_its_file_declares(self):
        schema = parsed(PROTO)
        fields = {field.name: field for field in schema.messages["a.b.Outer"].fields}
        self.assertEqual([(name, field.kind, field.presence, field.packed, field.oneof) for name, field in fields.items()], [
            ("optional", "int32", True, False, ""), ("text", "string", True, False, "choice"), ("inner", "message", True, False, "choice"),
            ("packed", "sint64", False, True, ""), ("loose", "sint64", False, False, ""), ("entries", "message", False, False, ""),
            ("kind", "enum", False, False, "")])
        self.assertEqual(schema.messages["a.b.Outer"].oneofs, ["choice"])
        self.assertEqual(schema.enums["a.b.Outer.Kind"].values, [("ZERO", 0), ("BELOW", -1)])
        self.assertTrue(schema.messages["a.b.Outer.EntriesEntry"].map_entry)
        self.assertEqual([message.fullname for message in schema.reachable("a.b.Outer")], ["a.b.Outer", "a.b.Outer.Inner", "a.b.Outer.EntriesEntry"])

    def test_names_are_those_of_go(self):
        camel = importlib.import_module("contenders.go").camel
        for name, wanted in {"Foo": "Foo", "foo_bar": "FooBar", "A.B": "A_B", "a.b": "AB", "_x": "XX", "A._x": "A_XX", "a1b_2c": "A1B_2C", "a__b": "A_B"}.items():
            self.assertEqual(camel(name), wanted, name)

    def test_a_seed_always_gives_the_same_bytes(self):
        schema = parsed(PROTO)
        made = [Filler(schema, Shape("Outer"), seed).message("a.b.Outer", 3) for seed in ("1", "1", "2")]
        self.assertEqual(made[0], made[1])
        self.assertNotEqual(made[0], made[2])


if __name__ == "__main__":
    unittest.main()
