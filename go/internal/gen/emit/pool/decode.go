package pool

import (
	"github.com/hotpb/hotpb/go/internal/gen/emit"
	"github.com/hotpb/hotpb/go/internal/gen/plan"
)

// emitDecode writes the decoder of a message: a loop over records, with a case for each field. A case ends with a guess at the
// next field: if the tag of the field that follows comes, the next case goes on. Other tags go through the switch.
func (p *poolType) emitDecode() {
	slabs := "slabs"
	if !hasSlabs(p.File, p.message) {
		slabs = "_"
	}
	// The beginning: the end of the message becomes that of b.
	p.Code(`
		func (m *$type$) DecodeHot(d *$pool.Decoder$, $slabs$ $unsafe.Pointer$, b []byte, i, levels int) int {
			if end := $pool.End$(b, i); uint(end) <= uint(len(b)) && levels > 0 {
				b, i = b[:end], i+1
			} else if i == -1 && levels > 0 {
				i = 0
			} else {
				b, i = d.Enter(b, i, levels)
			}
			levels--
		`, "slabs", slabs)
	if len(p.slabList()) > 0 || len(p.nested()) > 0 {
		p.P("s := (*", p.slabs(), ")(slabs)")
	}
	p.declareNumbers()
	// The loop, with a case for each field and form.
	p.Code(`
		for uint(i) < uint(len(b)) {
			start := i
			tag := $wire.Tag$(b[i])
			if tag < 0x80 {
				i++
			} else if tag, i = $wire.ReadTag$(b, i); i < 0 {
				return -1
			}
		`)
	if len(p.fields) > 0 {
		p.P("switch tag {")
		for n, field := range p.fields {
			var next *plan.Field
			if n+1 < len(p.fields) {
				next = p.fields[n+1]
			}
			p.emitCase(field, field.Packed, next)
		}
		for _, field := range p.fields {
			if emit.Packable(field) {
				p.emitCase(field, !field.Packed, nil)
			}
		}
		p.P("default:")
	}
	// All other records: fields that are left out, and unknown ones.
	if len(p.Dropped(p.message)) > 0 {
		p.Code(`
			if tag.Type() != $wire.EndGroup$ {
				switch tag.Number() {
				case $dropped$: // left out
					i = d.Drop(b, i, tag, levels)
					continue
				}
			}
		`, "dropped", emit.NumberList(p.Dropped(p.message)))
	}
	p.P("if i = d.Unknown(&m.hot, b, start, levels); i < 0 {\nreturn i\n}")
	if len(p.fields) > 0 {
		p.P("}")
	}
	p.P("}\nreturn max(i, -1)\n}\n")
}

// declareNumbers declares the variables for the numbers that the sections read.
func (p *poolType) declareNumbers() {
	numbers := map[int]bool{}
	for _, field := range p.fields {
		if field.Map != nil {
			numbers[field.Map.Key.WireType], numbers[field.Map.Value.WireType] = true, true
		} else {
			numbers[field.WireType] = true
		}
	}
	if numbers[0] || numbers[1] {
		p.P("var x uint64")
	}
	if numbers[5] {
		p.P("var y uint32")
	}
}

// emitCase writes the case of a field, packed or not. The case of next follows, unless next is nil.
func (p *poolType) emitCase(field *plan.Field, packed bool, next *plan.Field) {
	wireType, comment := field.WireType, emit.Declaration(field)
	if packed {
		wireType, comment = 2, comment+", packed"
	}
	p.P("case ", emit.TagValue(field.Number, wireType), ": // ", comment)
	switch {
	case packed && emit.IsClosed(field):
		p.decodeClosedPacked(field)
	case packed:
		p.decodePacked(field)
	case field.Map != nil:
		p.decodeMap(field)
	case field.IsRepeated():
		p.decodeList(field)
	case field.Type == plan.TypeMessage:
		p.decodeChild(field)
	default:
		p.decodeSingular(field)
	}
	if next == nil || len(next.Tag) > 2 {
		return
	}
	p.P("if !", tagComes(next.Tag, p.File), " {\ncontinue\n}\n", p.passTag(next), "\nfallthrough")
}

// passTag is the statement that passes a field's tag. It notes where the record starts for code that allocates.
func (p *poolType) passTag(field *plan.Field) string {
	switch {
	case field.IsRepeated() || isPointer(field):
		return "start, i = i, i+" + emit.Itoa(len(field.Tag))
	case len(field.Tag) == 1:
		return "i++"
	}
	return "i += " + emit.Itoa(len(field.Tag))
}

// loops reports whether the section of a field repeats while its tag follows.
func (p *poolType) loops(field *plan.Field) bool {
	return field.IsRepeated() && field.Map == nil && len(plan.TagBytes(field.Number, field.WireType)) <= 2
}

