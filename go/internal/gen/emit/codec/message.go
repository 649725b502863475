package codec

import (
	"fmt"
	"slices"

	"github.com/hotpb/hotpb/go/internal/gen/emit"
	"github.com/hotpb/hotpb/go/internal/gen/plan"
)

// decodeMessage reads a singular message and merges it into the existing one.
func (c *codecType) decodeMessage(field *emit.StockField) {
	if !field.Delimited {
		c.readLength("b", "i", c.fail)
	}
	c.checkLevels()
	slot := field.StockSlot
	if field.Oneof != nil {
		c.wrapperOf(field)
	}
	c.resolveLazy(field)
	c.P("if ", slot, " == nil {")
	if c.slabbed(field.Field) {
		c.P("if s != nil {\n", slot, " = (*", c.structName(field.Message), ")(s.Message(", c.slabIndex(field.Field), "))\n}\nif ", slot, " == nil {")
	}
	if c.boxes[field] != "" {
		c.takeBoxed(field)
	} else {
		c.P(slot, " = ", c.newMessage(field.Message))
	}
	if c.slabbed(field.Field) {
		c.P("}")
	}
	c.P("}")
	c.callDecode(field, slot, "-1")
	if field.Bit >= 0 {
		c.P(c.setBit(field))
	}
}

// wrapperOf is wrapper for a message. A new message is allocated together with its wrapper, unless it comes from a
// slab.
func (c *codecType) wrapperOf(field *emit.StockField) {
	c.P("w, _ := ", field.Oneof.StockSlot, ".(*", field.Wrapper, ")\nif w == nil {")
	if c.slabbed(field.Field) {
		c.P("if s != nil {\nw = new(", field.Wrapper, ")\n} else {")
	}
	if c.pooled(field.Message) {
		c.P("w = &", field.Wrapper, "{", field.GoName, ": ", c.newMessage(field.Message), "}\n", field.Oneof.StockSlot, " = w\n}")
		return
	}
	c.P("pair := new(struct {\nwrapper ", field.Wrapper, "\nmessage ", c.structName(field.Message), "\n})")
	c.P("w = &pair.wrapper\n", field.StockSlot, " = &pair.message")
	if c.slabbed(field.Field) {
		c.P("}")
	}
	c.P(field.Oneof.StockSlot, " = w\n}")
}

// callDecode decodes a message, whose range is b[from:i], or a group. index is its index in the field, for errors.
func (c *codecType) callDecode(field *emit.StockField, target, index string) {
	call := func(b, i string) string {
		if !c.isLocal(field.Message) {
			return CodecRuntime(c.File, "Decode") + "(d, " + target + ", " + b + ", " + i + ", levels-1)"
		}
		return target + ".decodeHot(d, " + c.childSlabs(field.Field) + b + ", " + i + ", levels-1)"
	}
	if field.Delimited {
		c.Printf("if i = d.GroupEnd(b, %s, %d); i < 0 {\n", call("b", "i"), field.Number)
	} else {
		c.Printf("if %s != 0 {\n", call("b[:i]", "from"))
	}
	c.Printf("return d.In(%q, %s)\n}\n", field.Name, index)
}

// decodeMessages reads the messages of a repeated field.
func (c *codecType) decodeMessages(field *emit.StockField) {
	slot, kind := field.StockSlot, c.structName(field.Message)
	c.checkLevels()
	c.resolveLazy(field)
	if field.Boxed {
		c.P("if ", slot, " == nil {\n", slot, " = new([]*", kind, ")\n}")
		slot = "*" + slot
	}
	c.P("list, n := ", slot, ", len(", slot, ")")
	if c.slabbed(field.Field) {
		c.P("if s != nil {\nlist = ", Codec(c.File, "Open"), "(s, ", c.slabIndex(field.Field), ", list)\n}")
	}
	if c.isTextRow(field) {
		c.P("begin, first := i, n")
	}
	c.P("for {")
	run := "1"
	if !field.Delimited && c.loops(field) {
		run = fmt.Sprintf("%s(b, i, %q)", Codec(c.File, "CountRun"), field.Tag)
	}
	c.P("if n == len(list) {")
	if c.pooled(field.Message) {
		c.P("list = ", Codec(c.File, "MoreVT"), "(list, ", run, ")\n}")
	} else if c.pooled(c.Message) {
		c.P("list = ", Codec(c.File, "MoreKept"), "(list, ", run, ")\n}")
	} else {
		c.P("fresh := make([]", kind, ", ", run, ")")
		pointer := c.Ident("unsafe", "Pointer")
		c.P("list = ", Codec(c.File, "More"), "(list, ", pointer, "(&fresh[0]), len(fresh), ", c.Ident("unsafe", "Sizeof"), "(fresh[0]))\n}")
	}
	if !field.Delimited {
		c.readLength("b", "i", c.fail)
	}
	c.P("elem := list[n]\nn++")
	if c.isRow(field) {
		c.decodeRow(field)
	} else {
		c.callDecode(field, "elem", "n-1")
	}
	c.repeat(field)
	if c.isTextRow(field) {
		c.checkRows(field)
	}
	if c.slabbed(field.Field) {
		c.P("if s != nil {\nlist = ", Codec(c.File, "Close"), "(s, ", c.slabIndex(field.Field), ", list, n)\n}")
	}
	c.P(slot, " = list[:n]")
	if field.Bit >= 0 {
		c.P(c.setBit(field))
	}
}

