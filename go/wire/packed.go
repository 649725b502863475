package wire

import (
	"encoding/binary"
	"math/bits"
	"unsafe"
)

// CountVarints checks that b holds varints and nothing else, and counts them.
// On failure bad is the start of the varint that is wrong.
func CountVarints(b []byte) (count, bad int, code Code) {
	open := 0 // how many bytes the varint has so far that goes on behind i
	i := 0
	for ; len(b)-i >= 8; i += 8 {
		stops := ^binary.LittleEndian.Uint64(b[i:]) & msbs
		// Without a stop bit, 8 zero bytes lead and 8 trail.
		if open+bits.TrailingZeros64(stops)>>3 >= MaxVarint {
			return countUpToBad(b)
		}
		count += bits.OnesCount64(stops)
		if trailing := bits.LeadingZeros64(stops) >> 3; trailing < 8 {
			open = trailing
		} else {
			open += 8
		}
	}
	for _, c := range b[i:] {
		if open++; c < 0x80 {
			count++
			open = 0
		} else if open == MaxVarint {
			return countUpToBad(b)
		}
	}
	if open > 0 {
		return countUpToBad(b)
	}
	return count, 0, 0
}

// countUpToBad counts the varints before the one that is wrong.
func countUpToBad(b []byte) (count, bad int, code Code) {
	for bad < len(b) {
		next := SkipVarint(b, bad)
		if next < 0 {
			return count, bad, Failed(next)
		}
		count++
		bad = next
	}
	return count, 0, 0
}

// ReadVarints decodes the varints that b holds into dst, each cut to the size of
// an element. They are valid, and dst has the length that CountVarints gives.
//
// It looks for the last bytes of 64 at a time. Where a varint starts is then known
// without a look at the one before, so that the work on several overlaps.
func ReadVarints[T ~int32 | ~uint32 | ~int64 | ~uint64](dst []T, b []byte) {
	n, i, start := 0, 0, 0 // a varint may start before i and end behind it
	for ; len(b)-i >= 64+8; i += 64 {
		stops := lastBytes((*[64]byte)(b[i:]))
		if stops == 1<<64-1 && start == i {
			for j, c := range (*[64]byte)(b[i:]) {
				(*[64]T)(dst[n:])[j] = T(c)
			}
			n += 64
			start += 64
			continue
		}
		for ; stops != 0; stops &= stops - 1 {
			end := i + bits.TrailingZeros64(stops) + 1
			word := binary.LittleEndian.Uint64(b[start:])
			if size := end - start; size <= 8 {
				dst[n] = T(fold7(word << (64 - 8*size) >> (64 - 8*size)))
			} else {
				v := fold7(word) | uint64(b[start+8]&0x7f)<<56
				if size > 9 {
					v |= uint64(b[start+9]) << 63
				}
				dst[n] = T(v)
			}
			n++
			start = end
		}
	}
	for at := start; n < len(dst); n++ {
		var v uint64
		if v, at = ReadVarint(b, at); at < 0 {
			return
		}
		dst[n] = T(v)
	}
}

// lastBytes has a bit for each byte that ends a varint, the lowest for the first.
func lastBytes(b *[64]byte) (set uint64) {
	for i := 0; i < 64; i += 8 {
		stops := ^binary.LittleEndian.Uint64(b[i:]) & msbs
		set |= stops >> 7 * 0x0102040810204080 >> 56 << i // the product has bit 8 of byte n at 56+n
	}
	return set
}

// ReadZigzags is ReadVarints for sint32 and sint64.
func ReadZigzags[T int32 | int64](dst []T, b []byte) {
	ReadVarints(dst, b)
	sign := T(-1) << (8*unsafe.Sizeof(T(0)) - 1)
	for i, v := range dst {
		dst[i] = v>>1&^sign ^ -(v & 1)
	}
}

// ReadBools is ReadVarints for bool: all but 0 is true, whatever its length.
func ReadBools(dst []bool, b []byte) {
	for n, i := 0, 0; n < len(dst); {
		if len(dst)-n >= 8 && len(b)-i >= 8 {
			if word := binary.LittleEndian.Uint64(b[i:]); word&^0x0101010101010101 == 0 {
				// A bool is a byte that is 0 or 1, and these are.
				copy(unsafe.Slice((*byte)(unsafe.Pointer(&dst[n])), 8), b[i:])
				n += 8
				i += 8
				continue
			}
		}
		var v uint64
		if v, i = ReadVarint(b, i); i < 0 {
			return
		}
		dst[n] = v != 0
		n++
	}
}

// ReadFixed decodes the fixed-width values that b holds into dst, which has as many elements.
func ReadFixed[T ~int32 | ~uint32 | ~float32 | ~int64 | ~uint64 | ~float64](dst []T, b []byte) {
	size := int(unsafe.Sizeof(T(0)))
	// Any bytes are a number, and these are all of dst.
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(dst))), len(dst)*size)
	copy(bytes, b)
	if binary.NativeEndian.Uint16([]byte{1, 0}) != 1 {
		toNative(bytes, size)
	}
}

// toNative puts numbers of so many bytes from little-endian order into that of the machine.
func toNative(b []byte, size int) {
	for ; len(b) >= size; b = b[size:] {
		if size == 4 {
			binary.NativeEndian.PutUint32(b, binary.LittleEndian.Uint32(b))
		} else {
			binary.NativeEndian.PutUint64(b, binary.LittleEndian.Uint64(b))
		}
	}
}
