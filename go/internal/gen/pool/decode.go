package pool

import (
	"sort"

	"github.com/hotpb/hotpb/go/internal/gen/emit"
	"github.com/hotpb/hotpb/go/internal/gen/plan"
)

// emitDecode writes the decoder of a message: a section of straight-line code
// per field, each ending in a guess at the field that comes next (itself again
// when it is repeated, then the one after it), and a dispatch by tag for when
// the guess is wrong.
func (p *poolType) emitDecode() {
	p.P("func (m *", p.name, ") DecodeHot(d *", p.Pool("Decoder"), ", s *", p.slabs(), ", b []byte, i, levels int) int {")
	p.P("var start, from int\nvar tag ", p.Wire("Tag"))
	p.P("_ = from")
	p.Printf(`next:
			if i >= len(b) {
				return 0
			}
			start = i
			if c := b[i]; c-8 < 0x78 && c&7 < 6 {
				tag = %[1]s(c)
				i++
			} else if tag, i = %[2]s(b, i); i < 0 {
				return -1
			}
		`, p.Wire("Tag"), p.Wire("ReadTag"))
	if len(p.fields) > 0 {
		p.P("switch tag {")
		for _, field := range p.fields {
			p.Printf("case %d: // %s\ngoto %s\n", emit.TagValue(field.Number, field.WireType),
				emit.HexTag(emit.TagBytes(field.Number, field.WireType)), emit.Label(field, false))
			if emit.Packable(field) {
				p.Printf("case %d: // %s, packed\ngoto %s\n", emit.TagValue(field.Number, 2),
					emit.HexTag(emit.TagBytes(field.Number, 2)), emit.Label(field, true))
			}
		}
		p.P("}")
	}
	if len(p.Dropped(p.message)) > 0 {
		p.Printf(`if tag.Type() != %s {
				switch tag.Number() {
				case %s: // left out
					if i = d.Drop(b, i, tag, levels); i < 0 {
						return -1
					}
					goto next
				}
			}
		`, p.Wire("EndGroup"), emit.NumberList(p.Dropped(p.message)))
	}
	p.Printf(`if i = d.Unknown(&m.hot, b, start, i, tag, levels); i < 0 {
				return i
			}
			goto next
		`)
	for _, field := range p.fields {
		p.emitSection(field, false)
		if emit.Packable(field) {
			p.emitSection(field, true)
		}
	}
	p.P("}\n")
}

func (p *poolType) emitSection(field *plan.Field, packed bool) {
	comment := emit.Declaration(field)
	if packed {
		comment += ", packed"
	}
	p.P()
	p.P(emit.Label(field, packed), ": // ", comment)
	p.P("{")
	switch {
	case packed:
		p.decodePacked(field)
	case field.Map != nil:
		p.decodeEntry(field)
	case field.IsRepeated():
		p.decodeList(field)
	case field.Type == plan.TypeMessage:
		p.decodeChild(field)
	default:
		p.decodeSingular(field)
	}
	p.P("}")
	for _, slot := range field.Next {
		if next := p.fieldFrom(slot); next != nil && !(next == field && p.loops(field) && !packed) {
			p.emitGuess(next)
		}
	}
	p.P("goto next")
}

// loops tells whether the section of a field goes on as long as its tag comes again.
func (p *poolType) loops(field *plan.Field) bool {
	return field.IsRepeated() && field.Map == nil && len(emit.TagBytes(field.Number, field.WireType)) <= 2
}

// fieldFrom gives the first field at a slot or after it.
func (p *poolType) fieldFrom(slot int) *plan.Field {
	at := sort.Search(len(p.fields), func(i int) bool { return p.fields[i].Slot >= slot })
	if at == len(p.fields) {
		return nil
	}
	return p.fields[at]
}

// tagComes is the condition that a tag of one or two bytes is what comes.
func tagComes(tag []byte) string {
	if len(tag) == 1 {
		return "uint(i) < uint(len(b)) && b[i] == " + emit.ByteList(tag)
	}
	return "len(b)-i >= 2 && b[i] == " + emit.ByteList(tag[:1]) + " && b[i+1] == " + emit.ByteList(tag[1:])
}

// emitGuess goes straight to a field when its tag is what comes.
func (p *poolType) emitGuess(field *plan.Field) {
	if len(field.Tag) > 2 {
		return
	}
	p.Printf("if %s {\nstart = i\ni += %d\ngoto %s\n}\n", tagComes(field.Tag), len(field.Tag), emit.Label(field, field.Packed))
}

