package view

import (
	"github.com/hotpb/hotpb/go/internal/gen/emit"
	"github.com/hotpb/hotpb/go/internal/gen/plan"
)

// EditFace is the face edit.
var EditFace = emit.Face{
	Name:    "edit",
	Of:      []string{"view"},
	Strict:  true,
	Selects: true,
	Encodes: true,
	TypeSuffixes: func(*plan.Message) []string {
		return []string{editSuffix}
	},
	Emit: emitEdit,
}

const editSuffix = "Edit"

// emitEdit writes, beside each view, the type that edits its message.
func emitEdit(f *emit.File) error {
	for _, m := range f.Messages() {
		e := newEditType(f, f.Views[m].(*viewType), f.TypeName(m, editSuffix))
		e.nameMembers()
		e.emitType()
		e.emitStart()
		e.emitFields()
	}
	for _, x := range f.Extensions() {
		emitEditExtension(f, f.Views[x].(*viewType))
	}
	return nil
}

// editType is one generated editor: of a message, or of an extension's records.
type editType struct {
	*viewType
	kind       string // the type's own name
	names      map[*plan.Field]string
	oneofNames map[*plan.Oneof]string
}

// Code is that of the view, with $edit$ for the editor.
func (e *editType) Code(template string, values ...any) {
	e.viewType.Code(template, append(values, "edit", e.kind)...)
}

// editMethods are the methods of every editor.
var editMethods = []string{"Start", "Decode", "DecodeWith", "View", "Handle", "Lend", "TakeBack"}

// editFieldMethods are the methods a field gets.
func editFieldMethods(field *plan.Field, name string) []string {
	isMessage := field.Type == plan.TypeMessage && field.Map == nil
	switch {
	case field.Map != nil && field.Map.Value.Type == plan.TypeMessage:
		return []string{"Edit" + name, "Edit" + name + "Into", "New" + name, "New" + name + "Into", "Put" + name, "Delete" + name, "Clear" + name}
	case field.Map != nil:
		return []string{"Put" + name, "Delete" + name, "Clear" + name}
	case field.IsRepeated() && isMessage:
		return []string{"Add" + name, "Add" + name + "Into", "Append" + name, "Edit" + name + "At", "Edit" + name + "AtInto",
			"Set" + name + "At", "Remove" + name, "Clear" + name}
	case field.IsRepeated():
		return []string{"Add" + name, "Set" + name + "At", "Remove" + name, "Clear" + name}
	case isMessage:
		return []string{"Edit" + name, "Edit" + name + "Into", "New" + name, "New" + name + "Into", "Set" + name, "Clear" + name}
	}
	return []string{"Set" + name, "Clear" + name}
}

func newEditType(f *emit.File, v *viewType, kind string) *editType {
	return &editType{viewType: v, kind: kind}
}

// nameMembers names the fields and oneofs as the view does, unless they would collide with the editor's own
// methods.
func (e *editType) nameMembers() {
	members := emit.MemberNames{Taken: map[string]string{}, Tried: map[string]int{}, Warn: e.Gen.Warn}
	for _, method := range editMethods {
		members.Taken[method] = "a method of every editor"
	}
	e.names, e.oneofNames = map[*plan.Field]string{}, map[*plan.Oneof]string{}
	for _, field := range e.message.Fields {
		e.names[field] = members.Claim(e.goNames[field], "field "+field.Name+" of "+e.kind, func(name string) []string {
			return editFieldMethods(field, name)
		})
	}
	for _, oneof := range e.message.Oneofs {
		e.oneofNames[oneof] = members.Claim(e.oneof[oneof], "oneof "+oneof.Name+" of "+e.kind, func(name string) []string {
			return []string{"Clear" + name}
		})
	}
}

func (e *editType) emitType() {
	if e.message != nil {
		e.P("// ", e.kind, " edits the message ", e.message.Name, " in a buffer (see package view).")
	} else {
		e.P("// ", e.kind, " edits the records of the extension ", e.fields[0].Name, ".")
	}
	e.P("type ", e.kind, " struct {")
	e.P("ed ", e.View("Edit"))
	e.P("v ", e.name)
	e.P("}")
	e.P()
}

// emitStart writes the methods of the message as a whole. They call the runtime.
func (e *editType) emitStart() {
	e.Code(`
		func (e *$edit$) Start(b *$view.Buffer$) { $layout$.Start(&e.ed, b) }

		func (e *$edit$) Decode(b *$view.Buffer$, bytes []byte) error { return e.DecodeWith(b, bytes, $view.Options${}) }

		func (e *$edit$) DecodeWith(b *$view.Buffer$, bytes []byte, o $view.Options$) error {
			return $layout$.DecodeInto(&e.ed, b, bytes, o)
		}

		func (e *$edit$) View() *$view$ {
			if e == nil {
				return nil
			}
			$layout$.Show(&e.ed)
			return &e.v
		}

		func (e *$edit$) Handle() $view.Handle$ {
			if e == nil {
				e = new($edit$) // edits of it are discarded
			}
			return $view.Handle${Of: &$layout$, Edit: &e.ed}
		}

		`)
	if len(e.message.ExtensionRanges) > 0 {
		e.Code(`
			func (e *$edit$) Lend(h *$view.Edit$) bool {
				if e == nil {
					return false
				}
				return $layout$.Lend(&e.ed, h)
			}

			func (e *$edit$) TakeBack(h *$view.Edit$, moved bool) { $layout$.TakeBack(&e.ed, h, moved) }

			`)
	}
}

func (e *editType) emitFields() {
	for _, field := range e.fields {
		switch {
		case field.Map != nil:
			e.emitMap(field)
		case field.IsRepeated() && field.Type == plan.TypeMessage:
			e.emitRepeatedMessage(field)
		case field.IsRepeated():
			e.emitRepeated(field)
		case field.Type == plan.TypeMessage:
			e.emitMessage(field)
		default:
			e.emitSet(field)
		}
		e.emitClear(field)
	}
	for _, oneof := range e.oneofs {
		e.method("Clear"+e.oneofNames[oneof], "()", e.call("ClearOneof", oneof.Fields[0], ""))
	}
}

// method writes a method that calls the runtime. Package view documents it.
func (e *editType) method(name, signature, call string) {
	e.P("func (e *", e.kind, ") ", name, signature, " { ", call, " }")
	e.P()
}

// call is a call of the layout's method for a field.
func (e *editType) call(method string, field *plan.Field, arguments string) string {
	if arguments != "" {
		arguments = ", " + arguments
	}
	return e.layout + "." + method + "(&e.ed, " + emit.Itoa(e.fieldIndex(field)) + arguments + ")"
}

// editName is the name of the editor of a message.
func (e *editType) editName(m *plan.Message) string { return e.TypeName(m, editSuffix) }
