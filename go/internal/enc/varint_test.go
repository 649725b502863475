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
				if soiled := bytes.Repeat([]byte{0xa7}, room+8); PutVarint(soiled, room, v) != at || !bytes.Equal(soiled, b) {
					t.Fatalf("PutVarint: %#x in front of %d: %x", v, room, soiled)
				}
				rest := append(bytes.Repeat([]byte{0xa7}, room-len(want)), want...)
				rest = append(rest, bytes.Repeat([]byte{0xa7}, 8)...)
				if at != room-len(want) || !bytes.Equal(b, rest) {
					t.Fatalf("%#x in front of %d: %d, %x", v, room, at, b)
				}
			}
		}
	}
}

func TestFixedNumbersAtEveryPlace(t *testing.T) {
	for at := range 12 {
		b := bytes.Repeat([]byte{0xa7}, 20)
		want := bytes.Clone(b)
		copy(want[at:], "\x04\x03\x02\x01")
		if PutFixed32(b, at+4, 0x01020304) != at || !bytes.Equal(b, want) {
			t.Errorf("%d: %x", at, b)
		}
		copy(want[at:], "\x08\x07\x06\x05\x04\x03\x02\x01")
		if PutFixed64(b, at+8, 0x0102030405060708) != at || !bytes.Equal(b, want) {
			t.Errorf("%d: %x", at, b)
		}
	}
}

func TestFreshMemory(t *testing.T) {
	for _, n := range []int{0, 1, 4095, 4096, 100_000} {
		if b := Fresh(n); len(b) != n || b == nil {
			t.Errorf("%d bytes: %d", n, len(b))
		}
	}
}
