package gen

import (
	"slices"

	"github.com/hotpb/hotpb/go/internal/gen/plan"
)

// encodePart is a step of an encoder: one field, or one oneof.
type encodePart struct {
	// room is the most bytes that the step takes beside what it makes sure of
	// itself: tags, lengths and single numbers.
	room int
	// emit writes the step. after is the room that this step and those behind it
	// take until room is made anew: the step must leave that much in front of i
	// wherever it used more than its own.
	emit func(after int)
}

// roomAtOnce is about how much room is made at once: few checks in common
// messages, and no kilobytes in front of rare ones with hundreds of fields.
const roomAtOnce = 256

// emitEncode writes the encoder: from the message's last byte to its first.
// The order of the bytes is that of the runtimes: extensions, the fields by
// number, the oneofs as they are declared, the unknown fields.
func (c *codecType) emitEncode() {
	c.Printf(`func (m *%[1]s) EncodeHot(e *%[2]s, i int) int {
			if err := %[3]s.Check(); err != nil {
				return e.Refuse(i, err)
			}
			return m.encodeHot(e, i)
		}

		func (m *%[1]s) encodeHot(e *%[2]s, i int) int {
		`, c.name, c.Codec("Encoder"), c.guardName())
	if c.MessageSet {
		c.P("return ", c.CodecRuntime("EncodeByRuntime"), "(e, i, m)\n}\n")
		return
	}
	c.P("if m == nil {")
	if c.v1() {
		c.P(c.CodecRuntime("Nil"), "(e)")
	} else if slices.ContainsFunc(c.fields, func(field *stockField) bool { return field.Presence == plan.Required }) {
		c.P("e.Missing()")
	}
	c.P("return i\n}")
	c.P("if len(", c.unknown, ") > 0 {\ni = e.Raw(i, ", c.unknown, ")\n}")
	parts := c.encodeParts()
	if len(parts) > 0 {
		c.P("b := e.B")
		c.loadPresence()
	}
	hasParts := len(parts) > 0
	for len(parts) > 0 {
		n, room := 1, parts[0].room
		for n < len(parts) && room+parts[n].room <= roomAtOnce {
			room += parts[n].room
			n++
		}
		c.makeRoom(room)
		for _, part := range parts[:n] {
			part.emit(room)
			room -= part.room
		}
		parts = parts[n:]
	}
	if hasParts {
		c.P("_ = b")
	}
	if c.extensible {
		c.P("if ", c.hasExtensions(), " {\ni = ", c.withExtensions("Encode", "e, i, "), "\n}")
	}
	c.P("return i\n}\n")
}

// encodeParts are the steps of the encoder, in its order.
func (c *codecType) encodeParts() (parts []encodePart) {
	for _, oneof := range slices.Backward(c.oneofs) {
		parts = append(parts, c.oneofPart(oneof))
	}
	var last *stockField // of the fields by table that stand side by side
	for n, field := range slices.Backward(c.fields) {
		if c.inTable(field) {
			if last == nil {
				last = field
			}
			if n == 0 || !c.inTable(c.fields[n-1]) {
				parts = append(parts, c.tablePart(field, last))
				last = nil
			}
			continue
		}
		if field.oneof == nil {
			part := c.fieldPart(field)
			emit := part.emit
			part.emit = func(after int) {
				c.P("// ", declaration(field.Field))
				emit(after)
			}
			parts = append(parts, part)
		}
	}
	return parts
}

// makeRoom sees that there are n bytes in front of i.
func (c *codecType) makeRoom(n any) {
	if n == 0 {
		return
	}
	c.P("if i < ", n, " {\ni = e.Grow(i, ", n, ")\nb = e.B\n}")
}

// maxLength is the most bytes a length can take that counts bytes in memory.
const maxLength = 9

// numberRoom is the most bytes that a number can take.
func numberRoom(field *plan.Field) int {
	switch field.WireType {
	case 1:
		return 8
	case 5:
		return 4
	}
	switch field.Type {
	case plan.TypeBool:
		return 1
	case plan.TypeUint32, plan.TypeSint32:
		return 5
	}
	return 10
}

// recordRoom is the room of one record, without what a text or a message contains.
func recordRoom(field *plan.Field) int {
	tag := len(tagBytes(field.Number, field.WireType))
	switch {
	case field.Delimited:
		return 2 * tag
	case field.Type == plan.TypeMessage, isText(field):
		return tag + maxLength
	}
	return tag + numberRoom(field)
}

