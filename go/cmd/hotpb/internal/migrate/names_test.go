package migrate

import (
	"strings"
	"testing"
)

// A new import has a name that nothing else has in its scope, in the tests of the package either. Otherwise the use is left to the
// reader, and the result compiles.
func TestTakenNamesAreNotImported(t *testing.T) {
	for name, files := range map[string]map[string]string{
		"a test declares it":    {"more.go": moreOf("", "csproto.String(s)"), "more_test.go": "package main\n\nvar hotpb = 1\n"},
		"a parameter has it":    {"more.go": moreOf("hotpb int, ", "csproto.String(s)")},
		"a package is named so": {"more.go": strings.Replace(moreOf("", "csproto.String(hotpb.Compact(s))"), "import (", "import (\n\thotpb \"slices\"\n", 1)},
	} {
		t.Run(name, func(t *testing.T) {
			s := start(t, "csproto")
			for file, text := range files {
				s.write(file, strings.ReplaceAll(text, "hotpb.Compact(s)", "string(hotpb.Compact([]byte(s)))"))
			}
			s.run(s.folder, "go", "vet", "./...")
			s.commit()
			list, err := s.migrate(Command{Write: true})
			if err == nil || !strings.Contains(list, "under another name") || strings.Contains(s.read("more.go"), "hotpb.String") {
				t.Errorf("%v\n%s\n%s", err, list, s.read("more.go"))
			}
			s.require()
			s.run(s.folder, "go", "vet", "./...")
		})
	}
}

func moreOf(parameter, expression string) string {
	return "package main\n\nimport (\n\t\"github.com/CrowdStrike/csproto\"\n)\n\nfunc more(" + parameter + "s string) *string {\n\treturn " + expression + "\n}\n\nvar _ = more\n"
}

// A package that does not compile is reported once, and listed by its imports; the rest is rewritten.
func TestBrokenPackagesAreReported(t *testing.T) {
	s := start(t, "csproto")
	s.write("broken/broken.go", moreOf("", "csproto.Strong(s)"))
	s.write("broken/broken_test.go", "package main\n\nimport \"testing\"\n\nfunc TestNothing(*testing.T) {}\n")
	s.write("damaged/damaged.go", "package damaged\n\nimport \"github.com/CrowdStrike/csproto\"\n\nfunc {\n")
	s.commit()
	list, err := s.migrate(Command{Write: true})
	if err == nil || strings.Count(err.Error(), "broken/broken.go:8:") != 1 || !strings.Contains(err.Error(), "damaged/damaged.go:5:") {
		t.Error(err)
	}
	for _, want := range []string{`import "github.com/CrowdStrike/csproto": the package does not compile`, " broken/broken.go:4:2 damaged/damaged.go:3:8]"} {
		if !strings.Contains(list, want) {
			t.Errorf("no %q in\n%s", want, list)
		}
	}
	if !strings.Contains(s.read("broken/broken.go"), "csproto.Strong") || !strings.Contains(s.read("codec.go"), "grpccodec.Register()") {
		t.Error("the wrong files were rewritten")
	}
}
