package wire

import (
	"encoding/binary"
	"math/bits"
)

// MaxVarint is the largest number of bytes a varint can have.
const MaxVarint = 10

const (
	msbs  = 0x8080808080808080
	low7s = 0x7f7f7f7f7f7f7f7f
)

// ReadVarint reads the varint at position i. It accepts over-long forms, and drops bits above the 64th.
//
// It first tests for one byte, because most varints have one, then for two. From three to eight bytes there is no
// branch on the length: one load, the position of the first byte without a continuation bit, three folds. That costs
// about as much as one mispredicted branch, but is independent of the data.
func ReadVarint(b []byte, i int) (v uint64, next int) {
	if uint(i) < uint(len(b)) {
		if c := b[i]; c < 0x80 {
			return uint64(c), i + 1
		}
		if rest := b[i:]; len(rest) >= 8 {
			// Everything below uses this word: if the code also read one of its bytes separately, the compiler would
			// read the others one by one too.
			word := binary.LittleEndian.Uint64(rest)
			if word&0x8000 == 0 {
				return word&0x7f | word>>1&0x3f80, i + 2
			}
			stop := ^word & msbs
			if stop != 0 {
				// stop^(stop-1) keeps everything up to the first stop bit.
				return fold7(word & (stop ^ (stop - 1))), i + bits.TrailingZeros64(stop)>>3 + 1
			}
			if len(rest) >= MaxVarint { // nine or ten bytes: negative numbers
				v = fold7(word) | uint64(rest[8]&0x7f)<<56
				if rest[8] < 0x80 {
					return v, i + 9
				}
				if rest[9] < 0x80 {
					return v | uint64(rest[9])<<63, i + 10
				}
				return 0, fail(VarintOverflow)
			}
		} else if len(rest) >= 2 && rest[1] < 0x80 {
			return uint64(rest[0]&0x7f) | uint64(rest[1])<<7, i + 2
		}
	}
	return readVarintAtEnd(b, i)
}

// fold7 removes the continuation bits from eight bytes.
func fold7(x uint64) uint64 {
	x &= low7s
	x = x&0x007f007f007f007f | x&0x7f007f007f007f00>>1
	x = x&0x00003fff00003fff | x&0x3fff00003fff0000>>2
	return x&0x000000000fffffff | x&0x0fffffff00000000>>4
}

func readVarintAtEnd(b []byte, i int) (v uint64, next int) {
	if uint(i) > uint(len(b)) {
		return 0, fail(Truncated)
	}
	for n, c := range b[i:] {
		v |= uint64(c&0x7f) << (7 * uint(n)) // shifts out the excess bits of a tenth byte
		if c < 0x80 {
			return v, i + n + 1
		}
		if n == MaxVarint-1 {
			return 0, fail(VarintOverflow)
		}
	}
	return 0, fail(Truncated)
}

// SkipVarint checks and skips the varint at position i.
func SkipVarint(b []byte, i int) (next int) {
	if uint(i) < uint(len(b)) && b[i] < 0x80 {
		return i + 1
	}
	return skipLongVarint(b, i)
}

func skipLongVarint(b []byte, i int) int {
	if i >= 0 && len(b)-i >= 8 {
		if stop := ^binary.LittleEndian.Uint64(b[i:]) & msbs; stop != 0 {
			return i + bits.TrailingZeros64(stop)>>3 + 1
		}
	}
	_, next := readVarintAtEnd(b, i)
	return next
}

// AppendVarint appends v in its shortest form.
func AppendVarint(dst []byte, v uint64) []byte {
	for v >= 0x80 {
		dst = append(dst, byte(v)|0x80)
		v >>= 7
	}
	return append(dst, byte(v))
}

// SizeVarint returns the number of bytes that AppendVarint appends.
func SizeVarint(v uint64) int {
	return (bits.Len64(v|1)*9 + 64) >> 6
}

// EncodeZigzag maps small magnitudes to small numbers, as sint32 and sint64 do.
func EncodeZigzag(v int64) uint64 { return uint64(v<<1) ^ uint64(v>>63) }

// DecodeZigzag undoes EncodeZigzag.
func DecodeZigzag(v uint64) int64 { return int64(v>>1) ^ -int64(v&1) }

// DecodeZigzag32 undoes the zigzag of a sint32; only its low 32 bits count.
func DecodeZigzag32(v uint64) int32 { return int32(uint32(v)>>1) ^ -int32(v&1) }
