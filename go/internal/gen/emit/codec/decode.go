package codec

import (
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"

	"github.com/hotpb/hotpb/go/internal/gen/emit"
	"github.com/hotpb/hotpb/go/internal/gen/plan"
)

// emitUnmarshal writes the methods that begin a decode.
func (c *codecType) emitUnmarshal() {
	c.Code(`
		func (m *$type$) UnmarshalHot(b []byte) error { return m.UnmarshalHotOptions(b, $codec.UnmarshalOptions${}) }

		func (m *$type$) UnmarshalHotOptions(b []byte, o $codec.UnmarshalOptions$) error {
		`)
	if !c.mayLack() {
		c.Code("return $codec.Unmarshal$(m, b, &o, $text$)\n}\n\n", "text", c.HoldsText(c.Message))
	} else {
		partial := "_"
		if c.mayBePartial() {
			partial = "partial"
		}
		c.Code(`
			$partial$, err := $codec.UnmarshalPartial$(m, b, &o, $text$)
			if err != nil {
				return err
			}
			if !o.AllowPartial {`, "partial", partial, "text", c.HoldsText(c.Message))
		if c.NeedsRequired(c.Message) {
			c.Printf("if path := m.MissingHot(); path != \"\" {\nreturn %s(len(b), path)\n}\n", Codec(c.File, "Missing"))
		}
		if c.mayBePartial() {
			c.Printf("if partial {\nreturn %s(len(b), m)\n}\n", CodecRuntime(c.File, "CheckInitialized"))
		}
		c.P("}\nreturn nil\n}\n")
	}
	c.Code(`
		func (m *$type$) DecodeHot(d *$codec.Decoder$, b []byte, i, levels int) int {
			if $guard$.Stops(d, m == nil) {
				return -1
			}
			if d.Empties() {
				$reset$
			}
			return m.decodeHot(d, $slabs$b, i, levels)
		}

		`, "reset", c.reset(), "slabs", c.slabsOrNil("b[i:]"))
}

// reset is the statement that empties a message. Google's own Reset also records the message's type, which the
// runtime does by itself when it first needs the type.
func (c *codecType) reset() string {
	if c.v1() {
		return "m.Reset()"
	}
	return "*m = " + c.Name + "{}"
}

// mayLack reports whether a decoded message may lack required fields.
func (c *codecType) mayLack() bool {
	return c.NeedsRequired(c.Message) || c.HoldsExtensions(c.Message) && !c.Options.Values
}

// mayBePartial reports whether the decoder itself may see that required fields are absent: in extensions, or where the
// struct does not show it.
func (c *codecType) mayBePartial() bool {
	return c.HoldsExtensions(c.Message) && !c.Options.Values || c.hidesAbsence(c.Message, map[*plan.Message]bool{})
}

// hidesAbsence reports whether the struct of a message, or of one in it, does not show that a required field is absent.
func (c *codecType) hidesAbsence(m *plan.Message, seen map[*plan.Message]bool) bool {
	if m == nil || seen[m] || !c.Options.StockRuntime().Gogo {
		return false
	}
	seen[m] = true
	return slices.ContainsFunc(m.Fields, func(field *plan.Field) bool {
		return c.Options.StockRuntime().HidesAbsence(field) || c.hidesAbsence(codecChild(field), seen)
	})
}

// watched are the required fields whose absence the struct does not show: the decoder notes which of them it has read.
func (c *codecType) watched() (fields []*emit.StockField) {
	for _, field := range c.StockFields {
		if c.Options.StockRuntime().HidesAbsence(field.Field) {
			fields = append(fields, field)
		}
	}
	return fields
}

// decodesByRuntime reports whether the runtime decodes a message as a whole: one whose bytes are not laid out as fields.
func (c *codecType) decodesByRuntime(m *plan.Message) bool { return m.MessageSet && !c.Options.Values }

