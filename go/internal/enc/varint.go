// Package enc has functions that the pool's encoder and the codec's share. Both write backwards, from the end of their room.
package enc

import (
	"encoding/binary"
	"strings"
	"unsafe"

	"github.com/hotpb/hotpb/go/rt/wire"
)

const msbs = 0x8080808080808080

// Fresh returns new memory. Much of it is not cleared.
func Fresh(n int) []byte {
	if n < 4096 {
		return make([]byte, n)
	}
	var memory strings.Builder
	memory.Grow(n)
	memory.WriteString("x") // the data of an empty string is unspecified
	out := memory.String()
	return unsafe.Slice(unsafe.StringData(out), n)
}

// PutVarint writes a varint. It ends before position i, and the result is where it starts.
func PutVarint(b []byte, i int, v uint64) int {
	if v < 0x80 {
		i--
		b[i] = byte(v)
		return i
	}
	i -= wire.SizeVarint(v)
	at := i
	for v >= 0x80 {
		b[at] = byte(v) | 0x80
		v >>= 7
		at++
	}
	b[at] = byte(v)
	return i
}

// PutFixed32 and PutFixed64 write a number in front of position i. A slice that begins at i would cost more.
func PutFixed32(b []byte, i int, v uint32) int {
	i -= 4
	_ = b[i+3]
	binary.LittleEndian.PutUint32((*[4]byte)(unsafe.Pointer(&b[i]))[:], v)
	return i
}

func PutFixed64(b []byte, i int, v uint64) int {
	i -= 8
	_ = b[i+7]
	binary.LittleEndian.PutUint64((*[8]byte)(unsafe.Pointer(&b[i]))[:], v)
	return i
}

// LongVarint writes a varint of two bytes or more. It ends before position i, and the result is where it starts.
//
//go:noinline
func LongVarint(b []byte, i int, v uint64) int {
	if v < 1<<14 {
		i -= 2
		binary.LittleEndian.PutUint16(b[i:], uint16(v&0x7f|0x80|v>>7<<8))
		return i
	}
	if v < 1<<28 {
		x := uint32(v)
		x = x&0x3fff | x&0x0fffc000<<2
		x = x&0x007f007f | x&0x3f803f80<<1
		if v < 1<<21 {
			i -= 3
			b[i+2] = byte(x >> 16)
			binary.LittleEndian.PutUint16(b[i:], uint16(x|0x8080))
			return i
		}
		i -= 4
		binary.LittleEndian.PutUint32(b[i:], x|0x808080)
		return i
	}
	// Seven bits into each byte, all at once.
	x := v&0x0fffffff | v&0x00fffffff0000000<<4
	x = x&0x00003fff00003fff | x&0x0fffc0000fffc000<<2
	x = x&0x007f007f007f007f | x&0x3f803f803f803f80<<1
	if v >= 1<<56 {
		high := uint16(v >> 56)
		if high < 0x80 {
			i -= 9
			b[i+8] = byte(high)
		} else {
			i -= 10
			binary.LittleEndian.PutUint16(b[i+8:], high|0x100) // bit 63 is set, and stays as the continuation bit
		}
		binary.LittleEndian.PutUint64(b[i:], x|msbs)
		return i
	}
	// Five to eight bytes: two stores that overlap write no more.
	n := wire.SizeVarint(v)
	x |= msbs >> (64 - 8*(n-1))
	binary.LittleEndian.PutUint32(b[i-4:], uint32(x>>(8*(n-4))))
	binary.LittleEndian.PutUint32(b[i-n:], uint32(x))
	return i - n
}
