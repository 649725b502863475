package migrate

import (
	"bytes"
	"os"
	"strings"

	"github.com/bufbuild/protocompile/ast"
	"github.com/bufbuild/protocompile/parser"
	"github.com/bufbuild/protocompile/reporter"

	"github.com/hotpb/hotpb/go/cmd/hotpb/internal/fault"
)

// inProto finds the tool's options in a .proto. It needs none of the files that the .proto imports.
func (t *tool) inProto(name, path string) ([]finding, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fault.IO(name, err)
	}
	if len(t.options) == 0 {
		return nil, nil
	}
	var bad error
	handler := reporter.NewHandler(reporter.NewReporter(func(e reporter.ErrorWithPos) error {
		if bad == nil {
			bad = &fault.Error{File: name, Line: e.GetPosition().Line, Column: e.GetPosition().Col, Offset: fault.NoOffset, Cause: e.Unwrap().Error(),
				Mend: "correct the file; its options above this line are in the list"}
		}
		return nil
	}, nil))
	file, err := parser.Parse(name, bytes.NewReader(text), handler)
	if file == nil {
		return nil, fault.In(name, err.Error(), "correct the file")
	}
	var found []finding
	field := func(n ast.Node, ident *ast.IdentNode, typ ast.IdentValueNode, options *ast.CompactOptionsNode) {
		if t.field == nil || options == nil {
			return
		}
		if o := t.field(strings.TrimPrefix(string(typ.AsIdentifier()), "."), options.Options); o.kind != "" {
			at := file.NodeInfo(n).Start()
			found = append(found, finding{o.kind, name, at.Line, at.Col, ident.Val, o.do})
		}
	}
	err = ast.Walk(file, &ast.SimpleVisitor{DoVisitFieldNode: func(n *ast.FieldNode) error {
		field(n, n.Name, n.FldType, n.Options)
		return nil
	}, DoVisitMapFieldNode: func(n *ast.MapFieldNode) error {
		field(n, n.Name, n.MapType.ValueType, n.Options)
		return nil
	}, DoVisitOptionNode: func(n *ast.OptionNode) error {
		option := extensionName(n)
		o, ok := t.option(option)
		if !ok {
			return nil
		}
		if value := word(n); value != "" && o.when != "" && value != o.when {
			o = nothing
		}
		at := file.NodeInfo(n.Name).Start()
		found = append(found, finding{o.kind, name, at.Line, at.Col, "(" + option + ")", o.do})
		return nil
	}})
	if err != nil {
		return nil, fault.In(name, err.Error(), "correct the file")
	}
	return found, bad
}

// extensionName is the full name of an option that is an extension, or "" for another one, or the rest of one in a damaged file.
func extensionName(n *ast.OptionNode) string {
	if n == nil || n.Name == nil || len(n.Name.Parts) == 0 || !n.Name.Parts[0].IsExtension() {
		return ""
	}
	return strings.TrimPrefix(string(n.Name.Parts[0].Name.AsIdentifier()), ".")
}

// word is the value of an option that is one word, such as true.
func word(n *ast.OptionNode) string {
	if n.Val == nil { // in a damaged file
		return ""
	}
	value, _ := n.Val.Value().(ast.Identifier)
	return string(value)
}

// option looks up an option by its full name. An unknown one of the tool's package is the entry of that package.
func (t *tool) option(name string) (option, bool) {
	for _, n := range []string{name, strings.TrimSuffix(name, "_all"), name[:strings.LastIndexByte(name, '.')+1]} {
		if o, ok := t.options[n]; ok {
			return o, true
		}
	}
	return option{}, false
}
