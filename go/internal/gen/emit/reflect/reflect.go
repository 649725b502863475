// Package reflect writes the extra reflect: the bridge of views and pools to the stock runtime's reflection.
package reflect

import (
	"strconv"

	"github.com/hotpb/hotpb/go/internal/gen/emit"
	"github.com/hotpb/hotpb/go/internal/gen/emit/pool"
	"github.com/hotpb/hotpb/go/internal/gen/emit/view"
	"github.com/hotpb/hotpb/go/internal/gen/plan"
)

// Face is the face reflect.
var Face = emit.Face{
	Name:    "reflect",
	Of:      []string{"pool", "view"},
	Suffix:  "_reflect.hot.go",
	Package: reflectPackage,
	Strict:  true,
	Selects: true,
	Emit:    emitReflect,
}

// reflectPackage ends the name of the bridge's package. A program that imports it links the stock runtime.
const reflectPackage = "reflect"

// bridgeVersion is the version of the code this emitter writes; the runtime
// states which versions it works with.
const bridgeVersion = 2

// emitReflect writes a variable for each message of the requested faces. It makes the message readable through the
// stock runtime's reflection.
func emitReflect(f *emit.File) error {
	f.EmitVersions("bridge", bridgeVersion)
	for _, m := range f.Messages() {
		if f.Options.Has("pool") {
			b := poolBridge{bridge{File: f, message: m, name: f.MessageName(m), kind: "Pool", face: func(m *plan.Message) string { return pool.PoolMessage(f, m) }}}
			b.goNames, _ = pool.PoolMembers(f, m)
			b.emit(b.has, b.get)
		}
		if f.Options.Has("view") {
			b := viewBridge{bridge{File: f, message: m, name: viewName(f, m), kind: "View", face: func(m *plan.Message) string { return viewMessage(f, m) }}}
			b.goNames, _ = view.ViewMembers(f, m)
			b.emit(b.has, b.get)
		}
	}
	return nil
}

// Bridge returns an identifier of the runtime's package rt/reflect.
func Bridge(f *emit.File, name string) string { return f.Ident(emit.RuntimePath+"/rt/reflect", name) }

// Reflection returns an identifier of the stock runtime's package protoreflect.
func Reflection(f *emit.File, name string) string {
	return f.Ident("google.golang.org/protobuf/reflect/protoreflect", name)
}

// viewName is the name of a view, without its package.
func viewName(f *emit.File, m *plan.Message) string { return f.PlainName(m, emit.ViewSuffix) }

func viewMessage(f *emit.File, m *plan.Message) string { return f.TypeName(m, emit.ViewSuffix) }

// bridge is the part that both faces share.
type bridge struct {
	*emit.File
	message *plan.Message
	name    string // names of the type, and of the variable with its value
	kind    string // of the variable
	face    func(*plan.Message) string
	goNames map[*plan.Field]string
}

func (b *bridge) emit(has, get func(*plan.Field) string) {
	message := b.face(b.message)
	fields := "fieldsOf" + b.name
	b.Code(`
		// $name$ reads $face$, the message $message$, through reflection.
		var $name$ = $kind$[*$face$]{Fields: $fields${}}

		type $fields$ struct{}

		func ($fields$) Schema() $bridge.Schema$ {
			return $bridge.Schema${File: $file$, Group: $tables$, Index: $index$}
		}

		`, "name", b.name, "face", message, "message", b.message.Name, "kind", Bridge(b.File, b.kind), "fields", fields,
		"file", strconv.Quote(b.message.File.Name), "tables", b.Tables(b.message), "index", b.IndexInGroup(b.message))
	b.P("func (", fields, ") Has(message any, number ", Reflection(b.File, "FieldNumber"), ") bool {")
	b.cases("number", has)
	b.P("return false\n}\n")
	b.P("func (", fields, ") Get(f ", Bridge(b.File, "Field"), ", message any) (none ", Reflection(b.File, "Value"), ") {")
	b.cases("f.Number", get)
	b.P("return none\n}\n")
}

func (b *bridge) cases(number string, expression func(*plan.Field) string) {
	fields := b.Fields(b.message)
	if len(fields) == 0 {
		return
	}
	b.P("m := message.(*", b.face(b.message), ")\nswitch ", number, " {")
	for _, field := range fields {
		b.P("case ", field.Number, ": // ", field.Name, "\nreturn ", expression(field))
	}
	b.P("}")
}

// fieldsOf is the expression of the fields of a message, of any package.
func (b *bridge) fieldsOf(m *plan.Message) string {
	name := b.MessageName(m)
	if b.kind == "View" {
		name = viewName(b.File, m)
	}
	if in := b.Gen.PackageOf(m.File).Below(reflectPackage); in.Path != b.In.Path {
		name = b.Ident(in.Path, name)
	}
	return name + ".Fields"
}

