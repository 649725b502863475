// Package surface compares the names that users can call with the list in go/surface.txt.
package surface

import (
	"flag"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const (
	root   = "../.."
	list   = root + "/surface.txt"
	module = "github.com/hotpb/hotpb/go/"
)

var write = flag.Bool("write", false, "write surface.txt")

// hidden are the folders without packages of users: programs, tests, the runtimes of generated code, and the generated code of
// the well-known types.
var hidden = []string{"internal", "rt", "test", "testdata", "wkt", "cmd", "bench", "conformance", "gogotest"}

// A folder is a package, parsed.
type folder struct {
	dir   string // below go
	files []*ast.File
}

func TestTheSurfaceIsThatOfTheList(t *testing.T) {
	var names []string
	for _, p := range public(t) {
		names = append(names, p.names(t)...)
	}
	slices.Sort(names)
	text := strings.Join(slices.Compact(names), "\n") + "\n"
	if *write {
		if err := os.WriteFile(list, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	listed, err := os.ReadFile(list)
	if err != nil {
		t.Fatal(err)
	}
	before, now := strings.Split(string(listed), "\n"), strings.Split(text, "\n")
	for _, name := range now {
		if !slices.Contains(before, name) {
			t.Errorf("new: %s", name)
		}
	}
	for _, name := range before {
		if !slices.Contains(now, name) {
			t.Errorf("gone: %s", name)
		}
	}
	if t.Failed() {
		t.Log("Move names that only generated code calls to rt, or unexport them. `go test ./test/surface -write` puts names that users call on the list.")
	}
}

// A function or field whose type is of rt would be a name that promises nothing.
func TestDeclarationsOfUsersNameNoTypeOfTheRuntimes(t *testing.T) {
	for _, p := range public(t) {
		for _, file := range p.files {
			imports := runtimes(file)
			for _, declaration := range file.Decls {
				for _, part := range exposed(declaration) {
					ast.Inspect(part, func(n ast.Node) bool {
						if s, is := n.(*ast.SelectorExpr); is {
							if pkg, is := s.X.(*ast.Ident); is && imports[pkg.Name] != "" {
								t.Errorf("%s: a declaration has the type %s.%s", p.dir, imports[pkg.Name], s.Sel.Name)
							}
						}
						return true
					})
				}
			}
		}
	}
}

// exposed are the parts of a declaration that a user reads: signatures of exported functions, and types that are no aliases.
func exposed(declaration ast.Decl) (parts []ast.Node) {
	switch d := declaration.(type) {
	case *ast.FuncDecl:
		if d.Name.IsExported() && (d.Recv == nil || ast.IsExported(receiver(d))) {
			parts = append(parts, d.Type)
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.TypeSpec:
				if s.Name.IsExported() && !s.Assign.IsValid() {
					parts = append(parts, fields(s.Type)...)
				}
			case *ast.ValueSpec:
				if s.Names[0].IsExported() && s.Type != nil {
					parts = append(parts, s.Type)
				}
			}
		}
	}
	return parts
}

// fields are the types of the exported fields of a struct, or of the methods of an interface; any other type itself.
func fields(typ ast.Expr) (parts []ast.Node) {
	var list *ast.FieldList
	switch s := typ.(type) {
	case *ast.StructType:
		list = s.Fields
	case *ast.InterfaceType:
		list = s.Methods
	default:
		return []ast.Node{typ}
	}
	for _, field := range list.List {
		if len(field.Names) == 0 || field.Names[0].IsExported() {
			parts = append(parts, field.Type)
		}
	}
	return parts
}

// public are the packages that users import, those of modules below this one among them.
func public(t *testing.T) (packages []folder) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() {
			return err
		}
		if slices.Contains(hidden, entry.Name()) {
			return filepath.SkipDir
		}
		dir, err := filepath.Rel(root, path)
		if p := parsed(t, filepath.ToSlash(dir)); len(p.files) > 0 {
			packages = append(packages, p)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(packages) < 15 {
		t.Fatalf("only %d packages", len(packages))
	}
	return packages
}

func parsed(t *testing.T, dir string) folder {
	t.Helper()
	p := folder{dir: dir}
	in := filepath.Join(root, dir)
	entries, err := os.ReadDir(in)
	if err != nil {
		t.Fatal(err)
	}
	context := build.Default
	context.GOOS, context.GOARCH = "linux", "amd64"
	for _, entry := range entries {
		if !strings.HasSuffix(entry.Name(), ".go") || strings.HasSuffix(entry.Name(), "_test.go") {
			continue
		}
		if fits, err := context.MatchFile(in, entry.Name()); err != nil || !fits {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(in, entry.Name()), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		p.files = append(p.files, file)
	}
	return p
}

// names are a line for each exported name of the package: functions, types with their methods and fields, constants and variables.
func (p folder) names(t *testing.T) (names []string) {
	add := func(kind, name string) { names = append(names, fmt.Sprintf("%s: %s %s", p.dir, kind, name)) }
	for _, file := range p.files {
		imports := runtimes(file)
		for _, declaration := range file.Decls {
			switch d := declaration.(type) {
			case *ast.FuncDecl:
				switch name := receiver(d); {
				case !d.Name.IsExported():
				case name == "":
					add("func", d.Name.Name)
				case ast.IsExported(name):
					add("method", name+"."+d.Name.Name)
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					switch s := spec.(type) {
					case *ast.ValueSpec:
						for _, name := range s.Names {
							if name.IsExported() {
								add(d.Tok.String(), name.Name)
							}
						}
					case *ast.TypeSpec:
						if !s.Name.IsExported() {
							continue
						}
						add("type", s.Name.Name)
						if dir, name := aliased(s, imports); dir != "" {
							parsed(t, dir).members(name, func(kind, member string) { add(kind, s.Name.Name+"."+member) })
						} else {
							members(s.Type, func(kind, member string) { add(kind, s.Name.Name+"."+member) }, func(string) {})
						}
					}
				}
			}
		}
	}
	return names
}

// members calls add for the methods and fields of a type, and of those that it embeds.
func (p folder) members(name string, add func(kind, member string)) {
	for _, file := range p.files {
		for _, declaration := range file.Decls {
			switch d := declaration.(type) {
			case *ast.FuncDecl:
				if receiver(d) == name && d.Name.IsExported() {
					add("method", d.Name.Name)
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					if s, is := spec.(*ast.TypeSpec); is && s.Name.Name == name {
						members(s.Type, add, func(embedded string) { p.members(embedded, add) })
					}
				}
			}
		}
	}
}

// members calls add for the exported fields and methods that a type literal has, and embeds for its embedded types.
func members(typ ast.Expr, add func(kind, member string), embeds func(name string)) {
	kind, list := "field", (*ast.FieldList)(nil)
	switch s := typ.(type) {
	case *ast.StructType:
		list = s.Fields
	case *ast.InterfaceType:
		kind, list = "method", s.Methods
	default:
		return
	}
	for _, field := range list.List {
		if name, is := field.Type.(*ast.Ident); is && len(field.Names) == 0 {
			embeds(name.Name)
		}
		for _, name := range field.Names {
			if name.IsExported() {
				add(kind, name.Name)
			}
		}
	}
}

// runtimes are the packages below rt that a file imports, by their names in the file.
func runtimes(file *ast.File) map[string]string {
	imports := map[string]string{}
	for _, spec := range file.Imports {
		dir := strings.TrimPrefix(strings.Trim(spec.Path.Value, `"`), module)
		if !strings.HasPrefix(dir, "rt/") {
			continue
		}
		name := path.Base(dir)
		if spec.Name != nil {
			name = spec.Name.Name
		}
		imports[name] = dir
	}
	return imports
}

// aliased is the folder and the name of the type of rt that a type stands for.
func aliased(s *ast.TypeSpec, imports map[string]string) (dir, name string) {
	typ := s.Type
	switch generic := typ.(type) {
	case *ast.IndexExpr:
		typ = generic.X
	case *ast.IndexListExpr:
		typ = generic.X
	}
	if selector, is := typ.(*ast.SelectorExpr); is && s.Assign.IsValid() {
		if x, is := selector.X.(*ast.Ident); is {
			return imports[x.Name], selector.Sel.Name
		}
	}
	return "", ""
}

// receiver is the name of a method's type, or "".
func receiver(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return ""
	}
	typ := d.Recv.List[0].Type
	for {
		switch t := typ.(type) {
		case *ast.StarExpr:
			typ = t.X
		case *ast.IndexExpr:
			typ = t.X
		case *ast.IndexListExpr:
			typ = t.X
		case *ast.Ident:
			return t.Name
		default:
			return ""
		}
	}
}
