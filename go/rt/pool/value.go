package pool

import (
	"encoding/binary"
	"unsafe"
)

const msbs = 0x8080808080808080

// String borrows bytes as a string, which is valid and constant as long as the bytes do not change.
func String(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// bytesOf borrows a string as bytes, for reading.
func bytesOf(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }

// ASCII reports whether b is ASCII. Tags and lengths below 128 are ASCII too, so several strings can be tested
// together with the bytes between them.
func ASCII(b []byte) bool {
	var bits uint64
	for ; len(b) >= 32; b = b[32:] {
		bits |= binary.LittleEndian.Uint64(b) | binary.LittleEndian.Uint64(b[8:]) |
			binary.LittleEndian.Uint64(b[16:]) | binary.LittleEndian.Uint64(b[24:])
	}
	for ; len(b) >= 8; b = b[8:] {
		bits |= binary.LittleEndian.Uint64(b)
	}
	for _, c := range b {
		bits |= uint64(c)
	}
	return bits&msbs == 0
}

// Zigzag32 returns the number that stands for a sint32.
func Zigzag32(v int32) uint64 { return uint64(uint32(v<<1) ^ uint32(v>>31)) }

// Bit returns 1 for true, 0 for false.
func Bit(v bool) uint64 {
	if v {
		return 1
	}
	return 0
}

// EqualFloats reports whether two numbers are equal, or both NaN.
func EqualFloats[T float32 | float64](a, b T) bool { return a == b || a != a && b != b }
