package gen

import "github.com/hotpb/hotpb/go/internal/gen/plan"

// onWire is the number that stands on the wire for x, as the runtime's methods take it.
func (e *editType) onWire(field *plan.Field, x string) string {
	switch field.Type {
	case plan.TypeInt32:
		return "uint64(int64(" + x + "))"
	case plan.TypeInt64, plan.TypeUint32:
		return "uint64(" + x + ")"
	case plan.TypeEnum:
		return "uint64(int64(" + x + "))"
	case plan.TypeSint32:
		return e.Wire("EncodeZigzag") + "(int64(" + x + "))"
	case plan.TypeSint64:
		return e.Wire("EncodeZigzag") + "(" + x + ")"
	case plan.TypeBool:
		return e.View("BoolVarint") + "(" + x + ")"
	case plan.TypeSfixed32:
		return "uint32(" + x + ")"
	case plan.TypeSfixed64:
		return "uint64(" + x + ")"
	case plan.TypeFloat:
		return e.Ident("math", "Float32bits") + "(" + x + ")"
	case plan.TypeDouble:
		return e.Ident("math", "Float64bits") + "(" + x + ")"
	}
	return x // uint64, fixed32, fixed64, string, bytes
}

// verb is the part of the runtime's method names that says what kind of value they take.
func verb(field *plan.Field) string {
	switch {
	case field.Type == plan.TypeString:
		return "String"
	case field.Type == plan.TypeBytes:
		return "Bytes"
	}
	return map[int]string{0: "Varint", 1: "Fixed64", 5: "Fixed32"}[field.WireType]
}

// isZero is the condition under which a field with implicit presence is cleared by setting it.
func (e *editType) isZero(field *plan.Field) string {
	switch field.Type {
	case plan.TypeString, plan.TypeBytes:
		return "len(x) == 0"
	case plan.TypeBool:
		return "!x"
	case plan.TypeFloat, plan.TypeDouble:
		return e.onWire(field, "x") + " == 0"
	}
	return "x == 0"
}

// refuse writes the test of whether the field takes x.
func (e *editType) refuse(field *plan.Field, x string) {
	switch {
	case field.Type == plan.TypeString:
		verify := "false"
		if e.verify(field) {
			verify = "true"
		}
		e.P("if !e.ed.Takes(&e.v.raw, ", verify, ", ", x, ") {\nreturn\n}")
	case field.Enum != nil && field.Enum.Closed:
		e.P("if !e.ed.Defines(", e.closedTable(field), ", int32(", x, ")) {\nreturn\n}")
	}
}

// emitSet writes the setter of a number, bool, enum, string or bytes field.
func (e *editType) emitSet(field *plan.Field) {
	name, slot := e.names[field], mine(e.slot(field))
	what := "sets " + declaration(field) + "."
	if field.Oneof != nil {
		what += " The oneof's other members are cleared."
	}
	if !field.HasPresence() {
		what += " Setting it to its default clears it."
	}
	e.open("Set"+name, "(x "+e.goType(field)+")", what, "return")
	e.refuse(field, "x")
	if !field.HasPresence() {
		e.P("if ", e.isZero(field), " {\ne.Clear", name, "()\nreturn\n}")
	}
	e.clearOthers(field)
	note := func(at string) string {
		switch {
		case field.Oneof == nil:
			return slot + " = " + at
		case isText(field):
			return slot + ".PutSpan(" + itoa(field.Number) + ", " + at + ")"
		}
		return slot + ".SetScalar(" + itoa(field.Number) + ", " + at + ")"
	}
	x := e.onWire(field, "x")
	add := "e.ed.Add" + verb(field) + "(" + e.tag(field) + ", " + x + ")"
	e.P("if ", mine(e.hasNot(field)), " {")
	switch {
	case field.Oneof == nil:
		e.P(note(add))
	case isText(field):
		e.P("if at := ", add, "; at.Has() {\n", note("at"), "\n}")
	default:
		e.P("if at := ", add, "; at != 0 {\n", note("int(at)"), "\n}")
	}
	e.P("return\n}")
	set := "e.ed." + verb(field) + "(" + mine(e.at(field)) + ", " + x + ")"
	switch {
	case isText(field):
		e.P("at, from, delta := ", set, "\n", follow, "\n", note("at"))
	case field.WireType == 0:
		e.P("from, delta := ", set, "\n", follow)
	default:
		e.P(set)
	}
	e.P("}\n")
}

// clearOthers writes the clearing of another member of the field's oneof.
func (e *editType) clearOthers(field *plan.Field) {
	if field.Oneof == nil {
		return
	}
	e.P("if n := ", mine(e.slot(field)), ".Which(); n != 0 && n != ", field.Number, " {\ne.Clear", e.oneofNames[field.Oneof], "()\n}")
}

func (e *editType) emitClear(field *plan.Field) {
	e.open("Clear"+e.names[field], "()", "makes "+field.Name+" absent.", "return")
	has := mine(e.has(field))
	switch {
	case field.IsRepeated():
		has = mine(e.slot(field)) + ".Len() > 0"
	case field.Oneof != nil:
		e.P("if ", has, " {\ne.Clear", e.oneofNames[field.Oneof], "()\n}\n}\n")
		return
	}
	remove := "e.ed.Remove(" + e.fieldTable(field) + ", " + all + ")"
	if field.Map != nil {
		remove = "e.ed.RemoveEntries(&" + e.maps[field] + ")"
	}
	e.P("if ", has, " {\n", remove, "\ne.rescan()\n}\n}\n")
}

