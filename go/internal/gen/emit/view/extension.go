package view

import (
	"github.com/hotpb/hotpb/go/internal/gen/emit"
	"github.com/hotpb/hotpb/go/internal/gen/plan"
)

// emitExtension writes the methods with which the handle of an extension reads from views. A call reads the
// extendee's records once more, as a message that has only this field. So every rule of an ordinary field holds
// without extra code.
func emitExtension(f *emit.File, x *plan.Field) {
	h := f.EmitExtension(x)
	kind := h.Kind
	extendee := f.TypeName(x.Extendee, emit.ViewSuffix)
	v := &viewType{
		File:    f,
		name:    f.Claim("ext"+h.Stem, "extension "+x.Name),
		table:   "&" + h.Table,
		fields:  []*plan.Field{x},
		goNames: map[*plan.Field]string{x: "Value"},
		handle:  kind,
	}
	f.Views[x] = v
	if x.Extendee.MessageSet {
		v.emitSetItem(kind, extendee)
		return
	}
	v.layout = f.Names.Claim("layout"+v.name, "the layout of extension "+x.Name)
	open := v.layout + ".Open(x.hot(), m.AsMessage(), nil)" // the extendee, as a message that has only the extension
	v.emitType()
	v.emitOpen()
	v.emitLayout()
	v.emitAccessors()
	switch {
	case x.IsRepeated():
		iterator, _ := v.iterator(x)
		v.emitHandle(kind, "Len", "(m *"+extendee+") int", "returns the number of elements; 0 if the extension is damaged.",
			"if "+open+" != nil {\nreturn 0\n}\nreturn x.ValueLen()")
		v.emitHandle(kind, "Get", "(m *"+extendee+") (e "+iterator+", err error)", "decodes and checks the extension, and iterates over its elements.",
			"if err = "+open+"; err != nil {\nreturn e, err\n}\nreturn x.ValueIter(), nil")
		return
	case x.Type == plan.TypeMessage:
		v.emitHandle(kind, "Get", "(m *"+extendee+") (c "+f.GoType(x)+", err error)", "opens the extension; an empty message if it is absent.",
			"if err = "+open+"; err == nil {\nerr = x.ValueInto(&c)\n}\nreturn c, err")
		v.emitHandle(kind, "Message", "(m *"+extendee+") (_ "+v.View("Message")+", has bool, err error)", "returns the extension, not opened.",
			"err = "+open+"\nreturn x.ValueMessage(), x.HasValue(), err")
	default:
		v.emitHandle(kind, "Get", "(m *"+extendee+") (value "+f.GoType(x)+", err error)", "decodes and checks the extension; it returns the default if the extension is absent.",
			"if err = "+open+"; err != nil {\nreturn value, err\n}\nreturn x.Value(), nil")
	}
	v.emitHandle(kind, "Has", "(m *"+extendee+") bool", "reports whether the extension is present and not damaged.",
		"return "+open+" == nil && x.HasValue()")
}

func (v *viewType) emitHandle(kind, method, signature, summary, body string) {
	v.P("// ", method, " ", summary)
	v.P("func (", kind, ") ", method, signature, " {\nvar x ", v.name, "\n", body, "\n}")
}

// emitSetItem writes the methods of an extension of a message set.
func (v *viewType) emitSetItem(kind, extendee string) {
	x := v.fields[0]
	v.Code(`
		// Has reports whether the message set has such an item.
		func ($handle$) Has(m *$extendee$) bool {
			_, has := m.AsMessage().Item($number$)
			return has
		}

		// Get opens the item; an empty message if it is absent.
		func ($handle$) Get(m *$extendee$) (c $child$, err error) {
			item, _ := m.AsMessage().Item($number$)
			err = c.OpenMessage(item)
			return c, err
		}

		// Message returns the item, not opened.
		func ($handle$) Message(m *$extendee$) (item $view.Message$, has bool, err error) {
			item, has = m.AsMessage().Item($number$)
			return item, has, nil
		}
		`, "handle", kind, "extendee", extendee, "number", uint32(x.Number), "child", v.GoType(x))
}
