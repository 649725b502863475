package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// tree writes files, and returns the folder and the list of their names.
func tree(t *testing.T, files map[string]string) (root, list string) {
	t.Helper()
	root = t.TempDir()
	var names []string
	for name, text := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	list = filepath.Join(t.TempDir(), "list")
	if err := os.WriteFile(list, []byte(strings.Join(names, "\n")), 0o644); err != nil {
		t.Fatal(err)
	}
	return root, list
}

var product = map[string]string{
	"LICENSE":                               "a licence",
	"apps/app/go.mod":                       "module github.com/hotpb/hotpb/apps/app\n\ngo 1.26\n\nrequire (\n\texample.com/kept v1.0.0\n\tgithub.com/netsampler/goflow2/v2 v2.2.6\n)\n",
	"apps/app/go.sum":                       "example.com/kept v1.0.0 h1:a=\ngithub.com/netsampler/goflow2/v2 v2.2.6 h1:b=\n",
	"apps/app/main.go":                      "package main\n\nimport (\n\t_ \"example.com/kept\"\n\t_ \"github.com/hotpb/hotpb/apps/app/internal/used\"\n)\n\nfunc main() {}\n",
	"apps/app/main_test.go":                 "package main\n\nimport _ \"github.com/hotpb/hotpb/apps/app/internal/truth\"\n",
	"apps/app/internal/used/used.go":        "package used\n",
	"apps/app/internal/used/testdata/a.txt": "stays\n",
	"apps/app/internal/truth/truth.go":      "package truth\n\nimport _ \"github.com/netsampler/goflow2/v2/decoders/netflow\"\n",
	"apps/app/internal/truth/truth_test.go": "package truth\n",
	"apps/app/internal/truth/data/a.txt":    "goes\n",
	"apps/app/test/truth/model.go":          "package truth\n",
}

func TestWhatOnlyTestsNeedIsNotReleased(t *testing.T) {
	root, list := tree(t, product)
	if err := run(root, "v1.2.3", list, "", true); err != nil {
		t.Fatal(err)
	}
	for name := range product {
		_, err := os.Stat(filepath.Join(root, name))
		if want := !strings.Contains(name, "truth") && !strings.HasSuffix(name, "_test.go"); want != (err == nil) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, name := range []string{"apps/app/go.mod", "apps/app/go.sum"} {
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), "example.com/kept") || strings.Contains(string(text), "goflow2") {
			t.Errorf("%s is\n%s", name, text)
		}
	}
}

func TestAProgramMustNotImportWhatIsForTests(t *testing.T) {
	files := map[string]string{}
	for name, text := range product {
		files[name] = text
	}
	files["apps/app/internal/used/used.go"] = files["apps/app/internal/truth/truth.go"]
	root, list := tree(t, files)
	err := run(root, "v1.2.3", list, "", false)
	if err == nil || !strings.Contains(err.Error(), "apps/app/internal/used imports github.com/netsampler/goflow2/v2/decoders/netflow, which only tests may do") {
		t.Errorf("%v", err)
	}
}
