package writer

import (
	"unsafe"

	"github.com/hotpb/hotpb/go/rt/wire"
)

// Packed fields in one call: the length is known in advance, so no slot is needed. An empty slice writes nothing.

// PutPackedInt32 writes elements of type int32.
func (m Message) PutPackedInt32(tag uint64, size int, values []int32) {
	putVarints(m, tag, size, values)
}

// PutPackedInt64 writes elements of type int64.
func (m Message) PutPackedInt64(tag uint64, size int, values []int64) {
	putVarints(m, tag, size, values)
}

// PutPackedUint32 writes elements of type uint32.
func (m Message) PutPackedUint32(tag uint64, size int, values []uint32) {
	putVarints(m, tag, size, values)
}

// PutPackedUint64 writes elements of type uint64.
func (m Message) PutPackedUint64(tag uint64, size int, values []uint64) {
	putVarints(m, tag, size, values)
}

func putVarints[T int32 | int64 | uint32 | uint64](m Message, tag uint64, size int, values []T) {
	if m.beginSpan(tag, size, len(values), wire.SizeVarints(values)) {
		for _, v := range values {
			if !m.s.element(uint64(v)) {
				return
			}
		}
		m.s.updateLimit()
	}
}

// PutPackedSint32 writes elements of type sint32.
func (m Message) PutPackedSint32(tag uint64, size int, values []int32) {
	putZigzags(m, tag, size, values)
}

// PutPackedSint64 writes elements of type sint64.
func (m Message) PutPackedSint64(tag uint64, size int, values []int64) {
	putZigzags(m, tag, size, values)
}

func putZigzags[T int32 | int64](m Message, tag uint64, size int, values []T) {
	if m.beginSpan(tag, size, len(values), wire.SizeZigzags(values)) {
		for _, v := range values {
			if !m.s.element(wire.EncodeZigzag(int64(v))) {
				return
			}
		}
		m.s.updateLimit()
	}
}

// PutPackedBool writes elements of type bool.
func (m Message) PutPackedBool(tag uint64, size int, values []bool) {
	if m.beginSpan(tag, size, len(values), int64(len(values))) {
		for _, v := range values {
			if !m.s.element(bit(v)) {
				return
			}
		}
		m.s.updateLimit()
	}
}

// PutPackedFixed32 writes elements of type fixed32.
func (m Message) PutPackedFixed32(tag uint64, size int, values []uint32) {
	if m.beginSpan(tag, size, len(values), 4*int64(len(values))) {
		for _, v := range values {
			if !m.s.fixedElement(uint64(v), 4) {
				return
			}
		}
		m.s.updateLimit()
	}
}

// PutPackedFixed64 writes elements of type fixed64.
func (m Message) PutPackedFixed64(tag uint64, size int, values []uint64) {
	if m.beginSpan(tag, size, len(values), 8*int64(len(values))) {
		for _, v := range values {
			if !m.s.fixedElement(v, 8) {
				return
			}
		}
		m.s.updateLimit()
	}
}

// Slices of other types with the same size and encoding.

// PutPackedEnum writes elements of an enum.
func PutPackedEnum[E ~int32](m Message, tag uint64, size int, values []E) {
	m.PutPackedInt32(tag, size, sameBits[int32](values))
}

// PutPackedSfixed32 writes elements of type sfixed32.
func (m Message) PutPackedSfixed32(tag uint64, size int, values []int32) {
	m.PutPackedFixed32(tag, size, sameBits[uint32](values))
}

// PutPackedSfixed64 writes elements of type sfixed64.
func (m Message) PutPackedSfixed64(tag uint64, size int, values []int64) {
	m.PutPackedFixed64(tag, size, sameBits[uint64](values))
}

// PutPackedFloat writes elements of type float.
func (m Message) PutPackedFloat(tag uint64, size int, values []float32) {
	m.PutPackedFixed32(tag, size, sameBits[uint32](values))
}

// PutPackedDouble writes elements of type double.
func (m Message) PutPackedDouble(tag uint64, size int, values []float64) {
	m.PutPackedFixed64(tag, size, sameBits[uint64](values))
}

// sameBits returns a slice as one of another type; T and F are numbers of the same size.
func sameBits[T, F ~int32 | ~int64 | ~uint32 | ~uint64 | ~float32 | ~float64](values []F) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(values))), len(values))
}

// beginSpan writes the tag and length. It returns false if nothing must follow.
func (m Message) beginSpan(tag uint64, size, count int, payload int64) bool {
	return count > 0 && m.s.settle(m.serial) && m.s.begin(tag, size, payload)
}

// element writes an element of the record that beginSpan started.
func (s *stream) element(v uint64) bool {
	if s.at <= s.limit {
		s.at += putVarint(unsafe.Add(s.first, s.at), v)
		return true
	}
	var h header
	h.varint(v)
	return s.append(h.text())
}

func (s *stream) fixedElement(bits uint64, width int) bool {
	if s.at <= s.limit {
		put64(unsafe.Add(s.first, s.at), bits)
		s.at += width
		return true
	}
	var h header
	h.tag(bits, width)
	return s.append(h.text())
}
