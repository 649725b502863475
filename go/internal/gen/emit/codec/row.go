package codec

import (
	"slices"
	"strings"

	"github.com/hotpb/hotpb/go/internal/gen/emit"
	"github.com/hotpb/hotpb/go/internal/gen/plan"
)

// isRow reports whether the elements of a repeated field are small flat messages of this run. An element in the
// usual layout, each field once and in order, is decoded in place, without a call (as in the face pool).
func (c *codecType) isRow(field *emit.StockField) bool {
	m := field.Message
	if m == nil || field.Custom != nil && (field.Custom.Kind != emit.CustomMessage || field.Custom.Type != "") {
		return false
	}
	return !field.Delimited && c.isLocal(m) && !c.decodesByRuntime(m) && len(m.ExtensionRanges) == 0 &&
		len(m.Fields) > 0 && len(m.Fields) <= emit.MostRowFields && c.loops(field) &&
		!slices.ContainsFunc(m.Fields, func(f *plan.Field) bool {
			r := c.Options.StockRuntime()
			if r.CustomOf(f) != nil {
				return true
			}
			return f.IsRepeated() || f.HasPresence() || f.Type == plan.TypeMessage || len(f.Tag) > 1
		})
}

// isTextRow reports whether a row consists of checked strings only. Consecutive rows are checked together, tags
// and lengths included: below 128 these are ASCII as the text is, nearly always.
func (c *codecType) isTextRow(field *emit.StockField) bool {
	return c.isRow(field) && !slices.ContainsFunc(field.Message.Fields, func(f *plan.Field) bool { return f.UTF8 != plan.UTF8Verify })
}

// rowSlots are the expressions of a row's fields in the struct that elem points to.
func (c *codecType) rowSlots(field *emit.StockField) (slots []string) {
	row, err := emit.NewStockMessage(c.File, field.Message)
	if err != nil {
		return nil // the message's own code reports it
	}
	for _, f := range row.StockFields {
		slots = append(slots, "elem"+strings.TrimPrefix(f.StockSlot, "m"))
	}
	return slots
}

// decodeRow decodes the row b[from:i] into elem. A row in another layout than the usual one goes through the row's
// own decoder.
func (c *codecType) decodeRow(field *emit.StockField) {
	c.P("row := b[from:i:i]")
	var values []string
	for n, f := range field.Message.Fields {
		tag, v := emit.ByteList(f.Tag), "v"+emit.Itoa(n)
		values = append(values, v)
		c.P("var ", v, " ", c.GoType(f))
		switch f.WireType {
		case 2:
			c.P("if len(row) >= 2 && row[0] == ", tag, " && row[1] < 0x80 {")
			c.P("if end := 2 + int(row[1]); end <= len(row)", c.checkInRow(field, f), " {")
			text := Codec(c.File, "String") + "(row[2:end])"
			if f.Type == plan.TypeBytes {
				text = Codec(c.File, "Bytes") + "(row[2:end])"
			} else if c.Options.Vtproto != nil && f.Unique {
				text = "d.Unique(" + text + ")"
			}
			c.P(v, " = ", text, "\nrow = row[end:]\n}\n}")
		case 0:
			c.P("if len(row) > 0 && row[0] == ", tag, " {")
			c.P("if x, next := ", Codec(c.File, "ReadVarint"), "(row, 1); next >= 0 {")
			c.P(v, " = ", c.FromVarint(f, "x"), "\nrow = row[next:]\n}\n}")
		default:
			width, read := 8, "Uint64"
			if f.WireType == 5 {
				width, read = 4, "Uint32"
			}
			c.P("if len(row) > ", width, " && row[0] == ", tag, " {")
			c.P(v, " = ", c.FromFixed(f, c.Ident("encoding/binary", "LittleEndian")+"."+read+"(row[1:])"), "\nrow = row[", width+1, ":]\n}")
		}
	}
	c.P("if len(row) == 0 {")
	c.P(strings.Join(c.rowSlots(field), ", "), " = ", strings.Join(values, ", "))
	c.P("} else {")
	c.callDecode(field, "elem", "n-1")
	c.P("}")
}

// checkInRow is the condition that a string of a row is valid, if the rows are not checked together.
func (c *codecType) checkInRow(field *emit.StockField, f *plan.Field) string {
	if f.UTF8 != plan.UTF8Verify || c.isTextRow(field) {
		return ""
	}
	return " && " + c.Wire("ValidUTF8") + "(row[2:end])"
}

