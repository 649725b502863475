package codec

import (
	"slices"

	"github.com/hotpb/hotpb/go/internal/gen/emit"
	"github.com/hotpb/hotpb/go/internal/gen/plan"
)

// encodePart is a step of an encoder: one field, or one oneof.
type encodePart struct {
	// room is the most bytes that the step needs for tags, lengths and single numbers. For everything else the step
	// checks the room itself.
	room int
	// emit writes the step. after is the room that this step and the steps after it need until the next check. The
	// step must leave that much in front of i wherever it used more than its own.
	emit func(after int)
}

// roomAtOnce is about how much room one check covers: common messages need few checks, and rare messages with
// hundreds of fields do not reserve kilobytes.
const roomAtOnce = 256

// emitEncode writes the encoder, which works from the message's last byte to its first. The order of the bytes is
// that of the runtimes: extensions, the fields by number, the oneofs as they are declared, the unknown fields.
func (c *codecType) emitEncode() {
	c.Encodes()
	c.Code(`
		func (m *$type$) EncodeHot(e *$codec.Encoder$, i int) int {
			if $guard$.Bars(e) {
				return i
			}
			return m.encodeHot(e, i)
		}

		func (m *$type$) encodeHot(e *$codec.Encoder$, i int) int {
		`)
	if c.decodesByRuntime(c.Message) {
		c.P("return ", CodecRuntime(c.File, "EncodeByRuntime"), "(e, i, m)\n}\n")
		return
	}
	c.P("if m == nil {")
	if c.v1() {
		c.P(CodecRuntime(c.File, "Nil"), "(e)")
	} else if slices.ContainsFunc(c.StockFields, func(field *emit.StockField) bool { return field.Presence == plan.Required }) {
		c.P("e.Missing()")
	}
	c.P("return i\n}")
	if c.Unknown != "" {
		c.P("if len(", c.Unknown, ") > 0 {\ni = e.Raw(i, ", c.Unknown, ")\n}")
	}
	encodeExtensions := func() {
		if c.Extensible {
			c.P("if ", c.hasExtensions(), " {\ni = ", c.withExtensions("Encode", "e, i, "), "\n}")
		}
	}
	if c.Marshals { // as gogo's own method does
		encodeExtensions()
	}
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
	if !c.Marshals {
		encodeExtensions()
	}
	c.P("return i\n}\n")
}

// encodeParts returns the steps of the encoder, in order.
func (c *codecType) encodeParts() (parts []encodePart) {
	if !c.Marshals {
		for _, oneof := range slices.Backward(c.StockOneofs) {
			parts = append(parts, c.oneofPart(oneof))
		}
	}
	var last *emit.StockField // of consecutive fields that are written by table
	for n, field := range slices.Backward(c.StockFields) {
		if isIn(c.written, field) {
			if last == nil {
				last = field
			}
			if n == 0 || !isIn(c.written, c.StockFields[n-1]) {
				parts = append(parts, c.tablePart(field, last))
				last = nil
			}
			continue
		}
		switch {
		case field.Oneof == nil:
			parts = append(parts, c.fieldPart(field))
		case c.Marshals && isLastMember(field): // gogo's own methods write a oneof at its highest number
			parts = append(parts, c.oneofPart(field.Oneof))
		}
	}
	return parts
}

// isLastMember reports whether a member of a oneof has the highest number.
func isLastMember(field *emit.StockField) bool {
	return !slices.ContainsFunc(field.Oneof.Members, func(member *emit.StockField) bool { return member.Number > field.Number })
}

// makeRoom checks that there are n bytes in front of i.
func (c *codecType) makeRoom(n any) {
	if n == 0 {
		return
	}
	c.P("if i < ", n, " {\ni = e.Grow(i, ", n, ")\nb = e.B\n}")
}

// maxLength is the most bytes that the length of data in memory needs.
const maxLength = 9

// numberRoom is the most bytes that a number needs.
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

// recordRoom is the room of one record, without the contents of its string or message.
func recordRoom(field *plan.Field) int {
	tag := len(plan.TagBytes(field.Number, field.WireType))
	switch {
	case field.Delimited:
		return 2 * tag
	case field.Type == plan.TypeMessage, emit.IsText(field):
		return tag + maxLength
	}
	return tag + numberRoom(field)
}

// fieldPart is the step of a field that is not in a oneof.
func (c *codecType) fieldPart(field *emit.StockField) encodePart {
	room := recordRoom(field.Field)
	switch {
	case isLazy(field):
		return encodePart{room, func(after int) { c.encodeLazy(field, after) }}
	case field.Store == emit.StoreMap:
		return encodePart{0, func(after int) { c.encodeMap(field, after) }}
	case field.Packed:
		if c.isCast(field.Field) {
			return encodePart{0, func(after int) { c.encodeCastPacked(field, after) }}
		}
		return encodePart{len(field.Tag), func(after int) { c.encodePacked(field, after) }}
	case field.Store == emit.StoreList:
		return encodePart{0, func(after int) {
			if field.Boxed || c.makesRoom(field.Field) || field.Type == plan.TypeMessage && c.isRow(field) {
				c.overList(field, func(list string) { c.encodeElements(field, list, after) })
				return
			}
			c.P("for list, n := ", field.StockSlot, ", len(", field.StockSlot, ")-1; n >= 0; n-- {")
			c.encodeRecord(field.Field, c.operand(field.Field, "list[n]"), room+after)
			c.P("}")
		}}
	}
	return encodePart{room, func(after int) {
		has, value := c.presenceOf(field)
		c.P(ifHas(has), "{")
		c.encodeRecord(field.Field, value, after)
		if field.Presence == plan.Required && has != "" {
			c.P("} else {\ne.Missing()")
		}
		c.P("}")
	}}
}

