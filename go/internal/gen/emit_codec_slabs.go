package gen

import (
	"fmt"
	"slices"

	"github.com/hotpb/hotpb/go/internal/gen/plan"
)

func quoteTag(tag []byte) string { return fmt.Sprintf("%q", tag) }

// slabsName is the type with the slabs of a message.
func (c *codecType) slabsName(m *plan.Message) string {
	return "slabsHot" + c.gen.namesOf(m.File).messages[m]
}

// slabbed tells whether the messages of a field are counted before a large decode, so that they come from a slab.
func (c *codecType) slabbed(field *plan.Field) bool {
	return codecChild(field) != nil && !field.Delimited && c.Recursion == 0
}

// hasSlabs tells whether a message has a type with slabs: it holds messages, and none of them can hold it.
func (c *codecType) hasSlabs(m *plan.Message) bool {
	return m.Recursion == 0 && !decodesByRuntime(m) && slices.ContainsFunc(m.Fields, func(field *plan.Field) bool {
		return codecChild(field) != nil && !field.Delimited
	})
}

func (c *codecType) slabName(field *stockField) string { return "of" + field.goName }

// nests tells whether a field's messages have slabs that are within those of the message. Of a map's entries only the
// number is counted, not what is inside.
func (c *codecType) nests(field *plan.Field) bool {
	child := codecChild(field)
	return child != nil && field.Map == nil && c.slabbed(field) && c.isLocal(child) && c.hasSlabs(child)
}

// childSlabs is the argument with the slabs for a field's messages.
func (c *codecType) childSlabs(field *plan.Field) string {
	child := codecChild(field)
	switch {
	case !c.hasSlabs(child):
		return ""
	case !c.nests(field):
		return "nil, "
	}
	for _, sf := range c.fields {
		if sf.Field == field {
			c.P("var at *", c.slabsName(child), "\nif s != nil {\nat = s.at", sf.goName, "\n}")
		}
	}
	return "at, "
}

// slabsOrNil is the argument with the slabs for a whole input: counted when it is large.
func (c *codecType) slabsOrNil(b string) string {
	if !c.hasSlabs(c.Message) {
		return ""
	}
	return "count" + "Hot" + c.name + "(" + b + "), "
}

// isSingle tells the fields of which a message has one at the most, however often they occur.
func isSingle(field *stockField) bool { return field.store != storeList && field.Map == nil }

// emitSlabs writes the type with the slabs of a message, and the scan that counts what will be in them.
func (c *codecType) emitSlabs() {
	if !c.hasSlabs(c.Message) {
		return
	}
	name := c.slabsName(c.Message)
	var counted []*stockField
	for _, field := range c.fields {
		if c.slabbed(field.Field) {
			counted = append(counted, field)
		}
	}
	c.P("// ", name, " is where the messages in a large ", c.name, " come from.")
	c.P("type ", name, " struct {")
	for _, field := range counted {
		kind := "Singles"
		if field.store == storeList {
			kind = "Children"
		}
		c.P(c.slabName(field), " ", c.Codec(kind), "[", c.structName(codecChild(field.Field)), "]")
		if c.nests(field.Field) {
			c.P("at", field.goName, " *", c.slabsName(codecChild(field.Field)))
		}
	}
	c.P("}\n")
	c.Printf(`// countHot%[1]s gives the slabs for an input when it is large.
		func countHot%[1]s(b []byte) *%[2]s {
			if len(b) < %[3]s {
				return nil
			}
			s := new(%[2]s)
			s.count(b)
			s.reserve(len(b))
			return s
		}

		`, c.name, name, c.Codec("CountFrom"))
	c.P("// count counts the messages in an encoded message.")
	c.P("func (s *", name, ") count(b []byte) {")
	for _, field := range counted {
		if isSingle(field) {
			c.P("has", field.goName, " := 0")
		}
	}
	c.Printf(`var tag %s
		for i := 0; i < len(b); {
			if x := b[i]; x-8 < 0x78 && x&7 < 6 {
				tag = %s(x)
				i++
			} else if tag, i = %s(b, i); i < 0 {
				return
			}
			switch tag {
		`, c.Wire("Tag"), c.Wire("Tag"), c.Codec("ReadTag"))
	for _, field := range counted {
		c.P("case ", tagValue(field.Number, field.WireType), ": // ", field.Name)
		if c.nests(field.Field) {
			at := "s.at" + field.goName
			c.Printf("from, end := %s(b, i)\nif end < 0 {\nreturn\n}\n", c.Codec("ReadBytes"))
			c.P("if ", at, " == nil {\n", at, " = new(", c.slabsName(codecChild(field.Field)), ")\n}")
			c.P(at, ".count(b[from:end])")
			if isSingle(field) {
				c.P("has", field.goName, " = 1\ni = end")
			} else {
				c.P("s.", c.slabName(field), ".Count(1)\ni = end")
			}
			continue
		}
		if isSingle(field) {
			c.Printf("has%s = 1\nif i = %s(b, i, tag); i < 0 {\nreturn\n}\n", field.goName, c.Codec("Skip"))
			continue
		}
		c.Printf("n, end := %s(b, i, %q)\ns.%s.Count(n)\nif i = end; i < 0 {\nreturn\n}\n", c.Codec("PassRun"), field.Tag, c.slabName(field))
	}
	c.Printf("default:\nif i = %s(b, i, tag); i < 0 {\nreturn\n}\n}\n}\n", c.Codec("Skip"))
	for _, field := range counted {
		if isSingle(field) {
			c.P("s.", c.slabName(field), ".Count(has", field.goName, ")")
		}
	}
	c.P("}\n")
	c.P("// reserve takes memory for them.")
	c.P("func (s *", name, ") reserve(size int) {")
	for _, field := range counted {
		size := "size"
		if field.store == storeList {
			size = ""
		}
		c.P("s.", c.slabName(field), ".Reserve(", size, ")")
		if c.nests(field.Field) {
			c.P("if s.at", field.goName, " != nil {\ns.at", field.goName, ".reserve(size)\n}")
		}
	}
	c.P("}\n")
}
