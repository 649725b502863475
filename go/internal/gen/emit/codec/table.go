package codec

import (
	"fmt"
	"strings"

	"github.com/hotpb/hotpb/go/internal/gen/emit"
	"github.com/hotpb/hotpb/go/internal/gen/plan"
)

// FewestPlain is the number of plain fields from which a message by table has a table. For fewer fields straight
// code is as small.
const FewestPlain = 4

// isTabled reports whether a loop of the runtime can read and write the field: a number, enum, string or bytes
// field, singular or repeated, outside of oneofs.
func isTabled(field *emit.StockField) bool {
	if field.Custom != nil || field.Always {
		return false
	}
	switch field.Store {
	case emit.StoreValue, emit.StorePointer, emit.StoreList:
		return field.Oneof == nil && field.Type != plan.TypeMessage && !field.Boxed
	}
	return false
}

// chooseTable puts the plain fields of a message by table into its table.
func (c *codecType) chooseTable() {
	if !c.ByTable(c.Message) || c.decodesByRuntime(c.Message) {
		return
	}
	table := map[*emit.StockField]int{}
	for _, field := range c.StockFields {
		if isTabled(field) {
			table[field] = len(table)
		}
	}
	if len(table) >= FewestPlain {
		c.table = table
		if c.EncodesByTable(c.Message) {
			c.written = table
		}
	}
}

func isIn(table map[*emit.StockField]int, field *emit.StockField) bool {
	_, is := table[field]
	return is
}

// straight returns the fields that are not in a table and have code of their own.
func (c *codecType) straight(table map[*emit.StockField]int) (fields []*emit.StockField) {
	for _, field := range c.StockFields {
		if !isIn(table, field) {
			fields = append(fields, field)
		}
	}
	return fields
}

func (c *codecType) tableName() string { return "tableHot" + c.Name }

// place is the offset of a member of the struct.
func (c *codecType) place(slot string) string {
	return c.Ident("unsafe", "Offsetof") + "((*" + c.Name + ")(nil)" + strings.TrimPrefix(slot, "m") + ")"
}

// self is the message as memory, as the runtime's loops expect it.
func (c *codecType) self() string { return c.Ident("unsafe", "Pointer") + "(m)" }

// emitTable writes the table.
func (c *codecType) emitTable() {
	if len(c.table) == 0 {
		return
	}
	c.P("var ", c.tableName(), " = ", Codec(c.File, "Table"), "{")
	if c.Presence != "" {
		c.P("Presence: ", c.place(c.Presence), ",")
	}
	c.P("Fields: []", Codec(c.File, "Entry"), "{")
	for _, field := range c.StockFields {
		if isIn(c.table, field) {
			c.P(c.entry(field))
		}
	}
	c.P("},\n}\n")
}

func (c *codecType) entry(field *emit.StockField) string {
	tag := emit.TagValue(field.Number, field.WireType)
	if field.Packed {
		tag = emit.TagValue(field.Number, 2)
	}
	words := []string{fmt.Sprint("Tag: ", tag), "Kind: " + c.Wire(emit.KindName(field.Field)), "At: " + c.place(field.StockSlot)}
	var flags []string
	add := func(is bool, name string) {
		if is {
			flags = append(flags, Codec(c.File, name))
		}
	}
	add(field.Store == emit.StoreList, "List")
	add(field.Store == emit.StorePointer, "Pointer")
	add(field.Type == plan.TypeBytes && field.IsOptional(), "OrNil")
	add(field.Bit >= 0, "HasBit")
	add(field.Presence == plan.Required, "Required")
	add(field.UTF8 == plan.UTF8Verify, "Verify")
	if len(flags) > 0 {
		words = append(words, "How: "+strings.Join(flags, " | "))
	}
	if field.Bit >= 0 {
		words = append(words, "Bit: "+emit.Itoa(field.Bit))
	}
	return "{" + strings.Join(words, ", ") + "},"
}

// tablePart is the step of an encoder that writes consecutive plain fields, from one to another.
func (c *codecType) tablePart(first, last *emit.StockField) encodePart {
	return encodePart{0, func(after int) {
		c.P("// ", first.Name, " to ", last.Name)
		c.P("i = ", c.tableName(), ".Encode(e, ", c.self(), ", i, ", c.table[first], ", ", c.table[last]+1, ")\nb = e.B")
		c.makeRoom(after)
	}}
}
