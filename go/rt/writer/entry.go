package writer

import "github.com/hotpb/hotpb/go/rt/wire"

// Map entries and items of message sets.
//
//	tag | length | 08 key | 10 value        an entry with a scalar value is written in one go
//	tag | slot   | 08 key | 12 slot ...     one with a message stays open around it; no handle has it

// Part is the key (field 1) or the value (field 2) of a map entry.
type Part struct {
	head    header
	text    string
	refused bool
}

// VarintPart returns a part that is a varint.
func VarintPart(number uint32, v uint64) (p Part) {
	p.head.tag(uint64(wire.MakeTag(number, wire.VarintType)), 1)
	p.head.varint(v)
	return p
}

// BoolPart returns a part of type bool.
func BoolPart(number uint32, v bool) Part { return VarintPart(number, bit(v)) }

// Fixed32Part returns a part of four bytes.
func Fixed32Part(number uint32, bits uint32) (p Part) {
	p.head.tag(uint64(wire.MakeTag(number, wire.Fixed32Type))|uint64(bits)<<8, 5)
	return p
}

// Fixed64Part returns a part of eight bytes.
func Fixed64Part(number uint32, bits uint64) (p Part) {
	p.head.bytes[0] = byte(wire.MakeTag(number, wire.Fixed64Type))
	p.head.n = len(wire.AppendFixed64(p.head.bytes[:1], bits))
	return p
}

// StringPart returns a part with a length.
func StringPart(number uint32, text string) (p Part) {
	p.head.tag(uint64(wire.MakeTag(number, wire.BytesType)), 1)
	p.head.varint(uint64(len(text)))
	p.text = text
	return p
}

// BytesPart is StringPart for bytes.
func BytesPart(number uint32, b []byte) Part { return StringPart(number, textOf(b)) }

// PutEntry writes a map entry.
func (m Message) PutEntry(tag uint64, size int, key, value Part) {
	s := m.s
	if !s.settleForChild(m.serial) { // an entry is a level
		return
	}
	if key.refused || value.refused {
		s.refuse(m.serial)
		return
	}
	sum := int64(key.head.n) + int64(len(key.text)) + int64(value.head.n) + int64(len(value.text))
	if s.begin(tag, size, sum) && s.append(key.head.text()) && s.append(key.text) &&
		s.append(value.head.text()) && s.append(value.text) {
		s.updateLimit()
	}
}

// OpenEntry opens the message that is the value of a map entry.
func (m Message) OpenEntry(tag uint64, size int, key Part) Message {
	if key.refused {
		m.s.refuse(m.serial)
	}
	entry := m.s.openSlow(m.serial, tag, size, opensMessage, 0, ownerless)
	m.s.field(entry.serial, key.head.text(), key.text)
	return m.s.openSlow(entry.serial, uint64(wire.MakeTag(2, wire.BytesType)), 1, opensMessage, 0, 0)
}

// OpenItem opens the message of an item of a message set.
func (m Message) OpenItem(typeID uint32) Message {
	item := m.s.openSlow(m.serial, uint64(wire.MakeTag(1, wire.StartGroup)), 1, opensGroup,
		uint32(wire.MakeTag(1, wire.EndGroup)), ownerless)
	id := VarintPart(2, uint64(typeID))
	m.s.field(item.serial, id.head.text())
	return m.s.openSlow(item.serial, uint64(wire.MakeTag(3, wire.BytesType)), 1, opensMessage, 0, 0)
}
