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
	e.Code(`
		// borrow edits in the place of m. It fails if the extension is damaged.
		func (e *$edit$) borrow(m *$extendee$) bool { return m.Lend(&e.ed) && $layout$.Borrow(&e.ed) }

		`, "extendee", e.extendee())

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
		e.Code(prepare, "element", e.GoType(e.fields[0]), "failed", failed)
	}
	e.P("err = ", open, "\nm.TakeBack(&e.ed, false)\nreturn c, err\n}\n")
}

const (
	prepareElement = `n := e.v.ValueLen()
		e.AppendValue(new($element$))
		m.TakeBack(&e.ed, true)
		if !e.borrow(m) {
			$failed$
		}
		`
	prepareMessage = `if !e.v.HasValue() || e.v.ValueMessage().Several() {
			var whole $element$
			if err = e.v.ValueInto(&whole); err != nil {
				return c, e.ed.Lost(c.Handle(), err)
			}
			e.SetValue(&whole)
			m.TakeBack(&e.ed, true)
			if !e.borrow(m) {
				$failed$
			}
		}
		`
)

// emitSetItemEdits writes the editing methods of an extension of a message set.
func (e *editType) emitSetItemEdits() {
	x := e.fields[0]
	e.Code(`
		// Set replaces the item by a copy of a message.
		func ($handle$) Set(m *$extendee$, c *$message$) {
			var lent $view.Editor$
			if m.Lend(&lent.Edit) {
				lent.SetItem($number$, c.RawBytes())
				m.TakeBack(&lent.Edit, true)
			}
		}

		// Edit opens the item for editing. If it is absent, Edit creates it.
		func (x $handle$) Edit(m *$extendee$) (c $child$, err error) {
			whole, err := x.Get(m.View())
			if err == nil {
				x.Set(m, &whole)
			}
			var lent $view.Editor$
			ok := m.Lend(&lent.Edit)
			if ok, err = lent.EditItem(ok, err, c.Handle()); ok {
				m.TakeBack(&lent.Edit, false)
			}
			return c, err
		}

		// Clear makes the item absent.
		func ($handle$) Clear(m *$extendee$) {
			var lent $view.Editor$
			if m.Lend(&lent.Edit) {
				lent.ClearItem($number$)
				m.TakeBack(&lent.Edit, true)
			}
		}

		`, "handle", e.handle, "extendee", e.extendee(), "message", e.GoType(x), "number", uint32(x.Number), "child", e.editName(x.Message))
}
