// Package enc has what the pool's encoder and the codec's share. Both write backwards, from the end of their room.
package enc

import (
	"encoding/binary"

	"github.com/hotpb/hotpb/go/wire"
)

const msbs = 0x8080808080808080

// LongVarint writes a varint of two bytes or more. It ends before position i, and the result is where it starts.
//
//go:noinline
func LongVarint(b []byte, i int, v uint64) int {
	if v < 1<<14 {
		i -= 2
		b[i], b[i+1] = byte(v)|0x80, byte(v>>7)
		return i
	}
	n := wire.SizeVarint(v)
	if n <= 8 {
		// All at once: seven bits into each byte, continuation bits but in the last one. Two stores that overlap write no more.
		x := v&0x0fffffff | v&0x00fffffff0000000<<4
		x = x&0x00003fff00003fff | x&0x0fffc0000fffc000<<2
		x = x&0x007f007f007f007f | x&0x3f803f803f803f80<<1
		x |= msbs >> (64 - 8*(n-1))
		if n == 3 {
			b[i-1] = byte(x >> 16)
			binary.LittleEndian.PutUint16(b[i-3:], uint16(x))
		} else {
			binary.LittleEndian.PutUint32(b[i-4:], uint32(x>>(8*(n-4))))
			binary.LittleEndian.PutUint32(b[i-n:], uint32(x))
		}
		return i - n
	}
	i -= n
	out := b[i:]
	n = 0
	for ; v >= 0x80; n++ {
		out[n] = byte(v) | 0x80
		v >>= 7
	}
	out[n] = byte(v)
	return i
}
