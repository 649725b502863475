package gen

import (
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"

	"github.com/hotpb/hotpb/go/internal/gen/plan"
)

// emitUnmarshal writes the methods that begin a decode.
func (c *codecType) emitUnmarshal() {
	text := c.holdsText(c.Message)
	c.Printf(`func (m *%[1]s) UnmarshalHot(b []byte) error { return m.UnmarshalHotOptions(b, %[2]s{}) }

		func (m *%[1]s) UnmarshalHotOptions(b []byte, o %[2]s) error {
			if err := %[7]s.Open(m == nil); err != nil {
				return err
			}
			if !o.Merge {
				%[6]s
			}
			var d %[3]s
			b, levels := d.Start(b, &o, %[4]t)
			if levels < 0 || m.decodeHot(&d, %[5]sb, 0, levels) != 0 {
				return d.Err()
			}
		`, c.name, c.Codec("UnmarshalOptions"), c.Codec("Decoder"), text, c.slabsOrNil("b"), c.reset(), c.guardName())
	if c.mayLack() {
		c.P("if !o.AllowPartial {")
		if c.needsRequired(c.Message) {
			c.Printf("if path := m.MissingHot(); path != \"\" {\nreturn %s(len(b), path)\n}\n", c.Codec("Missing"))
		}
		if c.holdsExtensions(c.Message) {
			c.Printf("if d.Partial {\nreturn %s(len(b), m)\n}\n", c.CodecRuntime("CheckInitialized"))
		}
		c.P("}")
	}
	c.P("return nil\n}\n")
	c.Printf(`func (m *%s) DecodeHot(d *%s, b []byte, i, levels int) int {
			if err := %s.Check(); err != nil {
				return d.Refuse(err)
			}
			return m.decodeHot(d, %sb, i, levels)
		}

		`, c.name, c.Codec("Decoder"), c.guardName(), c.slabsOrNil("b[i:]"))
}

// reset is the statement that empties a message. Google's own Reset notes the type in it, too, which the runtime does
// by itself when it is asked for the first time.
func (c *codecType) reset() string {
	if c.v1() {
		return "m.Reset()"
	}
	return "*m = " + c.name + "{}"
}

// mayLack tells whether a decoded message may lack required fields.
func (c *codecType) mayLack() bool {
	return c.needsRequired(c.Message) || c.holdsExtensions(c.Message)
}

// decodesByRuntime tells whether the runtime decodes a message as a whole: one whose bytes are not laid out as fields.
func decodesByRuntime(m *plan.Message) bool { return m.MessageSet }

// emitDecode writes the decoder of a message: a section of straight-line code per field, each ending in a guess at
// the field that comes next (itself again when it is repeated, then the one behind it), and a dispatch by tag for
// when the guess is wrong.
func (c *codecType) emitDecode() {
	c.emitBoxes()
	slabs := ""
	if c.hasSlabs(c.Message) {
		slabs = "s *" + c.slabsName(c.Message) + ", "
	}
	c.Printf("func (m *%s) decodeHot(d *%s, %sb []byte, i, levels int) int {\n", c.name, c.Codec("Decoder"), slabs)
	if decodesByRuntime(c.Message) {
		c.Printf("return %s(d, m, b, i, levels)\n}\n\n", c.CodecRuntime("DecodeSet"))
		return
	}
	c.P("var start, from int\nvar tag ", c.Wire("Tag"))
	c.P("_ = from")
	if len(c.table) > 0 {
		c.P("var values ", c.Codec("Values"))
	}
	for _, box := range slices.Sorted(maps.Keys(invert(c.boxes))) {
		c.P("var ", box, " *", c.boxType(box))
	}
	end := "return 0"
	if c.extensible {
		c.P("ended := 0\nvar records ", c.Codec("Records"))
		end = "goto done"
	}
	if len(c.table) > 0 {
		c.Printf(`next:
				if start, tag, i = %s.Decode(&values, %s, b, i); i < 0 {
					goto fail
				}
				if tag == 0 {
					%s
				}
			`, c.tableName(), c.self(), end)
	} else {
		c.Printf(`next:
				if i >= len(b) {
					%s
				}
				start = i
				if x := b[i]; x-8 < 0x78 && x&7 < 6 {
					tag = %s(x)
					i++
				} else if tag, i = %s(b, i); i < 0 {
					goto fail
				}
			`, end, c.Wire("Tag"), c.Codec("ReadTag"))
	}
	straight := c.straight()
	if len(straight) > 0 {
		c.P("switch tag {")
		for _, field := range straight {
			c.Printf("case %d: // %s\ngoto %s\n", tagValue(field.Number, field.WireType),
				hexTag(tagBytes(field.Number, field.WireType)), label(field.Field, false))
			if packable(field.Field) {
				c.Printf("case %d: // %s, packed\ngoto %s\n", tagValue(field.Number, 2),
					hexTag(tagBytes(field.Number, 2)), label(field.Field, true))
			}
		}
		c.P("}")
	}
	if c.extensible {
		c.Printf("if i = records.Collect(d, b, start, i, tag, %s); i >= 0 {\ngoto next\n}\n", c.inRanges("tag.Number()"))
		c.P("ended = ", c.Codec("Ended"), "(i)\nif ended == 0 {\ngoto fail\n}\ngoto done")
	} else {
		c.Printf("if i = d.Unknown(&%s, b, start, i, tag); i < 0 {\ngoto fail\n}\ngoto next\n", c.unknown)
	}
	for _, field := range straight {
		c.emitSection(field, false)
		if packable(field.Field) {
			c.emitSection(field, true)
		}
	}
	if c.extensible {
		c.Printf(`
			done:
			if records.Any() {
				if !records.Extension() {
					%[1]s = append(%[1]s, records.Bytes()...)
				} else if !%[2]s {
					return -1
				}
			}
			return ended
			`, c.unknown, c.takeExtensions())
	}
	var names strings.Builder
	for _, field := range c.fields {
		fmt.Fprintf(&names, " %d %s", tagValue(field.Number, field.WireType), field.Name)
		if packable(field.Field) {
			fmt.Fprintf(&names, " %d %s", tagValue(field.Number, 2), field.Name)
		}
	}
	c.Printf("\nfail:\nreturn d.Fail(b, start, i, %q)\n}\n\n", names.String()+" ")
}

