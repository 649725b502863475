"""The compiler must refuse a wrong expectation, a wrong text, an unknown id, and a name that is used twice."""
import contextlib
import io
import json
import pathlib
import shutil
import tempfile
import unittest

from hotpb_vectors import compile as compiler
from hotpb_vectors import ids

ROOT = pathlib.Path(__file__).resolve().parents[3]
GOOD = '- {name: one, ids: [VAR-1], in: [p3], inputs: ["08 96 01", "08 96 81 00"], canonical: 08 96 01, text: "single_int32: 150"}\n'


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        for kind in ("wire", "invalid", "stream", "primitive", "writer"):
            (self.folder / kind).mkdir()
        shutil.copy(ROOT / "vectors/types.yaml", self.folder)

    def compile(self, kind, text, *arguments):
        (self.folder / kind / "cases.yaml").write_text(text, encoding="utf-8")
        errors = io.StringIO()
        with contextlib.redirect_stderr(errors), contextlib.redirect_stdout(io.StringIO()):
            status = compiler.main(["--no-ids", "--vectors", str(self.folder), "--out", str(self.folder / "out"), *arguments])
        return status, errors.getvalue()

    def lines(self, kind):
        return [json.loads(line) for line in (self.folder / "out" / f"{kind}.jsonl").read_text(encoding="utf-8").splitlines()]

    def refused(self, kind, text, why):
        status, errors = self.compile(kind, text)
        self.assertEqual(status, 1, errors)
        self.assertIn(why, errors)
        self.assertFalse((self.folder / "out" / f"{kind}.jsonl").exists())


class Compiling(Folder):
    def test_a_case_becomes_one_line_an_input(self):
        self.assertEqual(self.compile("wire", GOOD), (0, ""))
        first, second = self.lines("wire")
        self.assertEqual(first, {
            "name": "one.p3/1", "ids": ["VAR-1"], "faces": ["view", "pool"], "message": "hotpb.vectors.p3.All",
            "input": "089601", "canonical": "089601", "text": "single_int32: 150",
        })
        self.assertEqual((second["name"], second["input"]), ("one.p3/2", "08968100"))

    def test_compiling_twice_gives_the_same_bytes(self):
        self.compile("wire", GOOD)
        before = (self.folder / "out/wire.jsonl").read_bytes()
        self.compile("wire", GOOD)
        self.assertEqual((self.folder / "out/wire.jsonl").read_bytes(), before)

    def test_tables_and_schemas_multiply(self):
        case = "- {name: 'a_${type}', ids: [FLD-4], in: [p3, p2], each: {table: types, only: [int32, closed]}, inputs: ['$n:$w $a'], canonical: same}\n"
        self.assertEqual(self.compile("wire", case), (0, ""))
        self.assertEqual([vector["name"] for vector in self.lines("wire")], ["a_int32.p3/1", "a_int32.p2/1", "a_closed.p2/1"])

    def test_a_truncated_case_gives_an_error_or_a_shorter_message_at_every_offset(self):
        self.assertEqual(self.compile("wire", GOOD.replace("canonical", "truncate: true, canonical"))[0], 0)
        cut = [vector["name"] for vector in self.lines("wire") + self.lines("invalid") if "_cut_at_" in vector["name"]]
        self.assertEqual(len(cut), 3 + 4)
        self.assertEqual(self.lines("invalid")[0]["error"], {"code": "Truncated", "offset": 1, "path": "single_int32"})

    def test_a_wrong_canonical_is_refused(self):
        self.refused("wire", GOOD.replace("canonical: 08 96 01", "canonical: 08 97 01"), "the reference decoder gives 089601")

    def test_a_wrong_text_is_refused(self):
        self.refused("wire", GOOD.replace("150", "151"), "text encodes to 089701")

    def test_a_text_that_does_not_parse_is_refused(self):
        self.refused("wire", GOOD.replace("single_int32: 150", "no_such_field: 1"), "no_such_field")

    def test_an_unknown_message_key_code_or_option_is_refused(self):
        self.refused("wire", GOOD.replace("in: [p3]", "in: [p3], message: Gone"), "no such message")
        self.refused("wire", GOOD.replace("in: [p3]", "in: [p3], colour: red"), "unknown key colour")
        self.refused("wire", GOOD.replace("in: [p3]", "in: [p3], options: {deep: '3'}"), "unknown option deep")

    def test_an_unknown_code_is_refused(self):
        self.refused("invalid", '- {name: x, ids: [VAR-3], in: [p3], inputs: ["@ 00"], error: Wrong}\n', "unknown code Wrong")

    def test_a_name_that_stands_twice_is_refused(self):
        self.refused("wire", GOOD + GOOD, "the name stands twice")

    def test_a_key_that_stands_twice_is_refused(self):
        self.refused("wire", "- name: x\n  name: y\n", "'name' stands twice")

    def test_a_wrong_error_is_refused(self):
        case = '- {name: x, ids: [TAG-3], in: [p3], inputs: ["08 05 @ 00"], error: InvalidTag}\n'
        self.assertEqual(self.compile("invalid", case), (0, ""))
        (self.folder / "out/invalid.jsonl").unlink()
        self.refused("invalid", case.replace("08 05 @ 00", "@ 08 05 00"), "the reference decoder gives")
        self.refused("invalid", case.replace("InvalidTag}", "Truncated}"), "the reference decoder gives")
        self.refused("invalid", case.replace("InvalidTag}", "[InvalidTag, somewhere]}"), "the reference decoder gives")
        self.refused("invalid", case.replace("08 05 @ 00", "@ 08 05"), "the reference decoder gives")

    def test_a_wrong_stream_or_primitive_is_refused(self):
        self.refused("stream", '- {name: x, ids: [DLM-1], in: [p3], inputs: ["02 08 01"], messages: []}\n', "the reference decoder gives")
        (self.folder / "stream/cases.yaml").unlink()
        self.refused("primitive", "- {name: x, ids: [VAR-1], kind: varint, inputs: [96 01], value: 151}\n", "the reference decoder gives 150")
        self.refused("primitive", "- {name: x, ids: [UTF-1], kind: utf8, inputs: [ff]}\n", "InvalidUtf8")


