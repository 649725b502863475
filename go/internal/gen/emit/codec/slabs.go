package codec

import (
	"fmt"
	"slices"

	"github.com/hotpb/hotpb/go/internal/gen/emit"
	"github.com/hotpb/hotpb/go/internal/gen/plan"
)

func quoteTag(tag []byte) string { return fmt.Sprintf("%q", tag) }

// slabsName is the list of the fields of a message whose messages come from slabs.
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

// hasLists reports whether the slabs of a message serve a list or a map: without one there are too few messages to count.
func (c *codecType) hasLists(m *plan.Message, seen map[*plan.Message]bool) bool {
	if seen[m] {
		return false
	}
	seen[m] = true
	return slices.ContainsFunc(m.Fields, func(field *plan.Field) bool {
		child := codecChild(field)
		return c.countable(m, field) && (field.IsRepeated() || c.isLocal(child) && c.hasSlabs(child) && c.hasLists(child, seen))
	})
}

// slabIndex is the index of a field among those whose messages come from slabs.
func (c *codecType) slabIndex(field *plan.Field) (index int) {
	for _, sf := range c.StockFields {
		if sf.Field == field {
			return index
		}
		if c.slabbed(sf.Field) {
			index++
		}
	}
	panic("hotpb: no field of the message")
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
	c.P("var at *", Codec(c.File, "Slabs"), "\nif s != nil {\nat = s.Inside(", c.slabIndex(field), ")\n}")
	return "at, "
}

// slabsOrNil is the argument that passes the slabs of a whole input. Only large inputs are counted.
func (c *codecType) slabsOrNil(b string) string {
	switch {
	case !c.hasSlabs(c.Message):
		return ""
	case !c.hasLists(c.Message, map[*plan.Message]bool{}):
		return "nil, "
	}
	return Codec(c.File, "Count") + "(" + c.slabsName(c.Message) + "[:], " + b + "), "
}

// emitSlabs writes the list of the fields whose messages come from slabs.
func (c *codecType) emitSlabs() {
	if !c.hasSlabs(c.Message) {
		return
	}
	c.P("var ", c.slabsName(c.Message), " = [...]", Codec(c.File, "SlabField"), "{")
	for _, field := range c.StockFields {
		if !c.slabbed(field.Field) {
			continue
		}
		kind := "SlabOfOne"
		switch {
		case field.Map != nil:
			kind = "SlabOfMap"
		case field.Store == emit.StoreList:
			kind = "SlabOfList"
		}
		child := codecChild(field.Field)
		c.Printf("{Tag: %d, Kind: %s, List: (*[]%s)(nil)", emit.TagValue(field.Number, field.WireType), Codec(c.File, kind), c.structName(child))
		if c.nests(field.Field) {
			c.Printf(", Inside: %s[:]", c.slabsName(child))
		}
		c.P("},")
	}
	c.P("}\n")
}
