package gen

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"github.com/hotpb/hotpb/go/internal/gen/plan"
)

// As Go's own tools want it: their lists show the first sentence only. Of views and writers, only types and the first method of a
// field with a comment have comments, and the methods of stock structs have none: packages view, writer and codec describe them.
func TestTheCommentOfEveryMethodAndTypeBeginsWithItsName(t *testing.T) {
	p := planOf(t, "nasty")
	for _, file := range p.AllFiles {
		for _, m := range file.Messages {
			m.Comment = "A comment of the schema's."
			for _, field := range m.Fields {
				field.Comment = "A comment of the field's."
			}
		}
		for _, e := range file.Enums {
			e.Comment = "A comment of the enum's."
		}
	}
	parameter := "module=example.com/nasty"
	for _, file := range p.Files {
		parameter += ",M" + file.Name + "=example.com/nasty/" + packageEach(file.Name)
	}
	fields := 0
	for _, m := range p.Messages {
		if !m.MapEntry {
			fields += len(m.Fields)
		}
	}
	for _, face := range []string{"view", "view+edit", "writer"} {
		if comments := checkComments(t, p, parameter+",faces="+face); comments != fields {
			t.Errorf("the face %s has comments of fields %d times for %d fields", face, comments, fields)
		}
	}
	checkComments(t, p, parameter+",faces=codec,compat=csproto")
}

// checkComments counts the comments of fields.
func checkComments(t *testing.T, p *plan.Plan, parameter string) (comments int) {
	t.Helper()
	result, err := generateOne(t, p, parameter)
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	check := func(name, doc string, isType bool) {
		if !ast.IsExported(name) || doc == "" && !isType {
			return
		}
		seen++
		comments += strings.Count(doc, "A comment of the field's.")
		if !strings.HasPrefix(doc, name+" ") {
			t.Errorf("the comment of %s begins with %.40q", name, doc)
		}
	}
	for _, output := range result.Outputs {
		code, err := parser.ParseFile(token.NewFileSet(), output.Name, output.Content, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, declaration := range code.Decls {
			switch d := declaration.(type) {
			case *ast.FuncDecl:
				check(d.Name.Name, d.Doc.Text(), false)
			case *ast.GenDecl:
				if spec, isType := d.Specs[0].(*ast.TypeSpec); isType {
					check(spec.Name.Name, d.Doc.Text(), true)
				}
			}
		}
	}
	if seen == 0 {
		t.Error("no comments were looked at")
	}
	return comments
}
