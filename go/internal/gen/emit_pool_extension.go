package gen

import "github.com/hotpb/hotpb/go/internal/gen/plan"

// emitPoolExtension writes what the handle of an extension reads from messages,
// and writes into them. Its records are those of a message that has only this
// field: so every rule of an ordinary field holds without code of its own.
func emitPoolExtension(f *File, x *plan.Field) {
	h := f.EmitExtension(x)
	extendee := f.poolMessage(x.Extendee)
	method := func(name, signature, what, body string) {
		f.P("// ", name, " ", what)
		f.P("func (x ", h.kind, ") ", name, signature, " {\n", body, "\n}\n")
	}
	remove := func() {
		method("Remove", "(m *"+extendee+")", "takes the extension out of a message.",
			f.Pool("SetExtension")+"(m.HiddenHot(), x.Table(), nil)")
	}
	if x.Extendee.MessageSet {
		child := f.poolMessage(x.Message)
		method("Read", "(m *"+extendee+") (c *"+child+", err error)",
			"decodes and checks the item, into memory of its own; nil when it is absent.",
			"item, has := "+f.Pool("Item")+"(m.HiddenHot(), x.Table().Number)\nif !has {\nreturn nil, nil\n}\nc = new("+child+")\nreturn c, c.UnmarshalOwned(item)")
		if f.writesPool() {
			method("Put", "(m *"+extendee+", c *"+child+") error", "puts the item into the message set, in place of those of its number; nil takes it out.",
				"if c == nil {\nreturn "+f.Pool("SetExtension")+"(m.HiddenHot(), x.Table(), nil)\n}\n"+
					"item, err := c.Marshal()\nif err != nil {\nreturn err\n}\nreturn "+f.Pool("SetItem")+"(m.HiddenHot(), x.Table(), item)")
		}
		remove()
		return
	}
	p := &poolType{
		File:    f,
		name:    f.Claim("poolExt"+h.stem, "extension "+x.Name),
		table:   h.table,
		fields:  []*plan.Field{x},
		goNames: map[*plan.Field]string{x: "Value"},
	}
	p.assignBits()
	p.emitType()
	p.emitRoot()
	p.emitSlabs()
	p.emitDecode()
	p.emitMissing()
	if f.writesPool() {
		p.emitEncode()
	}
	slot := p.slot(x)[len("m."):]
	read := "var v " + p.name + "\n"
	get := f.Pool("Extension") + "(&v, m.HiddenHot(), x.Table())"
	value := p.fieldType(x)
	switch {
	case x.IsRepeated():
		method("Read", "(m *"+extendee+") ("+value+", error)", "decodes and checks the extension's elements, into memory of their own.",
			read+"err := "+get+"\nreturn v."+slot+", err")
	case x.Type == plan.TypeMessage:
		value = "*" + p.poolGoType(x)
		address := "&v." + slot
		if isPointer(x) {
			address = "v." + slot
		}
		method("Read", "(m *"+extendee+") (c "+value+", err error)",
			"decodes and checks the extension, into memory of its own; nil when it is absent.",
			"v := new("+p.name+")\nif err = "+f.Pool("Extension")+"(v, m.HiddenHot(), x.Table()); err != nil || !("+p.hasIn("v", x)+") {\nreturn nil, err\n}\nreturn "+address+", nil")
	default:
		method("Read", "(m *"+extendee+") (value "+value+", has bool, err error)",
			"decodes and checks the extension; its default when it is absent.",
			read+"if err = "+get+"; err != nil || !("+p.hasIn("v", x)+") {\nreturn "+f.defaultOf(x)+", false, err\n}\nreturn v."+slot+", true, nil")
	}
	if f.writesPool() {
		set := "v." + slot + " = value"
		if x.Type == plan.TypeMessage && !x.IsRepeated() && !isPointer(x) {
			set = "v." + slot + " = *value"
		}
		if _, needsBit := p.bits[x]; needsBit {
			set += "\nv.has |= 1"
		}
		if x.Type == plan.TypeMessage && !x.IsRepeated() && !isPointer(x) {
			set = "if value != nil {\n" + set + "\n}"
		}
		method("Put", "(m *"+extendee+", value "+value+") error", "puts the extension into a message, in place of what it had.",
			read+set+"\nrecords, err := "+f.Pool("Records")+"(&v, x.Table())\nif err != nil {\nreturn err\n}\nreturn "+f.Pool("SetExtension")+"(m.HiddenHot(), x.Table(), records)")
	}
	remove()
}

// hasIn is the condition that a field is present in another message than m.
func (p *poolType) hasIn(m string, field *plan.Field) string { return m + p.has(field)[1:] }

func (f *File) writesPool() bool { return (&poolType{File: f}).writes() }
