package gen

import (
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/hotpb/hotpb/go/internal/gen/emit"
	"github.com/hotpb/hotpb/go/internal/testgenerator/testface"
)

func init() { emit.Register(testface.Faces...) }

// An import leads one layer down or further: the registry, the emitters of faces, their shared parts, the plan. An extra knows
// the faces that it adds to.
func TestImportsOfTheGeneratorLeadDown(t *testing.T) {
	const root = emit.RuntimePath + "/internal/gen"
	layer := func(folder string) int {
		return map[string]int{"": 3, "plan": 0, "emit": 1, "emit/" + path.Base(folder): 2}[folder]
	}
	edges := 0
	for _, pattern := range []string{"*.go", "*/*.go", "*/*/*.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") || strings.HasPrefix(file, "testdata/") {
				continue
			}
			parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
			if err != nil {
				t.Fatal(err)
			}
			from := strings.TrimPrefix(path.Dir(file), ".")
			for _, spec := range parsed.Imports {
				imported, _ := strconv.Unquote(spec.Path.Value)
				to, inside := strings.CutPrefix(imported, root)
				if to = strings.TrimPrefix(to, "/"); !inside || from == "emit/reflect" && (to == "emit/pool" || to == "emit/view") {
					continue
				}
				if edges++; layer(to) >= layer(from) {
					t.Errorf("%s imports %s, which is not below it", file, imported)
				}
			}
		}
	}
	if edges == 0 {
		t.Error("no file imports a package of the generator")
	}
}
