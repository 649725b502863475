"""What several pages say is what the code says: faces, options, features, the versions of toolchains, the functions of DESIGN; and the pages' budgets.

The generators say which faces and options exist, the manifests which features and versions. A page that disagrees fails.
"""
import re
import unittest

from pages import ROOT

LANGUAGES = ("C++", "Rust", "Go")
ON_TOP = {"builder", "visitor", "edit", "reflect"}  # faces that go with another one
# Lines of a page, at most. docs/grid.md has what docs/performance.md leaves out.
BUDGETS = {"README.md": 130, "docs/performance.md": 150, "CHANGELOG.md": 45}
LINKED = 10  # links of README's last list


def read(name):
    return (ROOT / name).read_text()


def faces():
    """{language: faces that its generator has, and Go's schema, which has none}."""
    cpp = re.search(r"list\{\n(.*?)\n  \};", read("cpp/plugin/emit.cc"), re.S)[1]
    rust = re.findall(r'^    face\("(\w+)"', read("rust/hotpb-codegen/src/faces.rs"), re.M)
    go = [re.search(r'emit\.Face\{\s*Name:\s*"(\w+)"', path.read_text()) for path in sorted((ROOT / "go/internal/gen/emit").glob("*/*.go"))]
    return {"C++": set(re.findall(r'^ *\{"(\w+)"', cpp, re.M)), "Rust": set(rust),
            "Go": {found[1] for found in go if found} | ({"schema"} if (ROOT / "go/schema/doc.go").exists() else set())}


def options():
    """{language: options that its generator reads}."""
    cpp = read("cpp/plugin/options.cc")
    known = re.search(r"func known\(key string\) bool \{(.*?)return true", read("go/internal/gen/emit/options.go"), re.S)[1]
    rust = re.search(r"match \(option, value\) \{(.*?)\(face, \"\"\) if", read("rust/hotpb-codegen/src/options.rs"), re.S)[1]
    return {"C++": set(re.findall(r'"(\w+)"', re.search(r"kValued\[\] = \{(.*?)\};", cpp, re.S)[1])) | set(re.findall(r'\{"(\w+)", &Options', cpp)),
            "Go": set(re.findall(r'"([\w-]+)"', known)), "Rust": {name for names in re.findall(r'^ *\(?((?:"\w+"(?: \| )?)+),', rust, re.M) for name in re.findall(r'"(\w+)"', names)}}


def table(name, head):
    """The rows of the table of a page whose first line begins with `head`, a dictionary for each."""
    lines = read(name).split("\n")
    begin = next(number for number, line in enumerate(lines) if line.startswith(head))
    names, rows = [cell.strip() for cell in lines[begin].strip("|").split("|")], []
    for line in lines[begin + 2:]:
        if not line.startswith("|"):
            break
        rows.append(dict(zip(names, (cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]))))
    return rows


class Faces(unittest.TestCase):
    def setUp(self):
        self.faces = faces()

    def test_the_generators_have_faces(self):
        self.assertTrue({"writer", "view", "pool"} <= self.faces["C++"] & self.faces["Rust"] & self.faces["Go"], self.faces)

    def test_readme_has_each_face_and_where_it_is(self):
        rows = {row["face"]: row for row in table("README.md", "| face |")}
        self.assertEqual(set(rows), set().union(*self.faces.values()) - ON_TOP)
        for face, row in rows.items():
            for language in LANGUAGES:
                self.assertEqual(row[language].startswith("yes"), face in self.faces[language], f"{face} in {language}: {row[language]}")
                self.assertEqual(row[language] == "–", face not in self.faces[language], f"{face} in {language}: {row[language]}")

    def test_which_face_says_the_same(self):
        found = 0
        for row in table("docs/which-face.md", "| you |"):
            for face in re.findall(r"^\*\*(\w+)\*\*(?!: package)", row["use"]):
                for language in LANGUAGES:
                    cell, found = row[language], found + 1
                    if face in self.faces[language]:
                        self.assertNotIn(cell, ("", "–"), f"{row['use']} in {language}")
                    elif cell not in ("", "–"):  # another face that does it
                        self.assertIn(re.match(r"\w+", cell)[0], self.faces[language], f"{row['use']} in {language}")
        self.assertGreater(found, 20)

    def test_the_readme_of_a_language_names_its_faces(self):
        for language, name in zip(LANGUAGES, ("cpp/README.md", "rust/README.md", "go/README.md")):
            for face in self.faces[language] - {"edit", "reflect"}:
                self.assertRegex(read(name), rf"(?i)\b{face}s?\b", f"{name}: {face}")
        self.assertEqual({row["face"] for row in table("rust/README.md", "| face |")} - {"Arrow"}, self.faces["Rust"] - ON_TOP)


