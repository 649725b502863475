package gen

import "github.com/hotpb/hotpb/go/internal/gen/plan"

// loadPresence reads the presence bits of an opaque message, each word once. It
// is atomic, as in the runtime: lazy fields may be opened by another reader.
func (c *codecType) loadPresence() {
	seen := map[int]bool{}
	for _, field := range c.fields {
		if word := field.bit / 32; field.bit >= 0 && !seen[word] {
			seen[word] = true
			c.P("has", word, " := ", c.Ident("sync/atomic", "LoadUint32"), "(&", c.presence, "[", word, "])")
		}
	}
}

// presenceOf gives the condition under which a singular field is written, and
// the expression of its value. The condition may declare v.
func (c *codecType) presenceOf(field *stockField) (has, value string) {
	bit := ""
	if field.bit >= 0 {
		bit = "has" + itoa(field.bit/32) + "&(1<<" + itoa(field.bit%32) + ") != 0"
	}
	switch {
	case field.store == storePointer && bit != "":
		return bit + " && " + field.slot + " != nil", "*" + field.slot
	case field.store == storePointer:
		return field.slot + " != nil", "*" + field.slot
	case field.store == storeMessage:
		return "v := " + field.slot + "; v != nil", "v"
	case bit != "":
		return bit, field.slot
	case field.Type == plan.TypeBytes && field.isOptional():
		return field.slot + " != nil", field.slot
	}
	return c.notZero(field.Field, field.slot), field.slot
}

// loadLazy declares v, the message of a lazy field, nil when it was put off and not opened yet.
func (c *codecType) loadLazy(field *stockField) {
	c.P("var v *", c.structName(field.Message))
	c.readLazy(field)
}

func (c *codecType) readLazy(field *stockField) {
	protoimpl := "google.golang.org/protobuf/runtime/protoimpl"
	pointer := c.Ident(protoimpl, "Pointer")
	c.P(c.Ident(protoimpl, "X"), ".AtomicLoadPointer(", pointer, "(&", field.slot, "), ", pointer, "(&v))")
}

// encodeLazy writes a lazy field: its bytes as they came when nobody has opened it.
func (c *codecType) encodeLazy(field *stockField, after int) {
	has, _ := c.presenceOf(&stockField{Field: field.Field, slot: field.slot, bit: field.bit, store: storeValue})
	c.P("if ", has, " {")
	c.loadLazy(field)
	c.P("raw := false")
	c.P("if v == nil {\ni, raw = ", c.CodecGoogle("Lazy"), "(e, i, m, m.XXX_lazyUnmarshalInfo, ", field.Number, ")\nb = e.B")
	c.makeRoom(after)
	c.readLazy(field)
	c.P("}")
	c.P("if !raw {")
	c.encodeRecord(field.Field, "v", after)
	c.P("}\n}")
}
