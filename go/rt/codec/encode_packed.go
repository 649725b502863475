package codec

import (
	"unsafe"

	"github.com/hotpb/hotpb/go/rt/wire"
)

// The Pack functions write the elements of a packed field and their length; the list must not be empty. The caller
// writes the tag.

// PackVarints writes numbers; negative ones, including enums, take ten bytes.
func PackVarints[T ~int32 | ~int64 | ~uint32 | ~uint64](e *Encoder, i int, list []T) int {
	if i >= wire.MaxVarint*(len(list)+1) { // room for all, however long they are
		b, end := e.B, i
		for n := len(list) - 1; n >= 0; n-- {
			i = PutVarint(b, i, uint64(list[n]))
		}
		return PutVarint(b, i, uint64(end-i))
	}
	return packSized(e, i, list)
}

// packSized is PackVarints where room for the longest numbers would be more than there is: it finds out how long they are.
//
//go:noinline
func packSized[T ~int32 | ~int64 | ~uint32 | ~uint64](e *Encoder, i int, list []T) int {
	size := int(wire.SizeVarints(list))
	i = e.reserve(i, size)
	wire.PutVarints(e.B[i:i+size], list)
	return PutVarint(e.B, i, uint64(size))
}

// PackSint32s and PackSint64s write zigzag numbers.
func PackSint32s(e *Encoder, i int, list []int32) int { return packZigzags(e, i, list) }

func PackSint64s(e *Encoder, i int, list []int64) int { return packZigzags(e, i, list) }

func packZigzags[T int32 | int64](e *Encoder, i int, list []T) int {
	written := len(e.B) - i
	for n := len(list) - 1; n >= 0; n-- {
		if i < 2*wire.MaxVarint {
			i = e.Grow(i, 2*wire.MaxVarint)
		}
		i = PutVarint(e.B, i, wire.EncodeZigzag(int64(list[n])))
	}
	return PutVarint(e.B, i, uint64(len(e.B)-i-written))
}

// PackBools writes a byte for each element.
func PackBools(e *Encoder, i int, list []bool) int {
	return e.packMemory(i, (*byte)(unsafe.Pointer(unsafe.SliceData(list))), len(list))
}

// PackFixed32s writes four bytes for each element.
func PackFixed32s[T uint32 | int32 | float32](e *Encoder, i int, list []T) int {
	if isLittle() {
		return e.packMemory(i, (*byte)(unsafe.Pointer(unsafe.SliceData(list))), 4*len(list))
	}
	i = e.reserve(i, 4*len(list))
	wire.PutFixed(e.B[i:], list)
	return PutVarint(e.B, i, uint64(4*len(list)))
}

// PackFixed64s writes eight bytes for each element.
func PackFixed64s[T uint64 | int64 | float64](e *Encoder, i int, list []T) int {
	if isLittle() {
		return e.packMemory(i, (*byte)(unsafe.Pointer(unsafe.SliceData(list))), 8*len(list))
	}
	i = e.reserve(i, 8*len(list))
	wire.PutFixed(e.B[i:], list)
	return PutVarint(e.B, i, uint64(8*len(list)))
}

// isLittle reports whether numbers are in memory as they are encoded.
func isLittle() bool {
	number := uint16(1)
	return *(*byte)(unsafe.Pointer(&number)) == 1
}

// packMemory writes n bytes that are in memory as they are encoded, and their length.
func (e *Encoder) packMemory(i int, at *byte, n int) int {
	if n >= longFrom && !e.direct {
		return e.holdText(i, at, n, wire.MaxVarint)
	}
	i = e.reserve(i, n)
	copy(e.B[i:], unsafe.Slice(at, n))
	return PutVarint(e.B, i, uint64(n))
}
