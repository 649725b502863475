package codec

import (
	"fmt"

	"github.com/hotpb/hotpb/go/internal/gen/emit"
	"github.com/hotpb/hotpb/go/internal/gen/plan"
)

// Options of gogo change the types of elements (emit.Custom). A cast changes the type only: its values are converted. All
// others are payloads: what stands after the length is read and written by a function, which receives a pointer to the value.

// customType is the Go type of an element.
func (c *codecType) customType(field *plan.Field, custom *emit.Custom) string {
	pointer := ""
	if custom.Kind != emit.CustomCast && !custom.Value {
		pointer = "*"
	}
	return pointer + c.customElement(field, custom)
}

// customElement is customType without a pointer.
func (c *codecType) customElement(field *plan.Field, custom *emit.Custom) string {
	switch {
	case custom.Type == "":
		return c.structName(field.Message)
	case custom.Kind == emit.CustomStd && (custom.Std == "Time" || custom.Std == "Duration"):
		return c.Ident("time", custom.Std)
	case custom.Kind == emit.CustomStd:
		return custom.Type
	}
	return c.CustomName(custom.Type)
}

// isCast reports whether values of a field are converted.
func (c *codecType) isCast(field *plan.Field) bool {
	custom := c.customs[field]
	return custom != nil && custom.Kind == emit.CustomCast
}

// isPayload reports whether a function reads and writes the values of a field.
func (c *codecType) isPayload(field *plan.Field) bool { return c.customs[field].IsPayload() }

// plain is a value of a field in the type that the schema says.
func (c *codecType) plain(field *plan.Field, value string) string {
	if !c.isCast(field) || c.customs[field].Unique {
		return value
	}
	return "(" + c.plainType(field) + ")(" + value + ")"
}

// plainType is the type in which values that are converted are written. A varint keeps all bits of a wider or signed type, as
// with gogo's methods.
func (c *codecType) plainType(field *plan.Field) string {
	switch {
	case c.isCast(field) && field.Type == plan.TypeInt32:
		return "int64"
	case c.isCast(field) && field.Type == plan.TypeUint32:
		return "uint64"
	}
	return c.GoType(field)
}

// cast is a value that was read, in the type that the struct says.
func (c *codecType) cast(field *plan.Field, value string) string {
	switch {
	case !c.isCast(field):
		return value
	case c.customs[field].Unique:
		return "d.Unique(" + value + ")"
	}
	return c.valueType(field) + "(" + value + ")"
}

// operand is the expression that the functions for payloads receive for a place in the struct: a pointer.
func (c *codecType) operand(field *plan.Field, place string) string {
	if custom := c.customs[field]; custom.IsPayload() && custom.Value {
		return "(&" + place + ")"
	}
	return place
}

// message is a pointer to a message in the type that has the fast methods.
func (c *codecType) message(field *plan.Field, value string) string {
	if custom := c.customs[field]; custom != nil && custom.Kind == emit.CustomMessage && custom.Type != "" {
		return "(*" + c.structName(field.Message) + ")(" + value + ")"
	}
	return value
}

// customCall is a call of the runtime for a payload that is no message, or "".
func (c *codecType) customCall(field *plan.Field, verb, arguments string) string {
	switch custom := c.customs[field]; {
	case !custom.IsPayload() || custom.Kind == emit.CustomMessage:
		return ""
	case custom.Kind == emit.CustomStd:
		return stdCodec(c.File, verb+"Std"+custom.Std) + "(" + arguments + ")"
	case c.ProtoSizer && verb != "Decode":
		return stdCodec(c.File, verb+"ProtoSizer") + "(" + arguments + ")"
	}
	return stdCodec(c.File, verb+"Custom") + "(" + arguments + ")"
}

// decodePayload is the call that decodes a payload into target, a pointer, and the condition that it has failed.
func (c *codecType) decodePayload(field *plan.Field, target, b, i, levels string) string {
	if call := c.customCall(field, "Decode", "d, "+target+", "+b+", "+i); call != "" {
		return call + " != 0"
	}
	target = c.message(field, target)
	if !c.isLocal(field.Message) {
		return CodecRuntime(c.File, "Decode") + "(d, " + target + ", " + b + ", " + i + ", " + levels + ") != 0"
	}
	slabs := ""
	if c.hasSlabs(field.Message) {
		slabs = "nil, "
	}
	return target + ".decodeHot(d, " + slabs + b + ", " + i + ", " + levels + ") != 0"
}