class Writer(Folder):
    """A script of calls whose result differs from the case is refused."""

    def script(self, calls, rest):
        return f"- {{name: one, ids: [WRT-1], in: [p3], message: Child, calls: {calls}, {rest}}}\n"

    def test_a_script_becomes_calls_with_handles(self):
        text = self.script("[[open, child], [put, id, 150]]", "policy: fixed4, into: {chunks: [64]}, output: '3:2 {4 1:0 =150 }'")
        self.assertEqual(self.compile("writer", text), (0, ""))
        self.assertEqual(self.lines("writer"), [{
            "name": "one.p3", "ids": ["WRT-1"], "faces": ["writer"], "message": "hotpb.vectors.p3.Child", "policy": "fixed4",
            "into": {"chunks": [64]},
            "calls": [
                {"call": "root", "handle": 0}, {"on": 0, "call": "open", "field": "child", "handle": 1},
                {"on": 1, "call": "put", "field": "id", "value": "150"},
            ],
            "output": "1a83808000089601", "chunks": [{"bytes": "1a83808000089601", "open_slots": 0}], "patches": [], "valid_len": 8,
        }])

    def test_a_slot_is_zero_until_its_patch(self):
        text = self.script(
            "[[open, child], [put, name, '(\"x\")*70']]",
            "into: {chunks: 64}, output: '3:2 {4 2:2 { (\"x\")*70 } }', used: [64, 13], open: [1, 0], patches: [[0, 1, 0]]")
        self.assertEqual(self.compile("writer", text), (0, ""))
        line = self.lines("writer")[0]
        self.assertTrue(line["chunks"][0]["bytes"].startswith("1a000000001246"))
        self.assertEqual(line["patches"], [{"chunk": 0, "offset": 1, "bytes": "c8808000", "still_open": 0}])

    def test_an_output_of_another_message_is_refused(self):
        self.refused("writer", self.script("[[put, id, 1]]", "into: {fixed: 9}, output: '1:0 02'"), "not the message")

    def test_an_output_that_does_not_parse_is_refused(self):
        text = self.script("[[put, id, 1]]", "into: {fixed: 9}, output: '1:0', error: BufferExhausted")
        self.refused("writer", text, "does not parse")

    def test_a_length_that_is_not_that_of_the_policy_is_refused(self):
        text = self.script("[[open, child]]", "policy: minimal, into: {fixed: 9}, output: '3:2 {4 }'")
        self.refused("writer", text, "the reference encodes")

    def test_a_slot_left_open_is_refused(self):
        text = self.script("[[open, child]]", "into: {chunks: 64}, output: '3:2 {4 }', open: [1]")
        self.refused("writer", text, "left open")

    def test_misuse_without_an_error_is_refused(self):
        text = self.script("[[finish], [on, 0, put, id, 1]]", "into: {fixed: 9}, output: ''")
        self.refused("writer", text, "misuses a handle")

    def test_a_field_that_is_not_there_is_refused(self):
        self.refused("writer", self.script("[[put, idd, 1]]", "into: {fixed: 9}, output: ''"), "no field idd")


