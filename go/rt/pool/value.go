package pool

import (
	"unsafe"

	"github.com/hotpb/hotpb/go/internal/enc"
)

const msbs = 0x8080808080808080

// String borrows bytes as a string, which is valid and constant as long as the bytes do not change.
func String(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// bytesOf borrows a string as bytes, for reading.
func bytesOf(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }

// ASCII reports whether b is ASCII. Tags and lengths below 128 are ASCII too, so several strings can be tested
// together with the bytes between them.
func ASCII(b []byte) bool { return enc.ASCII(b) }

// Zigzag32 returns the number that stands for a sint32.
func Zigzag32(v int32) uint64 { return enc.Zigzag32(v) }

// Bit returns 1 for true, 0 for false.
func Bit(v bool) uint64 { return enc.Bit(v) }

// EqualFloats reports whether two numbers are equal, or both NaN.
func EqualFloats[T float32 | float64](a, b T) bool { return a == b || a != a && b != b }