// value is the function that creates a value of an element that is not a message.
func (b *bridge) value(field *plan.Field) string {
	if field.Type == plan.TypeEnum {
		return Bridge(b.File, "Enum") + "[" + b.EnumName(field.Enum) + "]"
	}
	return Reflection(b.File, "ValueOf"+map[string]string{
		"int32": "Int32", "int64": "Int64", "uint32": "Uint32", "uint64": "Uint64", "float32": "Float32",
		"float64": "Float64", "bool": "Bool", "string": "String", "[]byte": "Bytes",
	}[b.GoType(field)])
}

// function is a function that creates a value.
func (b *bridge) function(parameter, expression string) string {
	return "func(" + parameter + ") " + Reflection(b.File, "Value") + " { return " + expression + " }"
}

// isSet is the condition that a value is not the default of a field with implicit presence.
func (b *bridge) isSet(field *plan.Field, value string) string {
	switch field.Type {
	case plan.TypeString, plan.TypeBytes:
		return "len(" + value + ") > 0"
	case plan.TypeBool:
		return value
	case plan.TypeFloat:
		return b.Ident("math", "Float32bits") + "(" + value + ") != 0"
	case plan.TypeDouble:
		return b.Ident("math", "Float64bits") + "(" + value + ") != 0"
	}
	return value + " != 0"
}

// poolBridge reads fields and accessors of a pool's messages.
type poolBridge struct{ bridge }

func (b *poolBridge) has(field *plan.Field) string {
	name := b.goNames[field]
	switch {
	case field.Map != nil:
		return pool.MapLen(b.File, "m."+name) + " > 0"
	case field.IsRepeated():
		return "len(m." + name + ") > 0"
	case pool.IsPlain(field):
		return b.isSet(field, "m."+name)
	}
	return "m.Has" + name + "()"
}

func (b *poolBridge) get(field *plan.Field) string {
	name := "m." + b.goNames[field]
	switch {
	case field.Map != nil:
		values := ""
		if value := field.Map.Value; value.Message != nil {
			values = b.function("x *"+pool.PoolGoType(b.File, value), "f.Message("+b.fieldsOf(value.Message)+", x)")
		} else {
			values = b.value(value)
		}
		if b.Options.SortedMaps {
			return Bridge(b.File, "MapOf") + "(f, " + name + ".Len(), " + name + ".Get, " + name + ".All(), " + values + ")"
		}
		return Bridge(b.File, "Map") + "(f, " + name + ", " + values + ")"
	case field.IsRepeated() && field.Message != nil:
		return "f.List(len(" + name + "), " + b.function("i int", "f.Message("+b.fieldsOf(field.Message)+", &"+name+"[i])") + ")"
	case field.IsRepeated():
		return Bridge(b.File, "List") + "(f, " + name + ", " + b.value(field) + ")"
	case field.Message != nil:
		return "f.Message(" + b.fieldsOf(field.Message) + ", m.Get" + b.goNames[field] + "())"
	case pool.IsPlain(field):
		return b.value(field) + "(" + name + ")"
	}
	return b.value(field) + "(m.Get" + b.goNames[field] + "())"
}

// viewBridge reads accessors of views.
type viewBridge struct{ bridge }

func (b *viewBridge) has(field *plan.Field) string {
	name := b.goNames[field]
	switch {
	case field.IsRepeated():
		return "m." + name + "Len() > 0"
	case field.HasPresence():
		return "m.Has" + name + "()"
	}
	return b.isSet(field, "m."+name+"()")
}

func (b *viewBridge) get(field *plan.Field) string {
	name := "m." + b.goNames[field]
	switch {
	case field.Map != nil:
		values := ""
		if value := field.Map.Value; value.Message != nil {
			values = b.opener(value)
		} else {
			values = b.value(value)
		}
		return Bridge(b.File, "Map") + "(f, " + Bridge(b.File, "CollectMap") + "(" + name + "()), " + values + ")"
	case field.IsRepeated() && field.Message != nil:
		return Bridge(b.File, "List") + "(f, " + Bridge(b.File, "Unopened") + "(" + name + "Len(), " + name + "Iter()), " + b.opener(field) + ")"
	case field.IsRepeated():
		return Bridge(b.File, "List") + "(f, " + Bridge(b.File, "Collect") + "(" + name + "Len(), " + name + "()), " + b.value(field) + ")"
	case field.Message != nil:
		return b.open(field, name+"Message()")
	}
	return b.value(field) + "(" + name + "())"
}

// open is the expression that opens a nested message.
func (b *viewBridge) open(field *plan.Field, message string) string {
	return "f.Open(" + b.fieldsOf(field.Message) + ", new(" + b.GoType(field) + "), " + message + ")"
}

func (b *viewBridge) opener(field *plan.Field) string {
	return b.function("x "+b.View("Message"), b.open(field, "x"))
}
