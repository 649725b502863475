package gen

import (
	"fmt"
	"strings"

	"github.com/hotpb/hotpb/go/internal/gen/plan"
)

// fewestPlain is the number of plain fields from which a message by table has a table: of fewer, straight code is as small.
const fewestPlain = 4

// isTabled tells the fields that a loop of the runtime can read and write: numbers, enums, strings and bytes, single ones
// and lists of them, outside of oneofs.
func isTabled(field *stockField) bool {
	switch field.store {
	case storeValue, storePointer, storeList:
		return field.oneof == nil && field.Type != plan.TypeMessage && !field.boxed
	}
	return false
}

// chooseTable puts the plain fields of a message by table into its table.
func (c *codecType) chooseTable() {
	if !c.byTable(c.Message) || decodesByRuntime(c.Message) {
		return
	}
	table := map[*stockField]int{}
	for _, field := range c.fields {
		if isTabled(field) {
			table[field] = len(table)
		}
	}
	if len(table) >= fewestPlain {
		c.table = table
	}
}

// inTable tells whether a field is read and written by the message's table.
func (c *codecType) inTable(field *stockField) bool {
	_, is := c.table[field]
	return is
}

// straight are the fields that have code of their own.
func (c *codecType) straight() (fields []*stockField) {
	for _, field := range c.fields {
		if !c.inTable(field) {
			fields = append(fields, field)
		}
	}
	return fields
}

func (c *codecType) tableName() string { return "tableHot" + c.name }

// place is where a member of the struct stands.
func (c *codecType) place(slot string) string {
	return c.Ident("unsafe", "Offsetof") + "((*" + c.name + ")(nil)" + strings.TrimPrefix(slot, "m") + ")"
}

// self is the message as memory, as the runtime's loops take it.
func (c *codecType) self() string { return c.Ident("unsafe", "Pointer") + "(m)" }

// emitTable writes the table.
func (c *codecType) emitTable() {
	if len(c.table) == 0 {
		return
	}
	c.P("var ", c.tableName(), " = ", c.Codec("Table"), "{")
	if c.presence != "" {
		c.P("Presence: ", c.place(c.presence), ",")
	}
	c.P("Fields: []", c.Codec("Entry"), "{")
	for _, field := range c.fields {
		if c.inTable(field) {
			c.P(c.entry(field))
		}
	}
	c.P("},\n}\n")
}

func (c *codecType) entry(field *stockField) string {
	tag := tagValue(field.Number, field.WireType)
	if field.Packed {
		tag = tagValue(field.Number, 2)
	}
	words := []string{fmt.Sprint("Tag: ", tag), "Kind: " + c.Wire(kindName(field.Field)), "At: " + c.place(field.slot)}
	var how []string
	add := func(is bool, name string) {
		if is {
			how = append(how, c.Codec(name))
		}
	}
	add(field.store == storeList, "List")
	add(field.store == storePointer, "Pointer")
	add(field.Type == plan.TypeBytes && field.isOptional(), "OrNil")
	add(field.bit >= 0, "HasBit")
	add(field.Presence == plan.Required, "Required")
	add(field.UTF8 == plan.UTF8Verify, "Verify")
	if len(how) > 0 {
		words = append(words, "How: "+strings.Join(how, " | "))
	}
	if field.bit >= 0 {
		words = append(words, "Bit: "+itoa(field.bit))
	}
	return "{" + strings.Join(words, ", ") + "},"
}

// tablePart is the step of an encoder that writes the plain fields from one to another, which stand side by side.
func (c *codecType) tablePart(first, last *stockField) encodePart {
	return encodePart{0, func(after int) {
		c.P("// ", first.Name, " to ", last.Name)
		c.P("i = ", c.tableName(), ".Encode(e, ", c.self(), ", i, ", c.table[first], ", ", c.table[last]+1, ")\nb = e.B")
		c.makeRoom(after)
	}}
}