class Options(unittest.TestCase):
    def test_the_specification_has_the_options_that_the_generators_read(self):
        rule = re.search(r"^- \[FCE-7\] (.*?)\. ", read("spec/faces.md").replace("\n  ", " "), re.M)[1]
        everywhere, _, some = rule.partition(";")
        has = options()
        for option in re.findall(r"`(\w+)=?`", everywhere):
            self.assertEqual([language for language in LANGUAGES if option not in has[language]], [], option)
        for part in re.findall(r"(`[^(]*)\(([^)]*)\)", some):
            for option in re.findall(r"`(\w+)=?`", part[0]):
                self.assertEqual([language for language in LANGUAGES if option in has[language]], [part[1]], option)

    def test_rust_has_each_feature_in_its_readme(self):
        features = re.findall(r"^([\w-]+) = \[", re.search(r"^\[features\]\n(.*?)^\[", read("rust/hotpb/Cargo.toml"), re.M | re.S)[1], re.M)
        self.assertIn("serde", features)
        self.assertEqual([name for name in features if f"`{name}`" not in read("rust/README.md")], [])


class Toolchains(unittest.TestCase):
    def test_the_oldest_versions_are_those_of_the_manifests(self):
        go = re.search(r"^go (\d+\.\d+)", read("go/go.mod"), re.M)[1]
        rust = re.search(r'^rust-version = "(.*)"', read("rust/Cargo.toml"), re.M)[1]
        cmake = re.search(r"cmake_minimum_required\(VERSION ([\d.]+)\)", read("cpp/CMakeLists.txt"))[1]
        self.assertIn(f"To use the packages, Go {go}, Rust {rust}, or CMake {cmake} ", read("README.md").replace("\n", " "))
        needed = {row[""]: row["needed"] for row in table("docs/stability.md", "| | needed |")}
        self.assertRegex(needed["Go"], rf"^{re.escape(go)}\b")
        self.assertRegex(needed["Rust"], rf"^{re.escape(rust)}\b")
        self.assertIn(f"CMake {cmake}", needed["C++"])
        self.assertIn(f"Rust {rust}", read("rust/README.md"))
        self.assertIn(f"CMake {cmake}", read("cpp/README.md"))


SOURCES = ("cpp/include/hotpb", "cpp/plugin", "rust/hotpb/src", "rust/hotpb-codegen/src", "rust/hotpb-build/src", "go")
DECLARED = re.compile(r"\b(?:func (?:\([^)]*\) )?|fn |macro_rules! |type |struct |class |enum |trait |static |constexpr )(\w+)"  # also in texts of generators
                      r"|^ *(?!return )[\w:<>*& ]+[ *&](?:\w+::)*(\w+)\(", re.M)


def declared():
    """Every function, type and macro of the libraries and their generators."""
    found = set()
    for folder in SOURCES:
        for path in (ROOT / folder).rglob("*.*"):
            if path.suffix in (".h", ".cc", ".rs", ".go") and not re.search(r"_test\.go$|\.hot\.|/(wkt|test|tests|bench)/", str(path)):
                found.update(*DECLARED.findall(path.read_text()))
    return found


class Walks(unittest.TestCase):
    def test_the_functions_of_the_walks_exist(self):
        names = declared()
        self.assertNotIn("decodeTepid", names)
        section = read("DESIGN.md").split("\n## The bytes' way\n")[1].split("\n## ")[0]
        words = {word for text in re.findall(r"`([^`]+)`", section) if not re.search("[/$-]", text) for word in re.split(r"\.|::", text)}
        self.assertGreater(len(words), 100)
        self.assertEqual(sorted(words - names - set().union(*options().values())), [])


class Budgets(unittest.TestCase):
    def test_pages_fit_on_their_screens(self):
        self.assertEqual({name: lines for name, most in BUDGETS.items() if (lines := read(name).count("\n")) > most}, {})

    def test_the_last_list_of_readme_is_short(self):
        links = re.findall(r"\]\(", read("README.md").split("## Where to read on")[1])
        self.assertLessEqual(len(links), LINKED)


if __name__ == "__main__":
    unittest.main()
