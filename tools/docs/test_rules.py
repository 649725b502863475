"""The rules of spec/ and of the languages: each id is declared once, tests or code name each rule of a face, and nothing names a rule that does not exist."""
import re
import unittest

from pages import ROOT, repository_files

DECLARED = re.compile(r"^ *- \[([A-Z]{3}-\d+)\](.*)", re.M)
NAMED = re.compile(r"\b([A-Z]{3})-(\d+)(?:(?: to | … |–|-)(?:[A-Z]{3}-)(\d+))?")
ENCODINGS = {("UTF", "8"), ("UTF", "16"), ("UTF", "32")}
ALONE = {"go/rules.md": "Go", "rust/rules.md": "Rust", "cpp/rules.md": "C++"}
MOST = 200  # rules of spec/faces.md


def declared():
    """{id: (file, text)}, and the ids that are declared more than once."""
    found, twice = {}, []
    for path in (*sorted((ROOT / "spec").glob("*.md")), *(ROOT / name for name in ALONE)):
        for rule, text in DECLARED.findall(path.read_text()):
            twice += [rule] if rule in found else []
            found[rule] = (str(path.relative_to(ROOT)), text)
    return found, twice


def ends(text, prefixes):
    """(first, last) of the ids that a text names; a single id is both."""
    for prefix, first, last in NAMED.findall(text):
        if prefix in prefixes and (prefix, first) not in ENCODINGS:
            yield prefix, int(first), int(last or first)


def whole(ranges):
    """The ids of ranges, those between the ends included."""
    return {f"{prefix}-{number}" for prefix, first, last in ranges for number in range(first, last + 1)}


def texts():
    """(name, text) of what may name rules."""
    for name in sorted(repository_files()):
        if name.endswith((".go", ".rs", ".cc", ".h", ".py", ".md", ".txt", ".yaml", ".sh", ".proto", ".toml")) and not name.startswith("tools/docs/test_"):
            try:
                yield name, (ROOT / name).read_text()
            except UnicodeDecodeError:
                continue


class Rules(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.rules, cls.twice = declared()
        prefixes = {rule[:3] for rule in cls.rules}
        cls.named = [(name, set(ends(text, prefixes))) for name, text in texts()]

    def test_an_id_is_declared_once(self):
        self.assertEqual(self.twice, [])

    def test_what_is_named_exists(self):
        # Numbers between the ends of a range may be unused.
        wrong = [f"{name}: {prefix}-{end}" for name, ranges in self.named for prefix, *ends in sorted(ranges) for end in ends if f"{prefix}-{end}" not in self.rules]
        self.assertEqual(wrong, [])

    def test_a_rule_of_a_face_is_named_where_it_is_shown(self):
        elsewhere = whole(span for name, ranges in self.named if not name.endswith(".md") for span in ranges)
        faces = {rule for rule, (place, _) in self.rules.items() if place == "spec/faces.md" or place in ALONE}
        self.assertEqual(sorted(faces - elsewhere), [])

    def test_the_faces_have_rules_for_two_languages_and_not_too_many(self):
        faces = {rule: text for rule, (place, text) in self.rules.items() if place == "spec/faces.md"}
        self.assertEqual([rule for rule, text in faces.items() if re.match(r" \*?\((Go|Rust|C\+\+)\)", text)], [])
        self.assertLessEqual(len(faces), MOST)

    def test_ranges_are_whole(self):
        self.assertEqual(sorted(whole(ends("POL-1 to POL-3, VIW-7", {"POL", "VIW"}))), ["POL-1", "POL-2", "POL-3", "VIW-7"])


if __name__ == "__main__":
    unittest.main()