// decodeMap reads the entries of a map. Each entry is a message with the fields 1 and 2.
func (c *codecType) decodeMap(field *emit.StockField) {
	key, value := field.Map.Key, field.Map.Value
	c.checkLevels()
	c.P("entries := ", field.StockSlot)
	size := ""
	if len(field.Tag) <= 2 {
		// All entries may have the same key, so a larger map grows only as keys arrive.
		size = "min(" + c.Ident(emit.RuntimePath+"/rt/codec", "CountRun") + "(b, i, " + quoteTag(field.Tag) + "), 1024)"
	} else {
		size = "1"
	}
	c.P("if entries == nil {\nentries = make(", c.fieldType(field), ", ", size, ")\n", field.StockSlot, " = entries\n}")
	// The loop over the entries that follow each other. Each begins with the defaults.
	c.P("for {")
	c.readLength("b", "i", c.fail)
	c.P("var key ", c.valueType(key))
	c.declareMapValue(field)
	hides := value.Type == plan.TypeMessage && slices.ContainsFunc(value.Message.Fields, c.Options.StockRuntime().HidesAbsence)
	if hides { // an entry without a value has a message without its required fields
		c.P("valued := false")
	}
	// The loop over the records of an entry.
	names := fmt.Sprintf(" %d key %d value ", emit.TagValue(1, key.WireType), emit.TagValue(2, value.WireType))
	fail := func() { c.Printf("return d.FailEntry(entry, at, j, %q, %q)\n", names, field.Name) }
	c.Printf("for entry, j := b[:i], from; j < len(entry); {\nat := j\nvar tag %s\n", c.Wire("Tag"))
	c.Printf("if tag, j = %s(entry, j); j < 0 {\n", Codec(c.File, "ReadTag"))
	fail()
	c.P("}\nswitch tag {")
	c.P("case ", emit.TagValue(1, key.WireType), ": // key")
	c.P("key = ", c.readValue(key, "entry", "j", fail))
	c.P("case ", emit.TagValue(2, value.WireType), ": // value")
	if hides {
		c.P("valued = true")
	}
	c.readMapValue(field, fail)
	c.Printf("default:\nif j = %s(entry, j, tag); j < 0 {\n", Codec(c.File, "Skip"))
	fail()
	c.P("}\n}\n}")
	if hides {
		c.P("if !valued {\nd.Partial = true\n}")
	}
	c.P("entries[key] = value")
	c.repeat(field)
}

// declareMapValue declares the value of an entry, as it is if the entry has none.
func (c *codecType) declareMapValue(field *emit.StockField) {
	value := field.Map.Value
	custom := c.customs[value]
	isMessage := value.Type == plan.TypeMessage
	isTime := custom != nil && custom.Std == "Time"
	epoch := func() string { return c.Ident("time", "Unix") + "(0, 0).UTC()" } // an entry without a value has an empty Timestamp
	switch {
	case isTime && custom.Value:
		c.P("value := ", epoch())
	case isTime:
		c.P("value := new(", c.customElement(value, custom), ")\n*value = ", epoch())
	case custom.IsPayload() && custom.Value:
		c.P("var value ", c.customElement(value, custom))
	case custom.IsPayload():
		c.P("value := new(", c.customElement(value, custom), ")")
	case isMessage && c.slabbed(field.Field):
		c.P("var value *", c.structName(value.Message))
		c.P("if s != nil {\nvalue = (*", c.structName(value.Message), ")(s.Message(", c.slabIndex(field.Field), "))\n}")
		c.P("if value == nil {\nvalue = new(", c.structName(value.Message), ")\n}")
	case isMessage:
		c.P("value := new(", c.structName(value.Message), ")")
	case value.Type == plan.TypeEnum && value.Enum.Values[0].Number != 0:
		c.P("var value ", c.valueType(value), " = ", value.Enum.Values[0].Number)
	default:
		c.P("var value ", c.valueType(value))
	}
}

// readMapValue reads a value, which a message or a custom type decodes itself.
func (c *codecType) readMapValue(field *emit.StockField, fail failing) {
	value := field.Map.Value
	custom, isMessage := c.customs[value], value.Type == plan.TypeMessage
	if custom.IsPayload() {
		c.readLength("entry", "j", fail)
		if isMessage {
			c.P("if levels <= 1 {\nj = ", Codec(c.File, "TooDeep"))
			fail()
			c.P("}")
		}
		c.Printf("if %s {\nreturn d.In(%q, -1)\n}\n", c.decodePayload(value, c.operand(value, "value"), "entry[:j]", "from", "levels-2"), field.Name+".value")
	} else if isMessage {
		c.readLength("entry", "j", fail)
		c.P("if levels <= 1 {\nj = ", Codec(c.File, "TooDeep"))
		fail()
		c.P("}")
		decode := "value.decodeHot(d, " + c.childSlabs(field.Field) + "entry[:j], from, levels-2)"
		if !c.isLocal(value.Message) {
			decode = CodecRuntime(c.File, "Decode") + "(d, value, entry[:j], from, levels-2)"
		}
		c.Printf("if %s != 0 {\nreturn d.In(%q, -1)\n}\n", decode, field.Name+".value")
	} else {
		c.P("value = ", c.readValue(value, "entry", "j", fail))
	}
}