// emitDecode writes the decoder of a message: a section of straight-line code for each field, and a dispatch by
// tag. Each section ends with a guess at the next field: the same field if it is repeated, then the one that
// follows. The dispatch serves wrong guesses.
func (c *codecType) emitDecode() {
	c.emitBoxes()
	slabs := ""
	if c.hasSlabs(c.Message) {
		slabs = "s *" + Codec(c.File, "Slabs") + ", "
	}
	c.Code("func (m *$type$) decodeHot(d *$codec.Decoder$, $slabs$b []byte, i, levels int) int {", "slabs", slabs)
	if c.decodesByRuntime(c.Message) {
		c.P("return ", CodecRuntime(c.File, "DecodeSet"), "(d, m, b, i, levels)\n}\n")
		return
	}
	straight, end := c.straight(c.table), "return 0"
	if c.hasEnd() {
		end = "goto done"
	}
	unknown := c.declareShared(straight)
	c.emitNext(end)
	c.emitDispatch(straight)
	c.emitOthers()
	c.Printf("\nfail:\nreturn d.Fail(b, start, i, %q)\n", c.fieldNames())
	for _, field := range straight {
		c.emitSection(field, false)
		if emit.Packable(field.Field) {
			c.emitSection(field, true)
		}
	}
	c.emitEnd(unknown)
	c.P("}\n")
}

// hasEnd reports whether a decoder ends with more than a return: fields that must come are noted and checked there, and
// extensions are added. The end of a group leads there, too.
func (c *codecType) hasEnd() bool { return len(c.watched()) > 0 || c.Extensible }

// declareShared declares the variables that the sections share, because Go allows no goto over a declaration. It returns the
// expression of the unknown fields.
func (c *codecType) declareShared(straight []*emit.StockField) (unknown string) {
	c.P("start := i\nvar tag ", c.Wire("Tag"))
	unknown = c.Unknown
	if unknown == "" && c.Extensible {
		c.P("var dropped []byte")
		unknown = "dropped"
	}
	if slices.ContainsFunc(straight, c.readsRange) {
		c.P("var from int")
	}
	if slices.ContainsFunc(straight, c.readsVarint) {
		c.P("var x uint64")
	}
	if len(c.table) > 0 {
		c.P("var values ", Codec(c.File, "Values"))
	}
	for _, box := range slices.Sorted(maps.Keys(invert(c.boxes))) {
		c.P("var ", box, " *", c.boxType(box))
	}
	if watched := c.watched(); len(watched) > 0 {
		c.P("var seen [", (len(watched)+63)/64, "]uint64")
	}
	if c.hasEnd() {
		c.P("ended := 0")
	}
	if c.Extensible {
		c.P("var records ", Codec(c.File, "Records"))
	}
	return unknown
}

// emitNext writes the loop, which reads the next tag; with a table, after all records that the table reads.
func (c *codecType) emitNext(end string) {
	if len(c.table) > 0 {
		c.Code(`
			next:
				if start, tag, i = $table$.Decode(&values, $self$, b, i); i < 0 {
					goto fail
				}
				if tag == 0 {
					$end$
				}
			`, "table", c.tableName(), "self", c.self(), "end", end)
		return
	}
	c.Code(`
		next:
			if i >= len(b) {
				$end$
			}
			start = i
			if x := b[i]; x-8 < 0x78 && x&7 < 6 {
				tag = $wire.Tag$(x)
				i++
			} else if tag, i = $codec.ReadTag$(b, i); i < 0 {
				goto fail
			}
		`, "end", end)
}

// emitDispatch leads each straight field, by its tag, to its section.
func (c *codecType) emitDispatch(straight []*emit.StockField) {
	if len(straight) == 0 {
		return
	}
	c.P("switch tag {")
	for _, field := range straight {
		c.Printf("case %d:\ngoto %s\n", emit.TagValue(field.Number, field.WireType), c.label(field, false))
		if emit.Packable(field.Field) {
			c.Printf("case %d:\ngoto %s\n", emit.TagValue(field.Number, 2), c.label(field, true))
		}
	}
	c.P("}")
}

// emitOthers reads all other records: extensions and unknown fields.
func (c *codecType) emitOthers() {
	if c.Extensible {
		c.Printf("if i = records.Collect(d, b, start, i, tag, %s); i >= 0 {\ngoto next\n}\n", c.inRanges("tag.Number()"))
	} else if c.Unknown == "" {
		c.P("if i = d.Drop(b, start, i, tag); i >= 0 {\ngoto next\n}")
	} else {
		c.Printf("if i = d.Unknown(&%s, b, start, i, tag); i >= 0 {\ngoto next\n}\n", c.Unknown)
	}
	if c.hasEnd() {
		c.Code(`
			ended = $codec.Ended$(i)
			if ended == 0 {
				goto fail
			}
			goto done`)
	}
}

