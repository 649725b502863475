package view

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/hotpb/hotpb/go/rt/wire"
)

// elements encodes values of a field in records of random kinds: packed lists, lists of none, records of one element
// each, and records of other fields.
func elements(r *rand.Rand, t wire.Type, values []uint64) (b []byte) {
	put := func(b []byte, v uint64) []byte {
		switch t {
		case wire.VarintType:
			if b = wire.AppendVarint(b, v); r.IntN(9) == 0 && len(b) > 0 && v < 1<<56 { // over-long
				b[len(b)-1] |= 0x80
				b = append(b, 0)
			}
			return b
		case wire.Fixed32Type:
			return binary.LittleEndian.AppendUint32(b, uint32(v))
		}
		return binary.LittleEndian.AppendUint64(b, v)
	}
	for len(values) > 0 || r.IntN(3) == 0 {
		switch r.IntN(4) {
		case 0:
			b = wire.AppendTag(b, 7, wire.VarintType)
			b = wire.AppendVarint(b, r.Uint64())
		case 1:
			if len(values) > 0 {
				b = put(wire.AppendTag(b, 5, t), values[0])
				values = values[1:]
			}
		default:
			n := min(len(values), r.IntN(40))
			var list []byte
			for _, v := range values[:n] {
				list = put(list, v)
			}
			values = values[n:]
			b = wire.AppendVarint(wire.AppendTag(b, 5, wire.BytesType), uint64(len(list)))
			b = append(b, list...)
		}
	}
	return b
}

func TestElementsComeOneByOneInOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(17, 18))
	for i := range 6000 {
		kind := []wire.Type{wire.VarintType, wire.Fixed32Type, wire.Fixed64Type}[i%3]
		values := make([]uint64, r.IntN(60))
		for n := range values {
			values[n] = r.Uint64() >> r.IntN(64)
			if i%4 == 0 && r.IntN(20) > 0 { // runs of one byte
				values[n] &= 0x7f
			}
			if kind == wire.Fixed32Type {
				values[n] &= 1<<32 - 1
			}
		}
		b := elements(r, kind, values)
		elems := Elems{b: b[:len(b):len(b)], end: uint32(len(b)), number: 5, t: kind}
		at := 0
		for at < len(values) {
			if n := r.IntN(len(values) - at); r.IntN(5) == 0 {
				if got := elems.nth(n); got != values[at+n] {
					t.Fatalf("%d from %d on is %d, want %d", n, at, got, values[at+n])
				}
				if !elems.seek(n) {
					t.Fatalf("no %d from %d on", n, at)
				}
				at += n
			}
			if !elems.Next() || elems.current() != values[at] {
				t.Fatalf("element %d is %d, want %d", at, elems.current(), values[at])
			}
			at++
		}
		if elems.nth(0) != 0 || elems.Next() || elems.Next() {
			t.Fatalf("more than %d elements", len(values))
		}
	}
}

func TestElementsEndWhereTheInputIsBroken(t *testing.T) {
	for _, kind := range []wire.Type{wire.VarintType, wire.Fixed32Type, wire.Fixed64Type} {
		b := elements(rand.New(rand.NewPCG(19, 20)), kind, []uint64{300, 1, 2, 3, 1 << 31, 5, 6, 7, 8, 9, 10, 11, 12})
		for n := range b {
			for _, c := range []byte{0, 0x80, 0xff} {
				broken := append([]byte{}, b...)
				broken[n] = c
				elems := Elems{b: broken, end: uint32(len(b)), number: 5, t: kind}
				for count := 0; elems.Next(); count++ {
					if count > len(b) {
						t.Fatalf("% x: no end", broken)
					}
				}
			}
		}
	}
}