// readLength reads a length and checks its range: the payload is b[from:i] then.
// at is the variable to read from, and i or what stands for it.
func (p *poolType) readLength(b, i string) {
	p.Printf(`if from = %[2]s + 1; uint(%[2]s) < uint(len(%[1]s)) && %[1]s[%[2]s] < 0x80 {
			%[2]s = from + int(%[1]s[%[2]s])
		} else {
			from, %[2]s = %[3]s(%[1]s, %[2]s)
		}
		if uint(%[2]s) > uint(len(%[1]s)) {
			return -1
		}
		`, b, i, p.Wire("ReadBytes"))
}

// readVarint reads a varint into x, which is declared.
func (p *poolType) readVarint(b, i string) {
	p.Printf(`if uint(%[2]s) < uint(len(%[1]s)) && %[1]s[%[2]s] < 0x80 {
			x = uint64(%[1]s[%[2]s])
			%[2]s++
		} else if x, %[2]s = %[3]s(%[1]s, %[2]s); %[2]s < 0 {
			return -1
		}
		`, b, i, p.Wire("ReadVarint"))
}

// readValue reads an element that is no message after its tag, and gives the
// expression of its value. Text is checked.
func (p *poolType) readValue(field *plan.Field, b, i string) string {
	switch field.WireType {
	case 2:
		p.readLength(b, i)
		payload := b + "[from:" + i + "]"
		switch {
		case field.Type == plan.TypeBytes:
			return b + "[from:" + i + ":" + i + "]"
		case p.Verify(field):
			p.P("if !d.Valid(", payload, ") {\nreturn -1\n}")
		default:
			p.P("if !d.ValidStrict(", payload, ") {\nreturn -1\n}")
		}
		return p.Pool("String") + "(" + payload + ")"
	case 0:
		p.P("var x uint64")
		p.readVarint(b, i)
		return p.FromVarint(field, "x")
	case 1:
		p.Printf("x, next := %s(%s, %s)\nif next < 0 {\nreturn -1\n}\n%s = next\n", p.Wire("ReadFixed64"), b, i, i)
	case 5:
		p.Printf("x, next := %s(%s, %s)\nif next < 0 {\nreturn -1\n}\n%s = next\n", p.Wire("ReadFixed32"), b, i, i)
	}
	return p.FromFixed(field, "x")
}

// ifDefined opens the branch for a value that a closed enum defines.
func (p *poolType) ifDefined(field *plan.Field, value string) {
	p.P("if ", p.ClosedTable(field)[1:], ".Has(int32(", value, ")) {")
}

// orKeep ends that branch: other values are unknown fields.
func (p *poolType) orKeep(field *plan.Field, value string) {
	p.P("} else {\nd.KeepEnum(&m.hot, ", field.Number, ", int32(", value, "))\n}")
}

func (p *poolType) decodeSingular(field *plan.Field) {
	value := p.readValue(field, "b", "i")
	if emit.IsClosed(field) {
		p.P("v := ", value)
		value = "v"
		p.ifDefined(field, value)
	}
	if field.Oneof != nil {
		p.leaveOneof(field.Oneof, field)
	}
	if field.Oneof != nil && field.Type == plan.TypeBool {
		p.P("v := ", value)
		value = "v"
	}
	p.P(p.store(field, value))
	if _, needsBit := p.bits[field]; needsBit || field.Oneof != nil {
		p.P(p.markPresent(field))
	}
	if emit.IsClosed(field) {
		p.orKeep(field, "v")
	}
}

// ensure gives list, a list of the field, room for n more elements, and accounts for them.
func (p *poolType) ensure(field *plan.Field, n string) {
	slab := "s." + p.slabName("of", field)
	p.P("if !", slab, ".Take(d, ", n, ") {\nreturn d.Exceeded(start)\n}")
	grow := ".Grow("
	if p.isRecursive() {
		grow = ".Extend("
	}
	if n == "1" {
		p.P("if len(list) == cap(list) {")
	} else {
		p.P("if cap(list)-len(list) < ", n, " {")
	}
	p.P("list = ", slab, grow, "list, ", n, ")\n}")
}

// openList declares list, the elements of a field so far, and closeList puts it back.
func (p *poolType) openList(field *plan.Field) {
	if p.isRecursive() {
		p.P("list := ", p.slot(field))
	} else {
		p.P("list := s.", p.slabName("of", field), ".Open(", p.slot(field), ")")
	}
}

func (p *poolType) closeList(field *plan.Field) {
	if p.isRecursive() {
		p.P(p.slot(field), " = list")
	} else {
		p.P(p.slot(field), " = s.", p.slabName("of", field), ".Close(list)")
	}
}

