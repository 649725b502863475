package codec

import (
	"github.com/hotpb/hotpb/go/internal/gen/emit"
	"github.com/hotpb/hotpb/go/internal/gen/plan"
)

// loadPresence reads the presence bits of an opaque message, each word once. The read is atomic, as in the
// runtime, because another reader may open a lazy field at the same time.
func (c *codecType) loadPresence() {
	seen := map[int]bool{}
	for _, field := range c.straight(c.written) {
		if word := field.Bit / 32; field.Bit >= 0 && !seen[word] {
			seen[word] = true
			c.P("has", word, " := ", c.Ident("sync/atomic", "LoadUint32"), "(&", c.Presence, "[", word, "])")
		}
	}
}

// bitOf is the condition that a field's presence bit is set; "" for a field without one.
func (c *codecType) bitOf(field *emit.StockField) string {
	if field.Bit < 0 {
		return ""
	}
	return "has" + emit.Itoa(field.Bit/32) + "&(1<<" + emit.Itoa(field.Bit%32) + ") != 0"
}

// presenceOf returns the condition under which a singular field is written, and the expression of its value. The
// condition may declare v.
func (c *codecType) presenceOf(field *emit.StockField) (has, value string) {
	bit := c.bitOf(field)
	switch {
	case field.Store == emit.StorePointer && bit != "":
		return bit + " && " + field.StockSlot + " != nil", "*" + field.StockSlot
	case field.Store == emit.StorePointer:
		return field.StockSlot + " != nil", "*" + field.StockSlot
	case field.Always:
		return "", field.StockSlot
	case field.Store == emit.StoreMessage && field.Custom.IsValue():
		return c.unlessNil(field), c.operand(field.Field, field.StockSlot)
	case field.Store == emit.StoreMessage:
		return "v := " + field.StockSlot + "; v != nil", "v"
	case bit != "":
		return bit, field.StockSlot
	case field.Type == plan.TypeBytes && field.IsOptional():
		return field.StockSlot + " != nil", field.StockSlot
	}
	return c.NotZero(field.Field, c.plain(field.Field, field.StockSlot)), field.StockSlot
}

// unlessNil is the condition that a value in place of a pointer is no nil slice, which gogo's runtime leaves out. It is "" if
// gogo's methods write the message, or if the type is no slice.
func (c *codecType) unlessNil(field *emit.StockField) string {
	custom := field.Custom
	switch {
	case c.Marshals || !custom.IsForeign() || !custom.Value || field.Oneof != nil || field.IsRepeated() || field.Map != nil:
	case custom.Std == "Bytes":
		return field.StockSlot + " != nil"
	case custom.Kind == emit.CustomType:
		return "!" + stdCodec(c.File, "IsNil") + "(&" + field.StockSlot + ")"
	}
	return ""
}

// isLazy reports whether an opaque struct may still hold the field as encoded bytes.
func isLazy(f *emit.StockField) bool { return f.Lazy && f.Bit >= 0 }

// loadLazy declares v, the struct's value of a lazy field: nil while the field is not decoded.
func (c *codecType) loadLazy(field *emit.StockField) {
	pointer := "*"
	if field.Boxed {
		pointer = "*[]*"
	}
	c.P("var v ", pointer, c.structName(field.Message))
	c.readLazy(field)
}

// readLazy is atomic, because another reader may decode the field.
func (c *codecType) readLazy(field *emit.StockField) {
	const protoimpl = "google.golang.org/protobuf/runtime/protoimpl"
	pointer := c.Ident(protoimpl, "Pointer")
	c.P(c.Ident(protoimpl, "X"), ".AtomicLoadPointer(", pointer, "(&", field.StockSlot, "), ", pointer, "(&v))")
}

// encodeLazy writes a lazy field. While nobody has decoded it, its bytes are copied as they came.
func (c *codecType) encodeLazy(field *emit.StockField, after int) {
	c.P("if ", c.bitOf(field), " {")
	c.loadLazy(field)
	c.P("raw := false")
	c.P("if v == nil {")
	c.P("i, raw = ", CodecRuntime(c.File, "Lazy"), "(e, i, m, m.XXX_lazyUnmarshalInfo, ", field.Number, ")\nb = e.B")
	c.makeRoom(after)
	c.readLazy(field)
	c.P("}")
	if field.Boxed {
		c.P("if !raw && v != nil && len(*v) > 0 {\nlist := *v")
		c.encodeElements(field, "list", after)
	} else {
		c.P("if !raw {")
		c.encodeRecord(field.Field, "v", after)
	}
	c.P("}\n}")
}

// sizeLazy adds the size of a lazy field.
func (c *codecType) sizeLazy(field *emit.StockField) {
	c.P("if ", c.bitOf(field), " {")
	c.loadLazy(field)
	c.P("if v == nil {\nsize += m.XXX_lazyUnmarshalInfo.SizeField(", field.Number, ")\n} else {")
	if field.Boxed {
		c.P("list := *v")
		c.sizeList(field, "list")
	} else {
		c.addRecord("size", field.Field, "v")
	}
	c.P("}\n}")
}
