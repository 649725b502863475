package writer

import (
	"math"
	"unsafe"

	"github.com/hotpb/hotpb/go/rt/wire"
)

// Packed fields, element by element, in place: the record's length is written
// when the handle ends.
//
//	points := shape.PackedPoints()   22 00                  tag and slot, as of a nested message
//	points.Add(3)                    03
//	points.Add(300)                  ac 02
//	points.End()                     22 03 03 ac 02
//
// A record without elements takes two bytes that readers skip: do not open a record if there are no elements.

// The handles of packed fields, one for each type of elements.
type (
	// PackedInt32 writes elements of type int32.
	PackedInt32 Message
	// PackedInt64 writes elements of type int64.
	PackedInt64 Message
	// PackedUint32 writes elements of type uint32.
	PackedUint32 Message
	// PackedUint64 writes elements of type uint64.
	PackedUint64 Message
	// PackedSint32 writes elements of type sint32.
	PackedSint32 Message
	// PackedSint64 writes elements of type sint64.
	PackedSint64 Message
	// PackedFixed32 writes elements of type fixed32.
	PackedFixed32 Message
	// PackedFixed64 writes elements of type fixed64.
	PackedFixed64 Message
	// PackedSfixed32 writes elements of type sfixed32.
	PackedSfixed32 Message
	// PackedSfixed64 writes elements of type sfixed64.
	PackedSfixed64 Message
	// PackedFloat writes elements of type float.
	PackedFloat Message
	// PackedDouble writes elements of type double.
	PackedDouble Message
	// PackedBool writes elements of type bool.
	PackedBool Message
	// PackedEnum writes elements of an enum.
	PackedEnum[E ~int32] Message
)

// OpenPacked opens a packed record. Readers do not count it as a level.
func OpenPacked[H handle](m Message, tag uint64, size int) H {
	if level := m.serial & levelMask; m.s != nil && level < m.s.inLine {
		return H(m.Open(tag, size))
	}
	return H(m.s.openSlow(m.serial, tag, size, opensPacked, 0, 0))
}

// addVarint writes an element.
func (m Message) addVarint(v uint64) {
	s := m.s
	if s == nil || s.top != m.serial || s.at > s.limit {
		var h header
		h.varint(v)
		s.field(m.serial, h.text())
		return
	}
	s.at += putVarint(unsafe.Add(s.first, s.at), v)
}

// addFixed writes an element of width bytes.
func (m Message) addFixed(bits uint64, width int) {
	s := m.s
	if s == nil || s.top != m.serial || s.at > s.limit {
		var h header
		h.tag(bits, width)
		s.field(m.serial, h.text())
		return
	}
	put64(unsafe.Add(s.first, s.at), bits)
	s.at += width
}

// Zigzag32 returns the varint of a sint32.
func Zigzag32(v int32) uint64 { return uint64(uint32(v<<1) ^ uint32(v>>31)) }

// bit returns the varint of a bool.
func bit(v bool) uint64 {
	if v {
		return 1
	}
	return 0
}

// Add writes an element.
func (p PackedInt32) Add(v int32) { Message(p).addVarint(uint64(int64(v))) }

// End ends the record; see Message.End.
func (p PackedInt32) End() error { return Message(p).End() }

// Add writes an element.
func (p PackedInt64) Add(v int64) { Message(p).addVarint(uint64(v)) }

// End ends the record; see Message.End.
func (p PackedInt64) End() error { return Message(p).End() }

// Add writes an element.
func (p PackedUint32) Add(v uint32) { Message(p).addVarint(uint64(v)) }

// End ends the record; see Message.End.
func (p PackedUint32) End() error { return Message(p).End() }

// Add writes an element.
func (p PackedUint64) Add(v uint64) { Message(p).addVarint(v) }

// End ends the record; see Message.End.
func (p PackedUint64) End() error { return Message(p).End() }

// Add writes an element.
func (p PackedSint32) Add(v int32) { Message(p).addVarint(Zigzag32(v)) }

// End ends the record; see Message.End.
func (p PackedSint32) End() error { return Message(p).End() }

// Add writes an element.
func (p PackedSint64) Add(v int64) { Message(p).addVarint(wire.EncodeZigzag(v)) }

// End ends the record; see Message.End.
func (p PackedSint64) End() error { return Message(p).End() }

// Add writes an element.
func (p PackedFixed32) Add(v uint32) { Message(p).addFixed(uint64(v), 4) }

// End ends the record; see Message.End.
func (p PackedFixed32) End() error { return Message(p).End() }

// Add writes an element.
func (p PackedFixed64) Add(v uint64) { Message(p).addFixed(v, 8) }

// End ends the record; see Message.End.
func (p PackedFixed64) End() error { return Message(p).End() }

// Add writes an element.
func (p PackedSfixed32) Add(v int32) { Message(p).addFixed(uint64(uint32(v)), 4) }

// End ends the record; see Message.End.
func (p PackedSfixed32) End() error { return Message(p).End() }

// Add writes an element.
func (p PackedSfixed64) Add(v int64) { Message(p).addFixed(uint64(v), 8) }

// End ends the record; see Message.End.
func (p PackedSfixed64) End() error { return Message(p).End() }

// Add writes an element.
func (p PackedFloat) Add(v float32) { Message(p).addFixed(uint64(math.Float32bits(v)), 4) }

// End ends the record; see Message.End.
func (p PackedFloat) End() error { return Message(p).End() }

// Add writes an element.
func (p PackedDouble) Add(v float64) { Message(p).addFixed(math.Float64bits(v), 8) }

// End ends the record; see Message.End.
func (p PackedDouble) End() error { return Message(p).End() }

// Add writes an element.
func (p PackedBool) Add(v bool) { Message(p).addVarint(bit(v)) }

// End ends the record; see Message.End.
func (p PackedBool) End() error { return Message(p).End() }

// Add writes an element.
func (p PackedEnum[E]) Add(v E) { Message(p).addVarint(uint64(int64(v))) }

// End ends the record; see Message.End.
func (p PackedEnum[E]) End() error { return Message(p).End() }
