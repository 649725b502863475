"""The runner of README's programs reports the faults that a reader would meet."""
import tempfile
import unittest
from pathlib import Path

from releasing import programs

GOOD = """# A title
## One
```proto file=a/b.proto
syntax = "proto3";
```
```sh install
cat a/b.proto >/dev/null; touch installed
```
```sh run
ls; echo https://github.com/hotpb/hotpb/releases/download/v1.2.3/x.tar.gz
```
```text output
a
installed
file://PACKAGES/archives/x.tar.gz
```
```go
not looked at
```
## Two, without a program
```go file=main.go
package main
```
"""


class Programs(unittest.TestCase):
    def go(self, text, title="One"):
        with tempfile.TemporaryDirectory() as work:
            work = Path(work)
            (work / "folder").mkdir()
            (work / "file.md").write_text(text.replace("PACKAGES", f"{work}/packages"))
            found = programs.sections(work / "file.md")
            return programs.run(work / "file.md", found[title], work / "folder", work / "home", work / "packages", "1.2.3", work / "bin/protoc")

    def fails(self, why, text):
        with self.assertRaises(programs.Failure) as caught:
            self.go(text)
        self.assertIn(why, str(caught.exception))

    def test_files_commands_and_outputs(self):
        self.assertEqual(self.go(GOOD), 1)

    def test_a_section_without_a_program_is_none(self):
        with tempfile.TemporaryDirectory() as work:
            (Path(work) / "file.md").write_text(GOOD)
            self.assertEqual(list(programs.sections(Path(work) / "file.md")), ["One"])

    def test_another_output_fails(self):
        self.fails("the output is another one", GOOD.replace("\ninstalled\nfile", "\nfile"))

    def test_output_that_is_not_shown_fails(self):
        self.fails("what no `text output` shows", GOOD.replace("```text output", "```text"))

    def test_a_command_that_fails_in_the_middle_fails(self):
        self.fails("exit status 1", GOOD.replace("ls; echo", "false; ls; echo"))

    def test_a_pipe_that_fails_fails(self):
        self.fails("exit status 1", GOOD.replace("ls; echo", "false | true; ls; echo"))

    def test_words_of_a_fence_that_nobody_knows_fail(self):
        self.fails("known are", GOOD.replace("```sh install", "```bash install"))
        self.fails("known are", GOOD.replace("```text output", "```output output"))

    def test_a_fence_without_end_fails(self):
        self.fails("does not end", GOOD.rstrip().rstrip("`"))

    def test_files_stay_in_the_folder(self):
        self.fails("a file of the reader's folder", GOOD.replace("a/b.proto\n", "../b.proto\n", 1))


if __name__ == "__main__":
    unittest.main()