// tagComes is the condition that a tag of one or two bytes is next.
func tagComes(tag []byte, f *emit.File) string {
	if len(tag) == 1 {
		return f.Pool("Is") + "(b, i, " + emit.ByteList(tag) + ")"
	}
	return f.Pool("Are") + "(b, i, " + emit.ByteList(tag) + ")"
}

// readVarint reads a varint into x.
func (p *poolType) readVarint(b, i string) {
	p.Code(`
		if x = $pool.Byte$($b$, $i$); x < 0x80 {
			$i$++
		} else {
			x, $i$ = $wire.ReadVarint$($b$, $i$)
		}
		`, "b", b, "i", i)
}

// readValue reads an element that is not a message, after its tag, and returns the expression of its value. It
// reads text into the variable text. On an error it leaves the position negative.
func (p *poolType) readValue(field *plan.Field, b, i, text string) string {
	arguments := "(" + b + ", " + i + ")"
	switch field.WireType {
	case 2:
		read := "d.TextStrict"
		if field.Type == plan.TypeBytes {
			read = p.Pool("Bytes")
		} else if p.Verify(field) {
			read = "d.Text"
		}
		p.P(text, ", ", i, " = ", read, arguments)
		return text
	case 0:
		p.readVarint(b, i)
		return p.FromVarint(field, "x")
	case 1:
		p.P("x, ", i, " = ", p.Wire("ReadFixed64"), arguments)
		return p.FromFixed(field, "x")
	}
	p.P("y, ", i, " = ", p.Wire("ReadFixed32"), arguments)
	return p.FromFixed(field, "y")
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
	slot := p.slot(field)
	value := p.readValue(field, "b", "i", slot)
	if emit.IsClosed(field) {
		p.ifDefined(field, value)
	}
	if field.Oneof != nil {
		p.leaveOneof(field.Oneof, field)
	}
	switch {
	case value == slot:
	case field.Oneof != nil && field.Type == plan.TypeBool:
		p.P(slot, " = ", p.Pool("Bit"), "(", value, ")")
	default:
		p.P(p.store(field, value))
	}
	if _, needsBit := p.bits[field]; needsBit || field.Oneof != nil {
		p.P(p.markPresent(field))
	}
	if emit.IsClosed(field) {
		p.orKeep(field, value)
	}
}

// ensure makes room for one more element in list, a list of the field, and accounts for it.
func (p *poolType) ensure(field *plan.Field) {
	slab, more := "s."+p.slabName("of", field), ".More"
	if p.isRecursive() {
		more = ".MoreOwn"
	}
	p.Code(`
		if !$slab$.Fits(d, list) {
			if list = $slab$$more$(d, list, 1, start); list == nil {
				return -1
			}
		}
		`, "slab", slab, "more", more)
}

// openList declares list, the field's elements so far, and closeList stores it in the message. reopenList continues after
// that.
func (p *poolType) openList(field *plan.Field)   { p.P("list := ", p.opened(field)) }
func (p *poolType) reopenList(field *plan.Field) { p.P("list = ", p.opened(field)) }

func (p *poolType) opened(field *plan.Field) string {
	if p.isRecursive() {
		return p.slot(field)
	}
	return "s." + p.slabName("of", field) + ".Open(" + p.slot(field) + ")"
}

func (p *poolType) closeList(field *plan.Field) {
	if p.isRecursive() {
		p.P(p.slot(field), " = list")
	} else {
		p.P(p.slot(field), " = s.", p.slabName("of", field), ".Close(list)")
	}
}

func (p *poolType) decodePacked(field *plan.Field) {
	own := p.isRecursive()
	width := map[int]int{0: 0, 1: 8, 5: 4}[field.WireType]
	if field.Type == plan.TypeBool {
		width = 0
	}
	p.Code("$slot$, i = $pool.Packed$(d, &s.$slab$, $slot$, b, i, start, $width$, $own$, $reader$)",
		"slot", p.slot(field), "slab", p.slabName("of", field), "width", width, "own", own, "reader", p.Wire(packedReader(field)))
}

