package codec

import (
	"github.com/hotpb/hotpb/go/internal/gen/emit"
	"github.com/hotpb/hotpb/go/internal/gen/plan"
)

// mostBoxed and mostBoxedBytes bound the fields of one box: of a message that has many optional fields and few of them
// set, little more than these is allocated.
const mostBoxed, mostBoxedBytes = 8, 256

// emitBoxes writes the types that hold the values of a message's pointer fields, and its small messages, so that a
// decode allocates once for several of them. A pointer to one keeps the others alive.
func (c *codecType) emitBoxes() {
	c.boxes = map[*emit.StockField]string{}
	var group []*emit.StockField
	size, n := 0, 0
	flush := func() {
		if len(group) > 1 { // for one, new does as well
			c.emitBox("box"+emit.Itoa(n), group)
			n++
		}
		group, size = nil, 0
	}
	for _, field := range c.straight() {
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

// boxedSize is the size of a field's value in a box, or 0 when it is in none: it is no pointer, or the message is large.
func (c *codecType) boxedSize(field *emit.StockField) int {
	switch {
	case field.Store == emit.StorePointer:
		return 16
	case field.Store != emit.StoreMessage || field.Oneof != nil || isLazy(field) || !c.isLocal(field.Message) || field.Message.Recursion != 0:
		return 0
	}
	size := structSize(field.Message)
	if size > mostBoxedBytes/2 {
		return 0
	}
	return size
}

// structSize is about the size of a message's struct.
func structSize(m *plan.Message) int {
	const own, slice, text, word = 40, 24, 16, 8 // own: what each message has beside its fields
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
	c.P("// ", c.boxType(box), " has the values of fields that are pointers.")
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

// takeBoxed points a field to its value in a box.
func (c *codecType) takeBoxed(field *emit.StockField) {
	box := c.boxes[field]
	c.P("if ", box, " == nil {\n", box, " = new(", c.boxType(box), ")\n}")
	c.P(field.StockSlot, " = &", box, ".field", emit.Itoa(field.Number))
}

// boxType is the type of a box.
func (c *codecType) boxType(box string) string { return box + "Hot" + c.Name }

// invert gives the values of a map as keys.
func invert[K, V comparable](m map[K]V) map[V]bool {
	values := map[V]bool{}
	for _, value := range m {
		values[value] = true
	}
	return values
}
