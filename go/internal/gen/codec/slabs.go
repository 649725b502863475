package codec

import (
	"fmt"
	"slices"

	"github.com/hotpb/hotpb/go/internal/gen/emit"
	"github.com/hotpb/hotpb/go/internal/gen/plan"
)

func quoteTag(tag []byte) string { return fmt.Sprintf("%q", tag) }

// slabsName is the type with the slabs of a message.
func (c *codecType) slabsName(m *plan.Message) string {
	return "slabsHot" + c.Gen.NamesOf(m.File).Messages[m]
}

// slabbed reports whether the messages of a field are counted before a large input is decoded, so that they come
// from a slab.
func (c *codecType) slabbed(field *plan.Field) bool {
	return c.countable(c.Message, field) && c.Recursion == 0
}

// countable reports whether a slab can have the messages of a field, which holds pointers to them: not groups, those that
// have a pool, and those that the room of a list keeps.
func (c *codecType) countable(m *plan.Message, field *plan.Field) bool {
	child := codecChild(field)
	return child != nil && !field.Delimited && !c.Options.StockRuntime().CustomOf(field).IsPayload() &&
		!c.pooled(child) && !(c.pooled(m) && field.Map == nil && field.IsRepeated())
}

// hasSlabs reports whether a message has a type with slabs: it holds messages, and none of them can contain it.
func (c *codecType) hasSlabs(m *plan.Message) bool {
	return m.Recursion == 0 && !c.decodesByRuntime(m) && slices.ContainsFunc(m.Fields, func(field *plan.Field) bool {
		return c.countable(m, field)
	})
}

func (c *codecType) slabName(field *emit.StockField) string { return "of" + slabSuffix(field) }

// insideName is the name for the slabs that belong to a field's messages.
func insideName(field *emit.StockField) string { return "at" + slabSuffix(field) }

// slabSuffix distinguishes an embedded message, which has the name of its type, from a member of a oneof with that name.
func slabSuffix(field *emit.StockField) string {
	if field.Embedded {
		return "_" + field.GoName
	}
	return field.GoName
}

// nests reports whether the slabs for a field's messages are part of the message's slabs. Of a map's entries only
// the number is counted, not their contents.
func (c *codecType) nests(field *plan.Field) bool {
	child := codecChild(field)
	return child != nil && field.Map == nil && c.slabbed(field) && c.isLocal(child) && c.hasSlabs(child)
}

// childSlabs is the argument that passes the slabs for a field's messages.
func (c *codecType) childSlabs(field *plan.Field) string {
	child := codecChild(field)
	switch {
	case !c.hasSlabs(child):
		return ""
	case !c.nests(field):
		return "nil, "
	}
	for _, sf := range c.StockFields {
		if sf.Field == field {
			c.P("var at *", c.slabsName(child), "\nif s != nil {\nat = s.", insideName(sf), ".Slabs\n}")
		}
	}
	return "at, "
}

// slabsOrNil is the argument that passes the slabs of a whole input. Only large inputs are counted.
func (c *codecType) slabsOrNil(b string) string {
	if !c.hasSlabs(c.Message) {
		return ""
	}
	return Codec(c.File, "Count") + "[" + c.slabsName(c.Message) + "](" + b + "), "
}

// isSingle reports whether a message has at most one value of the field, however often the field occurs.
func isSingle(field *emit.StockField) bool { return field.Store != emit.StoreList && field.Map == nil }

// emitSlabs writes the type with the slabs of a message, and the fields that they are for.
func (c *codecType) emitSlabs() {
	if !c.hasSlabs(c.Message) {
		return
	}
	name := c.slabsName(c.Message)
	c.P("type ", name, " struct {\n", Codec(c.File, "Slabs"))
	var calls []string
	for _, field := range c.StockFields {
		if !c.slabbed(field.Field) {
			continue
		}
		kind, call, inside := "Singles", "Each", "nil"
		if field.Store == emit.StoreList {
			kind = "Children"
		}
		if isSingle(field) {
			call = "One"
		}
		c.P(c.slabName(field), " ", Codec(c.File, kind), "[", c.structName(codecChild(field.Field)), "]")
		if c.nests(field.Field) {
			child := c.slabsName(codecChild(field.Field))
			c.P(insideName(field), " ", Codec(c.File, "Inside"), "[", child, ", *", child, "]")
			inside = "&s." + insideName(field)
		}
		calls = append(calls, fmt.Sprintf("s.%s(%d, &s.%s, %s)", call, emit.TagValue(field.Number, field.WireType), c.slabName(field), inside))
	}
	c.P("}\n")
	c.P("func (s *", name, ") Fields() {")
	for _, call := range calls {
		c.P(call)
	}
	c.P("}\n")
}