// emitEnd writes the end of hasEnd. unknown is the expression of the unknown fields.
func (c *codecType) emitEnd(unknown string) {
	if !c.hasEnd() {
		return
	}
	c.P("\ndone:")
	watched := c.watched()
	for n := 0; n < len(watched); n += 64 {
		c.Printf("if seen[%d] != %#x {\nd.Partial = true\n}\n", n/64, ^uint64(0)>>(64-min(64, len(watched)-n)))
	}
	if !c.Extensible {
		c.P("return ended")
		return
	}
	c.Code(`
		if records.Any() {
			if !records.Extension() {
				$unknown$ = append($unknown$, records.Bytes()...)
			} else if !$extensions$ {
				return -1
			}
		}
		return ended
		`, "unknown", unknown, "extensions", c.takeExtensions(unknown))
}

// fieldNames are the fields' tags and names, as Decoder.Fail expects them.
func (c *codecType) fieldNames() string {
	var names strings.Builder
	for _, field := range c.StockFields {
		fmt.Fprintf(&names, " %d %s", emit.TagValue(field.Number, field.WireType), field.Name)
		if emit.Packable(field.Field) {
			fmt.Fprintf(&names, " %d %s", emit.TagValue(field.Number, 2), field.Name)
		}
	}
	return names.String() + " "
}

// label is where the section of a field begins.
func (c *codecType) label(field *emit.StockField, packed bool) string {
	if packed {
		return "p" + emit.Itoa(field.Number)
	}
	return "f" + emit.Itoa(field.Number)
}

// inRanges is the condition that a number belongs to an extension.
func (c *codecType) inRanges(number string) string {
	var parts []string
	for _, r := range c.ExtensionRanges {
		if r.End-r.Start == 1 {
			parts = append(parts, number+" == "+emit.Itoa(r.Start))
		} else {
			parts = append(parts, number+" >= "+emit.Itoa(r.Start)+" && "+number+" < "+emit.Itoa(uint32(r.End)))
		}
	}
	return strings.Join(parts, " || ")
}

func (c *codecType) emitSection(field *emit.StockField, packed bool) {
	c.P()
	c.P(c.label(field, packed), ":")
	if n := slices.Index(c.watched(), field); n >= 0 {
		c.Printf("seen[%d] |= 1 << %d\n", n/64, n%64)
	}
	switch {
	case packed && c.isCast(field.Field):
		c.block(func() { c.decodeCastPacked(field) })
	case packed:
		c.reads("Packed(&" + field.StockSlot + ", " + c.Wire(emit.KindName(field.Field)) + ", b, i)")
	case field.Store == emit.StoreMap:
		c.block(func() { c.decodeMap(field) })
	case field.Store == emit.StoreList && c.isPayload(field.Field):
		c.block(func() { c.decodeCustoms(field) })
	case c.isPayload(field.Field):
		c.block(func() { c.decodeCustom(field) })
	case field.Store == emit.StoreList && field.Type == plan.TypeMessage:
		c.block(func() { c.decodeMessages(field) })
	case c.inLoop(field):
		c.block(func() { c.decodeList(field) })
	case field.Store == emit.StoreList:
		c.P("if start, i = ", c.repeated(field), ", b, start, i); i < 0 {\ngoto fail\n}")
	case field.Store == emit.StoreMessage:
		c.block(func() { c.decodeMessage(field) })
	default:
		c.decodeValue(field)
	}
	for _, slot := range field.Next {
		if next := c.fieldFrom(slot); next != nil && !(next == field && field.IsRepeated() && !packed && c.loops(field)) {
			c.emitGuess(next)
		}
	}
	c.P("goto next")
}

// block writes a section that has its own variables.
func (c *codecType) block(section func()) {
	c.P("{")
	section()
	c.P("}")
}

// inLoop reports whether a field is a list of numbers that is written with a tag for each element. Its section is
// a loop. Values that are converted are read in such a loop, too.
func (c *codecType) inLoop(field *emit.StockField) bool {
	return field.Store == emit.StoreList && field.Type != plan.TypeMessage &&
		(c.isCast(field.Field) || !field.Packed && !emit.IsText(field.Field))
}

// decodeList reads the elements of such a list.
func (c *codecType) decodeList(field *emit.StockField) {
	c.P("list := ", field.StockSlot)
	if field.WireType == 0 && c.loops(field) {
		c.Printf("if len(list) == cap(list) {\nlist = %s(list, %s(b, i, %q))\n}\n",
			Codec(c.File, "Grow"), Codec(c.File, "CountVarintRun"), plan.TagBytes(field.Number, field.WireType))
	}
	c.P("for {")
	c.P("list = append(list, ", c.readValue(field.Field, "b", "i", c.fail), ")")
	c.repeat(field)
	c.P(field.StockSlot, " = list")
}

