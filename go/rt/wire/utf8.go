package wire

import (
	"encoding/binary"
	"unicode/utf8"
)

// ValidUTF8 reports whether b is well-formed UTF-8. Text on hot paths is nearly always ASCII, so it tests blocks of
// 32 bytes, then words, for that. From the first other byte on it leaves the rest to the standard library.
func ValidUTF8(b []byte) bool {
	n := len(b)
	if n < 8 {
		switch { // words and bytes that may overlap
		case n >= 4:
			return (binary.LittleEndian.Uint32(b)|binary.LittleEndian.Uint32(b[n-4:]))&(msbs&0xffffffff) == 0 || utf8.Valid(b)
		case n > 0:
			return b[0]|b[n/2]|b[n-1] < 0x80 || utf8.Valid(b)
		}
		return true
	}
	i := 0
	for ; n-i >= 32; i += 32 {
		block := b[i : i+32 : i+32]
		if (binary.LittleEndian.Uint64(block)|binary.LittleEndian.Uint64(block[8:])|
			binary.LittleEndian.Uint64(block[16:])|binary.LittleEndian.Uint64(block[24:]))&msbs != 0 {
			return utf8.Valid(b[i:])
		}
	}
	for ; n-i >= 8; i += 8 {
		if binary.LittleEndian.Uint64(b[i:])&msbs != 0 {
			return utf8.Valid(b[i:])
		}
	}
	// The last word overlaps bytes that are known to be ASCII.
	return binary.LittleEndian.Uint64(b[n-8:])&msbs == 0 || utf8.Valid(b[i:])
}

// ValidPrefix returns the length of the longest well-formed prefix of b.
func ValidPrefix(b []byte) int {
	i := 0
	for i < len(b) {
		if b[i] < 0x80 {
			i++
			continue
		}
		r, size := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && size == 1 {
			break
		}
		i += size
	}
	return i
}
