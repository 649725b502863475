package layout

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hotpb/hotpb/go/schema"
	schemayaml "github.com/hotpb/hotpb/go/schema/yaml"
)

// The names of elements in schema files mean the same as in goflow2, which has IANA's registry up to element 467.
func TestNamesOfElementsAreIANAs(t *testing.T) {
	folder, err := exec.Command("go", "list", "-f", "{{.Dir}}", "github.com/netsampler/goflow2/v2/decoders/netflow").Output()
	if err != nil {
		t.Fatal(err)
	}
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(strings.TrimSpace(string(folder)), "ipfix.go"), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	numbers := map[string]string{}
	ast.Inspect(file, func(n ast.Node) bool {
		if c, ok := n.(*ast.ValueSpec); ok && len(c.Values) == 1 {
			name, isElement := strings.CutPrefix(c.Names[0].Name, "IPFIX_FIELD_")
			if value, ok := c.Values[0].(*ast.BasicLit); ok && isElement && name != "Reserved" {
				numbers[name] = value.Value
			}
		}
		return true
	})
	if len(numbers) < 400 {
		t.Fatalf("%d elements", len(numbers))
	}
	var text strings.Builder
	text.WriteString("message: M\ncolumns:\n")
	next := 0
	for name := range numbers {
		next++
		fmt.Fprintf(&text, "  - {name: %s, number: %d, type: bytes, from: %s}\n", name, next, name)
	}
	schemaFile, err := schemayaml.Parse([]byte(text.String()))
	if err != nil {
		t.Fatal(err)
	}
	plan, err := schemaFile.Compile()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range plan.Columns(plan.Root()) {
		if got := c.Sources[0]; fmt.Sprint(got.Element) != numbers[c.Name] || got != (schema.Source{Element: got.Element}) {
			t.Errorf("%s is %v, not %s", c.Name, got, numbers[c.Name])
		}
	}
}