func (p *poolType) decodePacked(field *plan.Field) {
	p.readLength("b", "i")
	width := map[int]string{0: "", 1: "8", 5: "4"}[field.WireType]
	if width == "" {
		p.Printf("n, _, bad := %s(b[from:i])\nif bad != 0 {\nreturn -1\n}\n", p.Wire("CountVarints"))
	} else {
		p.P("n := (i - from) / ", width, "\nif n*", width, " != i-from {\nreturn -1\n}")
	}
	p.P("if n > 0 {")
	p.openList(field)
	p.ensure(field, "n")
	if emit.IsClosed(field) {
		p.P("for payload, at := b[from:i], 0; at < len(payload); {\nvar x uint64")
		p.readVarint("payload", "at")
		p.P("v := ", p.FromVarint(field, "x"))
		p.ifDefined(field, "v")
		p.P("list = append(list, v)")
		p.orKeep(field, "v")
		p.P("}")
	} else {
		p.P("at := len(list)\nlist = list[:at+n]\n", p.Wire(packedReader(field)), "(list[at:], b[from:i])")
	}
	p.closeList(field)
	p.P("}")
}

// packedReader is the function of package wire that reads all elements of a packed field.
func packedReader(field *plan.Field) string {
	switch field.Type {
	case plan.TypeBool:
		return "ReadBools"
	case plan.TypeSint32, plan.TypeSint64:
		return "ReadZigzags"
	}
	if field.WireType == 0 {
		return "ReadVarints"
	}
	return "ReadFixed"
}

// decodeList reads the elements of a repeated field as long as its tag comes again.
func (p *poolType) decodeList(field *plan.Field) {
	p.openList(field)
	at := ""
	if field.Type == plan.TypeMessage {
		p.P("if levels <= 0 {\nreturn -1\n}")
		at = p.childSlabs(field)
	}
	if p.isTextRow(field) {
		p.P("begin, first := start, len(list)")
	}
	if p.loops(field) {
		p.P("for {")
	}
	switch {
	case field.Type == plan.TypeMessage:
		if !field.Delimited {
			p.readLength("b", "i")
		}
		p.ensure(field, "1")
		p.P("n := len(list)\nlist = list[:n+1]")
		if p.isRow(field) {
			p.decodeRow(field, at)
			break
		}
		p.P("list[n] = ", PoolGoType(p.File, field), "{}")
		p.callDecode(field, "list[n]", at)
	case emit.IsClosed(field):
		p.P("v := ", p.readValue(field, "b", "i"))
		p.ifDefined(field, "v")
		p.ensure(field, "1")
		p.P("list = append(list, v)")
		p.orKeep(field, "v")
	default:
		value := p.readValue(field, "b", "i")
		p.ensure(field, "1")
		p.P("list = append(list, ", value, ")")
	}
	if p.loops(field) {
		tag := emit.TagBytes(field.Number, field.WireType)
		p.Printf("if !(%s) {\nbreak\n}\nstart = i\ni += %d\n}\n", tagComes(tag), len(tag))
	}
	if p.isTextRow(field) {
		p.checkRows(field)
	}
	p.closeList(field)
}

// callDecode decodes a message, whose range is b[from:i], or a group.
func (p *poolType) callDecode(field *plan.Field, target, at string) {
	if field.Delimited {
		p.Printf("if i = d.GroupEnd(%s.DecodeHot(d, %s, b, i, levels-1), %d); i < 0 {\nreturn -1\n}\n", target, at, field.Number)
		return
	}
	p.Printf("if %s.DecodeHot(d, %s, b[:i], from, levels-1) != 0 {\nreturn -1\n}\n", target, at)
}

func (p *poolType) decodeChild(field *plan.Field) {
	if !field.Delimited {
		p.readLength("b", "i")
	}
	p.P("if levels <= 0 {\nreturn -1\n}")
	slot := p.slot(field)
	if isPointer(field) || field.Oneof != nil {
		p.P("if ", p.hasNot(field), " {")
		if field.Oneof != nil {
			p.leaveOneof(field.Oneof, field)
		}
		if isPointer(field) {
			slab := "s." + p.slabName("of", field)
			p.P("if !", slab, ".Take(d, 1) {\nreturn d.Exceeded(start)\n}")
			p.P(slot, " = ", slab, ".One()\n*", slot, " = ", PoolGoType(p.File, field), "{}")
		} else {
			p.P(slot, " = ", PoolGoType(p.File, field), "{}")
		}
		if field.Oneof != nil {
			p.P(p.markPresent(field))
		}
		p.P("}")
	} else {
		p.P(p.markPresent(field))
	}
	p.callDecode(field, slot, p.childSlabs(field))
}
