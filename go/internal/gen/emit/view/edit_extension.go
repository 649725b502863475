package view

import (
	"github.com/hotpb/hotpb/go/internal/gen/emit"
	"github.com/hotpb/hotpb/go/internal/gen/plan"
)

// emitEditExtension writes the editing methods of an extension's handle. They lend the place of the extendee to an
// editor of a message that has only this field. Then they scan the extendee again, because an extension's records
// are among its unknown fields.
func emitEditExtension(f *emit.File, v *viewType) {
	x := v.fields[0]
	e := newEditType(f, v, f.Claim(v.name+"Edit", "the editor of extension "+x.Name))
	e.names = map[*plan.Field]string{x: "Value"}
	if x.Extendee.MessageSet {
		e.emitSetItemEdits()
		return
	}
	e.emitType()
	e.emitFields()
	e.Printf(`// borrow edits in the place of m. It fails if the extension is damaged.
		func (e *%s) borrow(m *%s) bool { return m.Lend(&e.ed) && %s.Borrow(&e.ed) }

		`, e.kind, e.extendee(), e.layout)

	element := f.GoType(x)
	isMessage := x.Type == plan.TypeMessage
	switch {
	case x.IsRepeated() && isMessage:
		e.through("Append", ", c *"+element, "AppendValue(c)", "appends a copy of a message.")
		e.through("SetAt", ", n int, c *"+element, "SetValueAt(n, c)", "replaces element n by a copy of a message.")
		e.openThrough("Add", "", prepareElement, "e.EditValueAtInto(n, &c)", "appends an empty message and opens it for editing.")
		e.openThrough("EditAt", ", n int", "", "e.EditValueAtInto(n, &c)", "opens element n for editing.")
	case x.IsRepeated():
		e.through("Add", ", values ..."+element, "AddValue(values...)", "appends to the extension.")
		e.through("SetAt", ", n int, x "+element, "SetValueAt(n, x)", "sets element n.")
	case isMessage:
		e.through("Set", ", c *"+element, "SetValue(c)", "replaces the extension by a copy of a message.")
		e.openThrough("Edit", "", prepareMessage, "e.EditValueInto(&c)", "opens the extension for editing. If it is absent, Edit creates it.")
	default:
		e.through("Set", ", x "+element, "SetValue(x)", "sets the extension.")
	}
	if x.IsRepeated() {
		e.through("RemoveAt", ", from, to int", "RemoveValue(from, to)", "removes the elements from index from up to, but not including, index to.")
	}
	e.through("Clear", "", "ClearValue()", "makes the extension absent.")
}

func (e *editType) extendee() string { return e.TypeName(e.fields[0].Extendee, editSuffix) }

// through writes a method of the handle that edits through the extension's own editor.
func (e *editType) through(name, parameters, call, summary string) {
	e.P("// ", name, " ", summary)
	e.P("func (", e.handle, ") ", name, "(m *", e.extendee(), parameters, ") {")
	e.P("var e ", e.kind)
	e.P("if e.borrow(m) {\ne.", call, "\nm.TakeBack(&e.ed, true)\n}\n}\n")
}

// openThrough writes a method of the handle that opens a message. prepare joins its records into one; the extendee
// is scanned before that message is opened.
func (e *editType) openThrough(name, parameters, prepare, open, summary string) {
	e.P("// ", name, " ", summary)
	e.P("func (", e.handle, ") ", name, "(m *", e.extendee(), parameters, ") (c ", e.editName(e.fields[0].Message), ", err error) {")
	e.P("var e ", e.kind)
	const failed = "return c, e.ed.Lost(c.Handle(), nil)"
	e.P("if !e.borrow(m) {\n", failed, "\n}")
	if prepare != "" {
		e.Printf(prepare, e.GoType(e.fields[0]), failed)
	}
	e.P("err = ", open, "\nm.TakeBack(&e.ed, false)\nreturn c, err\n}\n")
}

const (
	prepareElement = `n := e.v.ValueLen()
		e.AppendValue(new(%[1]s))
		m.TakeBack(&e.ed, true)
		if !e.borrow(m) {
			%[2]s
		}
		`
	prepareMessage = `if !e.v.HasValue() || e.v.ValueMessage().Several() {
			var whole %[1]s
			if err = e.v.ValueInto(&whole); err != nil {
				return c, e.ed.Lost(c.Handle(), err)
			}
			e.SetValue(&whole)
			m.TakeBack(&e.ed, true)
			if !e.borrow(m) {
				%[2]s
			}
		}
		`
)

// emitSetItemEdits writes the editing methods of an extension of a message set.
func (e *editType) emitSetItemEdits() {
	x := e.fields[0]
	e.Printf(`// Set replaces the item by a copy of a message.
		func (%[1]s) Set(m *%[2]s, c *%[3]s) {
			var lent %[4]s
			if m.Lend(&lent.Edit) {
				lent.SetItem(%[5]d, c.RawBytes())
				m.TakeBack(&lent.Edit, true)
			}
		}

		// Edit opens the item for editing. If it is absent, Edit creates it.
		func (x %[1]s) Edit(m *%[2]s) (c %[6]s, err error) {
			whole, err := x.Get(m.View())
			if err == nil {
				x.Set(m, &whole)
			}
			var lent %[4]s
			ok := m.Lend(&lent.Edit)
			if ok, err = lent.EditItem(ok, err, c.Handle()); ok {
				m.TakeBack(&lent.Edit, false)
			}
			return c, err
		}

		// Clear makes the item absent.
		func (%[1]s) Clear(m *%[2]s) {
			var lent %[4]s
			if m.Lend(&lent.Edit) {
				lent.ClearItem(%[5]d)
				m.TakeBack(&lent.Edit, true)
			}
		}

		`, e.handle, e.extendee(), e.GoType(x), e.View("Editor"), uint32(x.Number), e.editName(x.Message))
}
