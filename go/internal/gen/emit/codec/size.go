package codec

import (
	"github.com/hotpb/hotpb/go/internal/gen/emit"
	"github.com/hotpb/hotpb/go/internal/gen/plan"
)

// emitSize writes the size of a message's encoding, the result of proto.Size.
func (c *codecType) emitSize() {
	c.P("func (m *", c.Name, ") SizeHot() (size int) {")
	if c.decodesByRuntime(c.Message) {
		c.P("return ", CodecRuntime(c.File, "SizeByRuntime"), "(m)\n}\n")
		return
	}
	c.P("if m == nil {\nreturn 0\n}")
	c.loadPresence()
	if len(c.written) > 0 {
		c.P("size = ", c.tableName(), ".Size(", c.self(), ")")
	}
	for _, field := range c.straight(c.written) {
		if field.Oneof == nil {
			c.sizeField(field)
		}
	}
	for _, oneof := range c.StockOneofs {
		c.P("switch w := ", oneof.StockSlot, ".(type) {")
		for _, field := range oneof.Members {
			has := "w != nil"
			nilBytes := c.Marshals && field.Type == plan.TypeBytes && !c.isPayload(field.Field)
			if c.v1() && field.Store == emit.StoreMessage && !field.Custom.IsValue() || nilBytes {
				has += " && " + field.StockSlot + " != nil"
			}
			c.P("case *", field.Wrapper, ":\nif ", has, " {")
			c.addRecord("size", field.Field, c.operand(field.Field, field.StockSlot))
			c.P("}")
		}
		c.P("}")
	}
	if c.Extensible {
		c.P("if ", c.hasExtensions(), " {\nsize += ", c.withExtensions("Size", ""), "\n}")
	}
	if c.Unknown == "" {
		c.P("return size\n}\n")
		return
	}
	c.P("return size + len(", c.Unknown, ")\n}\n")
}

func (c *codecType) sizeField(field *emit.StockField) {
	switch {
	case isLazy(field):
		c.sizeLazy(field)
	case field.Store == emit.StoreMap:
		c.P("for key, value := range ", field.StockSlot, " {\nn := 0\n_, _ = key, value")
		c.addRecord("n", field.Map.Key, "key")
		has := c.ifMapValue(field.Map.Value)
		if has != "" {
			c.P(has, "{")
		}
		c.addRecord("n", field.Map.Value, c.operand(field.Map.Value, "value"))
		if has != "" {
			c.P("}")
		}
		c.P("size += ", len(plan.TagBytes(field.Number, 2)), " + ", Codec(c.File, "SizeLen"), "(n)\n}")
	case field.Packed:
		c.P("if n := len(", field.StockSlot, "); n > 0 {")
		switch {
		case field.WireType == 1:
			c.P("n *= 8")
		case field.WireType == 5:
			c.P("n *= 4")
		case field.Type != plan.TypeBool:
			c.P("n = 0\nfor _, v := range ", field.StockSlot, " {")
			c.P("n += ", c.Wire("SizeVarint"), "(", c.codecVarint(field.Field, c.plain(field.Field, "v")), ")\n}")
		}
		c.P("size += ", len(field.Tag), " + ", Codec(c.File, "SizeLen"), "(n)\n}")
	case field.Store == emit.StoreList:
		if field.Boxed {
			c.overList(field, func(list string) { c.sizeList(field, list) })
		} else {
			c.sizeList(field, field.StockSlot)
		}
	default:
		has, value := c.presenceOf(field)
		c.P(ifHas(has), "{")
		c.addRecord("size", field.Field, value)
		c.P("}")
	}
}

func (c *codecType) sizeList(field *emit.StockField, list string) {
	if room := recordRoom(field.Field); field.WireType == 1 || field.WireType == 5 || field.Type == plan.TypeBool {
		c.P("size += ", room, " * len(", list, ")")
		return
	}
	if field.Custom.IsValue() {
		c.P("for n := range ", list, " {")
		c.addRecord("size", field.Field, c.operand(field.Field, list+"[n]"))
		c.P("}")
		return
	}
	c.P("for _, v := range ", list, " {")
	if c.v1() && (field.Type == plan.TypeMessage || c.isPayload(field.Field)) {
		c.P("if v == nil {\ncontinue\n}")
	}
	c.addRecord("size", field.Field, "v")
	c.P("}")
}

// addRecord adds the size of one record.
func (c *codecType) addRecord(to string, field *plan.Field, value string) {
	tag := len(plan.TagBytes(field.Number, field.WireType))
	value = c.plain(field, value)
	switch {
	case field.Delimited:
		c.P(to, " += ", 2*tag, " + ", c.childSize(field, value))
	case field.Type == plan.TypeMessage, c.isPayload(field):
		c.P(to, " += ", tag, " + ", Codec(c.File, "SizeLen"), "(", c.childSize(field, value), ")")
	case emit.IsText(field):
		c.P(to, " += ", tag, " + ", Codec(c.File, "SizeLen"), "(len(", value, "))")
	case field.WireType == 0 && field.Type != plan.TypeBool:
		c.P(to, " += ", tag, " + ", c.Wire("SizeVarint"), "(", c.codecVarint(field, value), ")")
	default:
		c.P(to, " += ", recordRoom(field))
	}
}

func (c *codecType) childSize(field *plan.Field, value string) string {
	if call := c.customCall(field, "Size", value); call != "" {
		return call
	}
	value = c.message(field, value)
	if c.isLocal(field.Message) {
		return value + ".SizeHot()"
	}
	return CodecRuntime(c.File, "Size") + "(" + value + ")"
}
