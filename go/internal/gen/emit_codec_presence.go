package gen

import "github.com/hotpb/hotpb/go/internal/gen/plan"

// loadPresence reads the presence bits of an opaque message, each word once. It
// is atomic, as in the runtime: lazy fields may be opened by another reader.
func (c *codecType) loadPresence() {
	seen := map[int]bool{}
	for _, field := range c.straight() {
		if word := field.bit / 32; field.bit >= 0 && !seen[word] {
			seen[word] = true
			c.P("has", word, " := ", c.Ident("sync/atomic", "LoadUint32"), "(&", c.presence, "[", word, "])")
		}
	}
}

// bitOf is the condition that a field's presence bit is set, "" when it has none.
func (c *codecType) bitOf(field *stockField) string {
	if field.bit < 0 {
		return ""
	}
	return "has" + itoa(field.bit/32) + "&(1<<" + itoa(field.bit%32) + ") != 0"
}

// presenceOf gives the condition under which a singular field is written, and
// the expression of its value. The condition may declare v.
func (c *codecType) presenceOf(field *stockField) (has, value string) {
	bit := c.bitOf(field)
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

// isLazy tells the fields of opaque structs that may be still in the bytes they came in.
func (f *stockField) isLazy() bool { return f.Lazy && f.bit >= 0 }

// loadLazy declares v, what stands in the struct for a lazy field: nil when it was put off and not opened yet.
func (c *codecType) loadLazy(field *stockField) {
	pointer := "*"
	if field.boxed {
		pointer = "*[]*"
	}
	c.P("var v ", pointer, c.structName(field.Message))
	c.readLazy(field)
}

// readLazy is atomic, because another reader may open the field.
func (c *codecType) readLazy(field *stockField) {
	const protoimpl = "google.golang.org/protobuf/runtime/protoimpl"
	pointer := c.Ident(protoimpl, "Pointer")
	c.P(c.Ident(protoimpl, "X"), ".AtomicLoadPointer(", pointer, "(&", field.slot, "), ", pointer, "(&v))")
}

// encodeLazy writes a lazy field: its bytes as they came when nobody has opened it.
func (c *codecType) encodeLazy(field *stockField, after int) {
	c.P("if ", c.bitOf(field), " {")
	c.loadLazy(field)
	c.P("raw := false")
	c.P("if v == nil {")
	c.P("i, raw = ", c.CodecRuntime("Lazy"), "(e, i, m, m.XXX_lazyUnmarshalInfo, ", field.Number, ")\nb = e.B")
	c.makeRoom(after)
	c.readLazy(field)
	c.P("}")
	if field.boxed {
		c.P("if !raw && v != nil && len(*v) > 0 {\nlist := *v")
		c.encodeElements(field, "list", after)
	} else {
		c.P("if !raw {")
		c.encodeRecord(field.Field, "v", after)
	}
	c.P("}\n}")
}

// sizeLazy adds the size of a lazy field.
func (c *codecType) sizeLazy(field *stockField) {
	c.P("if ", c.bitOf(field), " {")
	c.loadLazy(field)
	c.P("if v == nil {\nsize += m.XXX_lazyUnmarshalInfo.SizeField(", field.Number, ")\n} else {")
	if field.boxed {
		c.P("list := *v")
		c.sizeList(field, "list")
	} else {
		c.addRecord("size", field.Field, "v")
	}
	c.P("}\n}")
}
