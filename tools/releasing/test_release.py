"""tools/release in a clone: its refusals, its commits and its tags. The dry run builds the programs; these tests do not."""
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from releasing.tree import ROOT, files

# The clone's own tools/release, without its slow parts.
QUICK = """
import importlib.machinery, importlib.util, sys
sys.argv = ["tools/release", *sys.argv[1:]]
loader = importlib.machinery.SourceFileLoader("release", "tools/release")
release = importlib.util.module_from_spec(importlib.util.spec_from_loader("release", loader))
loader.exec_module(release)
release.assets = lambda tree, wanted, notes, out, work: release.stage.emptied(out) and []
release.check_assets = lambda out, wanted: None
release.main()
"""


class Release(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="hotpb-test-"))
        self.addCleanup(shutil.rmtree, self.folder)
        # The files as they are now, in a repository of their own.
        for name in files():
            target = self.folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, target, follow_symlinks=False)
        (self.folder / "build").mkdir()
        (self.folder / "build/tools").symlink_to(ROOT / "build/tools")
        self.git("init", "--quiet", "--initial-branch=main")
        self.git("config", "user.name", "Test")
        self.git("config", "user.email", "test@example.com")
        self.commit()
        self.version = (ROOT / "VERSION").read_text().strip()

    def git(self, *arguments):
        return subprocess.run(["git", *arguments], cwd=self.folder, capture_output=True, text=True, check=True).stdout

    def commit(self):
        self.git("add", "--all")
        self.git("commit", "--quiet", "-m", "all")

    def run_release(self, *arguments):
        return subprocess.run([sys.executable, "-c", QUICK, *arguments], cwd=self.folder, capture_output=True, text=True)

    def refused(self, why, *arguments):
        done = self.run_release(*arguments)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn(why, done.stderr)
        self.assertNotIn("Traceback", done.stderr)
        self.assertEqual(self.git("tag"), self.tags)

    def changelog(self, change):
        path = self.folder / "CHANGELOG.md"
        path.write_text(change(path.read_text()))

    def test_refusals_then_a_release_then_the_next(self):
        self.tags = ""
        self.refused("is not a version", "1.0")
        self.refused("is not a version", "v" + self.version)
        self.refused("is not a version", "0.01.0")
        self.refused("nothing has been released", "7.0.0")
        (self.folder / "new.txt").write_text("not committed\n")
        self.refused("commit them first", self.version)
        (self.folder / "new.txt").unlink()
        before = (self.folder / "CHANGELOG.md").read_text()
        shutil.rmtree(self.folder / "changes")
        self.changelog(lambda text: re.sub(rf"(?s)## {re.escape(self.version)}\n.*?(?=\n## |\Z)", "", text))
        self.commit()
        self.refused("changes/ is empty", self.version)
        self.changelog(lambda text: before)
        apps = [path.parent.relative_to(ROOT) for path in sorted(ROOT.glob("apps/*/CHANGELOG.md"))]
        for folder in (self.folder, *(self.folder / app for app in apps)):
            (folder / "changes").mkdir(exist_ok=True)
            (folder / "changes/a-thing.md").write_text("A thing, and\nmore.\n")
        self.commit()
        self.refused("changes/a-thing.md: one line", self.version)
        for folder in (self.folder, *(self.folder / app for app in apps)):
            (folder / "changes/a-thing.md").write_text(f"A thing of {folder.name}.\n")
        self.commit()

        head = self.git("rev-parse", "HEAD")
        dry = self.run_release("--dry-run")
        self.assertEqual(dry.returncode, 0, dry.stderr)
        self.assertEqual((self.git("tag"), self.git("rev-parse", "HEAD"), self.git("worktree", "list").count("\n")), ("", head, 1))

        done = self.run_release(self.version)
        self.assertEqual(done.returncode, 0, done.stderr)
        tag = f"v{self.version}"
        tags = self.git("tag").split()
        for wanted in tag, f"go/{tag}", f"go/grpccodec/{tag}", f"go/connectcodec/{tag}", f"go/cmd/hotpb/{tag}", f"go/gogo/{tag}":
            self.assertIn(wanted, tags)
        self.assertEqual([name for name in tags if name.startswith("apps/")], [f"{app}/{tag}" for app in apps if (ROOT / app / "go.mod").exists()])
        for app in apps:
            self.assertRegex(self.git("show", f"HEAD:{app}/CHANGELOG.md"), rf"(?s)## {self.version} - \d{{4}}-\d\d-\d\d\n.*\n- A thing of {app.name}\.\n")
        self.assertFalse([name for name in tags if re.search("bench|conformance|test|examples", name)], tags)
        for name in tags:
            self.assertIn(name, done.stdout)  # the push that it proposes
        # The branch has the changelog, and its modules still replace each other; the tag's do not.
        self.assertEqual(self.git("rev-parse", "HEAD~1"), head)
        self.assertEqual(self.git("rev-parse", f"{tag}^{{}}~1"), self.git("rev-parse", "HEAD"))
        changelog = self.git("show", "HEAD:CHANGELOG.md")
        self.assertRegex(changelog, rf"(?s)## {self.version} - \d{{4}}-\d\d-\d\d\n\nThe first release.*\n- A thing of {self.folder.name}\.\n")
        self.assertNotIn(f"## {self.version}\n", changelog)
        self.assertEqual(self.git("ls-tree", "-r", "--name-only", "HEAD", "changes", *(f"{app}/changes" for app in apps)).split(), [])
        self.assertIn("replace", self.git("show", "HEAD:go/cmd/hotpb/go.mod"))
        for name in tags:
            folder = name[: -len(tag)]
            if not folder:
                continue
            module = self.git("show", f"{name}:{folder}go.mod")
            self.assertNotIn("replace github.com/hotpb", module)
            self.assertNotIn("hotpb/go v0.0.0", module)
            if folder != "go/":
                self.assertIn(f"github.com/hotpb/hotpb/go {tag}", module)
                self.assertIn(f"github.com/hotpb/hotpb/go {tag} h1:", self.git("show", f"{name}:{folder}go.sum"))
        self.assertEqual(self.git("status", "--porcelain"), "")

        self.tags = self.git("tag")
        (self.folder / "changes").mkdir(exist_ok=True)
        (self.folder / "changes/fixed.md").write_text("A thing is right.\n")
        self.commit()
        self.refused("does not follow", self.version)
        self.refused("does not follow", "5.0.0")


if __name__ == "__main__":
    unittest.main()