// inRanges is the condition that a number is an extension's.
func (c *codecType) inRanges(number string) string {
	var parts []string
	for _, r := range c.ExtensionRanges {
		if r.End-r.Start == 1 {
			parts = append(parts, number+" == "+itoa(r.Start))
		} else {
			parts = append(parts, number+" >= "+itoa(r.Start)+" && "+number+" < "+itoa(uint32(r.End)))
		}
	}
	return strings.Join(parts, " || ")
}

func (c *codecType) emitSection(field *stockField, packed bool) {
	comment := declaration(field.Field)
	if packed {
		comment += ", packed"
	}
	c.P()
	c.P(label(field.Field, packed), ": // ", comment)
	c.P("{")
	switch {
	case packed:
		c.decodePacked(field)
	case field.store == storeMap:
		c.decodeMap(field)
	case field.store == storeList && field.Type == plan.TypeMessage:
		c.decodeMessages(field)
	case field.store == storeList:
		c.decodeList(field)
	case field.store == storeMessage:
		c.decodeMessage(field)
	default:
		c.decodeValue(field)
	}
	c.P("}")
	for _, slot := range field.Next {
		if next := c.fieldFrom(slot); next != nil && !(next == field && c.loops(field) && !packed) {
			c.emitGuess(next)
		}
	}
	c.P("goto next")
}

// loops tells whether the section of a field goes on as long as its tag comes again.
func (c *codecType) loops(field *stockField) bool {
	return field.IsRepeated() && len(tagBytes(field.Number, field.WireType)) <= 2
}

// fieldFrom gives the first field at a slot or behind it.
func (c *codecType) fieldFrom(slot int) *stockField {
	at := sort.Search(len(c.fields), func(i int) bool { return c.fields[i].Slot >= slot })
	if at == len(c.fields) {
		return nil
	}
	return c.fields[at]
}

// emitGuess goes straight to a field when its tag is what comes.
func (c *codecType) emitGuess(field *stockField) {
	if len(field.Tag) > 2 || c.inTable(field) {
		return
	}
	c.Printf("if %s {\nstart = i\ni += %d\ngoto %s\n}\n", tagComes(field.Tag), len(field.Tag), label(field.Field, field.Packed))
}

// again ends the loop of a section: it goes on while the field's tag comes.
func (c *codecType) again(field *stockField) {
	if !c.loops(field) {
		c.P("break\n}")
		return
	}
	tag := tagBytes(field.Number, field.WireType)
	c.Printf("if !(%s) {\nbreak\n}\nstart = i\ni += %d\n}\n", tagComes(tag), len(tag))
}

// failing is what a section does when something is wrong: in a map's entry or outside.
type failing func()

func (c *codecType) fail() { c.P("goto fail") }

// failAs sets i to what is wrong first.
func (c *codecType) failAs(what string) { c.P("i = ", c.Codec(what), "\ngoto fail") }

// checkLevels sees that one more message may open.
func (c *codecType) checkLevels() {
	c.P("if levels <= 0 {")
	c.failAs("TooDeep")
	c.P("}")
}