// fieldPart is the step of a field that is in no oneof.
func (c *codecType) fieldPart(field *stockField) encodePart {
	room := recordRoom(field.Field)
	switch {
	case field.isLazy():
		return encodePart{room, func(after int) { c.encodeLazy(field, after) }}
	case field.store == storeMap:
		return encodePart{0, func(after int) { c.encodeMap(field, after) }}
	case field.Packed:
		return encodePart{len(field.Tag), func(after int) { c.encodePacked(field, after) }}
	case field.store == storeList:
		return encodePart{0, func(after int) {
			c.overList(field, func(list string) { c.encodeElements(field, list, after) })
		}}
	}
	return encodePart{room, func(after int) {
		has, value := c.presenceOf(field)
		c.P("if ", has, " {")
		c.encodeRecord(field.Field, value, after)
		if field.Presence == plan.Required {
			c.P("} else {\ne.Missing()")
		}
		c.P("}")
	}}
}

// oneofPart is the step of a oneof. A nil wrapper is an absent member; a nil
// message in a wrapper is an empty one.
func (c *codecType) oneofPart(oneof *stockOneof) encodePart {
	room := 0
	for _, field := range oneof.members {
		room = max(room, recordRoom(field.Field))
	}
	return encodePart{room, func(after int) {
		c.P("switch w := ", oneof.slot, ".(type) { // oneof ", oneof.Name)
		for _, field := range oneof.members {
			c.P("case *", field.wrapper, ": // ", declaration(field.Field))
			c.P("if w != nil {")
			c.encodeRecord(field.Field, field.slot, after)
			c.P("}")
		}
		c.P("}")
	}}
}

// putTag writes a tag; there is room for it.
func (c *codecType) putTag(tag []byte) {
	if len(tag) == 1 {
		c.P("i--\nb[i] = ", byteList(tag))
		return
	}
	c.P("i -= ", len(tag))
	for at, octet := range slices.Backward(tag) {
		if at == 0 {
			c.P("b[i] = ", byteList([]byte{octet}))
		} else {
			c.P("b[i+", at, "] = ", byteList([]byte{octet}))
		}
	}
}

// encodeRecord writes one record. There is its own room in front of i, of which
// after is what must be there in the end, before its own is used.
func (c *codecType) encodeRecord(field *plan.Field, value string, after int) {
	switch {
	case field.Type == plan.TypeMessage && field.Delimited:
		c.putTag(tagBytes(field.Number, 4))
		c.encodeChild(field, value)
		c.makeRoom(after)
	case field.Type == plan.TypeMessage:
		c.P("written := len(b) - i")
		c.encodeChild(field, value)
		c.makeRoom(after)
		c.P("i = ", c.Codec("PutVarint"), "(b, i, uint64(len(b)-i-written))")
	case c.putsTagged(field):
		c.putTagged(field, value, after)
		c.P("b = e.B")
		return
	case isText(field):
		if field.Type == plan.TypeString && c.verify(field) {
			c.P("i = e.PutText(i, ", value, ", ", after, ")\nb = e.B")
		} else {
			c.P("i = ", c.Codec("PutBytes"), "(e, i, ", value, ", ", after, ")\nb = e.B")
		}
	case field.WireType == 0:
		c.P("i = ", c.Codec("PutVarint"), "(b, i, ", c.codecVarint(field, value), ")")
	case field.WireType == 1:
		c.P("i -= 8\n", c.Ident("encoding/binary", "LittleEndian"), ".PutUint64(b[i:], ", c.toFixed(field, value), ")")
	default:
		c.P("i -= 4\n", c.Ident("encoding/binary", "LittleEndian"), ".PutUint32(b[i:], ", c.toFixed(field, value), ")")
	}
	c.putTag(tagBytes(field.Number, field.WireType))
}

// putsTagged tells the texts that are written together with their tags.
func (c *codecType) putsTagged(field *plan.Field) bool {
	return field.Type == plan.TypeString && c.verify(field) && len(tagBytes(field.Number, field.WireType)) == 1
}

// putTagged writes such a text; b is to be read anew before it is used.
func (c *codecType) putTagged(field *plan.Field, value string, after int) {
	c.P("i = e.PutTagged(i, ", value, ", ", byteList(tagBytes(field.Number, field.WireType)), ", ", after, ")")
}

