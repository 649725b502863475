package writer

import (
	"math"
	"unsafe"

	"github.com/hotpb/hotpb/go/wire"
)

// Packed fields in one call: the length is known before, so that no slot is
// needed. An empty slice writes nothing.

type signed interface{ ~int32 | ~int64 }

type unsigned interface{ ~uint32 | ~uint64 }

// PutPackedInt writes elements of type int32, int64 or an enum.
func PutPackedInt[T signed](m Message, tag uint64, size int, values []T) {
	sum := int64(0)
	for _, v := range values {
		sum += int64(wire.SizeVarint(uint64(int64(v))))
	}
	if m.beginSpan(tag, size, len(values), sum) {
		for _, v := range values {
			if !m.s.element(uint64(int64(v))) {
				return
			}
		}
		m.s.updateLimit()
	}
}

// PutPackedUint writes elements of type uint32 or uint64.
func PutPackedUint[T unsigned](m Message, tag uint64, size int, values []T) {
	sum := int64(0)
	for _, v := range values {
		sum += int64(wire.SizeVarint(uint64(v)))
	}
	if m.beginSpan(tag, size, len(values), sum) {
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
	sum := int64(0)
	for _, v := range values {
		sum += int64(wire.SizeVarint(Zigzag32(v)))
	}
	if m.beginSpan(tag, size, len(values), sum) {
		for _, v := range values {
			if !m.s.element(Zigzag32(v)) {
				return
			}
		}
		m.s.updateLimit()
	}
}

// PutPackedSint64 writes elements of type sint64.
func (m Message) PutPackedSint64(tag uint64, size int, values []int64) {
	sum := int64(0)
	for _, v := range values {
		sum += int64(wire.SizeVarint(wire.EncodeZigzag(v)))
	}
	if m.beginSpan(tag, size, len(values), sum) {
		for _, v := range values {
			if !m.s.element(wire.EncodeZigzag(v)) {
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

// PutPackedFixed32 writes elements of type fixed32 or sfixed32.
func PutPackedFixed32[T ~int32 | ~uint32](m Message, tag uint64, size int, values []T) {
	if m.beginSpan(tag, size, len(values), 4*int64(len(values))) {
		for _, v := range values {
			if !m.s.fixedElement(uint64(uint32(v)), 4) {
				return
			}
		}
		m.s.updateLimit()
	}
}

// PutPackedFixed64 writes elements of type fixed64 or sfixed64.
func PutPackedFixed64[T ~int64 | ~uint64](m Message, tag uint64, size int, values []T) {
	if m.beginSpan(tag, size, len(values), 8*int64(len(values))) {
		for _, v := range values {
			if !m.s.fixedElement(uint64(v), 8) {
				return
			}
		}
		m.s.updateLimit()
	}
}

// PutPackedFloat writes elements of type float.
func (m Message) PutPackedFloat(tag uint64, size int, values []float32) {
	if m.beginSpan(tag, size, len(values), 4*int64(len(values))) {
		for _, v := range values {
			if !m.s.fixedElement(uint64(math.Float32bits(v)), 4) {
				return
			}
		}
		m.s.updateLimit()
	}
}

// PutPackedDouble writes elements of type double.
func (m Message) PutPackedDouble(tag uint64, size int, values []float64) {
	if m.beginSpan(tag, size, len(values), 8*int64(len(values))) {
		for _, v := range values {
			if !m.s.fixedElement(math.Float64bits(v), 8) {
				return
			}
		}
		m.s.updateLimit()
	}
}

// beginSpan writes tag and length. False: nothing is to be written behind it.
func (m Message) beginSpan(tag uint64, size, count int, payload int64) bool {
	return count > 0 && m.s.settle(m.serial) && m.s.begin(tag, size, payload)
}

// putVarint overwrites sixteen bytes with a varint and gives its size.
func putVarint(p unsafe.Pointer, v uint64) int {
	if v < 0x80 {
		put8(p, byte(v))
		return 1
	}
	return putLong(p, v)
}

// element writes an element of the record that was begun.
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
