package migrate

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/hotpb/hotpb/go/cmd/hotpb/internal/fault"
)

// generatedName are the names that generators of protobuf code use: a.pb.go, a.pb.gw.go, a.pb.fm.go, a_vtproto.pb.go, a.pbfm.go.
var generatedName = regexp.MustCompile(`\.(pb(\.[a-zA-Z0-9_]+)*|pbfm)\.go$`)

// Marks of generators in the header of a file: Go's form, and those of tools that are older than it or do not follow it.
var (
	goHeader    = regexp.MustCompile(`(?m)^[ \t*/]*Code generated .*DO NOT EDIT\.?[ \t]*$`)
	otherHeader = regexp.MustCompile(`(?is)\b(code generated|generated code|(auto|machine)[- ]?generated|generated (file|by|from)|(is|was|been) (auto\w*[- ]?)?generated)\b.{0,200}?\bdo(n't| not) (edit|modify|change|touch)\b` +
		`|\bdo(n't| not) (edit|modify|change|touch)\b.{0,200}?\b(code generated|generated code|(auto|machine)[- ]?generated|generated (file|by|from)|(is|was|been) (auto\w*[- ]?)?generated)\b`)
	marker = regexp.MustCompile(`(?m)^[ \t*/]*@generated\b`)
)

// isGenerated reports whether a generator has written the file: its name or a comment before its first declaration says so.
func isGenerated(name string, file *ast.File) bool {
	return generatedName.MatchString(name) || headerOf(file) != ""
}

// headerOf returns the comments before the first declaration if one of them is a generator's, or else "".
func headerOf(file *ast.File) string {
	var end token.Pos
	var doc *ast.CommentGroup // of the first declaration
	if len(file.Decls) > 0 {
		end = file.Decls[0].Pos()
		switch d := file.Decls[0].(type) {
		case *ast.GenDecl:
			doc = d.Doc
		case *ast.FuncDecl:
			doc = d.Doc
		}
	}
	var all strings.Builder
	generated := false
	for _, group := range file.Comments {
		if end.IsValid() && group.Pos() > end {
			break
		}
		if group == doc && !isImport(file.Decls[0]) {
			continue // the kind of the declaration
		}
		text := textOf(group)
		all.WriteString(text)
		switch {
		case goHeader.MatchString(text), marker.MatchString(text):
			generated = true
		case group == file.Doc && (strings.HasPrefix(group.Text(), "Package ") || strings.HasPrefix(group.Text(), "Command ")): // documentation may speak of generated code
		case otherHeader.MatchString(text):
			generated = true
		}
	}
	if !generated {
		return ""
	}
	return all.String()
}

func isImport(decl ast.Decl) bool {
	d, ok := decl.(*ast.GenDecl)
	return ok && d.Tok == token.IMPORT
}

// textOf is the text of comments as it stands in the file, without the marks at the beginning of lines.
func textOf(group *ast.CommentGroup) string {
	var s strings.Builder
	for _, c := range group.List {
		for line := range strings.Lines(c.Text) {
			line = strings.TrimRight(line, "\r\n")
			line = strings.TrimPrefix(strings.TrimPrefix(strings.TrimSpace(line), "//"), "/*")
			s.WriteString(strings.TrimSpace(strings.TrimSuffix(line, "*/")) + "\n")
		}
	}
	return s.String()
}

// generated finds the files that generators wrote: those of the tool, which hotpb's replace, and others that import its packages. Nothing
// inside of them is listed.
func (t *tool) generated(code *goCode, name, path string) ([]finding, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fault.IO(name, err)
	}
	replaced := slices.ContainsFunc(t.delete, func(ending string) bool { return strings.HasSuffix(name, ending) })
	if marked := t.mark != nil && t.mark.Match(text); !replaced && !marked && !bytes.Contains(text, []byte(t.module)) {
		return nil, nil
	}
	file, _ := parser.ParseFile(token.NewFileSet(), path, text, parser.ParseComments|parser.SkipObjectResolution)
	if file == nil || !isGenerated(name, file) {
		return nil, nil
	}
	if replaced || t.mark != nil && t.mark.MatchString(headerOf(file)) {
		return []finding{{byHand, name, 1, 1, name, "delete it when hotpb's code is generated; " + t.guide + " says how"}}, nil
	}
	if !slices.ContainsFunc(file.Imports, func(spec *ast.ImportSpec) bool { return code.rule(importPath(spec)) != nil }) {
		return nil, nil
	}
	return []finding{{t.foreign.kind, name, 1, 1, name, t.foreign.do}}, nil
}
