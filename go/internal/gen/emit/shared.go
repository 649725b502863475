package emit

import (
	"strings"

	"github.com/hotpb/hotpb/go/internal/gen/plan"
)

// shared are the declarations that several faces of one file use: native enums, the tables of the table-driven
// readers, the handles of extensions. The first face that asks for them writes them.
type shared struct {
	enums, tables bool
	closed        map[*plan.Enum]string
	extensions    map[*plan.Field]*extensionHandle
}

// A group's tables are in a variable. Generated code of other packages gets it from a function, so that users do
// not see the variable. Compilers replace the call by the variable's address, also where it initializes another
// variable.
const (
	TablePattern = "hotTable*"
	TableSuffix  = "HotTable"
)

// EmitEnums writes the native types of the file's enums, once.
func (f *File) EmitEnums() {
	if f.shared.enums {
		return
	}
	f.shared.enums = true
	for _, e := range f.Enums() {
		emitEnum(f, e)
	}
}

// EmitTables writes the tables of the file's messages, once. The tables of a group are written together, at the
// group's first message that is generated.
func (f *File) EmitTables() {
	if f.shared.tables {
		return
	}
	f.shared.tables = true
	written := map[*plan.Message]bool{}
	for _, m := range f.Messages() {
		if group := f.GroupOf(m); !written[group[0]] {
			written[group[0]] = true
			f.emitTable(m, group)
		}
	}
}

// Tables is the expression of a pointer to the tables of m's group.
func (f *File) Tables(m *plan.Message) string { return f.OfGroup(m, TablePattern, TableSuffix) }

// OfGroup is the expression of a pointer to the variable of m's group whose name follows pattern. Other packages
// get the pointer from a function, whose name ends in suffix.
func (f *File) OfGroup(m *plan.Message, pattern, suffix string) string {
	first := f.GroupOf(m)[0]
	if f.isInPackage(m.File) {
		return "&" + f.TypeName(first, pattern)
	}
	return f.TypeName(first, suffix) + "()"
}

// EmitGroup writes the function that OfGroup calls.
func (f *File) EmitGroup(m *plan.Message, pattern, suffix, element string) {
	name := f.TypeName(f.GroupOf(m)[0], suffix)
	f.P("// ", name, " is for generated code.")
	f.P("func ", name, "() *[]", element, " { return ", f.OfGroup(m, pattern, suffix), " }\n")
}

// extensionHandle has the names of an extension's declarations, apart from its faces.
type extensionHandle struct {
	Stem  string // for names that belong to the extension
	name  string // the handle, E_foo
	Kind  string // its type
	Table string // the variable with the extension as the only field of a message
}

// EmitExtension writes the handle of an extension and its table, once, and returns their names. Faces that read
// add methods to the handle's type.
func (f *File) EmitExtension(x *plan.Field) *extensionHandle {
	h := f.EmitExtensionHandle(x)
	if h.Table != "" {
		return h
	}
	h.Table = f.Claim("ext"+h.Stem+"Table", "extension "+x.Name)
	f.ClosedTable(x)
	f.P("var ", h.Table, " = []", f.Wire("MessageTable"), "{{Fields: []", f.Wire("FieldTable"), "{")
	f.emitFieldTable(x, nil)
	f.P("}}}")
	f.Printf(`// Table describes the extension, for UnknownFields.Without.
		func (%s) Table() *%s { return &%s[0].Fields[0] }
		`, h.Kind, f.Wire("FieldTable"), h.Table)
	return h
}

// EmitExtensionHandle writes the handle without a table. Faces that only write do not have the table.
func (f *File) EmitExtensionHandle(x *plan.Field) *extensionHandle {
	if h := f.shared.extensions[x]; h != nil {
		return h
	}
	name := f.ExtensionName(x)
	stem := strings.TrimPrefix(name, "E_")
	h := &extensionHandle{
		Stem: stem,
		name: name,
		Kind: f.Names.Claim(name+"_Ext", "the handle of extension "+x.Name),
	}
	if f.shared.extensions == nil {
		f.shared.extensions = map[*plan.Field]*extensionHandle{}
	}
	f.shared.extensions[x] = h
	f.P("// ", name, " stands for the extension ", Declaration(x), " of ", x.Extendee.Name, ".")
	f.P("// Each call that reads walks over the unknown fields of the message: keep its result.")
	if x.Comment != "" {
		f.P("//")
		f.Comment(x.Comment)
	}
	f.P("var ", name, " ", h.Kind)
	f.P("// ", h.Kind, " is the type of ", name, ".")
	f.P("type ", h.Kind, " struct{}")
	return h
}

// ViewSuffix ends the names of views.
const ViewSuffix = "View"
