// Package encode writes values in the forms of schemas: package schema writes records and structs with it, package
// schema/template data records of input templates.
//
// The caller must have room for the bytes, and for one more store: see Slack.
package encode

import (
	"encoding/binary"
	"math/bits"
	"sync/atomic"
	"unsafe"

	"github.com/hotpb/hotpb/go/rt/wire"
)

// Slack is the most bytes that a number needs with its tag, rounded up to the width of one store.
const Slack = 24

// PutVarint writes v at b[n:], where there must be ten bytes.
func PutVarint(b []byte, n int, v uint64) int {
	for v >= 0x80 {
		b[n] = byte(v) | 0x80
		v >>= 7
		n++
	}
	b[n] = byte(v)
	return n + 1
}

// SpreadVarint is PutVarint without a branch on the length, for b with Slack:
// one store of eight bytes serves all values below 2^56.
func SpreadVarint(b []byte, n int, v uint64) int {
	if v < 0x80 {
		b[n] = byte(v)
		return n + 1
	}
	if v >= 1<<56 {
		return PutVarint(b, n, v)
	}
	size := (bits.Len64(v)*9 + 64) >> 6
	binary.LittleEndian.PutUint64(b[n:], Spread(v))
	return n + size
}

// Spread is the varint of a value below 2^56 that has more than one byte: seven bits in each, the first one
// lowest. The bytes after its last byte are zero.
func Spread(v uint64) uint64 {
	x := v&0x000000000fffffff | v<<4&0x0fffffff00000000
	x = x&0x00003fff00003fff | x<<2&0x3fff00003fff0000
	x = x&0x007f007f007f007f | x<<1&0x7f007f007f007f00
	// Each byte before the last one has the continuation bit.
	return x | 0x8080808080808080&(1<<(uint(bits.Len64(x)-1)&^7)-1)
}

// PutNumber writes a number without its tag.
func PutNumber(b []byte, n int, k wire.Kind, v uint64) int {
	switch k {
	case wire.Fixed32, wire.Sfixed32, wire.Float:
		binary.LittleEndian.PutUint32(b[n:], uint32(v))
		return n + 4
	case wire.Fixed64, wire.Sfixed64, wire.Double:
		binary.LittleEndian.PutUint64(b[n:], v)
		return n + 8
	}
	return SpreadVarint(b, n, v)
}

// PutSecondsNanos writes a google.protobuf.Timestamp or Duration with its length.
func PutSecondsNanos(b []byte, n int, seconds int64, nanos int32) int {
	at := n
	n++
	if seconds != 0 {
		b[n] = 1 << 3
		n = PutVarint(b, n+1, uint64(seconds))
	}
	if nanos != 0 {
		b[n] = 2 << 3
		n = PutVarint(b, n+1, uint64(nanos))
	}
	b[at] = byte(n - at - 1) // at most 22
	return n
}

// Store64 stores eight bytes at base[n:], where there must be room.
func Store64(base unsafe.Pointer, n int, v uint64) {
	binary.LittleEndian.PutUint64((*[8]byte)(unsafe.Add(base, n))[:], v)
}

// Store32 stores four bytes at base[n:], where there must be room.
func Store32(base unsafe.Pointer, n int, v uint32) {
	binary.LittleEndian.PutUint32((*[4]byte)(unsafe.Add(base, n))[:], v)
}

// PutLengthBefore writes the length of b[start:n] into the room before it. If the length needs another size, the
// content moves, and the next length finds as much room as this one needed.
func PutLengthBefore(b []byte, start, n, room int, last *atomic.Uint32) ([]byte, int) {
	size := uint64(n - start)
	if size < 0x80 && room == 1 {
		b[start-1] = byte(size)
		return b, n
	}
	if need := wire.SizeVarint(size); need != room {
		b = WithRoom(b, n, need)
		copy(b[start+need-room:], b[start:n])
		n += need - room
		last.Store(uint32(need))
	}
	PutVarint(b, start-room, size)
	return b, n
}

// WithRoom grows b, which is used up to n, by so many bytes and one store.
func WithRoom(b []byte, n, room int) []byte {
	if len(b)-n >= room+Slack {
		return b
	}
	bigger := make([]byte, 2*len(b)+room+Slack)
	copy(bigger, b[:n])
	return bigger
}
