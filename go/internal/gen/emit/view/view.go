// Package view writes the faces view and edit: the encoded bytes with a place for each field of one level.
package view

import (
	"fmt"
	"strings"

	"github.com/hotpb/hotpb/go/internal/gen/emit"
	"github.com/hotpb/hotpb/go/internal/gen/plan"
)

// Face is the face view.
var Face = emit.Face{
	Name:    "view",
	Strict:  true,
	Selects: true,
	TypeSuffixes: func(*plan.Message) []string {
		return []string{emit.ViewSuffix, emit.TablePattern, emit.TableSuffix}
	},
	Emit: EmitView,
}

// viewVersion is the version of the code this emitter writes; the runtime
// states which versions it works with.
const viewVersion = 8

func EmitView(f *emit.File) error {
	f.EmitVersions("view", viewVersion)
	f.EmitEnums()
	f.EmitTables()
	scans := map[string]string{}
	for _, m := range f.Messages() {
		f.Views[m] = newViewType(f, m)
	}
	for _, m := range f.Messages() {
		v := f.Views[m].(*viewType)
		v.scans = scans
		v.emitMapSpecs()
		v.emitType()
		v.emitOpen()
		v.emitLayout()
		v.emitAccessors()
		v.emitCheckInitialized()
	}
	for _, x := range f.Extensions() {
		emitExtension(f, x)
	}
	return nil
}

// viewType is one generated view: of a message, or of an extension's records, which are read as a message with
// that one field.
type viewType struct {
	*emit.File
	message *plan.Message // nil for an extension
	name    string
	table   string // the variable with the group of the table
	index   int    // the index in that group
	fields  []*plan.Field
	oneofs  []*plan.Oneof
	goNames map[*plan.Field]string
	oneof   map[*plan.Oneof]string
	maps    map[*plan.Field]string // the variables with the MapSpecs
	layout  string                 // the variable with the view.Layout
	comment string                 // the comment of a field, for its first method
	handle  string                 // for an extension: the type of its handle
	scans   map[string]string      // the scans of the file, by slots and body
}

// Code is File.Code with $view$ for the type and $layout$ for its layout.
func (v *viewType) Code(template string, values ...any) {
	v.File.Code(template, append(values, "view", v.name, "layout", v.layout)...)
}

// viewMethods are the methods of every view.
var viewMethods = []string{
	"Decode", "DecodeWith", "OpenMessage", "OpenElement", "OpenScratch", "AsMessage", "RawBytes",
	"UnknownFields", "Validate", "CheckInitialized",
}

func newViewType(f *emit.File, m *plan.Message) *viewType {
	v := &viewType{
		File:    f,
		message: m,
		name:    f.TypeName(m, emit.ViewSuffix),
		table:   f.Tables(m),
		index:   f.IndexInGroup(m),
		fields:  f.Fields(m),
		oneofs:  f.Oneofs(m),
		maps:    map[*plan.Field]string{},
	}
	v.layout = f.Names.Claim("layout"+v.name, "the layout of "+m.Name)
	v.goNames, v.oneof = ViewMembers(f, m)
	return v
}

// ViewMembers names the fields and oneofs of a message.
func ViewMembers(f *emit.File, m *plan.Message) (map[*plan.Field]string, map[*plan.Oneof]string) {
	fieldMembers := func(field *plan.Field, name string) []string {
		members := fieldMethods(field, name)
		if field.Oneof == nil {
			members = append(members, "slot"+name)
		}
		return members
	}
	return f.Members(m, viewMethods, fieldMembers, func(_ *plan.Oneof, name string) []string {
		return []string{"Which" + name, "slot" + name}
	})
}

