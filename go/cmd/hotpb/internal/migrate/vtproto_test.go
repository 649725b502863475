package migrate

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"testing"
)

// Only the methods that compat=vtproto writes stay.
func TestMethodsOfVTProtobuf(t *testing.T) {
	const source = `package shop
type Item struct{ Kind any }
func (*Item) MarshalVT() ([]byte, error)
func (*Item) MarshalToVTStrict([]byte) (int, error)
func (*Item) MarshalVTStrict() ([]byte, error)
func (*Item) OwnVT()
type Item_Book struct { Book string ` + "`protobuf:\"bytes,1,opt,name=book,proto3,oneof\"`" + ` }
func (*Item_Book) EqualVT(any) bool
func FooVT()
`
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "shop.go", source, 0)
	if err != nil {
		t.Fatal(err)
	}
	info := &types.Info{Defs: map[*ast.Ident]types.Object{}}
	config := types.Config{Importer: importer.Default(), IgnoreFuncBodies: true, Error: func(error) {}} // the functions have no bodies
	_, _ = config.Check("shop", fset, []*ast.File{file}, info)
	want := map[string]kind{"MarshalVT": stays, "MarshalVTStrict": stays, "MarshalToVTStrict": stays, "EqualVT": byHand}
	seen := 0
	for _, o := range info.Defs {
		f, ok := o.(*types.Func)
		if !ok {
			continue
		}
		seen++
		got, is := vtprotoMethod(&use{unit: &unit{code: &goCode{tool: vtproto}}, object: f})
		if k, known := want[f.Name()]; is != known || got.kind != k {
			t.Errorf("%s: %v, %q", f.FullName(), is, got.kind)
		}
	}
	if seen != 6 {
		t.Errorf("%d functions", seen)
	}
}
