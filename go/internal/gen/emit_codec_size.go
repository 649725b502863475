package gen

import "github.com/hotpb/hotpb/go/internal/gen/plan"

// emitSize writes the size of a message's encoding, what proto.Size gives.
func (c *codecType) emitSize() {
	c.P("func (m *", c.name, ") SizeHot() (size int) {")
	if c.MessageSet {
		c.P("return ", c.CodecRuntime("SizeByRuntime"), "(m)\n}\n")
		return
	}
	c.P("if m == nil {\nreturn 0\n}")
	c.loadPresence()
	if len(c.table) > 0 {
		c.P("size = ", c.tableName(), ".Size(", c.self(), ")")
	}
	for _, field := range c.straight() {
		if field.oneof == nil {
			c.sizeField(field)
		}
	}
	for _, oneof := range c.oneofs {
		c.P("switch w := ", oneof.slot, ".(type) { // oneof ", oneof.Name)
		for _, field := range oneof.members {
			has := "w != nil"
			if c.v1() && field.Type == plan.TypeMessage {
				has += " && " + field.slot + " != nil"
			}
			c.P("case *", field.wrapper, ":\nif ", has, " {")
			c.addRecord("size", field.Field, field.slot)
			c.P("}")
		}
		c.P("}")
	}
	if c.extensible {
		c.P("if ", c.hasExtensions(), " {\nsize += ", c.withExtensions("Size", ""), "\n}")
	}
	c.P("return size + len(", c.unknown, ")\n}\n")
}

func (c *codecType) sizeField(field *stockField) {
	switch {
	case field.isLazy():
		c.sizeLazy(field)
	case field.store == storeMap:
		c.P("for key, value := range ", field.slot, " {\nn := 0\n_, _ = key, value")
		c.addRecord("n", field.Map.Key, "key")
		has := c.ifMapValue(field.Map.Value)
		if has != "" {
			c.P(has, "{")
		}
		c.addRecord("n", field.Map.Value, "value")
		if has != "" {
			c.P("}")
		}
		c.P("size += ", len(tagBytes(field.Number, 2)), " + ", c.Codec("SizeLen"), "(n)\n}")
	case field.Packed:
		c.P("if n := len(", field.slot, "); n > 0 {")
		switch {
		case field.WireType == 1:
			c.P("n *= 8")
		case field.WireType == 5:
			c.P("n *= 4")
		case field.Type != plan.TypeBool:
			c.P("n = 0\nfor _, v := range ", field.slot, " {")
			c.P("n += ", c.Wire("SizeVarint"), "(", c.codecVarint(field.Field, "v"), ")\n}")
		}
		c.P("size += ", len(field.Tag), " + ", c.Codec("SizeLen"), "(n)\n}")
	case field.store == storeList:
		c.overList(field, func(list string) { c.sizeList(field, list) })
	default:
		has, value := c.presenceOf(field)
		c.P("if ", has, " {")
		c.addRecord("size", field.Field, value)
		c.P("}")
	}
}

func (c *codecType) sizeList(field *stockField, list string) {
	if room := recordRoom(field.Field); field.WireType == 1 || field.WireType == 5 || field.Type == plan.TypeBool {
		c.P("size += ", room, " * len(", list, ")")
		return
	}
	c.P("for _, v := range ", list, " {")
	if c.v1() && field.Type == plan.TypeMessage {
		c.P("if v == nil {\ncontinue\n}")
	}
	c.addRecord("size", field.Field, "v")
	c.P("}")
}

// addRecord adds the size of one record.
func (c *codecType) addRecord(to string, field *plan.Field, value string) {
	tag := len(tagBytes(field.Number, field.WireType))
	switch {
	case field.Delimited:
		c.P(to, " += ", 2*tag, " + ", c.childSize(field, value))
	case field.Type == plan.TypeMessage:
		c.P(to, " += ", tag, " + ", c.Codec("SizeLen"), "(", c.childSize(field, value), ")")
	case isText(field):
		c.P(to, " += ", tag, " + ", c.Codec("SizeLen"), "(len(", value, "))")
	case field.WireType == 0 && field.Type != plan.TypeBool:
		c.P(to, " += ", tag, " + ", c.Wire("SizeVarint"), "(", c.codecVarint(field, value), ")")
	default:
		c.P(to, " += ", recordRoom(field))
	}
}

func (c *codecType) childSize(field *plan.Field, value string) string {
	if c.isLocal(field.Message) {
		return value + ".SizeHot()"
	}
	return c.CodecRuntime("Size") + "(" + value + ")"
}
