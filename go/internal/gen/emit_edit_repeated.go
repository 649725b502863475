package gen

import "github.com/hotpb/hotpb/go/internal/gen/plan"

// emitRepeated writes the methods of a repeated field of numbers, bools, enums, strings or bytes.
func (e *editType) emitRepeated(field *plan.Field) {
	name, slot, element := e.names[field], mine(e.slot(field)), e.goType(field)
	e.open("Add"+name, "(values ..."+element+")", "appends to "+declaration(field)+".", "return")
	if field.Packed {
		e.addPacked(field)
	} else {
		e.P("for _, x := range values {")
		e.refuse(field, "x")
		added := "AddedAt"
		if isText(field) {
			added = "Added"
		}
		e.P(slot, " = e.ed.", added, "(", slot, ", ", e.tag(field), ", e.ed.Add", verb(field), "(", e.tag(field), ", ", e.onWire(field, "x"), "))")
		e.P("}\n}\n")
	}

	e.open("Set"+name+"At", "(n int, x "+element+")", "sets element n.", "return")
	e.refuse(field, "x")
	call := "e.ed." + verb(field) + "At(" + slot + ", " + e.fieldTable(field) + ", n, " + e.onWire(field, "x") + ")"
	if field.WireType == 0 || field.WireType == 2 {
		e.P("from, delta := ", call, "\n", follow, "\n}\n")
	} else {
		e.P(call, "\n}\n")
	}
	e.emitRemove(field)
	e.emitClear(field)
}

// addPacked appends inside of the field's one packed record.
func (e *editType) addPacked(field *plan.Field) {
	slot, tag := mine(e.slot(field)), formatUint(tagValue(field.Number, 2))
	e.P("if len(values) == 0 {\nreturn\n}")
	if field.Enum != nil && field.Enum.Closed {
		e.P("for _, x := range values {")
		e.refuse(field, "x")
		e.P("}")
	}
	e.Printf(`if %[1]s.Len() > 0 && !e.ed.OnePacked(%[1]s, %[2]s) {
			e.ed.Repack(%[1]s, %[3]s)
			e.rescan()
		}
		run, ok := e.ed.OpenPacked(%[1]s, %[2]s)
		if !ok {
			return
		}
		n := 0
		for _, x := range values {
			n += e.ed.Pack%[4]s(%[5]s)
		}
		run, from, delta := e.ed.ClosePacked(run, n)
		%[1]s = run // its end moves, too
		%[6]s
		}

		`, slot, tag, e.fieldTable(field), verb(field), e.onWire(field, "x"), follow)
}

func (e *editType) emitRemove(field *plan.Field) {
	e.open("Remove"+e.names[field], "(from, to int)", "takes the elements from one index up to, but not with, another out.", "return")
	e.P("if e.ed.RemoveElements(", mine(e.slot(field)), ", ", e.fieldTable(field), ", from, to) {\ne.rescan()\n}\n}\n")
}

func (e *editType) emitRepeatedMessage(field *plan.Field) {
	name, slot, child, kind := e.names[field], mine(e.slot(field)), e.goType(field), e.editName(field.Message)
	e.byValue("Add"+name, "", "", kind, "appends an empty message to "+declaration(field)+" and opens it for editing.", false)
	e.emptyChild("Add"+name+"Into", "(c *"+kind+")", "is Add"+name+" for an editor that is used again.", "return")
	e.added(field, "e.ed.New(&e.v.raw, "+e.tag(field)+", h, r)")
	e.P("}\n")

	e.open("Append"+name, "(c *"+child+")", "appends a copy of a message.", "return")
	e.P("content := c.RawBytes()")
	e.takesGroup(field)
	e.added(field, "e.ed.AddMessage("+e.tag(field)+", content)")
	e.P("}\n")

	at := name + "At"
	e.byValue("Edit"+at, "n int", "n, ", kind, "opens element n for editing. Going on from the element before takes one step.", true)
	e.emptyChild("Edit"+at+"Into", "(n int, c *"+kind+") error", "is Edit"+at+" for an editor that is used again.", "return e.ed.Err()")
	e.P("if !e.ed.EnterAt(&e.v.raw, ", slot, ", ", e.fieldTable(field), ", n, h, r) {\nreturn e.ed.Err()\n}")
	e.openChild()

	e.open("Set"+at, "(n int, c *"+child+")", "puts a copy of another message in the place of element n.", "return")
	e.P("content := c.RawBytes()")
	e.takesGroup(field)
	e.P("from, delta := e.ed.SetMessageAt(", slot, ", ", e.fieldTable(field), ", n, content)\n", follow, "\n}\n")
	e.emitRemove(field)
	e.emitClear(field)
}

