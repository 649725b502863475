package codec

import (
	"encoding/binary"

	"github.com/hotpb/hotpb/go/internal/enc"
	"github.com/hotpb/hotpb/go/rt/wire"
)

// PutVarint writes a varint in front of position i, where there must be room. It may change bytes in front of the varint.
func PutVarint(b []byte, i int, v uint64) int {
	if v < 0x80 {
		i--
		b[i] = byte(v)
		return i
	}
	return longVarint(b, i, v)
}

// longVarint is PutVarint for two bytes or more. What is in front of position i is free, so eight bytes are stored at once,
// of which the first ones are written again later.
//
//go:noinline
func longVarint(b []byte, i int, v uint64) int {
	if v < 1<<14 {
		i -= 2
		b[i], b[i+1] = byte(v)|0x80, byte(v>>7)
		return i
	}
	if i < 16 {
		return enc.LongVarint(b, i, v)
	}
	// Seven bits into each byte, continuation bits but in the last one.
	x := v&0x0fffffff | v&0x00fffffff0000000<<4
	x = x&0x00003fff00003fff | x&0x0fffc0000fffc000<<2
	x = (x&0x007f007f007f007f | x&0x3f803f803f803f80<<1) | msbs
	if v < 1<<56 {
		n := wire.SizeVarint(v)
		binary.LittleEndian.PutUint64(b[i-8:], (x^0x80<<(8*n-8))<<(64-8*n))
		return i - n
	}
	if v < 1<<63 {
		i -= 9
	} else {
		i -= 10
		b[i+9] = 1
	}
	out := b[i : i+9]
	out[8] = byte(v>>56) & 0x7f
	if v >= 1<<63 {
		out[8] |= 0x80
	}
	binary.LittleEndian.PutUint64(out, x)
	return i
}
