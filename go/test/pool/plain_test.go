package pool_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	cold "github.com/hotpb/hotpb/go/internal/testgen/cold/vectors/vectorshot"
	hot "github.com/hotpb/hotpb/go/internal/testgen/hot/vectors/vectorshot"
	"github.com/hotpb/hotpb/go/wire"
)

// sameInBothTiers decodes b by table and straight, from memory of exactly its size, and compares results and errors.
func sameInBothTiers(t *testing.T, b []byte) (err error) {
	t.Helper()
	var table cold.All
	var straight hot.All
	b = slices.Clip(bytes.Clone(b))
	err, reference := table.UnmarshalAlias(b), straight.UnmarshalAlias(b)
	if fmt.Sprint(err) != fmt.Sprint(reference) {
		t.Fatalf("by table %v, straight %v: %x", err, reference, b)
	}
	got, _ := table.Marshal()
	if want, _ := straight.Marshal(); !bytes.Equal(got, want) {
		t.Fatalf("by table %x, straight %x: %x", got, want, b)
	}
	return err
}

// UTF-1
func TestTextsOfEveryLengthAreCheckedByTable(t *testing.T) {
	for n := range 70 {
		for _, number := range []uint32{14, 15, 114, 115} { // string, bytes, and both with presence
			for _, rest := range []string{"", strings.Repeat("\x08\x05", 9)} {
				for at := -1; at < n; at += 1 + n/24 {
					for _, c := range []string{"\xff", "\x80", "é", "€", "😀"} {
						text := strings.Repeat("x", n)
						if at >= 0 {
							text = (text[:at] + c + text[at:])[:n]
						}
						b := wire.AppendString(wire.AppendTag(nil, number, wire.BytesType), text)
						err := sameInBothTiers(t, append(b, rest...))
						if bad := number%100 == 14 && strings.ToValidUTF8(text, "") != text; bad != (err != nil) {
							t.Fatalf("%q: %v", text, err)
						}
					}
				}
			}
		}
	}
}

// VAR-1
func TestNumbersAtTheEndAreReadByTable(t *testing.T) {
	for _, number := range []uint32{1, 2, 3, 4, 5, 6, 13, 16, 101, 102, 103, 104, 105, 106, 113, 116} {
		for size := 1; size <= 11; size++ {
			for _, last := range []byte{0, 1, 2, 0x7f} {
				for after := range 12 { // bytes after the number
					b := wire.AppendTag(nil, number, wire.VarintType)
					b = append(append(b, bytes.Repeat([]byte{0xa5}, size-1)...), last)
					complete := sameInBothTiers(t, b) == nil
					if complete != (size <= 10) {
						t.Fatalf("field %d, %d bytes that end in %d: accepted is %v", number, size, last, complete)
					}
					sameInBothTiers(t, append(b, bytes.Repeat([]byte{0x68, 1}, 6)[:after]...))
				}
				for cut := range size { // a message inside ends within its number
					b := append([]byte{0x92, 0x01, byte(cut + 1), 0x08}, bytes.Repeat([]byte{0xa5}, size)...)
					sameInBothTiers(t, b)
				}
			}
		}
	}
	for _, number := range []uint32{7, 8, 9, 10, 11, 12, 107, 108, 109, 110, 111, 112} {
		for size := range 9 {
			for _, kind := range []wire.Type{wire.Fixed32Type, wire.Fixed64Type} {
				sameInBothTiers(t, append(wire.AppendTag(nil, number, kind), "\x01\x82\x03\x84\x05\x86\x07\x88"[:size]...))
			}
		}
	}
}
