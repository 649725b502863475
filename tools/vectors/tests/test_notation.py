import struct
import unittest

from hotpb_vectors.notation import NotationError, parse, parse_marked


class Notation(unittest.TestCase):
    def test_hex_pairs_spaces_and_comments(self):
        self.assertEqual(parse("08 9601 # a comment with 3 words { \n FF"), bytes.fromhex("089601ff"))
        self.assertEqual(parse(""), b"")

    def test_tags_are_minimal_and_may_be_wrong(self):
        self.assertEqual(parse("1:0 16:2 536870911:5 0:0 1:7"), bytes.fromhex("08 8201 fdffffff0f 00 0f"))

    def test_varints(self):
        self.assertEqual(parse("=0 =127 =128 =-1 ~-1 ~1 ~-2147483648"), bytes.fromhex("00 7f 8001 ffffffffffffffffff01 01 02 ffffffff0f"))

    def test_fixed_width_numbers(self):
        self.assertEqual(parse("i32=-2 i64=1 f32=1.5 f64=-0"), struct.pack("<iqfd", -2, 1, 1.5, -0.0))

    def test_strings_are_utf8_with_escapes(self):
        self.assertEqual(parse(r'"aé\x00\"\\\n"'), "aé\0\"\\\n".encode())

    def test_braces_put_the_length_in_front(self):
        self.assertEqual(parse('1:2 { 2:2 { "abc" } }'), bytes.fromhex("0a05 1203 616263"))
        self.assertEqual(parse("{ (00)*200 }"), b"\xc8\x01" + bytes(200))

    def test_repetition_and_nesting(self):
        self.assertEqual(parse("( 01 02 )*3"), bytes.fromhex("010201020102"))
        self.assertEqual(parse("nest(1,3){ 08 }"), bytes.fromhex("0a05 0a03 0a01 08"))

    def test_the_mark_is_an_offset_in_the_whole_input(self):
        self.assertEqual(parse_marked("08 @ 01"), (b"\x08\x01", 1))
        self.assertEqual(parse_marked("08 01 1:2 { 08 { @ 00 } }")[1], 6)
        self.assertEqual(parse_marked("nest(1,2){ @ 00 }")[1], 4)
        self.assertEqual(parse_marked("08")[1], None)
        self.assertEqual(parse_marked("@")[1], 0)

    def test_what_cannot_be_read_is_refused(self):
        for text in ("0", "zz", "{", "}", "( 00", "00 )*2", "{ )*2", '"abc', r'"\q"', "{ ( } )*2", "(@ 00)*2"):
            with self.subTest(text), self.assertRaises(NotationError):
                parse(text)


if __name__ == "__main__":
    unittest.main()