// repeated is the beginning of the call that reads consecutive elements of a field.
func (c *codecType) repeated(field *emit.StockField) string {
	switch c.reader(field.Field) {
	case "Text":
		return Codec(c.File, "Texts") + "(&" + field.StockSlot
	case "Blob":
		return Codec(c.File, "Blobs") + "(&" + field.StockSlot
	}
	return Codec(c.File, "Repeated") + "(&" + field.StockSlot + ", " + c.Wire(emit.KindName(field.Field))
}

// reads writes the call of a runtime's reader that returns the position after the value.
func (c *codecType) reads(call string) {
	c.P("if i = ", Codec(c.File, call), "; i < 0 {\ngoto fail\n}")
}

// loops reports whether the section of a field repeats while its tag follows.
func (c *codecType) loops(field *emit.StockField) bool {
	return field.IsRepeated() && len(plan.TagBytes(field.Number, field.WireType)) <= 2
}

// fieldFrom returns the first field at a slot or after it.
func (c *codecType) fieldFrom(slot int) *emit.StockField {
	at := sort.Search(len(c.StockFields), func(i int) bool { return c.StockFields[i].Slot >= slot })
	if at == len(c.StockFields) {
		return nil
	}
	return c.StockFields[at]
}

// emitGuess jumps straight to a field if its tag is next.
func (c *codecType) emitGuess(field *emit.StockField) {
	if len(field.Tag) > 2 || isIn(c.table, field) {
		return
	}
	c.P("if ", c.comes(field.Tag), " {\nstart, i = i, i+", len(field.Tag), "\ngoto ", c.label(field, field.Packed), "\n}")
}

// repeat ends the loop of a section, which repeats while the field's tag is next.
func (c *codecType) repeat(field *emit.StockField) {
	if !c.loops(field) {
		c.P("break\n}")
		return
	}
	tag := plan.TagBytes(field.Number, field.WireType)
	c.P("if !", c.comes(tag), " {\nbreak\n}\nstart, i = i, i+", len(tag), "\n}")
}

// comes is the condition that a tag is next.
func (c *codecType) comes(tag []byte) string {
	if len(tag) == 1 {
		return Codec(c.File, "Comes") + "(b, i, " + emit.ByteList(tag) + ")"
	}
	return Codec(c.File, "ComesLong") + "(b, i, " + emit.ByteList(tag) + ")"
}

// failing is the statement that a section executes on an error. Inside a map's entry it differs.
type failing func()

func (c *codecType) fail() { c.P("goto fail") }

// failAs first sets i to the code of the error.
func (c *codecType) failAs(code string) { c.P("i = ", Codec(c.File, code), "\ngoto fail") }

// checkLevels checks that one more message may be opened.
func (c *codecType) checkLevels() {
	c.P("if levels <= 0 {")
	c.failAs("TooDeep")
	c.P("}")
}

// readLength reads a length and checks its range. The payload is then b[from:i]. i is the variable to read from.
func (c *codecType) readLength(b, i string, fail failing) {
	c.Code(`
		if from = $i$ + 1; $codec.Short$($b$, $i$) {
			$i$ = from + int($b$[$i$])
		} else {
			from, $i$ = $codec.ReadBytes$($b$, $i$)
		}
		if uint($i$) > uint(len($b$)) {
		`, "b", b, "i", i)
	fail()
	c.P("}")
}

// readValue reads an element that is not a message, after its tag, and returns the expression of its value, in the type
// that the struct has. It checks strings.
func (c *codecType) readValue(field *plan.Field, b, i string, fail failing) string {
	return c.cast(field, c.readPlain(field, b, i, fail))
}

