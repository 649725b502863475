package wire

import (
	"encoding/binary"
	"math/bits"
	"unsafe"
)

// CountVarints checks that b holds only varints, and counts them. On failure bad is the start of the malformed
// varint.
func CountVarints(b []byte) (count, bad int, code Code) {
	open := 0 // the number of bytes before i of a varint that continues at i
	i := 0
	if hasBits() {
		if n := len(b); n-1 < 64 && n > 0 {
			return countShort(b)
		}
		count, i = countVarints(unsafe.Pointer(unsafe.SliceData(b)), len(b))
		for open < i && b[i-1-open] >= 0x80 {
			open++
		}
	}
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

// window is how many bytes the functions that read short lists may read, whatever the list's own size.
const window = 72

// inWindow returns b, at most 64 bytes, as the beginning of memory that has as many bytes as a window: its own, if its
// capacity allows that, or a copy.
func inWindow(b []byte, space *[window]byte) unsafe.Pointer {
	if cap(b) >= window {
		return unsafe.Pointer(unsafe.SliceData(b))
	}
	copy(space[:], b)
	return unsafe.Pointer(space)
}

// countShort is CountVarints for 1 to 64 bytes. It needs the instructions of hasBits.
func countShort(b []byte) (count, bad int, code Code) {
	var space [window]byte
	all := ^uint64(0) >> (64 - uint(len(b)))
	ends := stops(inWindow(b, &space)) & all
	two := ^ends & all
	two &= two >> 1 // bytes in a row that continue a varint
	four := two & (two >> 2)
	if ends>>(uint(len(b))-1) == 0 || four&(four>>4)&(two>>8) != 0 {
		return countUpToBad(b)
	}
	return bits.OnesCount64(ends), 0, 0
}

// readLast reads varints in windows, and returns the rest at a malformed one.
func readLast[T ~int32 | ~uint32 | ~int64 | ~uint64](dst []T, b []byte) ([]T, []byte) {
	var space [window]byte
	for len(dst) > 0 && len(b) > 0 {
		n := min(len(b), 64)
		to, src := unsafe.Pointer(unsafe.SliceData(dst)), inWindow(b[:n], &space)
		elements, read := 0, 0
		if unsafe.Sizeof(T(0)) == 8 {
			elements, read = readLast64(to, len(dst), src, n)
		} else {
			elements, read = readLast32(to, len(dst), src, n)
		}
		if elements == 0 {
			break
		}
		dst, b = dst[elements:], b[read:]
	}
	return dst, b
}

// ReadRun reads varints from position i of b on into dst, as many as it has room for but at least one. It returns how many
// it has read, and the position after them. At a malformed varint or the end of b it stops; then n can be 0.
func ReadRun(dst []uint64, b []byte, i int) (n, next int) {
	if uint(i) > uint(len(b)) {
		return 0, i
	}
	if len(dst) > 1 && hasBits() {
		var space [window]byte
		rest := b[i:]
		n, read := readLast64(unsafe.Pointer(unsafe.SliceData(dst)), len(dst), inWindow(rest[:min(len(rest), 64)], &space), min(len(rest), 64))
		return n, i + read
	}
	for n < len(dst) {
		v, end := ReadVarint(b, i)
		if end < 0 {
			break
		}
		dst[n] = v
		n++
		i = end
	}
	return n, i
}

// countUpToBad counts the varints before the malformed one.
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

// ReadVarints decodes the varints in b into dst, each cut to the size of an element. The varints are valid, and dst
// has as many elements as CountVarints returns.
func ReadVarints[T ~int32 | ~uint32 | ~int64 | ~uint64](dst []T, b []byte) {
	switch {
	case len(dst) == len(b):
		readShort(dst, b)
		return
	case !hasBits():
		if len(b)/3 >= len(dst) {
			dst, b = readWide(dst, b)
		}
	case unsafe.Sizeof(T(0)) == 8:
		if len(b) >= window {
			n, read := readVarints64(unsafe.Pointer(unsafe.SliceData(dst)), len(dst), unsafe.Pointer(unsafe.SliceData(b)), len(b))
			dst, b = dst[n:], b[read:]
		}
		dst, b = readLast(dst, b)
	default:
		if len(b) >= window {
			n, read := readVarints32(unsafe.Pointer(unsafe.SliceData(dst)), len(dst), unsafe.Pointer(unsafe.SliceData(b)), len(b))
			dst, b = dst[n:], b[read:]
		}
		dst, b = readLast(dst, b)
	}
	i := 0
	for n := range dst {
		var v uint64
		if v, i = ReadVarint(b, i); i < 0 {
			return
		}
		dst[n] = T(v)
	}
}

// readShort is ReadVarints for varints of one byte.
func readShort[T ~int32 | ~uint32 | ~int64 | ~uint64](dst []T, b []byte) {
	for ; len(dst) >= 8 && len(b) >= 8; dst, b = dst[8:], b[8:] {
		for j, c := range (*[8]byte)(b) {
			(*[8]T)(dst)[j] = T(c)
		}
	}
	for n, c := range b[:len(dst)] {
		dst[n] = T(c)
	}
}

// readWide is ReadVarints as long as the input has 72 bytes and the list has room for 64 elements; it returns what is
// left. It does not branch on the lengths of varints of up to eight bytes. It collects the bytes that end a varint in a
// mask of 64 bits, so that the beginning of the next varint does not depend on the bytes of the one before.
func readWide[T ~int32 | ~uint32 | ~int64 | ~uint64](dst []T, b []byte) ([]T, []byte) {
	for len(b) >= 72 && len(dst) >= 64 {
		block, list := (*[72]byte)(b), (*[64]T)(dst)
		var stops uint64
		for i := 0; i < 64; i += 8 {
			// The product moves the lowest bits of the bytes to the highest byte.
			ends := ^binary.LittleEndian.Uint64(block[i:]) & msbs >> 7
			stops |= ends * 0x0102040810204080 >> 56 << i
		}
		n, start := 0, 0
		for ; stops != 0; stops &= stops - 1 {
			end := bits.TrailingZeros64(stops) + 1
			size, at := end-start, start&63
			v := fold7(binary.LittleEndian.Uint64(block[at:]) & firstBytes[size&15])
			if size > 8 {
				v |= uint64(block[at+8]&0x7f) << 56
				if size == MaxVarint {
					v |= uint64(block[at+9]) << 63
				}
			}
			list[n&63] = T(v)
			n++
			start = end
		}
		if n == 0 {
			break
		}
		dst, b = dst[n:], b[start:]
	}
	return dst, b
}

// firstBytes are masks of the first n bytes of eight.
var firstBytes = [16]uint64{0, 1<<8 - 1, 1<<16 - 1, 1<<24 - 1, 1<<32 - 1, 1<<40 - 1, 1<<48 - 1, 1<<56 - 1, 1<<64 - 1, 1<<64 - 1, 1<<64 - 1}

// ReadZigzags is ReadVarints for sint32 and sint64.
func ReadZigzags[T int32 | int64](dst []T, b []byte) {
	ReadVarints(dst, b)
	sign := T(-1) << (8*unsafe.Sizeof(T(0)) - 1)
	for i, v := range dst {
		dst[i] = v>>1&^sign ^ -(v & 1)
	}
}

// ReadBools is ReadVarints for bool: every value but 0 is true, whatever its length.
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

// ReadFixed decodes the fixed-width values in b into dst, which has as many elements.
func ReadFixed[T ~int32 | ~uint32 | ~float32 | ~int64 | ~uint64 | ~float64](dst []T, b []byte) {
	size := int(unsafe.Sizeof(T(0)))
	// Any bytes are a valid number, and these cover all of dst.
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(dst))), len(dst)*size)
	copy(bytes, b)
	if binary.NativeEndian.Uint16([]byte{1, 0}) != 1 {
		ToNative(bytes, size)
	}
}

