package pool

import (
	"slices"

	"github.com/hotpb/hotpb/go/internal/gen/emit"
	"github.com/hotpb/hotpb/go/internal/gen/plan"
)

// emitEncode writes the encoder of a message. It works from the last byte to the first: the unknown fields, then
// the fields by descending number.
func (p *poolType) emitEncode() {
	p.Encodes()
	p.P("func (m *", p.name, ") EncodeHot(e *", p.Pool("Encoder"), ", i int) int {")
	p.P("if m == nil {\nreturn i\n}")
	p.P("i = e.Unknown(&m.hot, i)")
	if p.usesBuffer() {
		p.P("var b []byte")
	}
	for at, field := range slices.Backward(p.fields) {
		if at == len(p.fields)-1 || !isNumber(field) || !isNumber(p.fields[at+1]) {
			p.roomed = 0
		}
		if isNumber(field) && p.roomed == 0 {
			p.roomForNumbers(at)
		}
		p.P("// ", emit.Declaration(field))
		switch {
		case field.Map != nil:
			p.encodeMap(field)
		case field.IsRepeated():
			p.encodeList(field)
		case !IsPlain(field):
			p.P("if ", p.has(field), " {")
			p.encodeOne(field, p.load(field))
			p.P("}")
		default:
			p.P("if ", p.NotZero(field, p.slot(field)), " {")
			p.encodeOne(field, p.slot(field))
			p.P("}")
		}
		p.roomed = max(p.roomed-1, 0)
	}
	p.P("return i\n}\n")
}

// usesBuffer reports whether the code for a field accesses the bytes itself.
func (p *poolType) usesBuffer() bool {
	return slices.ContainsFunc(p.fields, func(field *plan.Field) bool {
		if field.Map == nil && p.isTextRow(field) {
			return true
		} else if field.Map != nil {
			return accesses(field.Map.Key) || accesses(field.Map.Value)
		}
		return accesses(field)
	})
}

// accesses reports whether a record of the field is written in line.
func accesses(field *plan.Field) bool {
	return field.Delimited || field.Type != plan.TypeMessage && !emit.IsText(field)
}

// isNumber reports whether a field is at most one number.
func isNumber(field *plan.Field) bool {
	return !field.IsRepeated() && field.Map == nil && field.WireType != 2 && field.Type != plan.TypeMessage
}

// roomForNumbers makes room for a few number fields, downwards from the one at index at.
func (p *poolType) roomForNumbers(at int) {
	size := 0
	for first := at; first >= 0 && isNumber(p.fields[first]) && p.roomed < 4; first-- {
		size += p.mostBytes(p.fields[first])
		p.roomed++
	}
	p.room(size)
}

// roomFor is the room on the stack that a message's encoding starts with. It is enough for a message of numbers, and of messages
// of them, that has no unknown fields. It may be 0.
func (p *poolType) roomFor(m *plan.Message) int {
	size := 0
	for _, field := range p.Fields(m) {
		switch {
		case isNumber(field):
			size += p.mostBytes(field)
		case field.Message != nil && !field.IsRepeated() && m.Recursion == 0:
			size += most + p.roomFor(field.Message)
		default:
			return fewBytes
		}
		if size >= fewBytes {
			return fewBytes
		}
	}
	return size
}

// fewBytes is the room for a message that may have any size.
const fewBytes = 512

// checks reports whether the message, or one inside it, has a string that is checked.
func (p *poolType) checks(m *plan.Message) bool {
	seen := map[*plan.Message]bool{}
	var search func(m *plan.Message) bool
	inField := func(field *plan.Field) bool {
		return field.Type == plan.TypeString && p.Verify(field) || field.Message != nil && search(field.Message)
	}
	search = func(m *plan.Message) bool {
		if seen[m] {
			return false
		}
		seen[m] = true
		return slices.ContainsFunc(p.Fields(m), func(field *plan.Field) bool {
			if field.Map != nil {
				return inField(field.Map.Key) || inField(field.Map.Value)
			}
			return inField(field)
		})
	}
	return search(m)
}

// mostBytes is the most bytes that a number field needs.
func (p *poolType) mostBytes(field *plan.Field) int {
	return len(field.Tag) + map[int]int{0: 10, 1: 8, 5: 4}[field.WireType]
}

// room makes room for n bytes in front of i, for what putTag and putNumber write.
func (p *poolType) room(n any) { p.P("i = e.Room(i, ", n, ")\nb = e.B") }

