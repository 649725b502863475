package enc

import "encoding/binary"

// ASCII reports whether b is ASCII.
func ASCII(b []byte) bool {
	var seen uint64
	n := len(b)
	if n < 8 {
		for _, c := range b {
			seen |= uint64(c)
		}
		return seen&msbs == 0
	}
	seen = binary.LittleEndian.Uint64(b[n-8:]) // the last word overlaps the previous one
	for ; len(b) >= 32; b = b[32:] {
		seen |= binary.LittleEndian.Uint64(b) | binary.LittleEndian.Uint64(b[8:]) |
			binary.LittleEndian.Uint64(b[16:]) | binary.LittleEndian.Uint64(b[24:])
	}
	for ; len(b) >= 8; b = b[8:] {
		seen |= binary.LittleEndian.Uint64(b)
	}
	return seen&msbs == 0
}
