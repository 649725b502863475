"""Tests of what the generators of contenders share, of Go's names, and of the programs in C++ and Rust (those of Go's are in go/bench/peers)."""
import importlib
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

import contenders
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
        subprocess.run([PROTOC, f"-I{folder}", "--include_imports", f"--descriptor_set_out={folder}/a.fds", "a.proto"], check=True)
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

    def test_a_set_becomes_a_proto_file_again(self):
        code = importlib.import_module("contenders.quick_protobuf").Code(parsed(PROTO), {"a.b.Outer"})
        reparsed = parsed(code.proto())

        def shape(schema):
            return {name: sorted(((f.name, f.number, f.label, f.kind, f.type_name, f.oneof, f.packed, f.presence) for f in message.fields), key=lambda f: f[1])
                    for name, message in schema.messages.items()}
        self.assertEqual(shape(reparsed), shape(parsed(PROTO)))
        self.assertEqual(reparsed.enums["a.b.Outer.Kind"].values, [("ZERO", 0), ("BELOW", -1)])
        self.assertEqual(code.borrowing, {"a.b.Outer", "a.b.Outer.Inner", "a.b.Outer.EntriesEntry"})
        self.assertEqual(code.path(code.set.messages["a.b.Outer.Inner"]), "crate::quick_code::a::b::mod_Outer::Inner")
        self.assertEqual(code.type(code.set.messages["a.b.Alone"], "'_"), "crate::quick_code::a::b::Alone")

    def test_a_schema_of_two_packages_has_no_code_of_quick_protobuf(self):
        quick = importlib.import_module("contenders.quick_protobuf")
        for text in ('syntax = "proto3"; package a; import "google/protobuf/timestamp.proto"; message M { google.protobuf.Timestamp t = 1; }',
                     'syntax = "proto2"; package a; message M { optional group G = 1 {} }', 'syntax = "proto3"; message M {}'):
            with self.assertRaises(contenders.Failure):
                quick.Code(parsed(text), {"a.M" if "package" in text else "M"})

    def test_a_seed_always_gives_the_same_bytes(self):
        schema = parsed(PROTO)
        made = [Filler(schema, Shape("Outer"), seed).message("a.b.Outer", 3) for seed in ("1", "1", "2")]
        self.assertEqual(made[0], made[1])
        self.assertNotEqual(made[0], made[2])


ROOT = Path(__file__).resolve().parent.parent
TEST = ROOT / "bench/contenders/test"
CRATE = f"""[package]
name = "lengths"
version = "0.0.0"
edition = "2024"

[[bin]]
name = "lengths"
path = "{TEST / 'lengths.rs'}"

[dependencies]
libc = "0.2"

[workspace]
"""


class Programs(unittest.TestCase):
    """Programs of contenders of a made-up format, each with one fault."""

    @classmethod
    def setUpClass(cls):
        folder = ROOT / "build/peers/lengths"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "Cargo.toml").write_text(CRATE)
        shutil.copy(ROOT / "rust/bench/Cargo.lock", folder)
        subprocess.run(["cargo", "build", "--quiet", "--manifest-path", folder / "Cargo.toml"], check=True)
        subprocess.run(["c++", "-std=c++17", "-w", TEST / "lengths.cc", ROOT / "bench/contenders/cpp/main.cc", "-o", folder / "lengths"], check=True)
        cls.programs = {"cpp": folder / "lengths", "rust": folder / "target/debug/lengths"}
        cls.data = folder / "lengths.delimited"
        cls.data.write_bytes(b"\x03one\x05three\x00")

    def talk(self, language, *commands):
        """The output for some commands, and the exit status."""
        text = "".join(f"{line}\n" for line in (f"load\tlengths\t{self.data}", *commands))
        done = subprocess.run([self.programs[language]], input=text, capture_output=True, text=True)
        return done.stdout, done.returncode

    def test_a_contender_that_is_wrong_is_not_measured(self):
        for language in self.programs:
            with self.subTest(language):
                out, code = self.talk(language, "verify\tlengths", "list\tlengths", "run\tlengths\tdecode\t2\t1\t7\tright")
                verdicts = {name: verdict for name, verdict, _ in (line.split("\t") for line in out.splitlines() if line.count("\t") == 2)}
                self.assertEqual(verdicts, {"right": "ok", "checksum": "wrong", "second": "wrong", "refusal": "wrong", "encoding": "wrong", "fresh": "wrong"})
                listed = [line for line in out.splitlines() if line.count("\t") == 1]
                self.assertEqual(listed, [f"{task}\tright" for task in ("decode", "decode+read", "encode", "encode-fresh")])
                self.assertEqual((out.count("lengths\tdecode\tright\t"), code), (2, 0))
                for name in verdicts.keys() - {"right"}:
                    out, code = self.talk(language, "verify\tlengths", f"run\tlengths\tdecode\t1\t1\t7\t{name}")
                    self.assertNotIn("lengths\tdecode\t", out)
                    self.assertEqual(code, 1)

    def test_faulty_commands_and_files_are_errors(self):
        for language in self.programs:
            for command in ("verify\tother", "run\tlengths\tencode\t1", "run\tlengths\tencode\t1\t1\t1\tnobody", "dance\tlengths", f"load\tother\t{self.data}"):
                with self.subTest(language, command=command):
                    self.assertEqual(self.talk(language, command)[1], 1)
            cut = self.data.with_name("cut.delimited")
            cut.write_bytes(self.data.read_bytes()[:-2])
            self.assertEqual(self.talk(language, f"load\tlengths\t{cut}")[1], 1)


if __name__ == "__main__":
    unittest.main()