class Ids(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "wire.md").write_text("- [VAR-1] One.\n- [VAR-2] Two.\n- [WRT-1] withdrawn.\n")
        (self.folder / "errors.md").write_text("- [ERR-1] One.\n")
        (self.folder / "plan.md").write_text("- [PLN-1] One.\n- [PLN-2] Two.\n- [PLN-3] Three.\n")
        (self.folder / "README.md").write_text("| x | PLN-1 … PLN-3 |")

    def problems(self, shown, not_shown):
        return ids.problems(self.folder, self.folder / "README.md", [{"name": "v", "ids": shown}], not_shown)

    def test_every_sentence_needs_a_vector(self):
        self.assertEqual(self.problems(["VAR-1", "VAR-2", "ERR-1"], {}), [])
        self.assertEqual(self.problems(["VAR-1", "ERR-1"], {}), ["VAR-2: no vector shows it"])
        self.assertEqual(self.problems(["VAR-1", "ERR-1"], {"VAR-2": "reason"}), [])

    def test_an_exception_that_is_none_is_refused(self):
        self.assertEqual(len(self.problems(["VAR-1", "VAR-2", "ERR-1"], {"VAR-2": "reason"})), 1)
        self.assertEqual(len(self.problems(["VAR-1", "VAR-2", "ERR-1"], {"VAR-9": "reason"})), 1)

    def test_an_id_that_does_not_exist_is_refused(self):
        self.assertEqual(self.problems(["VAR-1", "VAR-2", "ERR-1", "VAR-7"], {}), ["v: VAR-7 is not in spec/wire.md or spec/errors.md"])

    def test_every_plan_sentence_is_mapped(self):
        (self.folder / "README.md").write_text("| x | PLN-1, PLN-4 |")
        self.assertEqual(len(self.problems(["VAR-1", "VAR-2", "ERR-1"], {})), 3)

    def test_every_sentence_of_shared_memory_is_named_by_a_test(self):
        (self.folder / "shm.md").write_text("- [SHM-1] One.\n- [SHM-2] Two.\n- [SHM-3] withdrawn.\n")
        test = self.folder / "shm_test.cc"
        test.write_text("// SHM-1, SHM-2\n")
        self.assertEqual(ids.unnamed(self.folder / "shm.md", [test]), [])
        test.write_text("// SHM-1, SHM-22\n")
        self.assertEqual(len(ids.unnamed(self.folder / "shm.md", [test])), 2)


if __name__ == "__main__":
    unittest.main()
