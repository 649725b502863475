//go:build !purego

package wire

import (
	"sync/atomic"
	"unsafe"
)

// readVarints64 and readVarints32 decode varints in blocks of 64 bytes, as long as the input has 72 bytes and the list has
// room for 64 elements. They return how many elements they wrote, and how many bytes these took. They stop before a
// malformed varint. They need the instructions of hasBits.
//
//go:noescape
func readVarints64(dst unsafe.Pointer, room int, src unsafe.Pointer, n int) (elements, bytes int)

//go:noescape
func readVarints32(dst unsafe.Pointer, room int, src unsafe.Pointer, n int) (elements, bytes int)

// countVarints counts the ends of varints in blocks of 64 bytes, and how many bytes it has seen. It stops early where ten
// bytes in a row continue a varint.
//
//go:noescape
func countVarints(src unsafe.Pointer, n int) (count, bytes int)

// readLast64 and readLast32 decode the varints that end in the first n bytes, at most 64, of 72 that can be read. They
// return how many elements they wrote, at most as many as there is room for, and how many bytes these took. They stop before
// a malformed varint.
//
//go:noescape
func readLast64(dst unsafe.Pointer, room int, src unsafe.Pointer, n int) (elements, bytes int)

//go:noescape
func readLast32(dst unsafe.Pointer, room int, src unsafe.Pointer, n int) (elements, bytes int)

// stops returns a mask of 64 bytes that has a bit for each byte that ends a varint.
//
//go:noescape
func stops(src unsafe.Pointer) uint64

func cpuid(leaf, sub uint32) (eax, ebx, ecx, edx uint32)

// processor is 0 before hasBits has looked, then 1 for no and 2 for yes. Looking at start-up would cost programs that never
// decode a packed field.
var processor atomic.Uint32

// hasBits reports whether the processor has POPCNT, BMI1 and BMI2, and whether they are fast: AMD's processors before
// family 19h need hundreds of cycles for PEXT.
func hasBits() bool {
	if known := processor.Load(); known != 0 {
		return known == 2
	}
	found := uint32(1)
	if lookForBits() {
		found = 2
	}
	processor.Store(found)
	return found == 2
}

func lookForBits() bool {
	last, b, c, d := cpuid(0, 0)
	if last < 7 {
		return false
	}
	const bmi1, bmi2, popcnt = 1 << 3, 1 << 8, 1 << 23
	if _, features, _, _ := cpuid(7, 0); features&(bmi1|bmi2) != bmi1|bmi2 {
		return false
	}
	version, _, features, _ := cpuid(1, 0)
	if features&popcnt == 0 {
		return false
	}
	if b == 0x68747541 && d == 0x69746e65 && c == 0x444d4163 { // AuthenticAMD
		return version>>8&0xf+version>>20&0xff >= 0x19
	}
	return true
}