// datum is the key or value of a map as the runtime takes it.
func (e *editType) datum(field *plan.Field, x string) string {
	switch {
	case field.Type == plan.TypeString:
		return e.View("Text") + "(" + x + ")"
	case field.Type == plan.TypeBytes:
		return e.View("Data") + "(" + x + ")"
	case field.WireType == 5:
		return e.View("Number") + "(uint64(" + e.onWire(field, x) + "))"
	}
	return e.View("Number") + "(" + e.onWire(field, x) + ")"
}

func (e *editType) emitMap(field *plan.Field) {
	name, slot, spec := e.names[field], mine(e.slot(field)), "&"+e.maps[field]
	key, value := field.Map.Key, field.Map.Value
	keyType := e.goType(key)
	if value.Type == plan.TypeMessage {
		e.emitMapMessage(field)
	} else {
		e.open("Put"+name, "(key "+keyType+", value "+e.goType(value)+")", "puts an entry into "+declaration(field)+", or a value into the one there is.", "return")
		e.P("run, from, delta := e.ed.Put(&e.v.raw, ", slot, ", ", spec, ", ", e.datum(key, "key"), ", ", e.datum(value, "value"), ")")
		e.P(slot, " = run // its end moves, too\n", follow, "\n}\n")
	}
	e.open("Delete"+name, "(key "+keyType+")", "takes the entry with the key out, if there is one.", "return")
	e.P("k := e.ed.KeepKey(", e.datum(key, "key"), ")")
	e.P("if e.ed.HasKey(", slot, ", ", spec, ", k) {\ne.ed.RemoveKey(", spec, ", k)\ne.rescan()\n}\n}\n")
	e.emitClear(field)
}

// emitMapMessage writes the methods of a map whose values are messages.
func (e *editType) emitMapMessage(field *plan.Field) {
	name, slot, spec := e.names[field], mine(e.slot(field)), "&"+e.maps[field]
	key, value := field.Map.Key, field.Map.Value
	keyType, child, kind := e.goType(key), e.goType(value), e.editName(value.Message)
	k := "k := e.ed.KeepKey(" + e.datum(key, "key") + ")"
	remove := "if e.ed.HasKey(" + slot + ", " + spec + ", k) {\ne.ed.RemoveKey(" + spec + ", k)\ne.rescan()\n}"
	add := func(content string) {
		e.P(slot, " = e.ed.NewEntry(&e.v.raw, ", slot, ", ", spec, ", k, ", content, ", h, r)")
	}

	e.byValue("Edit"+name, "key "+keyType, "key, ", kind, "opens the message of a key for editing; when there is none, it is there from now on.", true)
	e.emptyChild("Edit"+name+"Into", "(key "+keyType+", c *"+kind+") error", "is Edit"+name+" for an editor that is used again.", "return e.ed.Err()")
	e.P(k)
	e.P("merged, ok := e.ed.EnterEntry(&e.v.raw, ", slot, ", ", spec, ", k, h, r)")
	e.P("if merged != nil {\ne.ed.RemoveKey(", spec, ", k)\ne.rescan()\nok = false\n}")
	e.P("if !ok {")
	add("merged")
	e.P("if err := h.Opened(); err != nil {\nreturn err\n}\n}")
	e.openChild()

	e.byValue("New"+name, "key "+keyType, "key, ", kind, "starts the message of a key anew, empty, and opens it for editing.", false)
	e.emptyChild("New"+name+"Into", "(key "+keyType+", c *"+kind+")", "is New"+name+" for an editor that is used again.", "return")
	e.P(k, "\n", remove)
	add("nil")
	e.P("}\n")

	e.open("Put"+name, "(key "+keyType+", value *"+child+")", "puts a copy of a message into "+declaration(field)+".", "return")
	e.P("content := e.ed.Keep(value.RawBytes())\n", k, "\n", remove)
	e.P(slot, " = e.ed.AddEntry(&e.v.raw, ", slot, ", ", spec, ", k, content)\n}\n")
}
