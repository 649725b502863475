package niltest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const module = "github.com/hotpb/hotpb/go"

// packages are those whose types are called: the runtimes, and code of every face. One program has them: of the packages of
// one .proto (a registry takes a name once) it has one.
var packages = []string{
	".", "chunk", "codec", "rt/codec", "rt/codec/google", "rt/pool", "rt/reflect", "schema/reflect", "schema", "schema/clickhouse", "schema/lock", "schema/template", "rt/view", "wire", "rt/writer",
	"wkt", "wkt/wktreflect",
	"internal/testgen/descriptor/descriptorhot", "internal/testgen/descriptor/descriptorhot/descriptorhotreflect", "internal/testgen/api/apihot", "internal/testgen/api/apihot/apihotreflect",
	"internal/testgen/prometheus/prometheushot",
	"internal/testgen/dropped_p2/dropped_p2hot", "internal/testgen/dropped_p3/dropped_p3hot", "internal/testgen/kept_p2/kept_p2hot", "internal/testgen/kept_p3/kept_p3hot",
	"internal/testgen/sorted_p2/sorted_p2hot", "internal/testgen/sorted_p3/sorted_p3hot", "internal/testgen/raft/rafthot",
	"internal/testgen/vectors/vectorshot", "internal/testgen/vectors_proto2/vectors_proto2hot",
	"internal/testgen/stock/compat", "internal/testgen/stock/compat_hybrid", "internal/testgen/stock/compat_opaque",
	"internal/testgen/stock/raft",
	"internal/testgen/stock/prometheus", "internal/testgen/stock/lazy",
	"internal/testgen/stock/vectors", "internal/testgen/stock/vectors_proto2",
}

// Every exported type of the packages: a program that has all of them is written and run, so that no type is forgotten.
func TestMethodsOnNilAndZeroValuesDoNotPanic(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds a program")
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	list := packages
	if only := os.Getenv("NILTEST_PACKAGES"); only != "" {
		list = strings.Fields(only)
	}
	var imports, values bytes.Buffer
	for i, path := range list {
		dir := filepath.Join(root, path)
		if _, err := os.Stat(dir); err != nil {
			found, _ := filepath.Glob(dir + "*")
			t.Fatalf("%s: no such package; there are %v", path, found)
		}
		names := exported(t, dir)
		if len(names) == 0 {
			continue
		}
		fmt.Fprintf(&imports, "p%d %q\n", i, strings.TrimSuffix(module+"/"+path, "/."))
		for _, name := range names {
			fmt.Fprintf(&values, "reflect.TypeFor[p%d.%s](),\n", i, name)
		}
	}
	source := fmt.Sprintf("package main\nimport (\n\"os\"\n\"reflect\"\n%q\n%s)\nvar types = []reflect.Type{\n%s}\nfunc main() { os.Exit(niltest.Main(types)) }\n",
		module+"/test/niltest", imports.Bytes(), values.Bytes())
	temporary := t.TempDir()
	file, overlay := filepath.Join(temporary, "main.go"), filepath.Join(temporary, "overlay.json")
	replace, _ := json.Marshal(map[string]any{"Replace": map[string]string{filepath.Join(root, "test/niltest/all/main.go"): file}})
	for path, content := range map[string][]byte{file: []byte(source), overlay: replace} {
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	program := exec.Command("go", "run", "-overlay", overlay, module+"/test/niltest/all")
	program.Dir = root
	out, err := program.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
}

// exported are the names of a package's exported types that can have a value, with type arguments.
func exported(t *testing.T, dir string) (names []string) {
	t.Helper()
	parsed, err := parser.ParseDir(token.NewFileSet(), dir, func(f fs.FileInfo) bool {
		name := f.Name()
		for _, suffix := range []string{"_reencode.hot.go", "_rewrite.hot.go", "_canonical.hot.go"} {
			if strings.HasSuffix(name, suffix) {
				return false // of tests
			}
		}
		return !strings.HasSuffix(name, "_test.go") && !strings.HasSuffix(name, "_protoopaque.pb.go") && !strings.HasSuffix(name, "debug_on.go")
	}, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range parsed {
		for path, file := range p.Files {
			if b, err := os.ReadFile(path); err != nil || bytes.Contains(b[:min(len(b), 500)], []byte("//go:build protoopaque")) {
				continue
			}
			for _, declaration := range file.Decls {
				group, is := declaration.(*ast.GenDecl)
				if !is || group.Tok != token.TYPE {
					continue
				}
				for _, spec := range group.Specs {
					if name := instance(spec.(*ast.TypeSpec)); name != "" {
						names = append(names, name)
					}
				}
			}
		}
	}
	return names
}

// predeclared are constraints that int32 satisfies.
var predeclared = map[string]bool{"any": true, "comparable": true, "cmp.Ordered": true}

func instance(spec *ast.TypeSpec) string {
	if _, isInterface := spec.Type.(*ast.InterfaceType); isInterface || spec.Assign != 0 || !spec.Name.IsExported() {
		return ""
	}
	name := spec.Name.Name
	if spec.TypeParams != nil {
		for _, parameter := range spec.TypeParams.List {
			if !predeclared[types.ExprString(parameter.Type)] {
				return "" // of messages: generated code has instances of its own
			}
		}
		name += "[int32" + strings.Repeat(", int32", spec.TypeParams.NumFields()-1) + "]"
	}
	return name
}
