"""tools/version, on a copy of the tree: `set` changes every place, and `check` reports each place that differs."""
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from releasing.tree import ROOT


class Version(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="hotpb-test-"))
        self.addCleanup(shutil.rmtree, self.folder)
        names = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "*.md", "*.toml", "*.lock", "*.txt", "*.json", "*conanfile.py", "VERSION",
                                "cpp/include/hotpb/detail/abi.h", "go/version.go", "go/internal/gen/emit/generate.go", "rust/hotpb/src/lib.rs",
                                "tools/version"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
        for name in names:
            if (ROOT / name).is_file() and not name.startswith("vectors/"):
                (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / name, self.folder / name)

    def version(self, *arguments):
        return subprocess.run([self.folder / "tools/version", *arguments], capture_output=True, text=True)

    def wrong(self, name, old, new):
        path = self.folder / name
        text = path.read_text()
        self.assertIn(old, text)
        path.write_text(text.replace(old, new, 1))
        done = self.version("check")
        path.write_text(text)
        self.assertEqual(done.returncode, 1, name)
        self.assertIn(name, done.stderr)

    def test_set_changes_every_place(self):
        before = self.version("check").stdout
        self.assertEqual(self.version("set", "12.34.56").stdout, before)
        self.assertEqual(self.version().stdout, "12.34.56\n")
        self.assertIn('#define HOTPB_VERSION_STRING "12.34.56"', (self.folder / "cpp/include/hotpb/detail/abi.h").read_text())
        self.assertIn('const Version = "12.34.56"', (self.folder / "go/version.go").read_text())
        self.assertIn('version = "12.34.56"', (self.folder / "rust/Cargo.toml").read_text())

    def test_check_sees_what_differs(self):
        self.version("set", "12.34.56")
        self.wrong("cpp/include/hotpb/detail/abi.h", "MINOR 34", "MINOR 35")
        self.wrong("cpp/CMakeLists.txt", "VERSION 12.34.56", "VERSION 12.34.57")
        self.wrong("go/version.go", "12.34.56", "12.34.57")
        self.wrong("rust/Cargo.lock", 'name = "hotpb"\nversion = "12.34.56"', 'name = "hotpb"\nversion = "12.34.57"')
        self.wrong("packaging/conan/conanfile.py", "12.34.56", "12.34.57")
        self.wrong("README.md", "# hotpb", "# hotpb\ngo get github.com/hotpb/hotpb/go/gogo@v0.9.9\n")
        self.wrong("README.md", "# hotpb", "# hotpb\ncargo add hotpb-build@0.9\n")
        self.wrong("README.md", "# hotpb", "# hotpb\nhttps://github.com/hotpb/hotpb/releases/download/v12.34.56/hotpb-cpp-9.9.9.tar.gz\n")
        self.assertEqual(self.version("check").returncode, 0)

    def test_bad_arguments(self):
        self.assertEqual(self.version("set", "1.2").returncode, 1)
        self.assertEqual(self.version("bump").returncode, 2)


if __name__ == "__main__":
    unittest.main()
