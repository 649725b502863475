// Package typecheck compiles generated code as far as its types go, which takes milliseconds where a build takes seconds.
package typecheck

import (
	"fmt"
	"go/ast"
	"go/build/constraint"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// Checker checks packages. Those that were added are imported as they stand, all others as they are built in the module
// of the working folder.
type Checker struct {
	Tags []string // build tags

	set      *token.FileSet
	packages map[string]*added
	exports  map[string]string // export data by import path
	built    types.Importer
}

type added struct {
	files   []*ast.File
	types   *types.Package
	errors  []string
	started bool
}

// New makes a Checker.
func New(tags ...string) *Checker {
	c := &Checker{Tags: tags, set: token.NewFileSet(), packages: map[string]*added{}, exports: map[string]string{}}
	c.built = importer.ForCompiler(c.set, "gc", func(path string) (io.ReadCloser, error) {
		if c.exports[path] == "" {
			return nil, fmt.Errorf("there is no package %s", path)
		}
		return os.Open(c.exports[path])
	})
	return c
}

// Add adds a file to a package.
func (c *Checker) Add(importPath, fileName, content string) error {
	file, err := parser.ParseFile(c.set, importPath+"/"+fileName, content, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	p := c.packages[importPath]
	if p == nil {
		p = &added{}
		c.packages[importPath] = p
	}
	if c.included(file) {
		p.files = append(p.files, file)
	}
	return nil
}

// included reports whether the build tags let a file in.
func (c *Checker) included(f *ast.File) bool {
	for _, group := range f.Comments {
		for _, comment := range group.List {
			if expression, err := constraint.Parse(comment.Text); err == nil {
				return expression.Eval(func(tag string) bool { return slices.Contains(c.Tags, tag) })
			}
		}
	}
	return true
}

// Check returns the compiler's errors for a package and of those that were added and are imported by it.
func (c *Checker) Check(importPath string) ([]string, error) {
	if err := c.export(); err != nil {
		return nil, err
	}
	_, _ = c.Import(importPath)
	return c.packages[importPath].errors, nil
}

// Import is the types.Importer of the Checker itself.
func (c *Checker) Import(importPath string) (*types.Package, error) {
	p := c.packages[importPath]
	if p == nil {
		return c.built.Import(importPath)
	}
	if !p.started {
		p.started = true
		config := types.Config{Importer: c, Error: func(err error) { p.errors = append(p.errors, err.Error()) }}
		p.types, _ = config.Check(importPath, c.set, p.files, nil)
	}
	if p.types == nil {
		return nil, fmt.Errorf("%s imports itself", importPath)
	}
	return p.types, nil
}

// export finds what is built of all that the packages import.
func (c *Checker) export() error {
	missing := map[string]bool{}
	for _, p := range c.packages {
		for _, file := range p.files {
			for _, spec := range file.Imports {
				path := strings.Trim(spec.Path.Value, `"`)
				if c.packages[path] == nil && c.exports[path] == "" && path != "unsafe" {
					missing[path] = true
				}
			}
		}
	}
	if len(missing) == 0 {
		return nil
	}
	arguments := []string{"list", "-export", "-deps", "-f", "{{.ImportPath}}={{.Export}}"}
	for path := range missing {
		arguments = append(arguments, path)
	}
	output, err := exec.Command("go", arguments...).Output()
	if err != nil {
		return fmt.Errorf("go list: %w", err)
	}
	for _, line := range strings.Fields(string(output)) {
		path, export, _ := strings.Cut(line, "=")
		c.exports[path] = export
	}
	return nil
}