// checkRows checks the strings of the rows from first on, in one pass over b from begin to i. If one is invalid,
// its own decoder finds the place. The first row's tag is before begin: it may have more bytes than it needs.
func (c *codecType) checkRows(field *emit.StockField) {
	var bad []string
	for _, slot := range c.rowSlots(field) {
		bad = append(bad, "!"+Codec(c.File, "ValidText")+"("+slot+")")
	}
	c.Code(`
		if !$codec.ASCII$(b[begin:i]) {
			for k := range list[first:n] {
				elem := $elem$
				if !($bad$) {
					continue
				}
				for k, at, end := first, begin, 0; at < i; k, at = k+1, end+$tag$ {
					if at, end = $codec.ReadBytes$(b, at); new($row$).decodeHot(d, b[:end], at, levels-1) != 0 {
						return d.In("$field$", k)
					}
				}
			}
		}
		`, "elem", c.operand(field.Field, "list[first+k]"), "bad", strings.Join(bad, " || "), "tag", len(field.Tag),
		"row", c.structName(field.Message), "field", field.Name)
}

// encodeRows writes rows in place if there is room for a whole row and its strings are short. Other rows go
// through their own encoder. Rows of strings are checked together, as in decoding.
func (c *codecType) encodeRows(field *emit.StockField, list string, room int) {
	row, err := emit.NewStockMessage(c.File, field.Message)
	if err != nil {
		return // the message's own code reports it
	}
	slots, fields, text := c.rowSlots(field), field.Message.Fields, c.isTextRow(field)
	// A row is written in place unless it is absent, has unknown fields, or has a long string, and if it has room.
	most, lengths := room, []string(nil)
	for n, f := range fields {
		most += recordRoom(f)
		if emit.IsText(f) {
			lengths = append(lengths, "len("+slots[n]+")")
		}
	}
	var conditions []string
	if !field.Custom.IsValue() {
		conditions = append(conditions, "elem == nil")
	}
	if row.Unknown != "" {
		conditions = append(conditions, "len(elem"+strings.TrimPrefix(row.Unknown, "m")+") > 0")
	}
	if len(lengths) > 0 {
		conditions = append(conditions, strings.Join(lengths, "|")+" >= 0x80")
	}
	conditions = append(conditions, "i < "+strings.Join(append(lengths, emit.Itoa(most)), "+"))
	if text {
		c.P("before := len(b) - i")
	}
	c.P("for n := len(", list, ") - 1; n >= 0; n-- {\nelem := ", c.operand(field.Field, list+"[n]"))
	c.P("if ", strings.Join(conditions, " || "), " {")
	c.encodeRecord(field.Field, "elem", room)
	c.P("continue\n}\nend := i")
	// The fields, from the last to the first, because an encoder writes backwards.
	for n, f := range slices.Backward(fields) {
		c.P("if ", c.NotZero(f, slots[n]), " {")
		switch {
		case !emit.IsText(f):
			c.encodeRecord(f, slots[n], 0)
		case !text && f.UTF8 == plan.UTF8Verify:
			c.P("i = e.PutTagged(i, ", slots[n], ", ", emit.ByteList(f.Tag), ", 2)")
		default:
			c.P("i -= len(", slots[n], ") + 2\nb[i], b[i+1] = ", emit.ByteList(f.Tag), ", byte(len(", slots[n], "))")
			c.P("copy(b[i+2:], ", slots[n], ")")
		}
		c.P("}")
	}
	// The length and the tag of the row.
	if len(field.Tag) == 1 {
		c.P("if size := end - i; size < 0x80 {\ni -= 2\nb[i], b[i+1] = ", emit.ByteList(field.Tag), ", byte(size)\ncontinue\n}")
	}
	c.P("i = ", Codec(c.File, "PutVarint"), "(b, i, uint64(end-i))")
	c.putTag(field.Tag)
	c.P("}")
	// Bytes that are not all ASCII may be invalid strings: each one is checked.
	if text {
		exists := "elem != nil"
		if field.Custom.IsValue() {
			exists = ""
		}
		c.P("if !", Codec(c.File, "ASCII"), "(b[i:len(b)-before]) {\nfor n := range ", list, " {\nelem := ", c.operand(field.Field, list+"[n]"), "\n", ifHas(exists), "{")
		for _, slot := range slots {
			c.P("e.Check(", slot, ")")
		}
		c.P("}\n}\n}")
	}
}