// ToNative converts numbers of size bytes from little-endian order to the machine's order.
func ToNative(b []byte, size int) {
	for ; len(b) >= size; b = b[size:] {
		if size == 4 {
			binary.NativeEndian.PutUint32(b, binary.LittleEndian.Uint32(b))
		} else {
			binary.NativeEndian.PutUint64(b, binary.LittleEndian.Uint64(b))
		}
	}
}

// The Put functions write the elements of a packed list, for which b has room, and return the number of their bytes. The Size
// functions return that number beforehand: on a machine of 32 bits it may be more than an int.

// PutVarints writes elements that are not zigzag.
func PutVarints[T ~int32 | ~int64 | ~uint32 | ~uint64](b []byte, values []T) (n int) {
	for _, element := range values {
		v := uint64(element)
		for ; v >= 0x80; n++ {
			b[n] = byte(v) | 0x80
			v >>= 7
		}
		b[n] = byte(v)
		n++
	}
	return n
}

// SizeVarints is for PutVarints.
func SizeVarints[T ~int32 | ~int64 | ~uint32 | ~uint64](values []T) (n int64) {
	for _, v := range values {
		n += int64(SizeVarint(uint64(v)))
	}
	return n
}

// PutZigzags writes elements of sint32 and sint64.
func PutZigzags[T int32 | int64](b []byte, values []T) (n int) {
	for _, element := range values {
		v := EncodeZigzag(int64(element))
		for ; v >= 0x80; n++ {
			b[n] = byte(v) | 0x80
			v >>= 7
		}
		b[n] = byte(v)
		n++
	}
	return n
}