// decodeClosedPacked reads values of a closed enum. Some may be unknown fields.
func (p *poolType) decodeClosedPacked(field *plan.Field) {
	p.Code(`
		from, end := $wire.ReadBytes$(b, i)
		if end < 0 {
			return -1
		}
		i = end
		n, _, bad := $wire.CountVarints$(b[from:i])
		if bad != 0 {
			return -1
		}
		`)
	slab, grow := "s."+p.slabName("of", field), ".Grow("
	if p.isRecursive() {
		grow = ".Extend("
	}
	p.P("if n > 0 {")
	p.openList(field)
	p.Code(`
		if !$slab$.Take(d, n) {
			return d.Exceeded(start)
		}
		list = $slab$$grow$list, n)
		for payload, at := b[from:i], 0; at < len(payload); {`, "slab", slab, "grow", grow)
	p.readVarint("payload", "at")
	p.P("v := ", p.FromVarint(field, "x"))
	p.ifDefined(field, "v")
	p.P("list = append(list, v)")
	p.orKeep(field, "v")
	p.P("}")
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

// decodeList reads the elements of a repeated field while its tag follows.
func (p *poolType) decodeList(field *plan.Field) {
	if tag := plan.TagBytes(field.Number, field.WireType); emit.IsText(field) && len(tag) == 1 && !p.isRecursive() {
		read := "ListOfTexts"
		if field.Type == plan.TypeBytes {
			read = "ListOfBytes"
		}
		if read == "ListOfBytes" || p.Verify(field) {
			p.Code("$slot$, i = $read$(d, &s.$slab$, $slot$, b, i, start, $tag$)",
				"slot", p.slot(field), "read", p.Pool(read), "slab", p.slabName("of", field), "tag", emit.ByteList(tag))
			return
		}
	}
	if field.Type == plan.TypeMessage && !p.isRow(field) {
		p.decodeMessages(field)
		return
	}
	p.openList(field)
	at := ""
	if p.isRow(field) {
		at = p.declareSlabs(field)
		p.P("if levels <= 0 {\nreturn -1\n}")
	}
	if p.isTextRow(field) {
		p.P("begin, first := start, len(list)")
	}
	if emit.IsText(field) {
		p.P("var v ", p.GoType(field))
	}
	if p.loops(field) {
		p.P("for {")
	}
	switch {
	case field.Type == plan.TypeMessage:
		p.ensure(field)
		p.P("n := len(list)\nlist = list[:n+1]")
		p.decodeRow(field)
	case emit.IsClosed(field):
		p.P("v := ", p.readValue(field, "b", "i", ""))
		p.ifDefined(field, "v")
		p.ensure(field)
		p.P("list = append(list, v)")
		p.orKeep(field, "v")
	default:
		value := p.readValue(field, "b", "i", "v")
		p.ensure(field)
		p.P("list = append(list, ", value, ")")
	}
	if p.loops(field) {
		p.repeat(field)
	}
	if p.isTextRow(field) {
		p.checkRows(field)
	}
	p.closeList(field)
	if p.isRow(field) {
		p.decodeRest(field, at)
	}
}

// declareSlabs declares at, the slabs for a field's messages, and returns the expression for them.
func (p *poolType) declareSlabs(field *plan.Field) string {
	at := p.childSlabs(field)
	if at != "slabs" && at != "nil" {
		p.P("at := ", at)
		at = "at"
	}
	return at
}

// decodeMessages reads messages while their tag follows.
func (p *poolType) decodeMessages(field *plan.Field) {
	kind, slot, size := PoolGoType(p.File, field), p.address(p.slot(field)), p.sizeOfMessage(field)
	slab, own := "s."+p.slabName("of", field), p.isRecursive()
	if own {
		p.P("first, n, room := ", p.Pool("Opened"), "(", slot, ")")
	} else {
		p.P("first, n, room := ", slab, ".Open(", slot, ", ", size, ")")
	}
	at := p.declareSlabs(field)
	if p.loops(field) {
		p.P("for {")
	}
	p.Code(`
		if !d.Fits(n, room, $size$) {
			if first, room = $slab$.More(d, first, n, room, start, $elements$, $size$, $own$); first == nil {
				return -1
			}
		}
		child := (*$kind$)($unsafe.Add$(first, uintptr(n)*$size$))
		n++
		*child = $kind${}
		`, "kind", kind, "size", size, "slab", slab, "own", own, "elements", p.typeOfMessage(field))
	p.callDecode(field, "child", at)
	if p.loops(field) {
		p.repeat(field)
	}
	if own {
		p.P(p.Pool("Closed"), "(", slot, ", first, n, room)")
	} else {
		p.P(slab, ".Close(", slot, ", first, n, room, ", size, ")")
	}
}

// repeat ends a loop that reads elements while their tag follows.
func (p *poolType) repeat(field *plan.Field) {
	tag := plan.TagBytes(field.Number, field.WireType)
	p.Printf("if !%s {\nbreak\n}\nstart, i = i, i+%d\n}\n", tagComes(tag, p.File), len(tag))
}

// callDecode decodes a message, whose length is at i, or a group.
func (p *poolType) callDecode(field *plan.Field, target, at string) {
	if field.Delimited {
		p.Printf("i = d.GroupEnd(%s.DecodeHot(d, %s, b, -2-i, levels), %d)\n", target, at, field.Number)
		return
	}
	p.Printf("i = %s.DecodeHot(d, %s, b, i, levels)\n", target, at)
}

func (p *poolType) decodeChild(field *plan.Field) {
	slot := p.slot(field)
	if isPointer(field) || field.Oneof != nil {
		p.P("if ", p.hasNot(field), " {")
		if field.Oneof != nil {
			p.leaveOneof(field.Oneof, field)
		}
		if isPointer(field) {
			p.takeMessage(field, p.slabName("of", field), "child")
			p.P(slot, " = child")
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