// putTag writes a tag. The caller has made room for it.
func (p *poolType) putTag(tag []byte) {
	switch len(tag) {
	case 1:
		p.P("i--\nb[i] = ", emit.ByteList(tag))
	case 2:
		p.P("i -= 2\nb[i], b[i+1] = ", emit.ByteList(tag))
	default:
		p.P("i = ", p.Pool("PutTag"), "(b, i, ", tagNumber(tag), ")")
	}
}

// tagNumber is the tag as a number.
func tagNumber(tag []byte) (number uint64) {
	for n, c := range tag {
		number |= uint64(c&0x7f) << (7 * n)
	}
	return number
}

// most is the most bytes that a tag and a number or length need.
const most = 16

// putNumber writes a number. The caller has made room for it.
func (p *poolType) putNumber(field *plan.Field, value string) {
	switch {
	case field.Type == plan.TypeBool:
		p.P("i--\nb[i] = byte(", p.Pool("Bit"), "(", value, "))")
	case field.WireType == 0:
		p.P("i = ", p.Pool("PutVarint"), "(b, i, ", p.ToVarint(field, value), ")")
	case field.WireType == 1:
		p.P("i = ", p.Pool("PutFixed64"), "(b, i, ", p.ToFixed(field, value), ")")
	default:
		p.P("i = ", p.Pool("PutFixed32"), "(b, i, ", p.ToFixed(field, value), ")")
	}
}

// encodeOne writes one record.
func (p *poolType) encodeOne(field *plan.Field, value string) {
	tag := plan.TagBytes(field.Number, field.WireType)
	number := tagNumber(tag)
	switch {
	case field.Delimited:
		p.room(most)
		p.putTag(plan.TagBytes(field.Number, 4))
		p.P("i = ", value, ".EncodeHot(e, i)")
		p.room(most)
		p.putTag(tag)
	case field.Type == plan.TypeMessage:
		p.P("written := len(e.B) - i\ni = e.Close(", value, ".EncodeHot(e, i), written, ", number, ")")
	case field.Type == plan.TypeBytes:
		p.P("i = e.Bytes(i, ", value, ", ", number, ")")
	case field.Type == plan.TypeString:
		p.P("i = e.Text(i, ", value, ", ", number, ", ", p.Verify(field), ")")
	default:
		if p.roomed == 0 {
			p.room(most)
		}
		p.putNumber(field, value)
		p.putTag(tag)
	}
}

func (p *poolType) encodeList(field *plan.Field) {
	list := p.slot(field)
	if p.isTextRow(field) {
		p.encodeRows(field)
		return
	}
	if !field.Packed {
		p.P("for n := len(", list, ") - 1; n >= 0; n-- {")
		p.encodeOne(field, list+"[n]")
		p.P("}")
		return
	}
	p.P("if len(", list, ") > 0 {\nwritten := len(e.B) - i")
	p.P("for n := len(", list, ") - 1; n >= 0; n-- {")
	p.room(most)
	p.putNumber(field, list+"[n]")
	p.P("}")
	p.P("i = e.Close(i, written, ", tagNumber(field.Tag), ")")
	p.P("}")
}

// encodeMap writes the entries of a map, sorted by key if the output must be deterministic.
func (p *poolType) encodeMap(field *plan.Field) {
	slot := p.slot(field)
	if p.Options.SortedMaps {
		p.P("for n := ", MapLen(p.File, slot), " - 1; n >= 0; n-- {\nkey, value := ", slot, ".At(n)")
		p.encodeEntry(field)
		p.P("}")
		return
	}
	p.P("if e.Deterministic {")
	p.P("keys := ", keysOf(p.File, slot), "\nfor n := len(keys) - 1; n >= 0; n-- {\nkey, value := keys[n], ", slot, "[keys[n]]")
	p.encodeEntry(field)
	p.P("}\n} else {\nfor key, value := range ", slot, " {")
	p.encodeEntry(field)
	p.P("}\n}")
}

func (p *poolType) encodeEntry(field *plan.Field) {
	p.P("written := len(e.B) - i")
	if field.Map.Value.Type == plan.TypeMessage {
		p.P("if value == nil {\nvalue = new(", PoolGoType(p.File, field.Map.Value), ")\n}")
	}
	p.P("{")
	p.encodeOne(field.Map.Value, "value")
	p.P("}\n{")
	p.encodeOne(field.Map.Key, "key")
	p.P("}")
	p.P("i = e.Close(i, written, ", tagNumber(plan.TagBytes(field.Number, 2)), ")")
}