// readLength reads a length and checks its range: the payload is b[from:i] then.
// i is the variable to read from.
func (c *codecType) readLength(b, i string, fail failing) {
	c.Printf(`if from = %[2]s + 1; uint(%[2]s) < uint(len(%[1]s)) && %[1]s[%[2]s] < 0x80 {
			%[2]s = from + int(%[1]s[%[2]s])
		} else {
			from, %[2]s = %[3]s(%[1]s, %[2]s)
		}
		if uint(%[2]s) > uint(len(%[1]s)) {
		`, b, i, c.Codec("ReadBytes"))
	fail()
	c.P("}")
}

// readValue reads an element that is no message behind its tag, and gives the
// expression of its value. Text is checked.
func (c *codecType) readValue(field *plan.Field, b, i string, fail failing) string {
	reader := ""
	switch field.WireType {
	case 2:
		c.readLength(b, i, fail)
		if field.Type == plan.TypeBytes {
			return c.Codec("Bytes") + "(" + b + "[from:" + i + "])"
		}
		payload := b + "[from:" + i + "]"
		if field.UTF8 == plan.UTF8Verify {
			c.P("if !", c.Wire("ValidUTF8"), "(", payload, ") {\n", i, " = ", c.Codec("BadUtf8"))
			fail()
			c.P("}")
		}
		return c.Codec("String") + "(" + payload + ")"
	case 0:
		c.Printf(`var x uint64
			if uint(%[2]s) < uint(len(%[1]s)) && %[1]s[%[2]s] < 0x80 {
				x = uint64(%[1]s[%[2]s])
				%[2]s++
			} else if x, %[2]s = %[3]s(%[1]s, %[2]s); %[2]s < 0 {
			`, b, i, c.Codec("ReadVarint"))
		fail()
		c.P("}")
		return c.fromVarint(field, "x")
	case 1:
		reader = "ReadFixed64"
	case 5:
		reader = "ReadFixed32"
	}
	c.Printf("x, next := %s(%s, %s)\nif %s = next; next < 0 {\n", c.Wire(reader), b, i, i)
	fail()
	c.P("}")
	return c.fromFixed(field, "x")
}

// decodeValue reads a singular field that is no message.
func (c *codecType) decodeValue(field *stockField) {
	value := c.readValue(field.Field, "b", "i", c.fail)
	if field.oneof != nil {
		c.wrapper(field)
		c.P(field.slot, " = ", value)
		return
	}
	switch field.store {
	case storePointer:
		c.P("if ", field.slot, " == nil {")
		if c.boxes[field] != "" {
			c.takeBoxed(field)
		} else {
			c.P(field.slot, " = new(", c.valueType(field.Field), ")")
		}
		c.P("}\n*", field.slot, " = ", value)
	default:
		c.P(field.slot, " = ", value)
	}
	if field.bit >= 0 {
		c.P(c.setBit(field))
	}
}

// wrapper declares w, the wrapper of a oneof's member: the one that is there, or a new one.
func (c *codecType) wrapper(field *stockField) {
	c.P("w, _ := ", field.oneof.slot, ".(*", field.wrapper, ")")
	c.P("if w == nil {\nw = new(", field.wrapper, ")\n", field.oneof.slot, " = w\n}")
}

// decodePacked reads a packed record.
func (c *codecType) decodePacked(field *stockField) {
	c.readLength("b", "i", c.fail)
	width := map[int]string{0: "", 1: "8", 5: "4"}[field.WireType]
	if width == "" {
		c.Printf("n, _ := %s(b[from:i])\nif n < 0 {\n", c.Codec("CountVarints"))
		c.failAs("BadPacked")
	} else {
		c.P("n := (i - from) / ", width, "\nif n*", width, " != i-from {")
		c.failAs(map[string]string{"4": "BadFixed", "8": "BadFixed64"}[width])
	}
	c.P("}\nif n > 0 {")
	c.P("list := ", c.Codec("Grow"), "(", field.slot, ", n)")
	c.P("at := len(list)\nlist = list[:at+n]\n", c.Wire(packedReader(field.Field)), "(list[at:], b[from:i])")
	c.P(field.slot, " = list\n}")
}

// decodeList reads the elements of a repeated field that are no messages.
func (c *codecType) decodeList(field *stockField) {
	c.P("list := ", field.slot)
	count := map[int]string{0: "CountVarintRun", 2: "CountRun"}[field.WireType]
	if count != "" && c.loops(field) {
		c.Printf("if len(list) == cap(list) {\nlist = %s(list, %s(b, i, %q))\n}\n",
			c.Codec("Grow"), c.Codec(count), tagBytes(field.Number, field.WireType))
	}
	c.P("for {")
	c.P("list = append(list, ", c.readValue(field.Field, "b", "i", c.fail), ")")
	c.again(field)
	c.P(field.slot, " = list")
}
