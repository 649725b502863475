package migrate

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/token"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// change is a file before and after the safe rewrites.
type change struct {
	name          string
	before, after []byte
	imports       []string // paths of the imports that came in
}

func (c change) diff(name string) string {
	return renumber(udiff.Unified("a/"+name, "b/"+name, string(c.before), string(c.after)))
}

var hunkHeader = regexp.MustCompile(`(?m)^@@ -(\d+)(?:,(\d+))? \+\d+(?:,(\d+))? @@$`)

// renumber corrects where the hunks of a diff begin in the new file: udiff forgets the lines between two changes of one hunk.
func renumber(diff string) string {
	grown := 0
	return hunkHeader.ReplaceAllStringFunc(diff, func(header string) string {
		n := [4]int{2: 1, 3: 1} // a count that is left out is one
		for i, text := range hunkHeader.FindStringSubmatch(header) {
			if value, err := strconv.Atoi(text); err == nil {
				n[i] = value
			}
		}
		header = fmt.Sprintf("@@ -%d,%d +%d,%d @@", n[1], n[2], n[1]+grown, n[3])
		grown += n[3] - n[2]
		return header
	})
}

// rewrite applies the safe uses of one file, and brings its imports in line with them.
func (f *fileResult) rewrite(fset *token.FileSet) (*change, error) {
	var edits []edit
	var wanted []imported
	for _, u := range f.uses {
		if u.kind != safe {
			continue
		}
		edits = append(edits, u.edits...)
		for _, i := range u.imports {
			if !slices.Contains(wanted, i) {
				wanted = append(wanted, i)
			}
		}
		for x, spec := range f.pkgs { // the package names in the replaced text
			for _, e := range u.edits {
				if e.from <= x.Pos() && x.End() <= e.to {
					f.left[spec]--
				}
			}
		}
	}
	if len(edits) == 0 {
		return nil, nil
	}
	c := &change{name: f.name}
	var err error
	if c.before, err = os.ReadFile(f.name); err != nil {
		return nil, err
	}
	wanted = slices.DeleteFunc(wanted, func(i imported) bool {
		return slices.ContainsFunc(f.file.Imports, func(s *ast.ImportSpec) bool {
			return importPath(s) == i.path && (i.name == "_" || s.Name == nil || s.Name.Name == i.name)
		})
	})
	for _, i := range wanted {
		c.imports = append(c.imports, i.path)
	}
	edits = append(edits, f.importEdits(wanted)...)
	start := f.file.FileStart
	slices.SortFunc(edits, func(a, b edit) int { return int(a.from - b.from) })
	var out []byte
	at := 0
	for _, e := range edits {
		from, to := int(e.from-start), int(e.to-start)
		if from < at || to > len(c.before) {
			return nil, fmt.Errorf("two rewrites overlap at line %d", fset.Position(e.from).Line)
		}
		if e.text == "" {
			from, to = wholeLine(c.before, from, to)
		}
		out = append(append(out, c.before[at:from]...), e.text...)
		at = to
	}
	out = append(out, c.before[at:]...)
	c.after, err = format.Source(out)
	if err != nil {
		return nil, fmt.Errorf("a rewrite does not parse: %w", err)
	}
	if plain, err := format.Source(c.before); err != nil || !bytes.Equal(plain, c.before) {
		c.after = out // the file has its own format
	}
	return c, nil
}

// wholeLine extends a part of a text to its line, if nothing else is on it.
func wholeLine(text []byte, from, to int) (int, int) {
	start := bytes.LastIndexByte(text[:from], '\n') + 1
	end := bytes.IndexByte(text[to:], '\n')
	if end < 0 || len(bytes.TrimSpace(text[start:from])) > 0 || len(bytes.TrimSpace(text[to:to+end])) > 0 {
		return from, to
	}
	return start, to + end + 1
}

// importEdits removes the imports that nothing uses any more, and adds the wanted ones in the place of the first of these, or
// after the tool's own import.
func (f *fileResult) importEdits(wanted []imported) (edits []edit) {
	unused := map[*ast.ImportSpec]bool{}
	for _, spec := range f.file.Imports {
		if n, named := f.left[spec]; named && n == 0 {
			unused[spec] = true
		}
	}
	for _, decl := range f.file.Decls {
		d, ok := decl.(*ast.GenDecl)
		if !ok || d.Tok != token.IMPORT {
			continue
		}
		separator := "\nimport "
		if d.Lparen.IsValid() {
			separator = "\n\t"
		}
		for _, s := range d.Specs {
			spec := s.(*ast.ImportSpec)
			var lines []string
			if !unused[spec] {
				if !slices.Contains(f.specs, spec) || len(wanted) == 0 {
					continue
				}
				lines = append(lines, "") // the new ones follow it
			}
			for _, i := range wanted {
				lines = append(lines, i.String())
			}
			wanted = nil
			text := strings.Join(lines, separator)
			switch {
			case !unused[spec]:
				edits = append(edits, edit{spec.End(), spec.End(), text})
			case text != "":
				edits = append(edits, edit{spec.Pos(), spec.End(), text})
			case d.Lparen.IsValid():
				edits = append(edits, edit{from: spec.Pos(), to: spec.End()})
			default:
				edits = append(edits, edit{from: d.Pos(), to: d.End()})
			}
		}
	}
	return edits
}

func (i imported) String() string {
	path := strconv.Quote(i.path)
	if i.name == "" || strings.HasSuffix(i.path, "/"+i.name) {
		return path
	}
	return i.name + " " + path
}
