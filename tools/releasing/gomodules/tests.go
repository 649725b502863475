package main

import (
	"fmt"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// A folder with Go files, by the import path of its package.
type folder struct {
	imports []string            // of what is compiled into other packages; nil if there is only a test
	tests   map[string][]string // test file, below the module -> imports
	module  *released
}

// forTests are modules that only tests and internal demonstrations need. A released go.mod does not require them.
var forTests = []string{"github.com/netsampler/goflow2/v2", "github.com/twmb/franz-go/pkg/kfake"}

// leaveTestsOut moves from m.files to m.left tests, and packages below internal and test that no other released package needs. Examples whose
// imports are all released stay: documentation shows them.
func leaveTestsOut(root string, modules map[string]*released) error {
	folders := map[string]*folder{}
	for _, m := range modules {
		for _, name := range m.files {
			if path.Ext(name) != ".go" || strings.Contains("/"+name, "/testdata/") {
				continue
			}
			imports, err := importsOf(filepath.Join(root, m.dir, name))
			if err != nil {
				return err
			}
			at := path.Join(m.mod.Module.Mod.Path, path.Dir(name))
			f := folders[at]
			if f == nil {
				f = &folder{tests: map[string][]string{}, module: m}
				folders[at] = f
			}
			if strings.HasSuffix(name, "_test.go") {
				f.tests[name] = imports
			} else {
				f.imports = append(append([]string{}, f.imports...), imports...)
			}
		}
	}
	leaveUnusedOut(folders, modules)
	known := map[string]bool{} // import path -> it and all that it imports is released
	var complete func(string) bool
	complete = func(importPath string) bool {
		if !strings.HasPrefix(importPath, repository) {
			return true
		}
		if result, ok := known[importPath]; ok {
			return result
		}
		f := folders[importPath]
		known[importPath] = f != nil && f.imports != nil
		known[importPath] = known[importPath] && all(f.imports, complete)
		return known[importPath]
	}
	for _, f := range folders {
		for name, imports := range f.tests {
			if !strings.HasPrefix(path.Base(name), "example") || !all(imports, complete) {
				f.module.left = append(f.module.left, name)
			}
		}
	}
	for at, f := range folders {
		for _, imported := range f.imports {
			if slices.ContainsFunc(forTests, func(path string) bool { return isWithin(imported, path) }) {
				return fmt.Errorf("%s imports %s, which only tests may do", at, imported)
			}
		}
	}
	for _, m := range modules {
		slices.Sort(m.left)
		m.files = slices.DeleteFunc(m.files, func(name string) bool {
			_, left := slices.BinarySearch(m.left, name)
			return left
		})
	}
	return nil
}

// leaveUnusedOut removes internal packages, and those of tests, from folders that no package needs that users can import or install.
func leaveUnusedOut(folders map[string]*folder, modules map[string]*released) {
	needed := map[string]bool{}
	var need func(string)
	need = func(importPath string) {
		if f := folders[importPath]; f != nil && !needed[importPath] {
			needed[importPath] = true
			for _, imported := range f.imports {
				need(imported)
			}
		}
	}
	for at := range folders {
		if !strings.Contains(at+"/", "/internal/") && !strings.Contains(at+"/", "/test/") {
			need(at)
		}
	}
	unused := map[string]bool{}
	for at, f := range folders {
		unused[at] = !needed[at] && f.imports != nil
	}
	for _, m := range modules {
		for _, name := range m.files {
			at := path.Join(m.mod.Module.Mod.Path, path.Dir(name))
			for folders[at] == nil && at != "." { // its package is in a folder above
				at = path.Dir(at)
			}
			if unused[at] && !(strings.HasSuffix(name, "_test.go") && folders[at].tests[name] != nil) {
				m.left = append(m.left, name)
			}
		}
	}
	for at := range unused {
		if unused[at] {
			folders[at].imports = nil
		}
	}
}

// isWithin reports whether a package is in the module, or in one below it.
func isWithin(importPath, module string) bool {
	return importPath == module || strings.HasPrefix(importPath, module+"/")
}

func all(imports []string, good func(string) bool) bool {
	return !slices.ContainsFunc(imports, func(importPath string) bool { return !good(importPath) })
}

// importsOf returns the imports of a Go file, never nil.
func importsOf(file string) ([]string, error) {
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
	if err != nil {
		return nil, err
	}
	imports := []string{}
	for _, spec := range parsed.Imports {
		importPath, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return nil, err
		}
		imports = append(imports, importPath)
	}
	return imports, nil
}
