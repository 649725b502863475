package gen

import (
	"slices"
	"strings"

	"github.com/hotpb/hotpb/go/internal/gen/plan"
)

// isRow tells whether the elements of a repeated field are small flat messages of this run: their usual layout, each
// field once and in order, is decoded in place, without a call (as in the face pool).
func (c *codecType) isRow(field *stockField) bool {
	m := field.Message
	return !field.Delimited && c.isLocal(m) && !decodesByRuntime(m) && len(m.ExtensionRanges) == 0 &&
		len(m.Fields) > 0 && len(m.Fields) <= mostRowFields && c.loops(field) &&
		!slices.ContainsFunc(m.Fields, func(f *plan.Field) bool {
			return f.IsRepeated() || f.HasPresence() || f.Type == plan.TypeMessage || len(f.Tag) > 1
		})
}

// isTextRow tells the rows that are checked strings and nothing else. Of those
// that stand side by side all bytes are looked at together: tags and lengths
// below 128 are ASCII as the text is, nearly always.
func (c *codecType) isTextRow(field *stockField) bool {
	return c.isRow(field) && !slices.ContainsFunc(field.Message.Fields, func(f *plan.Field) bool { return f.UTF8 != plan.UTF8Verify })
}

// rowSlots are the expressions of a row's fields in the struct that one points to.
func (c *codecType) rowSlots(field *stockField) (slots []string) {
	row, err := newStockMessage(c.File, field.Message)
	if err != nil {
		return nil // it is reported where the message itself is written
	}
	for _, f := range row.fields {
		slots = append(slots, "one"+strings.TrimPrefix(f.slot, "m"))
	}
	return slots
}

// decodeRow decodes the row b[from:i] into one; what is laid out in another way than the usual one goes through the
// row's own decoder.
func (c *codecType) decodeRow(field *stockField) {
	c.P("row := b[from:i:i]")
	var values []string
	for n, f := range field.Message.Fields {
		tag, v := byteList(f.Tag), "v"+itoa(n)
		values = append(values, v)
		c.P("var ", v, " ", c.goType(f))
		switch f.WireType {
		case 2:
			c.P("if len(row) >= 2 && row[0] == ", tag, " && row[1] < 0x80 {")
			c.P("if end := 2 + int(row[1]); end <= len(row)", c.checkInRow(field, f), " {")
			text := c.Codec("String") + "(row[2:end])"
			if f.Type == plan.TypeBytes {
				text = c.Codec("Bytes") + "(row[2:end])"
			}
			c.P(v, " = ", text, "\nrow = row[end:]\n}\n}")
		case 0:
			c.P("if len(row) > 0 && row[0] == ", tag, " {")
			c.P("if x, next := ", c.Codec("ReadVarint"), "(row, 1); next >= 0 {")
			c.P(v, " = ", c.fromVarint(f, "x"), "\nrow = row[next:]\n}\n}")
		default:
			width, read := 8, "Uint64"
			if f.WireType == 5 {
				width, read = 4, "Uint32"
			}
			c.P("if len(row) > ", width, " && row[0] == ", tag, " {")
			c.P(v, " = ", c.fromFixed(f, c.Ident("encoding/binary", "LittleEndian")+"."+read+"(row[1:])"), "\nrow = row[", width+1, ":]\n}")
		}
	}
	c.P("if len(row) == 0 {")
	c.P(strings.Join(c.rowSlots(field), ", "), " = ", strings.Join(values, ", "))
	c.P("} else {")
	c.callDecode(field, "one", "n-1")
	c.P("}")
}

// checkInRow is the condition that a string of a row is good, where the rows are not looked at together.
func (c *codecType) checkInRow(field *stockField, f *plan.Field) string {
	if f.UTF8 != plan.UTF8Verify || c.isTextRow(field) {
		return ""
	}
	return " && " + c.Wire("ValidUTF8") + "(row[2:end])"
}

// checkRows looks at the text of the rows from first on, in one sweep over what stands in b from begin to i. When one
// is bad, its own decoder says where.
func (c *codecType) checkRows(field *stockField) {
	var bad []string
	for _, slot := range c.rowSlots(field) {
		bad = append(bad, "!"+c.Codec("ValidText")+"("+slot+")")
	}
	c.Printf(`if !%s(b[begin:i]) {
			for _, one := range list[first:n] {
				if !(%s) {
					continue
				}
				for k, at, end := first, begin, 0; at < i; k, at = k+1, end {
					if at, end = %s(b, at+%d); new(%s).decodeHot(d, b[:end], at, levels-1) != 0 {
						return d.In(%q, k)
					}
				}
			}
		}
		`, c.Codec("ASCII"), strings.Join(bad, " || "), c.Codec("ReadBytes"), len(field.Tag), c.structName(field.Message), field.Name)
}
