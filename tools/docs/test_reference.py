"""What Doxygen reads of a header's comments, and which pages load something from another host."""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import go_packages  # noqa: E402

HEADER = """\
// Ring: a ring of chunks.
//
//   Ring ring;
//
// It is used again <often>.
#ifndef RING_H_
namespace hotpb {
// Says how.
enum class How {
  kOne,  // once
};
class Ring {
 public:
  // Empties the ring.
  void clear() {
    // not of the interface
    size_ = 0;  // nor this
  }
};
}
"""


def run(tool, *arguments):
    return subprocess.run([sys.executable, HERE / tool, *arguments], capture_output=True, text=True)


class Packages(unittest.TestCase):
    def test_packages_that_programs_import_have_a_page(self):
        folders = go_packages.folders()
        for folder in ("go", "go/pool", "go/schema/yaml", "go/gogo"):
            self.assertIn(folder, folders)
        for folder in ("go/rt/pool", "go/cmd/hotpb", "go/test/view"):
            self.assertNotIn(folder, folders)


class Reference(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def test_comments_above_declarations_are_documentation(self):
        (self.folder / "ring.h").write_text(HEADER)
        out = run("doxygen-filter", self.folder / "ring.h").stdout
        self.assertIn("/** @file\nRing: a ring of chunks.\n\n@code{.unparsed}\n  Ring ring;\n\n@endcode\nIt is used again \\<often\\>.\n*/", out)
        self.assertIn("/** @class hotpb::Ring\n", out)
        self.assertIn("/** Says how.\n*/\nenum class How", out)
        self.assertIn("kOne, /**< once */", out)
        self.assertIn("/** Empties the ring.\n*/\n  void clear() {\n    // not of the interface\n    size_ = 0;  // nor this\n", out)

    def test_what_is_loaded_from_another_host_is_found(self):
        page = self.folder / "index.html"
        page.write_text('<a href="https://example.com">x</a><script src="a.js"></script><link rel="canonical" href="https://example.com">')
        self.assertEqual(run("check.py", self.folder).returncode, 0)
        for load in ('<script src="https://example.com/a.js">', '<img src="//example.com/a.png">', '<link rel="stylesheet" href="http://example.com/a.css">'):
            page.write_text(load)
            done = run("check.py", self.folder)
            self.assertEqual(done.returncode, 1, load)
            self.assertIn("example.com/a.", done.stderr)
        page.write_text("")
        (self.folder / "a.css").write_text("@import url('https://example.com/font.css');")
        self.assertEqual(run("check.py", self.folder).returncode, 1)


if __name__ == "__main__":
    unittest.main()
