package writer

import (
	"encoding/binary"
	"unsafe"

	"github.com/hotpb/hotpb/go/wire"
)

// How the fast paths put bytes into a chunk: words of eight bytes, whose overhang
// the next word overwrites.
//
//	put64  |08 2a 00 00 00 00 00 00|            SetId(42)
//	put64        |12 03 00 00 00 00 00 00|      the header of SetName("foo")
//	copy               |66 6f 6f|
//
// These are the package's only accesses through pointers that nobody checks. A
// caller has made sure that p has as many bytes behind it as the function
// overwrites: slack bytes follow every position up to stream.limit.

// slack is what is kept free behind a position from which a field is written
// without further checks: the longest header of five and ten bytes, and a word.
const slack = 24

// put64 overwrites eight bytes.
func put64(p unsafe.Pointer, v uint64) { binary.LittleEndian.PutUint64((*[8]byte)(p)[:], v) }

// put32 overwrites four bytes.
func put32(p unsafe.Pointer, v uint32) { binary.LittleEndian.PutUint32((*[4]byte)(p)[:], v) }

// put8 overwrites one byte.
func put8(p unsafe.Pointer, v byte) { *(*byte)(p) = v }

// copyText overwrites as many bytes as the text has.
func copyText(p unsafe.Pointer, text string) { copy(unsafe.Slice((*byte)(p), len(text)), text) }

// textOf gives bytes as a string without a copy. It is for passing them on: the
// bytes may change later.
func textOf(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// putLong overwrites sixteen bytes with a varint of two bytes or more and gives
// its size, without a branch on it.
//
//	300 = 10'0101100   spread  2c 02 00 ..    marked  |ac 02|
func putLong(p unsafe.Pointer, v uint64) int {
	size := wire.SizeVarint(v)
	// Seven bits a byte: halves of 28 bits, quarters of 14, eighths of 7.
	x := v&0x000000000fffffff | v&0x00fffffff0000000<<4
	x = x&0x00003fff00003fff | x&0x0fffc0000fffc000<<2
	x = x&0x007f007f007f007f | x&0x3f803f803f803f80<<1
	// A continuation bit in each byte before the last; all eight where there are nine or ten.
	put64(p, x|0x8080808080808080&(uint64(1)<<(8*uint(size-1))-1))
	// Bit 63 of the value is the continuation bit of the ninth byte.
	put64(unsafe.Add(p, 8), v>>56|0x100)
	return size
}

// header is the bytes of a tag and of a varint behind it, where the fast paths do not reach.
type header struct {
	bytes [16]byte
	n     int
}

func (h *header) tag(tag uint64, size int) {
	binary.LittleEndian.PutUint64(h.bytes[:], tag)
	h.n = size
}

func (h *header) varint(v uint64) { h.n = len(wire.AppendVarint(h.bytes[:h.n], v)) }

func (h *header) text() string { return textOf(h.bytes[:h.n]) }

// padded is a length in four bytes: 7 is 87 80 80 00.
func padded(length int64) [4]byte {
	return [4]byte{byte(length) | 0x80, byte(length>>7) | 0x80, byte(length>>14) | 0x80, byte(length>>21) & 0x7f}
}
