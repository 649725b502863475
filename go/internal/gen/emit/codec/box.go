package codec

import (
	"github.com/hotpb/hotpb/go/internal/gen/emit"
	"github.com/hotpb/hotpb/go/internal/gen/plan"
)

// mostBoxed and mostBoxedBytes limit the fields of one box: a message with many optional fields, few of them set,
// allocates little more than it needs.
const mostBoxed, mostBoxedBytes = 8, 256

// emitBoxes writes the types that hold the values of a message's pointer fields and its small messages. A decoder
// allocates once for several of them. A pointer to one keeps the others alive.
func (c *codecType) emitBoxes() {
	c.boxes = map[*emit.StockField]string{}
	var group []*emit.StockField
	size, n := 0, 0
	flush := func() {
		if len(group) > 1 { // new does as well for one
			c.emitBox("box"+emit.Itoa(n), group)
			n++
		}
		group, size = nil, 0
	}
	for _, field := range c.straight(c.table) {
		width := c.boxedSize(field)
		if width == 0 {
			continue
		}
		if len(group) == mostBoxed || size+width > mostBoxedBytes {
			flush()
		}
		group, size = append(group, field), size+width
	}
	flush()
}

// boxedSize returns the size of a field's value in a box. It is 0 when the field is in no box: it is not a
// pointer, or its message is large.
func (c *codecType) boxedSize(field *emit.StockField) int {
	switch {
	case field.Store == emit.StorePointer:
		return 16
	case field.Custom.IsPayload():
		return 0
	case field.Store != emit.StoreMessage || field.Oneof != nil || isLazy(field) || !c.isLocal(field.Message) || field.Message.Recursion != 0 || c.pooled(field.Message):
		return 0
	}
	size := structSize(field.Message)
	if size > mostBoxedBytes/2 {
		return 0
	}
	return size
}

// structSize estimates the size of a message's struct.
func structSize(m *plan.Message) int {
	const own, slice, text, word = 40, 24, 16, 8 // the members that each message has besides its fields
	size := own
	for _, field := range m.Fields {
		switch {
		case field.Map == nil && field.IsRepeated(), field.Type == plan.TypeBytes:
			size += slice
		case field.Type == plan.TypeString && !field.HasPresence():
			size += text
		default:
			size += word
		}
	}
	return size
}

func (c *codecType) emitBox(box string, group []*emit.StockField) {
	c.P("// ", c.boxType(box), " holds the values of pointer fields.")
	c.P("type ", c.boxType(box), " struct {")
	for _, field := range group {
		c.boxes[field] = box
		kind := ""
		if field.Store == emit.StoreMessage {
			kind = c.structName(field.Message)
		} else {
			kind = c.valueType(field.Field)
		}
		c.P("field", emit.Itoa(field.Number), " ", kind, " // ", field.GoName)
	}
	c.P("}\n")
}

// takeBoxed makes a field point to its value in a box.
func (c *codecType) takeBoxed(field *emit.StockField) {
	box := c.boxes[field]
	c.P("if ", box, " == nil {\n", box, " = new(", c.boxType(box), ")\n}")
	c.P(field.StockSlot, " = &", box, ".field", emit.Itoa(field.Number))
}

// boxType is the type of a box.
func (c *codecType) boxType(box string) string { return box + "Hot" + c.Name }

// invert returns the map's values as keys.
func invert[K, V comparable](m map[K]V) map[V]bool {
	values := map[V]bool{}
	for _, value := range m {
		values[value] = true
	}
	return values
}
