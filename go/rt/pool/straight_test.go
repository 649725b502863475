package pool

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/hotpb/hotpb/go/rt/wire"
)

// FCE-1, LEN-1
func TestListsOfBytesAreReadElementByElement(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	overlong := func(b []byte, n int) []byte {
		for range 1 + r.IntN(4) {
			b, n = append(b, byte(n)|0x80), n>>7
		}
		return wire.AppendVarint(b, uint64(n))
	}
	sizes := []int{0, 1, 127, 128, 128, 128, 129, 300, 16383, 16384, 16384}
	for round := range 3000 {
		var b []byte
		var want [][]byte
		size, repeats := 0, 0
		for range r.IntN(12) {
			if repeats--; repeats < 0 {
				size, repeats = sizes[r.IntN(len(sizes))], r.IntN(4)
			}
			b = append(b, 0x12)
			if round%3 == 0 && r.IntN(3) == 0 {
				b = overlong(b, size)
			} else {
				b = wire.AppendVarint(b, uint64(size))
			}
			value := bytes.Repeat([]byte{byte(r.IntN(256))}, size)
			b, want = append(b, value...), append(want, value)
		}
		if len(want) == 0 {
			continue
		}
		end := len(b)
		if r.IntN(2) == 0 {
			b = append(b, 0x1a, 0)
		}
		var s Slab[[]byte]
		got, at := ListOfBytes(&Decoder{memory: 1 << 30}, &s, nil, b, 1, 0, 0x12)
		if at != end || !equal(got, want) {
			t.Fatalf("%d elements up to %d of %d, want %d", len(got), at, end, len(want))
		}
		// A cut input ends in an error, or with fewer elements.
		cut := r.IntN(end)
		got, at = ListOfBytes(&Decoder{memory: 1 << 30}, new(Slab[[]byte]), nil, b[:cut:cut], min(1, cut), 0, 0x12)
		if at >= 0 && (at != cut || len(got) == len(want)) || !equal(got, want[:len(got)]) {
			t.Fatalf("cut at %d: %d elements up to %d", cut, len(got), at)
		}
	}
}

func equal(a, b [][]byte) bool {
	for i := range a {
		if !bytes.Equal(a[i], b[i]) {
			return false
		}
	}
	return len(a) == len(b)
}