// codecVarint is the number that stands for a value in a varint.
func (c *codecType) codecVarint(field *plan.Field, value string) string {
	switch field.Type {
	case plan.TypeSint32:
		return c.Codec("Zigzag32") + "(" + value + ")"
	case plan.TypeBool:
		return c.Codec("Bit") + "(" + value + ")"
	}
	return c.toVarint(field, value)
}

// encodeChild writes what a message contains.
func (c *codecType) encodeChild(field *plan.Field, value string) {
	if c.isLocal(field.Message) {
		c.P("i = ", value, ".encodeHot(e, i)\nb = e.B")
	} else {
		c.P("i = ", c.CodecRuntime("Encode"), "(e, i, ", value, ")\nb = e.B")
	}
}

// overList writes what is done with the elements of a repeated field, if it has any.
func (c *codecType) overList(field *stockField, then func(list string)) {
	if field.boxed { // an opaque message may have no slice
		c.P("if box := ", field.slot, "; box != nil && len(*box) > 0 {\nlist := *box")
	} else {
		c.P("if list := ", field.slot, "; len(list) > 0 {")
	}
	then("list")
	c.P("}")
}

// encodeElements writes the records of a list that is not packed and not empty.
func (c *codecType) encodeElements(field *stockField, list string, after int) {
	room := recordRoom(field.Field)
	if field.Type == plan.TypeMessage && c.isRow(field) {
		c.encodeRows(field, list, room)
		c.makeRoom(after)
		return
	}
	c.P("for n := len(", list, ") - 1; n >= 0; n-- {")
	if field.Type != plan.TypeMessage && !isText(field.Field) || field.Delimited {
		c.makeRoom(room)
	}
	c.encodeRecord(field.Field, list+"[n]", room)
	c.P("}")
	c.makeRoom(after)
}

// encodePacked hands the list to the runtime's half, which writes it with its length.
func (c *codecType) encodePacked(field *stockField, after int) {
	pack := map[plan.Type]string{
		plan.TypeBool: "PackBools", plan.TypeSint32: "PackSint32s", plan.TypeSint64: "PackSint64s",
	}[field.Type]
	switch {
	case pack != "":
	case field.WireType == 0:
		pack = "PackVarints"
	case field.WireType == 1:
		pack = "PackFixed64s"
	default:
		pack = "PackFixed32s"
	}
	c.P("if len(", field.slot, ") > 0 {")
	c.P("i = ", c.Codec(pack), "(e, i, ", field.slot, ")\nb = e.B")
	c.makeRoom(after)
	c.putTag(field.Tag)
	c.P("}")
}

// encodeMap writes the entries of a map: by key when they are to be the same every time.
func (c *codecType) encodeMap(field *stockField, after int) {
	key, value := field.Map.Key, field.Map.Value
	tag := tagBytes(field.Number, 2)
	room := recordRoom(key) + recordRoom(value) + maxLength + len(tag)
	c.P("if len(", field.slot, ") > 0 {")
	c.P("entry := func(i int, key ", c.valueType(key), ", value ", c.valueType(value), ") int {")
	c.P("b := e.B\nwritten := len(b) - i")
	if hasValue := c.ifMapValue(value); isText(value) && (hasValue == "" || isText(key)) {
		c.P("if i < ", room, " {\ni = e.Grow(i, ", room, ")\n}") // b is read anew behind the first text
	} else {
		c.makeRoom(room)
	}
	c.P(c.ifMapValue(value), "{")
	if c.putsTagged(value) && isText(key) { // behind which b is read anew
		c.putTagged(value, "value", room)
	} else {
		c.encodeRecord(value, "value", room)
	}
	room -= recordRoom(value)
	c.P("}\n{")
	c.encodeRecord(key, "key", room)
	c.P("}")
	c.P("i = ", c.Codec("PutVarint"), "(b, i, uint64(len(b)-i-written))")
	c.putTag(tag)
	c.P("return i\n}")
	keys := c.Codec("SortedKeys")
	if key.Type == plan.TypeBool {
		keys = c.Codec("SortedBools")
	}
	c.P("if e.Deterministic {")
	c.P("for _, key := range ", c.Ident("slices", "Backward"), "(", keys, "(", field.slot, ")) {")
	c.P("i = entry(i, key, ", field.slot, "[key])\n}")
	c.P("} else {\nfor key, value := range ", field.slot, " {\ni = entry(i, key, value)\n}\n}")
	c.P("b = e.B")
	c.makeRoom(after)
	c.P("}")
}