func (c *codecType) readPlain(field *plan.Field, b, i string, fail failing) string {
	reader := ""
	switch field.WireType {
	case 2:
		c.readLength(b, i, fail)
		if field.Type == plan.TypeBytes {
			return Codec(c.File, "Bytes") + "(" + b + "[from:" + i + "])"
		}
		payload := b + "[from:" + i + "]"
		if field.UTF8 == plan.UTF8Verify {
			c.P("if !", c.Wire("ValidUTF8"), "(", payload, ") {\n", i, " = ", Codec(c.File, "BadUtf8"))
			fail()
			c.P("}")
		}
		return Codec(c.File, "String") + "(" + payload + ")"
	case 0:
		if b != "b" {
			c.P("var x uint64")
		}
		c.Code(`
			if $codec.Short$($b$, $i$) {
				x = uint64($b$[$i$])
				$i$++
			} else if x, $i$ = $codec.ReadVarint$($b$, $i$); $i$ < 0 {
			`, "b", b, "i", i)
		fail()
		c.P("}")
		if b == "b" && c.plainType(field) != c.GoType(field) { // entries of maps have the schema's numbers, as with gogo's methods
			return "x"
		}
		return c.FromVarint(field, "x")
	case 1:
		reader = "ReadFixed64"
	case 5:
		reader = "ReadFixed32"
	}
	c.Code("x, next := $read$($b$, $i$)\nif $i$ = next; next < 0 {", "read", c.Wire(reader), "b", b, "i", i)
	fail()
	c.P("}")
	return c.FromFixed(field, "x")
}

// readsVarint reports whether the field's section reads a varint in place.
func (c *codecType) readsVarint(field *emit.StockField) bool {
	return field.Store != emit.StoreMap && field.WireType == 0 && (!field.IsRepeated() || c.inLoop(field))
}

// reader returns the runtime's reader of a value into a variable; "" for varints.
func (c *codecType) reader(field *plan.Field) string {
	switch {
	case field.WireType == 5:
		return "Fixed32"
	case field.WireType == 1:
		return "Fixed64"
	case field.Type == plan.TypeBytes:
		return "Blob"
	case field.Type == plan.TypeString && field.UTF8 == plan.UTF8Verify:
		return "Text"
	case field.Type == plan.TypeString:
		return "AnyText"
	}
	return ""
}

// isInPlace reports whether a field is read straight into the struct. Other fields get a place after they have
// been read.
func (c *codecType) isInPlace(field *emit.StockField) bool {
	return field.Oneof == nil && field.Store == emit.StoreValue
}

// readsRange reports whether the field's section has the range of the payload in from and i.
func (c *codecType) readsRange(field *emit.StockField) bool {
	switch {
	case field.Store == emit.StoreMap, c.isPayload(field.Field):
		return true
	case field.Type == plan.TypeMessage:
		return !field.Delimited
	case c.isCast(field.Field):
		return emit.IsText(field.Field)
	case field.Store == emit.StoreList:
		return false
	}
	return emit.IsText(field.Field) && !c.isInPlace(field)
}

// decodeValue reads a singular field that is not a message.
func (c *codecType) decodeValue(field *emit.StockField) {
	reader := c.reader(field.Field)
	if c.isCast(field.Field) { // the readers know the types of the schema
		reader = ""
	}
	switch inPlace := c.isInPlace(field); {
	case inPlace && reader != "":
		c.reads(reader + "(&" + field.StockSlot + ", b, i)")
	case inPlace && field.WireType != 0:
		c.block(func() { c.P(field.StockSlot, " = ", c.readValue(field.Field, "b", "i", c.fail)) })
	case inPlace:
		c.P(field.StockSlot, " = ", c.readValue(field.Field, "b", "i", c.fail))
	default:
		c.block(func() { c.setValue(field, c.readValue(field.Field, "b", "i", c.fail)) })
	}
	if field.Bit >= 0 {
		c.P(c.setBit(field))
	}
}

// setValue stores a value in the pointer or the oneof of a field.
func (c *codecType) setValue(field *emit.StockField, value string) {
	if field.Oneof != nil {
		c.wrapper(field)
		c.P(field.StockSlot, " = ", value)
		return
	}
	c.P("if ", field.StockSlot, " == nil {")
	if c.boxes[field] != "" {
		c.takeBoxed(field)
	} else {
		c.P(field.StockSlot, " = new(", c.valueType(field.Field), ")")
	}
	c.P("}\n*", field.StockSlot, " = ", value)
}

// wrapper declares w, the wrapper of a oneof's member: the existing one or a new one.
func (c *codecType) wrapper(field *emit.StockField) {
	c.P("w, _ := ", field.Oneof.StockSlot, ".(*", field.Wrapper, ")")
	c.P("if w == nil {\nw = new(", field.Wrapper, ")\n", field.Oneof.StockSlot, " = w\n}")
}
