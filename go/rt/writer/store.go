package writer

import (
	"encoding/binary"
	"unsafe"

	"github.com/hotpb/hotpb/go/rt/wire"
)

// The fast paths put bytes into a chunk as words of eight bytes. The next word overwrites the overhang of the
// previous one.
//
//	put64  |08 2a 00 00 00 00 00 00|            SetId(42)
//	put64        |12 03 00 00 00 00 00 00|      the header of SetName("foo")
//	copy               |66 6f 6f|
//
// These are the only accesses of this package through unchecked pointers. The caller ensures that at least as many
// bytes follow p as the function overwrites: slack bytes follow every position up to stream.limit.

// slack is the room that is kept free after a position from which a field is written without further checks: the
// longest header of five and ten bytes, and a word.
const slack = 24

// put64 overwrites eight bytes.
func put64(p unsafe.Pointer, v uint64) { binary.LittleEndian.PutUint64((*[8]byte)(p)[:], v) }

// put32 overwrites four bytes.
func put32(p unsafe.Pointer, v uint32) { binary.LittleEndian.PutUint32((*[4]byte)(p)[:], v) }

// put8 overwrites one byte.
func put8(p unsafe.Pointer, v byte) { *(*byte)(p) = v }

// copyText overwrites as many bytes as the text has.
func copyText(p unsafe.Pointer, text string) { copy(unsafe.Slice((*byte)(p), len(text)), text) }

// textOf returns bytes as a string without a copy. Use it only to pass the bytes on, because they may change later.
func textOf(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// A varint of two to eight bytes, without a branch on its size: the bytes are spread and marked.
//
//	300 = 10'0101100   spread  2c 02 00 ..    marked  |ac 02|

// spread puts seven bits of the value, which has at most 56, into each byte.
func spread(v uint64) uint64 {
	// Halves of 28 bits, quarters of 14, eighths of 7. To move bits up is to add them as often as they grow.
	v += v & 0x00fffffff0000000 * (1<<4 - 1)
	v += v & 0x0fffc0000fffc000 * (1<<2 - 1)
	return v + v&0x3f803f803f803f80
}

// marks returns the continuation bits of a varint of two to eight bytes: one in each byte before the last.
func marks(size int) uint64 { return 0x8080808080808080 >> (uint(72-8*size) & 63) }

// putLong overwrites sixteen bytes, at most, with a varint of two or more, and returns its size.
func putLong(p unsafe.Pointer, v uint64) int {
	if v >= 1<<56 {
		return putNegative(p, v)
	}
	size := wire.SizeVarint(v)
	put64(p, spread(v)|marks(size))
	return size
}

// putNegative is putLong for a varint of nine or ten bytes. Bit 63 of the value is the continuation bit of the ninth.
func putNegative(p unsafe.Pointer, v uint64) int {
	put64(p, spread(v&(1<<56-1))|0x8080808080808080)
	put8(unsafe.Add(p, 8), byte(v>>56))
	put8(unsafe.Add(p, 9), 1)
	return 9 + int(v>>63)
}

// putVarint overwrites sixteen bytes, at most, with a varint and returns its size.
func putVarint(p unsafe.Pointer, v uint64) int {
	if v < 0x80 {
		put8(p, byte(v))
		return 1
	}
	return putLong(p, v)
}

// header holds the bytes of a tag and the varint after it, for cases outside the fast paths.
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

// padded returns a length in four bytes: 7 is 87 80 80 00.
func padded(length int64) [4]byte {
	return [4]byte{byte(length) | 0x80, byte(length>>7) | 0x80, byte(length>>14) | 0x80, byte(length>>21) & 0x7f}
}
