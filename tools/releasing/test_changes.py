"""The files of changes that are refused, and the changelog that a release makes of the others."""
import tempfile
import unittest
from pathlib import Path

from releasing import changes

LOG = "# Changelog\n\n## 0.2.0 - 2026-01-01\n\n- Old.\n"


class Changes(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name) / "changes"

    def put(self, name, text):
        self.folder.mkdir(exist_ok=True)
        (self.folder / name).write_text(text)

    def test_lines_are_sorted_by_file_and_a_missing_folder_has_none(self):
        self.assertEqual(changes.lines(self.folder), {})
        for name, text in (("b.md", "B.\n"), ("README.md", "# Not\n\na change\n"), ("a.md", "é" * changes.LONGEST + "\n")):
            self.put(name, text)
        self.assertEqual(list(changes.lines(self.folder).values()), ["é" * changes.LONGEST, "B."])

    def test_what_is_no_line_is_refused(self):
        for text in ("", "\n", "no line break", "two\nlines\n", "- a list\n", "# heading\n", " indented\n", "x" * (changes.LONGEST + 1) + "\n"):
            self.put("a.md", text)
            with self.assertRaises(changes.Malformed, msg=repr(text)):
                changes.lines(self.folder)
        self.put("a.md", "A.\n")
        self.put("a.txt", "A.\n")
        with self.assertRaises(changes.Malformed):
            changes.lines(self.folder)

    def test_a_release_is_above_the_one_before(self):
        self.assertEqual(changes.dated(LOG, "0.3.0", "2026-02-02", ["A.", "B."]),
                         ("# Changelog\n\n## 0.3.0 - 2026-02-02\n\n- A.\n- B.\n\n## 0.2.0 - 2026-01-01\n\n- Old.\n", "- A.\n- B.\n"))
        self.assertEqual(changes.dated("# Changelog\n", "0.3.0", "2026-02-02", []), ("# Changelog\n\n## 0.3.0 - 2026-02-02\n\nNo changes.\n", "No changes.\n"))

    def test_text_by_hand_comes_first_and_gets_the_date(self):
        log = LOG.replace("## 0.2.0 ", "## 0.3.0\n\nBy hand.\n\n- C.\n\n## 0.2.0 ")
        self.assertEqual((changes.written(log, "0.3.0"), changes.written(log, "0.2.0"), changes.written(log, "0.4.0")), ("By hand.\n\n- C.", "", ""))
        self.assertEqual(changes.dated(log, "0.3.0", "2026-02-02", ["A."])[0],
                         "# Changelog\n\n## 0.3.0 - 2026-02-02\n\nBy hand.\n\n- C.\n\n- A.\n\n## 0.2.0 - 2026-01-01\n\n- Old.\n")


if __name__ == "__main__":
    unittest.main()
