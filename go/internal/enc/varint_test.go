package enc

import (
	"bytes"
	"testing"

	"github.com/hotpb/hotpb/go/wire"
)

// Every length at every place: the bytes are wire's, and those around them stay.
func TestLongVarintWritesItsBytesOnly(t *testing.T) {
	for bits := 8; bits <= 64; bits++ {
		for _, v := range []uint64{1 << (bits - 1), 1<<bits - 1, 0x5a5a5a5a5a5a5a5a>>(64-bits) | 1<<(bits-1)} {
			want := wire.AppendVarint(nil, v)
			for room := len(want); room < 20; room++ {
				b := bytes.Repeat([]byte{0xa7}, room+8)
				at := LongVarint(b, room, v)
				rest := append(bytes.Repeat([]byte{0xa7}, room-len(want)), want...)
				rest = append(rest, bytes.Repeat([]byte{0xa7}, 8)...)
				if at != room-len(want) || !bytes.Equal(b, rest) {
					t.Fatalf("%#x in front of %d: %d, %x", v, room, at, b)
				}
			}
		}
	}
}