// fieldMethods are the methods of a field.
func fieldMethods(field *plan.Field, name string) []string {
	switch {
	case field.Map != nil:
		return []string{name, name + "Len", name + "Iter", name + "Find"}
	case field.IsRepeated():
		return []string{name, name + "Len", name + "Iter", name + "Nth"}
	case field.Type == plan.TypeMessage:
		return []string{name, name + "Into", name + "Message", "Has" + name}
	case field.HasPresence():
		return []string{name, "Has" + name}
	}
	return []string{name}
}

// slot is the struct field with the position of a field.
func (v *viewType) slot(field *plan.Field) string {
	return "v." + slotName(field)
}

// slotName names the slot of a field by its number: messages whose fields have the same numbers and types share their scan.
func slotName(field *plan.Field) string {
	if field.Oneof != nil {
		return "choice" + emit.Itoa(field.Oneof.Fields[0].Number)
	}
	return "slot" + emit.Itoa(field.Number)
}

func (v *viewType) emitType() {
	if v.message != nil {
		v.P("// ", v.name, " reads the message ", v.message.Name, " where it lies (see package view).")
		if v.message.Comment != "" {
			v.P("//")
			v.Comment(v.message.Comment)
		}
		v.emitSkippedComment()
	} else {
		v.P("// ", v.name, " reads the records of the extension ", v.fields[0].Name, ".")
	}
	v.P("type ", v.name, " struct {")
	v.P("raw ", v.View("Raw"))
	v.P(v.slots(), "}")
}

// slots are the struct fields of the slots.
func (v *viewType) slots() string {
	var text strings.Builder
	for _, field := range v.fields {
		if field.Oneof == nil {
			fmt.Fprintln(&text, slotName(field), v.slotType(field))
		}
	}
	for _, oneof := range v.oneofs {
		fmt.Fprintln(&text, slotName(oneof.Fields[0]), v.View("Choice"))
	}
	return text.String()
}

// emitOpen writes the methods that open a message, and the methods of the message as a whole. They call the
// runtime; package view documents them.
func (v *viewType) emitOpen() {
	v.Code("func (v *$view$) hot() *$view.Base$ { return (*$view.Base$)($unsafe.Pointer$(v)) }\n\n")
	if v.message == nil {
		return
	}
	v.Code(`
		func (v *$view$) Decode(b []byte) error { return $layout$.Decode(v.hot(), b, $view.Options${}) }

		func (v *$view$) DecodeWith(b []byte, o $view.Options$) error { return $layout$.Decode(v.hot(), b, o) }

		func (v *$view$) OpenMessage(m $view.Message$) error { return $layout$.Open(v.hot(), m, nil) }

		func (v *$view$) OpenElement(e *$view.Messages$) error { return $layout$.OpenElement(v.hot(), e) }

		func (v *$view$) OpenScratch(m $view.Message$, scratch *[]byte) error { return $layout$.Open(v.hot(), m, scratch) }

		func (v *$view$) Validate() error { return $layout$.Validate(v.hot()) }

		func (v *$view$) RawBytes() []byte { return v.hot().RawBytes() }

		func (v *$view$) AsMessage() $view.Message$ { return v.hot().AsMessage() }

		func (v *$view$) UnknownFields() $view.UnknownFields$ { return $layout$.UnknownFields(v.hot()) }

		`)
}

// emitSkippedComment documents the fields that the view does not have.
func (v *viewType) emitSkippedComment() {
	skipped := v.Skipped(v.message)
	if len(skipped) == 0 {
		return
	}
	v.P("//\n// Left out by only= or skip=:")
	required := ""
	for _, field := range skipped {
		v.P("//   ", emit.Declaration(field))
		if field.Presence == plan.Required {
			required = " Required ones among them are not checked."
		}
	}
	kept := "dropped"
	if v.Options.KeepSkipped {
		kept = "kept among the unknown fields"
	}
	v.P("//\n// Their records are checked as those of unknown fields are, and ", kept, ".", required)
}

func (v *viewType) slotType(field *plan.Field) string {
	if kind := slotKind(field); kind != "uint32" {
		return v.View(kind)
	}
	return "uint32"
}