func (e *editType) emitClearOneof(oneof *plan.Oneof) {
	e.open("Clear"+e.oneofNames[oneof], "()", "makes all members of oneof "+oneof.Name+" absent.", "return")
	e.P("if e.v.slot", e.oneof[oneof], ".Which() != 0 {")
	for _, field := range oneof.Fields {
		e.P("e.ed.Remove(", e.fieldTable(field), ", ", all, ")")
	}
	e.P("e.rescan()\n}\n}\n")
}

// sub is the slot of a singular message field.
func (e *editType) sub(field *plan.Field) string { return mine(e.at(field)) }

// added writes that a message record was added; call gives its start and end.
func (e *editType) added(field *plan.Field, call string) {
	slot := mine(e.slot(field))
	if field.Oneof == nil {
		e.P(slot, ".Added(", call, ")")
		return
	}
	e.P("start, end := ", call)
	e.P(slot, ".AddedSub(", field.Number, ", start, end)")
}

// emptyChild writes the start of a method that opens a child.
func (e *editType) emptyChild(name, signature, what, result string) {
	e.P("// ", name, " ", what)
	e.P("func (e *", e.kind, ") ", name, signature, " {")
	e.P("h, r := c.Handle()")
	e.P("if !e.ed.Current() && !e.resume() {\n*h = e.ed.Dead()\n", result, "\n}")
}

// byValue writes the form of a method that gives the child instead of filling one in.
func (e *editType) byValue(name, parameters, arguments, kind, what string, fails bool) {
	into := "e." + name + "Into(" + arguments + "&c)"
	e.P("// ", name, " ", what)
	if fails {
		e.P("func (e *", e.kind, ") ", name, "(", parameters, ") (c ", kind, ", err error) {\nerr = ", into, "\nreturn c, err\n}\n")
	} else {
		e.P("func (e *", e.kind, ") ", name, "(", parameters, ") (c ", kind, ") {\n", into, "\nreturn c\n}\n")
	}
}

// openChild writes the scan of the child that was entered.
func (e *editType) openChild() {
	e.P("if err := c.Scan(); err != nil {\n*h = e.ed.Dead()\nreturn e.ed.Leave(err)\n}\nreturn nil\n}\n")
}

// emitMessage writes the methods of a singular message field.
func (e *editType) emitMessage(field *plan.Field) {
	name, child, kind := e.names[field], e.goType(field), e.editName(field.Message)
	has := mine(e.has(field))
	whole, is := "e.Clear"+name+"()", has
	if field.Oneof != nil {
		whole, is = "e.Clear"+e.oneofNames[field.Oneof]+"()", mine(e.slot(field))+".Which() != 0"
	}

	e.byValue("Edit"+name, "", "", kind, "opens "+declaration(field)+" for editing; when it is absent, it is there from now on.", true)
	e.emptyChild("Edit"+name+"Into", "(c *"+kind+") error", "is Edit"+name+" for an editor that is used again.", "return e.ed.Err()")
	e.P("if ", mine(e.hasNot(field)), " {\ne.New", name, "Into(c)\nreturn h.Opened()\n}")
	e.P("if ", e.sub(field), ".Several() { // the records become one")
	e.P("e.ed.Show(&e.v.raw)\nvar whole ", child)
	e.P("if err := whole.OpenMessage(e.v.", e.goNames[field], "Message()); err != nil {\n*h = e.ed.Dead()\nreturn e.ed.Leave(err)\n}")
	e.P("e.Set", name, "(&whole)\n}")
	e.P("if !e.ed.Enter(&e.v.raw, ", e.sub(field), ", h, r) {\nreturn e.ed.Err()\n}")
	e.openChild()

	e.byValue("New"+name, "", "", kind, "starts "+declaration(field)+" anew, empty, and opens it for editing.", false)
	e.emptyChild("New"+name+"Into", "(c *"+kind+")", "is New"+name+" for an editor that is used again.", "return")
	e.P("if ", is, " {\n", whole, "\n}")
	e.added(field, "e.ed.New(&e.v.raw, "+e.tag(field)+", h, r)")
	e.P("}\n")

	e.open("Set"+name, "(c *"+child+")", "puts a copy of another message in the place of "+field.Name+".", "return")
	e.P("content := c.RawBytes()")
	e.takesGroup(field)
	e.P("if ", has, " && !", e.sub(field), ".Several() {")
	e.P("from, delta := e.ed.SetMessage(", e.sub(field), ", content)\n", follow, "\nreturn\n}")
	e.P("if ", is, " {\ncontent = e.ed.Keep(content)\n", whole, "\n}")
	e.added(field, "e.ed.AddMessage("+e.tag(field)+", content)")
	e.P("}\n")
	e.emitClear(field)
}

func (e *editType) takesGroup(field *plan.Field) {
	if field.Delimited {
		e.P("if !e.ed.TakesGroup(&e.v.raw, content) {\nreturn\n}")
	}
}
