"""tools/prerequisites.txt and those of apps agree with the go.mod and Cargo.toml files."""
import os
import re
import shutil
import subprocess
import tempfile
import unittest

from releasing.tree import ROOT


def lines(file):
    return [re.split(r" *\| *", line.rstrip()) for line in file.read_text().splitlines() if line and not line.startswith("#")]


CORE = lines(ROOT / "tools/prerequisites.txt")
LINES = [*CORE, *(line for file in sorted(ROOT.glob("apps/*/prerequisites.txt")) for line in lines(file))]


def stated(name):
    text = (ROOT / name).read_text()
    pattern = r"^go (\d+)\.(\d+)" if name.endswith("go.mod") else r'^rust-version = "(\d+)\.(\d+)'
    return tuple(map(int, re.search(pattern, text, re.M).groups()))


class Prerequisites(unittest.TestCase):
    def test_versions_are_those_of_the_files(self):
        for name, _, tools, files in LINES:
            oldest = dict(tool.split() for tool in re.split(r" *, *", tools))
            for tool, kind in ("go", "go.mod"), ("cargo", "Cargo.toml"):
                found = [stated(file) for file in files.split() if file.endswith(kind)]
                if found:
                    self.assertEqual(oldest[tool], "{}.{}".format(*max(found)), f"{name}: {tool}")

    def test_cmake_is_that_of_the_package(self):
        oldest = re.search(r"cmake_minimum_required\(VERSION (\S+)\)", (ROOT / "CMakeLists.txt").read_text()).group(1)
        for name, _, tools, _ in LINES:
            if "cmake" in tools:
                self.assertIn(f"cmake {oldest}", tools, name)

    def test_readme_has_the_same_table(self):
        """A table of prerequisites in README equals this one, line by line."""
        table = subprocess.run([ROOT / "tools/setup", "prerequisites"], capture_output=True, text=True, check=True).stdout
        self.assertEqual(table.count("\n"), len(CORE) + 2)
        readme = (ROOT / "README.md").read_text()
        if table.splitlines()[0] in readme:
            self.assertIn(table, readme)

    def check(self, *names):
        """On a machine that has a shell and nothing else."""
        with tempfile.TemporaryDirectory() as bin_:
            for tool in "awk bash cat dirname env grep head sed xargs".split():
                os.symlink(shutil.which(tool), f"{bin_}/{tool}")
            return subprocess.run([ROOT / "tools/setup", "check", *names], capture_output=True, text=True, env={"PATH": bin_})

    def test_each_line_can_be_checked(self):
        for name, *_ in LINES:
            done = self.check(name)
            self.assertIn("is missing", done.stderr)
            self.assertNotIn("no way to check", done.stderr)
            self.assertNotIn("unknown", done.stderr)

    def test_what_is_missing_is_named(self):
        done = self.check("grpccodec")
        self.assertEqual(done.returncode, 1)
        self.assertIn("go is missing", done.stderr)

    def test_an_unknown_name_is_refused(self):
        done = self.check("grpc")
        self.assertEqual(done.returncode, 1)
        self.assertIn("unknown 'grpc'", done.stderr)


if __name__ == "__main__":
    unittest.main()