// ifHas begins a block that is executed under a condition, or always.
func ifHas(condition string) string {
	if condition == "" {
		return ""
	}
	return "if " + condition + " "
}

// oneofPart is the step of a oneof. A nil wrapper means that no member is set. A nil message in a wrapper is an
// empty message.
func (c *codecType) oneofPart(oneof *emit.StockOneof) encodePart {
	room := 0
	for _, field := range oneof.Members {
		room = max(room, recordRoom(field.Field))
	}
	return encodePart{room, func(after int) {
		c.P("switch w := ", oneof.StockSlot, ".(type) {")
		for _, field := range oneof.Members {
			c.P("case *", field.Wrapper, ":")
			has := "w != nil"
			if c.Marshals && (field.Store == emit.StoreMessage && !c.customs[field.Field].IsValue() || field.Type == plan.TypeBytes && !c.isPayload(field.Field)) {
				has += " && " + field.StockSlot + " != nil" // as gogo's own method does
			}
			c.P("if ", has, " {")
			c.encodeRecord(field.Field, c.operand(field.Field, field.StockSlot), after)
			c.P("}")
		}
		c.P("}")
	}}
}

// putTag writes a tag. The caller has made room for it.
func (c *codecType) putTag(tag []byte) {
	if len(tag) == 1 {
		c.P("i--\nb[i] = ", emit.ByteList(tag))
		return
	}
	c.P("i -= ", len(tag))
	for at, octet := range slices.Backward(tag) {
		if at == 0 {
			c.P("b[i] = ", emit.ByteList([]byte{octet}))
		} else {
			c.P("b[i+", at, "] = ", emit.ByteList([]byte{octet}))
		}
	}
}

// encodeRecord writes one record. The caller has made room for it in front of i. At least after bytes of that room
// must remain when the record is complete.
func (c *codecType) encodeRecord(field *plan.Field, value string, after int) {
	value = c.plain(field, value)
	switch {
	case field.Type == plan.TypeMessage && field.Delimited:
		c.putTag(plan.TagBytes(field.Number, 4))
		c.encodeChild(field, value)
		c.makeRoom(after)
	case field.Type == plan.TypeMessage, c.isPayload(field):
		c.P("was := len(b) - i")
		c.P("i = ", c.childEncode(field, value))
		c.P("if b = e.B; i < ", after, " {\ni = e.Grow(i, ", after, ")\nb = e.B\n}")
		c.P("i = ", Codec(c.File, "PutVarint"), "(b, i, uint64(len(b)-i-was))")
	case c.putsTagged(field):
		c.putTagged(field, value, after)
		c.P("b = e.B")
		return
	case emit.IsText(field):
		if field.Type == plan.TypeString && c.Verify(field) {
			c.P("i = e.PutText(i, ", value, ", ", after, ")\nb = e.B")
		} else {
			c.P("i = ", Codec(c.File, "PutBytes"), "(e, i, ", value, ", ", after, ")\nb = e.B")
		}
	default:
		c.putNumber(field, value)
	}
	c.putTag(plan.TagBytes(field.Number, field.WireType))
}

// putNumber writes a number without its tag. The caller has made room for it.
func (c *codecType) putNumber(field *plan.Field, value string) {
	switch {
	case field.Type == plan.TypeBool:
		c.P("i--\nb[i] = byte(", c.codecVarint(field, value), ")")
	case field.WireType == 0:
		c.P("i = ", Codec(c.File, "PutVarint"), "(b, i, ", c.codecVarint(field, value), ")")
	case field.WireType == 1:
		c.P("i = ", Codec(c.File, "PutFixed64"), "(b, i, ", c.ToFixed(field, value), ")")
	default:
		c.P("i = ", Codec(c.File, "PutFixed32"), "(b, i, ", c.ToFixed(field, value), ")")
	}
}

// putsTagged reports whether a string is written together with its tag.
func (c *codecType) putsTagged(field *plan.Field) bool {
	return field.Type == plan.TypeString && c.Verify(field) && len(plan.TagBytes(field.Number, field.WireType)) == 1
}

// putTagged writes such a string. b must be read again before its next use.
func (c *codecType) putTagged(field *plan.Field, value string, after int) {
	c.P("i = e.PutTagged(i, ", value, ", ", emit.ByteList(plan.TagBytes(field.Number, field.WireType)), ", ", after, ")")
}

