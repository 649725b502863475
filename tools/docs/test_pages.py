"""What becomes of links, fences and charts on the way from the repository's Markdown to the site, and that a broken link fails."""
import re
import tempfile
import unittest
from pathlib import Path

from pages import ROOT, URL, Broken, Site, repository_files


class Pages(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        files = {"README.md": "# The `front`: page\n", "docs/a.md": "# A\n## A\n```md\n# No heading\n```\n", "spec/wire.md": "- [VAR-1] One.\n",
                 "go/README.md": "# Go\n", "go/view/view.go": "", "apps/a/README.md": "# An app\n", "docs/charts/x-light.svg": "", "docs/charts/x-dark.svg": ""}
        for name, text in files.items():
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            (self.root / name).write_text(text)
        self.site = Site(self.root, set(files))

    def line(self, text, page="README.md"):
        return self.site.markdown(page, text).rstrip("\n")

    def test_links_between_pages_stay(self):
        for link in ("docs/a.md", "docs/a.md#a-1", "#the-front-page", "spec/wire.md#VAR-1", "https://example.com/x#y"):
            self.assertEqual(self.line(f"[x]({link})"), f"[x]({link})")
        self.assertEqual(self.line("[x](../README.md#the-front-page)", "docs/a.md"), "[x](../README.md#the-front-page)")

    def test_a_link_to_a_folder_is_one_to_its_readme_or_to_the_repository(self):
        self.assertEqual(self.line("[x](go/) [y](go/view)"), f"[x](go/README.md) [y]({URL}/tree/main/go/view)")

    def test_a_link_to_code_is_one_to_the_repository(self):
        self.assertEqual(self.line("[x](../go/view/view.go#L3)", "docs/a.md"), f"[x]({URL}/blob/main/go/view/view.go#L3)")

    def test_a_document_of_an_app_is_no_page(self):
        self.assertEqual(self.line("[x](apps/a) [y](apps/a/README.md#an-app)"),
                         f"[x]({URL}/blob/main/apps/a/README.md) [y]({URL}/blob/main/apps/a/README.md#an-app)")
        self.assertNotIn("apps/a/README.md", dict(self.site.documents()))
        (self.root / "apps/a/README.md").write_text("[x](../../nowhere.md)\n")
        with self.assertRaises(Broken):
            self.site.documents()

    def test_a_broken_link_is_an_error(self):
        for link in ("apps/a/README.md#b", "docs/b.md", "docs/a.md#b", "docs/a.md#no-heading", "#nothing", "spec/wire.md#VAR-2", "../outside.md"):
            with self.assertRaises(Broken, msg=link):
                self.line(f"[x]({link})")
        with self.assertRaises(Broken):
            self.line('<img src="docs/charts/none.svg">')

    def test_links_in_code_are_text(self):
        self.assertEqual(self.line("```\n[x](nowhere)\n```"), "```\n[x](nowhere)\n```")

    def test_a_fence_shows_its_file_and_not_its_marks(self):
        self.assertEqual(self.line("```go file=main.go\nx\n```\n```cpp test global\n```"), '```go title="main.go"\nx\n```\n```cpp\n```')

    def test_a_diagram_is_scrolled_where_it_is_too_wide(self):
        self.assertEqual(self.line("```mermaid\nx\n```\n```go\n```"), '<div class="wide" markdown="1">\n\n```mermaid\nx\n```\n\n</div>\n```go\n```')

    def test_a_chart_has_the_colours_that_the_reader_chose(self):
        picture = ('<picture><source media="(prefers-color-scheme: dark)" srcset="docs/charts/x-dark.svg">'
                   '<img src="docs/charts/x-light.svg" alt="x" width="7"></picture>')
        self.assertEqual(self.line(picture), '<img src="docs/charts/x-light.svg#only-light" alt="x" width="7">'
                                             '<img src="docs/charts/x-dark.svg#only-dark" alt="x" width="7">')

    def test_a_list_after_a_paragraph_is_a_list(self):
        self.assertEqual(self.line("text\n- one\n- two"), "text\n\n- one\n- two")

    def test_no_link_of_the_repository_is_broken(self):
        self.assertGreater(len(Site(ROOT, repository_files()).documents()), 30)

    def test_the_navigation_names_every_page(self):
        named = set(re.findall(r": (\S+\.md)$", (ROOT / "tools/docs/mkdocs.yml").read_text(), re.MULTILINE))
        written = {"api/README.md", "docs/grid.md", *(f"vectors/{name}.md" for name in ("wire", "invalid", "stream", "writer", "primitive"))}  # by tools/docs/build
        self.assertEqual(set(Site(ROOT, repository_files()).pages), named - written)


if __name__ == "__main__":
    unittest.main()