// SizeZigzags is for PutZigzags.
func SizeZigzags[T int32 | int64](values []T) (n int64) {
	for _, v := range values {
		n += int64(SizeVarint(EncodeZigzag(int64(v))))
	}
	return n
}

// PutBools writes a byte for each element.
func PutBools(b []byte, values []bool) int {
	// A bool is a byte that is 0 or 1.
	return copy(b, unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(values))), len(values)))
}

// PutFixed writes elements of a fixed width.
func PutFixed[T ~int32 | ~uint32 | ~float32 | ~int64 | ~uint64 | ~float64](b []byte, values []T) int {
	width := int(unsafe.Sizeof(T(0)))
	// These are numbers without padding, and b has room for all of them.
	n := copy(b, unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(values))), len(values)*width))
	if binary.NativeEndian.Uint16([]byte{1, 0}) != 1 {
		ToNative(b[:n], width) // the same swap in the other direction
	}
	return n
}

// PutPacked writes n elements of a kind, which are at an address.
func PutPacked(b []byte, k Kind, at unsafe.Pointer, n int) {
	switch k {
	case Bool:
		PutBools(b, unsafe.Slice((*bool)(at), n))
	case Sint32:
		PutZigzags(b, unsafe.Slice((*int32)(at), n))
	case Sint64:
		PutZigzags(b, unsafe.Slice((*int64)(at), n))
	case Int64, Uint64:
		PutVarints(b, unsafe.Slice((*uint64)(at), n))
	case Int32, Enum:
		PutVarints(b, unsafe.Slice((*int32)(at), n))
	case Uint32:
		PutVarints(b, unsafe.Slice((*uint32)(at), n))
	case Fixed64, Sfixed64, Double:
		PutFixed(b, unsafe.Slice((*uint64)(at), n))
	default:
		PutFixed(b, unsafe.Slice((*uint32)(at), n))
	}
}

// SizePacked is for PutPacked.
func SizePacked(k Kind, at unsafe.Pointer, n int) int {
	switch k {
	case Bool:
		return n
	case Sint32:
		return int(SizeZigzags(unsafe.Slice((*int32)(at), n)))
	case Sint64:
		return int(SizeZigzags(unsafe.Slice((*int64)(at), n)))
	case Int64, Uint64:
		return int(SizeVarints(unsafe.Slice((*uint64)(at), n)))
	case Int32, Enum:
		return int(SizeVarints(unsafe.Slice((*int32)(at), n)))
	case Uint32:
		return int(SizeVarints(unsafe.Slice((*uint32)(at), n)))
	case Fixed64, Sfixed64, Double:
		return 8 * n
	}
	return 4 * n
}
