package codec

import (
	"bytes"
	"testing"

	"github.com/hotpb/hotpb/go/rt/wire"
)

// Varints of every length, and over-long ones, are read at the end of the bytes as in front of others; a varint that is
// cut off is an error.
func TestVarintsAtTheEnd(t *testing.T) {
	for size := 1; size <= wire.MaxVarint; size++ {
		for _, last := range []byte{0, 1, 0x7f} {
			b := append(bytes.Repeat([]byte{0xd5}, size-1), last)
			for before := range 3 {
				room := append(make([]byte, before), b...)
				want, next := ReadVarint(append(bytes.Clone(room), make([]byte, 16)...), before)
				if v, end := ReadVarint(room, before); v != want || end != next {
					t.Errorf("% x behind %d bytes: %#x up to %d, want %#x up to %d", b, before, v, end, want, next)
				}
				for cut := range size {
					if _, end := ReadVarint(room[:before+cut:before+cut], before); end != fail(wire.Truncated) {
						t.Errorf("% x, %d bytes of it: %d", b, cut, end)
					}
				}
			}
		}
	}
}
