package codec

import (
	"encoding/binary"
	"unsafe"

	"github.com/hotpb/hotpb/go/wire"
)

// PutText writes a string that the schema wants to be UTF-8, and its length, and
// sees that after bytes are free in front of them. Most strings are short and
// ASCII: those are looked at and copied in one go, by words that may overlap.
func (e *Encoder) PutText(i int, v string, after int) int {
	if i < len(v)+after {
		i = e.Grow(i, len(v)+after)
	}
	n := len(v)
	from, to := unsafe.Slice(unsafe.StringData(v), n), e.B[i-n:i]
	high := uint64(0)
	switch {
	case n > 32:
		copy(to, from)
		if !wire.ValidUTF8(from) {
			e.fault = wire.InvalidUtf8
		}
	case n > 16:
		a, b := binary.LittleEndian.Uint64(from), binary.LittleEndian.Uint64(from[8:])
		c, d := binary.LittleEndian.Uint64(from[n-16:]), binary.LittleEndian.Uint64(from[n-8:])
		binary.LittleEndian.PutUint64(to, a)
		binary.LittleEndian.PutUint64(to[8:], b)
		binary.LittleEndian.PutUint64(to[n-16:], c)
		binary.LittleEndian.PutUint64(to[n-8:], d)
		high = a | b | c | d
	case n >= 8:
		a, b := binary.LittleEndian.Uint64(from), binary.LittleEndian.Uint64(from[n-8:])
		binary.LittleEndian.PutUint64(to, a)
		binary.LittleEndian.PutUint64(to[n-8:], b)
		high = a | b
	case n >= 4:
		a, b := binary.LittleEndian.Uint32(from), binary.LittleEndian.Uint32(from[n-4:])
		binary.LittleEndian.PutUint32(to, a)
		binary.LittleEndian.PutUint32(to[n-4:], b)
		high = uint64(a | b)
	default:
		for n, octet := range from {
			to[n] = octet
			high |= uint64(octet)
		}
	}
	if high&msbs != 0 && !wire.ValidUTF8(from) {
		e.fault = wire.InvalidUtf8
	}
	return PutVarint(e.B, i-n, uint64(n))
}

// PutBytes is PutText for bytes, and for strings that may be anything.
func PutBytes[T string | []byte](e *Encoder, i int, v T, after int) int {
	if i < len(v)+after {
		i = e.Grow(i, len(v)+after)
	}
	i -= len(v)
	copy(e.B[i:], v)
	return PutVarint(e.B, i, uint64(len(v)))
}
