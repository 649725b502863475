package wire

import (
	"encoding/binary"
	"math"
)

// The Append functions append a value without its tag. Append the tag with AppendTag, or as the constant bytes that
// generated code knows.

// AppendInt32 appends an int32 or an enum; negative values take ten bytes.
func AppendInt32(dst []byte, v int32) []byte { return AppendVarint(dst, uint64(int64(v))) }

// AppendSint32 appends a zigzag varint.
func AppendSint32(dst []byte, v int32) []byte {
	return AppendVarint(dst, uint64(uint32(v<<1)^uint32(v>>31)))
}

// AppendSint64 appends a zigzag varint.
func AppendSint64(dst []byte, v int64) []byte { return AppendVarint(dst, EncodeZigzag(v)) }

// AppendBool appends 0 or 1.
func AppendBool(dst []byte, v bool) []byte {
	if v {
		return append(dst, 1)
	}
	return append(dst, 0)
}

// AppendFixed32 appends four bytes.
func AppendFixed32(dst []byte, v uint32) []byte { return binary.LittleEndian.AppendUint32(dst, v) }

// AppendFixed64 appends eight bytes.
func AppendFixed64(dst []byte, v uint64) []byte { return binary.LittleEndian.AppendUint64(dst, v) }

// AppendFloat appends the bits of v.
func AppendFloat(dst []byte, v float32) []byte { return AppendFixed32(dst, math.Float32bits(v)) }

// AppendDouble appends the bits of v.
func AppendDouble(dst []byte, v float64) []byte { return AppendFixed64(dst, math.Float64bits(v)) }

// AppendString appends a length and the bytes of v.
func AppendString(dst []byte, v string) []byte {
	return append(AppendVarint(dst, uint64(len(v))), v...)
}

// AppendBytes appends a length and v.
func AppendBytes(dst []byte, v []byte) []byte {
	return append(AppendVarint(dst, uint64(len(v))), v...)
}

// InsertLength inserts the length of dst[start:] in front of it, in the shortest form. Use it for payloads whose size
// is known only after they have been written.
func InsertLength(dst []byte, start int) []byte {
	n := len(dst) - start
	width := SizeVarint(uint64(n))
	var room [MaxVarint]byte
	dst = append(dst, room[:width]...)
	copy(dst[start+width:], dst[start:start+n])
	AppendVarint(dst[:start], uint64(n))
	return dst
}
