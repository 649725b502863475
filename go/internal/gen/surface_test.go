package gen

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"
)

// A function of another package that only generated code uses has one line. Tables, layouts and what tables call have
// names that the documentation does not list.
func TestTheDocumentationOfAGeneratedPackageHasNoTables(t *testing.T) {
	p := planText(t, `name: "a.proto" package: "p" options { go_package: "example.com/p" }
		message_type { name: "M"
			field { name: "inner" number: 1 label: LABEL_REPEATED type: TYPE_MESSAGE type_name: ".p.N" }
			field { name: "text" number: 2 label: LABEL_OPTIONAL type: TYPE_STRING } }
		message_type { name: "N" field { name: "x" number: 1 label: LABEL_OPTIONAL type: TYPE_INT32 } }`)
	for _, faces := range []string{"faces=view+edit+writer+pool", "faces=pool,cold=*"} {
		result, err := generateOne(t, p, faces)
		if err != nil {
			t.Fatal(err)
		}
		functions := 0
		for _, output := range result.Outputs {
			file, err := parser.ParseFile(token.NewFileSet(), output.Name, output.Content, 0)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range file.Decls {
				switch d := d.(type) {
				case *ast.GenDecl:
					for _, spec := range d.Specs {
						if v, is := spec.(*ast.ValueSpec); is && d.Tok == token.VAR && v.Names[0].IsExported() {
							t.Errorf("%s: the variable %s", faces, v.Names[0])
						}
					}
				case *ast.FuncDecl:
					if name := d.Name.Name; d.Recv == nil && (strings.HasSuffix(name, "HotTable") || strings.HasSuffix(name, "HotLayout")) {
						functions++
					}
					if d.Recv != nil && strings.HasSuffix(d.Name.Name, "AtHot") {
						on := d.Recv.List[0].Type.(*ast.StarExpr).X.(*ast.Ident)
						if on.IsExported() {
							t.Errorf("%s: the method %s of %s", faces, d.Name, on)
						}
					}
				}
			}
		}
		if functions != 4 {
			t.Errorf("%s: %d functions for other packages, want one for the table and the layout of each message", faces, functions)
		}
	}
}