// decodeCustom reads a singular payload.
func (c *codecType) decodeCustom(field *emit.StockField) {
	c.readLength("b", "i", c.fail)
	custom := c.customs[field.Field]
	if field.Message != nil && custom.Kind == emit.CustomMessage {
		c.checkLevels()
	}
	if field.Oneof != nil {
		c.wrapper(field)
	}
	if !custom.Value {
		fresh := "new(" + c.customElement(field.Field, custom) + ")"
		if custom.Kind == emit.CustomMessage { // parts are merged
			c.P("if ", field.StockSlot, " == nil {\n", field.StockSlot, " = ", fresh, "\n}")
		} else {
			c.P(field.StockSlot, " = ", fresh)
		}
	}
	c.Printf("if %s {\nreturn d.In(%q, -1)\n}\n", c.decodePayload(field.Field, c.operand(field.Field, field.StockSlot), "b[:i]", "from", "levels-1"), field.Name)
}

// decodeCustoms reads the payloads of a repeated field.
func (c *codecType) decodeCustoms(field *emit.StockField) {
	custom := c.customs[field.Field]
	if custom.Kind == emit.CustomMessage {
		c.checkLevels()
	}
	c.P("list := ", field.StockSlot)
	if c.isRow(field) {
		c.P("n := len(list)")
	}
	if c.isTextRow(field) {
		c.P("begin, first := i, n")
	}
	c.P("for {")
	if c.loops(field) {
		c.Printf("if len(list) == cap(list) {\nlist = %s(list, %s(b, i, %q))\n}\n",
			Codec(c.File, "Grow"), Codec(c.File, "CountRun"), plan.TagBytes(field.Number, 2))
	}
	c.readLength("b", "i", c.fail)
	kind := c.customElement(field.Field, custom)
	switch {
	case !custom.Value:
		c.P("elem := new(", kind, ")\nlist = append(list, elem)")
	default:
		c.P("var fresh ", kind, "\nlist = append(list, fresh)\nelem := &list[len(list)-1]")
	}
	failed := fmt.Sprintf("return d.In(%q, len(list)-1)", field.Name)
	if c.isRow(field) {
		c.P("n = len(list)")
		c.decodeRow(field)
	} else {
		c.P("if ", c.decodePayload(field.Field, "elem", "b[:i]", "from", "levels-1"), " {\n", failed, "\n}")
	}
	c.repeat(field)
	if c.isTextRow(field) {
		c.checkRows(field)
	}
	c.P(field.StockSlot, " = list")
}

// decodeCastPacked reads a packed record of values that are converted.
func (c *codecType) decodeCastPacked(field *emit.StockField) {
	kind := emit.KindName(field.Field)
	if c.plainType(field.Field) != c.GoType(field.Field) {
		kind = "Int64"
	}
	c.P("var plain []", c.plainType(field.Field))
	c.reads("Packed(&plain, " + c.Wire(kind) + ", b, i)")
	c.P("list := ", Codec(c.File, "Grow"), "(", field.StockSlot, ", len(plain))")
	c.P("for _, v := range plain {\nlist = append(list, ", c.cast(field.Field, "v"), ")\n}")
	c.P(field.StockSlot, " = list")
}

// encodeCastPacked writes a packed record of values that are converted.
func (c *codecType) encodeCastPacked(field *emit.StockField, after int) {
	room := numberRoom(field.Field)
	c.P("if list := ", field.StockSlot, "; len(list) > 0 {\nwas := len(b) - i")
	c.P("for n := len(list) - 1; n >= 0; n-- {")
	c.makeRoom(room)
	c.putNumber(field.Field, c.plain(field.Field, "list[n]"))
	c.P("}")
	c.P("if i < ", after+maxLength+len(field.Tag), " {\ni = e.Grow(i, ", after+maxLength+len(field.Tag), ")\nb = e.B\n}")
	c.P("i = ", Codec(c.File, "PutVarint"), "(b, i, uint64(len(b)-i-was))")
	c.putTag(field.Tag)
	c.P("}")
}

// stdCodec returns an identifier of the package for types of Go and of the user.
func stdCodec(f *emit.File, name string) string {
	return f.Ident(emit.RuntimePath+"/rt/codec/std", name)
}

// checkEmbedded refuses a message that has no fast methods of its own and embeds one that has: Go would give it the methods
// of the embedded message, which know only that part.
func checkEmbedded(f *emit.File) error {
	if !f.Options.StockRuntime().Gogo {
		return nil
	}
	for _, m := range f.Plan.Messages {
		for _, field := range m.Fields {
			if !f.IsSelected(m) && field.Message != nil && field.GogoOptions.Bool(plan.GogoEmbed, false) && f.IsSelected(field.Message) {
				return &plan.Error{File: m.FileName, Element: m.Name + "." + field.Name,
					Problem: "it has the option gogoproto.embed, so that the message would have the fast methods of the field",
					Fix:     "add " + m.Name + " to messages="}
			}
		}
	}
	return nil
}