// codecVarint is the number that represents a value in a varint.
func (c *codecType) codecVarint(field *plan.Field, value string) string {
	switch field.Type {
	case plan.TypeSint32:
		return Codec(c.File, "Zigzag32") + "(" + value + ")"
	case plan.TypeBool:
		return Codec(c.File, "Bit") + "(" + value + ")"
	}
	return c.ToVarint(field, value)
}

// encodeChild writes the contents of a message.
func (c *codecType) encodeChild(field *plan.Field, value string) {
	c.P("i = ", c.childEncode(field, value), "\nb = e.B")
}

// childEncode is the call that writes them.
func (c *codecType) childEncode(field *plan.Field, value string) string {
	if call := c.customCall(field, "Encode", "e, i, "+value); call != "" {
		return call
	}
	value = c.message(field, value)
	if c.isLocal(field.Message) {
		return value + ".encodeHot(e, i)"
	}
	return CodecRuntime(c.File, "Encode") + "(e, i, " + value + ")"
}

// overList writes a loop over the elements of a repeated field, if it has any.
func (c *codecType) overList(field *emit.StockField, then func(list string)) {
	if field.Boxed { // an opaque message may lack the slice
		c.P("if box := ", field.StockSlot, "; box != nil && len(*box) > 0 {\nlist := *box")
	} else {
		c.P("if list := ", field.StockSlot, "; len(list) > 0 {")
	}
	then("list")
	c.P("}")
}

// encodeElements writes the records of a list that is neither packed nor empty.
func (c *codecType) encodeElements(field *emit.StockField, list string, after int) {
	room := recordRoom(field.Field)
	if field.Type == plan.TypeMessage && c.isRow(field) {
		c.encodeRows(field, list, room)
		c.makeRoom(after)
		return
	}
	c.P("for n := len(", list, ") - 1; n >= 0; n-- {")
	if !c.makesRoom(field.Field) { // for the element and for the bytes after it
		c.encodeRecord(field.Field, c.operand(field.Field, list+"[n]"), room+after)
		c.P("}")
		return
	}
	c.makeRoom(room)
	c.encodeRecord(field.Field, c.operand(field.Field, list+"[n]"), room)
	c.P("}")
	c.makeRoom(after)
}

// makesRoom reports whether the elements need room before they are written: numbers and groups do.
func (c *codecType) makesRoom(field *plan.Field) bool {
	return field.Type != plan.TypeMessage && !emit.IsText(field) || field.Delimited
}

// encodePacked passes the list to the runtime, which writes it with its length.
func (c *codecType) encodePacked(field *emit.StockField, after int) {
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
	c.P("if len(", field.StockSlot, ") > 0 {")
	c.P("i = ", Codec(c.File, pack), "(e, i, ", field.StockSlot, ")\nb = e.B")
	c.makeRoom(after)
	c.putTag(field.Tag)
	c.P("}")
}

// encodeMap writes the entries of a map, sorted by key if the output must be deterministic.
func (c *codecType) encodeMap(field *emit.StockField, after int) {
	key, value := field.Map.Key, field.Map.Value
	tag := plan.TagBytes(field.Number, 2)
	room := recordRoom(key) + recordRoom(value) + maxLength + len(tag)
	c.P("if len(", field.StockSlot, ") > 0 {")
	c.P("entry := func(i int, key ", c.valueType(key), ", value ", c.valueType(value), ") int {")
	c.P("b := e.B\nwritten := len(b) - i")
	if hasValue := c.ifMapValue(value); emit.IsText(value) && !c.isPayload(value) && (hasValue == "" || emit.IsText(key)) {
		c.P("if i < ", room, " {\ni = e.Grow(i, ", room, ")\n}") // b is read again after the first string
	} else {
		c.makeRoom(room)
	}
	c.P(c.ifMapValue(value), "{")
	if c.putsTagged(value) && emit.IsText(key) { // b is read again after it
		c.putTagged(value, c.plain(value, "value"), room)
	} else {
		c.encodeRecord(value, c.operand(value, "value"), room)
	}
	room -= recordRoom(value)
	c.P("}\n{")
	c.encodeRecord(key, "key", room)
	c.P("}")
	c.P("i = ", Codec(c.File, "PutVarint"), "(b, i, uint64(len(b)-i-written))")
	c.putTag(tag)
	c.P("return i\n}")
	keys := Codec(c.File, "SortedKeys")
	if key.Type == plan.TypeBool {
		keys = Codec(c.File, "SortedBools")
	}
	if !c.Stable {
		c.P("if e.Deterministic {")
	}
	c.P("keys := ", keys, "(", field.StockSlot, ")\nfor n := len(keys) - 1; n >= 0; n-- {")
	c.P("i = entry(i, keys[n], ", field.StockSlot, "[keys[n]])\n}")
	if !c.Stable {
		c.P("} else {\nfor key, value := range ", field.StockSlot, " {\ni = entry(i, key, value)\n}\n}")
	}
	c.P("b = e.B")
	c.makeRoom(after)
	c.P("}")
}
