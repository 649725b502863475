#!/usr/bin/env python3
"""Tests of tools/declared.py: which names it finds, and which exceptions it accepts."""
import sys
import unittest
from pathlib import Path
from unittest import mock

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
import declared  # noqa: E402


def words(name, text):
    return [word for _, word in declared.names(Path(name), text)]


class Names(unittest.TestCase):
    def check(self, name, text, *wanted):
        self.assertEqual(words(name, text), list(wanted), text)

    def test_go(self):
        for text in ("func what() {}", "func (x *T) what(n int) {}", "var what int", "const n, what = 1, 2", "type what struct{}", "\twhat, n := f()", "\tn, what := f()",
                     "\tfor n, what := range all {", "\tif what, err := f(); err != nil {", "func f(what string) {}", "func f(n, what string) {}", "func f(n int, what ...string) {}",
                     "func f(what func(int)) {}", "type t struct {\n\twhat, n int\n}", "func f() (n int, what []byte) {"):
            self.check("a.go", text, "what")
        for text in ("\twhat = 1", "\tf(what, n)", "\treturn what", "// var what int", '\ts := "var what int"', "\ts := `\n\twhat int\n`", "\twhatever := 1", "\tx.what()",
                     "\tt{what: 1}", "\tn := what + 1", "\tcase what:"):
            self.check("a.go", text)

    def test_rust(self):
        for text in ("fn of() {}", "pub fn of<T>(n: T) {}", "    let of = 1;", "    let mut of = 1;", "    let (n, of) = f();", "    for of in all {", "    all.map(|of| n)", "    all.map(|n, of| n)",
                     "    let f = |of: &str| n;", "fn f(n: u8, of: &str) {}", "fn f(mut of: u8) {}", "struct T {\n    of: Vec<u8>,\n}", "struct T {\n    pub(crate) of: &'static str,\n}"):
            self.check("a.rs", text, "of")
        for text in ("    of(1);", "    T::of(1)", "    // let of = 1;", '    let s = "let of = 1;";', '    let s = r#"fn of() {"#;', "    T { n, of: 1 }", "    T {\n        of: Some(1),\n    }",
                     "    let offset = 1;", "    x.of"):
            self.check("a.rs", text)

    def test_cpp(self):
        for text in ("int other = 1;", "void f(const T& other) {}", "T* other;", "void other() {}", "int other{1};", "for (const auto& other : all) {", "void f(T&& other);", "std::vector<T> other;",
                     "void f(std::vector<std::vector<T>>& other);"):
            self.check("a.h", text, "other")
        for text in ("return other;", "other = 1;", "f(n, other);", "// int other = 1;", 'const char* s = "int other = 1;";', "int others = 1;", "if (a && other) {", "f(a * other);", "if (a > other) {",
                     "f(sizeof other);", "a ? other : b;"):
            self.check("a.cc", text)

    def test_python(self):
        for text in ("def one(): pass", "def f(one): pass", "def f(*, one=1): pass", "one = 1", "n, one = 1, 2", "for one in all: pass", "[one for one in all]", "lambda one: 1",
                     "with f() as one: pass", "import n as one", "class one: pass", "one: int = 1", "if (one := f()): pass", "async def one(): pass",
                     "try: f()\nexcept E as one: pass"):
            self.assertEqual(set(words("a.py", text)), {"one"}, text)
        for text in ("f(one)", "f(one=1)", "x.one = 1", "'one = 1'", "# one = 1", "ones = 1"):
            self.check("a.py", text)

    def test_a_script_without_a_suffix_is_known_by_its_first_line(self):
        self.check("run", "#!/usr/bin/env python3\none = 1", "one")
        self.check("run", "#!/usr/bin/env bash\none = 1")

    def test_the_line_is_that_of_the_name(self):
        self.assertEqual(declared.names(Path("a.go"), "/* a\n*/\nfunc f(n int,\n\twhat string,\n) {}\n"), [(4, "what")])


class Exceptions(unittest.TestCase):
    def refused(self, entries, **files):
        with mock.patch.object(declared, "exceptions", lambda: entries):
            names = {name.replace("_", "/") + ".go": [(1, word) for word in found] for name, found in files.items()}
            return list(declared.refused(names, names.get))

    def test_a_name_is_refused(self):
        self.assertIn("a/b.go: line 1: `what`", self.refused([], a_b=["what"])[0])

    def test_a_file_or_a_folder_is_excepted_for_a_word_or_all(self):
        for place, word in (("a/b.go", "what"), ("a/b.go", "*"), ("a/", "what"), ("a/", "*")):
            self.assertEqual(self.refused([(place, word, "because")], a_b=["what"]), [], place)
        for place, word in (("a/b.go", "how"), ("a/b", "*"), ("b/", "*")):
            self.assertEqual(len(self.refused([(place, word, "because")], a_b=["what"])), 2, place)

    def test_an_exception_that_nothing_needs_is_refused(self):
        self.assertIn("nothing needs the exception a/ *", self.refused([("a/", "*", "because")], a_b=[])[0])

    def test_each_exception_of_the_list_has_a_reason(self):
        for place, word, reason in declared.exceptions():
            self.assertTrue(word == "*" or word in declared.WORDS.split("|"), place)
            self.assertTrue(reason.strip(), place)


if __name__ == "__main__":
    unittest.main()
