package gen

import (
	"strings"

	"github.com/hotpb/hotpb/go/internal/gen/plan"
)

func init() {
	Register(Face{
		Name:    "edit",
		Of:      []string{"view"},
		Strict:  true,
		Selects: true,
		Encodes: true,
		TypeSuffixes: func(*plan.Message) []string {
			return []string{editSuffix}
		},
		Emit: emitEdit,
	})
}

const editSuffix = "Edit"

// emitEdit writes, beside each view, the type that edits its message.
func emitEdit(f *File) error {
	for _, m := range f.Messages() {
		e := newEditType(f, f.views[m], f.TypeName(m, editSuffix))
		e.nameMembers()
		e.emitType()
		e.emitStart()
		e.emitBookkeeping()
		e.emitFields()
	}
	for _, x := range f.Extensions() {
		emitEditExtension(f, f.views[x])
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

// editMethods are the methods of every editor.
var editMethods = []string{"Start", "Decode", "DecodeWith", "View", "Handle", "Scan", "Lend", "TakeBack"}

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

func newEditType(f *File, v *viewType, kind string) *editType {
	return &editType{viewType: v, kind: kind}
}

// nameMembers names the fields and oneofs as the view does, unless the editor's own methods would meet.
func (e *editType) nameMembers() {
	taken := memberNames{taken: map[string]string{}, tried: map[string]int{}, warn: e.gen.warn}
	for _, method := range editMethods {
		taken.taken[method] = "a method of every editor"
	}
	e.names, e.oneofNames = map[*plan.Field]string{}, map[*plan.Oneof]string{}
	for _, field := range e.message.Fields {
		e.names[field] = taken.claim(e.goNames[field], "field "+field.Name+" of "+e.kind, func(name string) []string {
			return editFieldMethods(field, name)
		})
	}
	for _, oneof := range e.message.Oneofs {
		e.oneofNames[oneof] = taken.claim(e.oneof[oneof], "oneof "+oneof.Name+" of "+e.kind, func(name string) []string {
			return []string{"Clear" + name}
		})
	}
}

func (e *editType) emitType() {
	if e.message != nil {
		e.P("// ", e.kind, " edits the message ", e.message.Name, " in a buffer, which has its encoding at all times (see package view).")
	} else {
		e.P("// ", e.kind, " edits the records of the extension ", e.fields[0].Name, ".")
	}
	e.P("type ", e.kind, " struct {")
	e.P("ed ", e.View("Edit"))
	e.P("v ", e.name)
	e.P("}")
	e.P()
}

// emitStart writes the methods that concern the message as a whole.
func (e *editType) emitStart() {
	e.Printf(`// Start starts an empty message in b. What b had before is gone.
		func (e *%[1]s) Start(b *%[3]s) {
			e.v = %[2]s{}
			e.ed.Start(&e.v.raw, b)
		}

		// Decode starts with an encoded message. b takes the slice over, with its capacity, as append does.
		func (e *%[1]s) Decode(b *%[3]s, bytes []byte) error { return e.DecodeWith(b, bytes, %[4]s{}) }

		// DecodeWith is Decode with limits and rules.
		func (e *%[1]s) DecodeWith(b *%[3]s, bytes []byte, o %[4]s) error {
			e.v = %[2]s{}
			e.ed.Decode(&e.v.raw, b, bytes, o)
			if err := e.v.open(); err != nil {
				return e.ed.Abandon(err)
			}
			return nil
		}

		// View reads the message as it stands. It, and what is got from it, is good
		// until the next edit of anything in the buffer.
		func (e *%[1]s) View() *%[2]s {
			if e == nil {
				return nil
			}
			from, delta, ok := e.ed.Show(&e.v.raw)
			if !ok {
				e.v = %[2]s{}
			} else if delta != 0 {
				e.v.shift(from, delta)
			}
			return &e.v
		}

		// Handle and Scan serve the generated code that opens the message in another one.
		func (e *%[1]s) Handle() (*%[5]s, *%[6]s) {
			if e == nil {
				e = new(%[1]s) // what is done with it is lost
			}
			e.v = %[2]s{}
			return &e.ed, &e.v.raw
		}

		// Scan: see Handle.
		func (e *%[1]s) Scan() error {
			if e == nil {
				return %[7]s()
			}
			return e.v.open()
		}

		`, e.kind, e.name, e.View("Buffer"), e.View("Options"), e.View("Edit"), e.View("Raw"), e.View("ErrIndex"))
	if len(e.message.ExtensionRanges) > 0 {
		e.Printf(`// Lend and TakeBack serve the handles of extensions.
		func (e *%[1]s) Lend(h *%[2]s, r *%[3]s) bool {
			if e == nil {
				return false
			}
			ok := e.ed.Current() || e.resume()
			*h, *r = e.ed, e.v.raw
			return ok
		}

		// TakeBack: see Lend. moved says that the message was changed and no child of it is open.
		func (e *%[1]s) TakeBack(h *%[2]s, moved bool) {
			e.ed = *h
			if moved {
				e.rescan()
			}
		}

		`, e.kind, e.View("Edit"), e.View("Raw"))
	}
}

// emitBookkeeping writes what keeps the slots in step with the bytes.
func (e *editType) emitBookkeeping() {
	e.Printf(`// resume goes on after children were edited.
		func (e *%[1]s) resume() bool {
			from, delta, ok := e.ed.Resume()
			if delta != 0 {
				e.v.shift(from, delta)
			}
			return ok
		}

		// rescan finds the fields anew.
		func (e *%[1]s) rescan() {
			e.v = %[2]s{raw: e.v.raw}
			e.ed.Rescan(&e.v.raw)
			if !e.v.scan() {
				e.ed.Broken(e.v.raw.Fail(%[3]s, %[4]d))
			}
		}

		// shift moves what is noted at positions that are at or behind from.
		func (v *%[2]s) shift(from, delta uint32) {
			v.raw.Shift(from, delta)
		`, e.kind, e.name, e.table, e.index)
	for _, field := range e.fields {
		switch {
		case field.Oneof != nil:
		case field.IsRepeated() || field.Type == plan.TypeMessage || isText(field):
			e.P(e.slot(field), ".Shift(from, delta)")
		default:
			e.P(e.View("Shift"), "(&", e.slot(field), ", from, delta)")
		}
	}
	for _, oneof := range e.oneofs {
		slot := "v.slot" + e.oneof[oneof]
		isMessage := []string{}
		for _, field := range oneof.Fields {
			if field.Type == plan.TypeMessage {
				isMessage = append(isMessage, slot+".Which() == "+itoa(field.Number))
			}
		}
		condition := "false"
		if len(isMessage) > 0 {
			condition = strings.Join(isMessage, " || ")
		}
		e.P(slot, ".Shift(from, delta, ", condition, ")")
	}
	e.P("}")
	e.P()
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
			e.emitClear(field)
		}
	}
	for _, oneof := range e.oneofs {
		e.emitClearOneof(oneof)
	}
}

// open opens a method; result is what it returns when it can do nothing.
func (e *editType) open(name, signature, what, result string) {
	e.P("// ", name, " ", what)
	e.P("func (e *", e.kind, ") ", name, signature, " {")
	e.P("if !e.ed.Current() && !e.resume() {\n", result, "\n}")
}

// mine is an expression over the view's slots as the editor has it.
func mine(expression string) string { return strings.ReplaceAll(expression, "v.slot", "e.v.slot") }

// fieldTable is the expression of the address of the field's table.
func (e *editType) fieldTable(field *plan.Field) string {
	for i, other := range e.fields {
		if other == field {
			return "&" + e.table + "[" + itoa(e.index) + "].Fields[" + itoa(i) + "]"
		}
	}
	panic("gen: the field is not one of the message")
}

// editName is the name of the editor of a message.
func (e *editType) editName(m *plan.Message) string { return e.TypeName(m, editSuffix) }

const (
	follow = "if delta != 0 {\ne.v.shift(from, delta)\n}"
	all    = "0, 1<<31-1"
)
