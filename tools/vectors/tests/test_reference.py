"""The reference decoder and re-encoder on inputs with a known answer."""
import pathlib
import unittest

from hotpb_vectors.decode import Fail, Options, decode, decode_stream, ill_formed
from hotpb_vectors.descriptor import read_file_set
from hotpb_vectors.encode import reencode
from hotpb_vectors.notation import parse
from hotpb_vectors.schema import Schema

ROOT = pathlib.Path(__file__).resolve().parents[3]
SCHEMA = Schema(read_file_set((ROOT / "vectors/plans/vectors.fds").read_bytes()))


def message(name):
    return SCHEMA.messages[f"hotpb.vectors.{name}"]


class SchemaReading(unittest.TestCase):
    def test_features_of_the_four_schemas(self):
        def field(schema, name):
            return next(f for f in message(f"{schema}.All").fields.values() if f.name == name)

        for schema, presence, packed, checked in (
            ("p3", "implicit", True, True), ("p2", "explicit", False, False), ("e23", "explicit", True, True), ("e24", "explicit", False, False),
        ):
            self.assertEqual(field(schema, "single_int32").presence, presence, schema)
            self.assertEqual(field(schema, "repeated_int32").packed, packed, schema)
            self.assertTrue(field(schema, "packed_int32").packed, schema)
            self.assertFalse(field(schema, "unpacked_int32").packed, schema)
            self.assertEqual(field(schema, "single_string").checked, checked, schema)
            self.assertFalse(field(schema, "single_bytes").checked, schema)
        self.assertTrue(field("p2", "data").delimited)
        self.assertTrue(field("e24", "data").delimited)
        self.assertFalse(field("e24", "single_child").delimited)
        self.assertFalse(field("e24", "value_child").delimited)
        self.assertFalse(field("e24", "value_child").message.fields[2].delimited)
        self.assertTrue(field("e24", "verified_map").message.fields[1].checked)
        self.assertFalse(field("e23", "unverified_map").message.fields[2].checked)
        self.assertEqual(field("p3", "optional_int32").oneof, "")
        self.assertEqual(field("p3", "oneof_int32").oneof, "kind")
        self.assertTrue(field("e23", "single_closed").enum.closed)
        self.assertFalse(field("e23", "single_open").enum.closed)
        self.assertEqual([f.name for f in message("e24.Must").fields.values() if f.presence == "required"], ["id", "name"])

    def test_only_extensions_of_the_same_file_are_asked_for(self):
        numbers = message("p2.All").extensions
        self.assertIn(1001, numbers)
        self.assertIn(1901, numbers)
        self.assertNotIn(1951, numbers)


class Decoding(unittest.TestCase):
    def fails(self, name, text, code, offset, path, **options):
        with self.assertRaises(Fail) as caught:
            decode(message(name), parse(text), Options(**options))
        self.assertEqual(caught.exception.as_json(), {"code": code, "offset": offset, "path": path})

    def test_values(self):
        value = decode(message("p3.All"), parse("1:0 ff ff ff ff 0f 5:0 03 13:0 80 80 80 80 10 301:2 { 01 02 }")).values
        self.assertEqual(value, {1: -1, 5: -2, 13: True, 301: [1, 2]})

    def test_errors(self):
        self.fails("p3.All", "08", "Truncated", 1, "single_int32")
        self.fails("p3.All", "00", "InvalidTag", 0, "")
        self.fails("p3.All", "08 05 0e", "InvalidWireType", 2, "")
        self.fails("p3.All", "318:2 {} 318:2 { 12 05 61 }", "Truncated", 8, "repeated_child[1].name")
        self.fails("p3.All", '14:2 { "a" ff }', "InvalidUtf8", 3, "single_string")
        self.fails("p2.All", "14:2 { ff }", "InvalidUtf8", 2, "single_string", strict=True)
        self.fails("p2.All", "901:3 902:3 902:4", "Truncated", 6, "data")
        self.fails("p2.All", "0c", "GroupMismatch", 0, "")
        self.fails("p3.All", "18:2 { 3:2 {} }", "DepthExceeded", 3, "single_child.child", depth=1)
        self.fails("p3.All", "08 01", "SizeExceeded", 0, "", size=1)
        self.fails("p2.Needs", "1:2 { 08 01 }", "MissingRequired", 4, "one.name")
        self.fails("p3.All", "501:0 01 501:0 02", "CountExceeded", 3, "unpacked_int32[1]", elements=1)

    def test_utf8_as_the_standard_has_it(self):
        for good in ("", "a", "é", "\ud7ff", "\ue000", "\uffff", "\U00010000", "\U0010ffff"):
            self.assertIsNone(ill_formed(good.encode()))
        for bad, prefix in (("c080", 0), ("eda080", 0), ("f4908080", 0), ("61e282", 1), ("c3a9ff", 2), ("80", 0)):
            self.assertEqual(ill_formed(bytes.fromhex(bad)), prefix, bad)

    def test_streams(self):
        good, fail = decode_stream(message("p3.All"), parse("{ 08 01 } 00 05 08"))
        self.assertEqual(good, [b"\x08\x01", b""])
        self.assertEqual((fail.code, fail.offset), ("Truncated", 4))


class Reencoding(unittest.TestCase):
    def same(self, name, text, canonical, **options):
        self.assertEqual(reencode(message(name), parse(text), Options(**options)).hex(), parse(canonical).hex())

    def test_order_packing_and_unknown_fields(self):
        self.same("p3.All", "999:0 01 301:0 05 1:0 02 301:0 06", "1:0 02 301:2 { 05 06 } 999:0 01")

    def test_merging_and_oneofs(self):
        self.same("p3.All", "18:2 { 1:0 01 } 18:2 { 2:2 {} 4:0 01 }", "18:2 { 1:0 01 4:2 { 01 } }")
        self.same("p3.All", "818:2 { 1:0 01 } 801:0 00 818:2 {}", "818:2 {}")

    def test_maps_are_sorted_and_complete(self):
        self.same("p3.All", "601:2 { 1:0 02 } 601:2 {} 601:2 { 1:0 02 2:0 05 3:0 01 }", "601:2 { 1:0 00 2:0 00 } 601:2 { 1:0 02 2:0 05 }")

    def test_closed_enums(self):
        self.same("p2.All", "17:0 07 417:2 { 05 08 } 717:2 { 1:0 01 2:0 09 }", "417:2 { 05 } 17:0 07 417:0 08 717:2 { 1:0 01 2:0 09 }")

    def test_extensions_and_message_sets(self):
        self.same("p2.All", "1001:0 01 1951:0 02 1:0 03 1001:0 04", "1:0 03 1001:0 04 1951:0 02")
        self.same("p2.MessageSet", "1:3 3:2 { 08 01 } 2:0 =1000 1:4 1:3 1:4", "1:3 2:0 =1000 3:2 { 08 01 } 1:4 1:3 1:4")


if __name__ == "__main__":
    unittest.main()
