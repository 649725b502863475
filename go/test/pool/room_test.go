package pool_test

import (
	"bytes"
	"testing"

	"github.com/hotpb/hotpb/go/internal/testgen/vectors_proto2/vectors_proto2hot"
	"github.com/hotpb/hotpb/go/pool"
	"github.com/hotpb/hotpb/go/wire"
)

// Appending to what a message returned changes neither its other values nor the bytes beside its input.
func TestBytesOfAMessageHaveNoRoom(t *testing.T) {
	record := func(number uint32, content string) []byte {
		return wire.AppendBytes(wire.AppendTag(nil, number, wire.BytesType), []byte(content))
	}
	entry := append([]byte{0x08, 1}, record(2, "value")...)
	input := bytes.Join([][]byte{record(15, "one"), record(315, "two"), record(315, "three"), record(715, string(entry)), record(815, "four"),
		record(60_000, "five"), record(60_001, "six"), record(1, "seven")}, nil)
	for mode, decode := range map[string]func(m *vectors_proto2hot.All, b []byte) error{
		"copied": (*vectors_proto2hot.All).Unmarshal, "borrowed": (*vectors_proto2hot.All).UnmarshalAlias,
	} {
		for _, b := range [][]byte{input, append([]byte("before "), append(bytes.Clone(input), " after"...)...)} {
			given := b
			if len(b) > len(input) {
				given = b[len("before ") : len("before ")+len(input)]
			}
			before := bytes.Clone(b)
			var m vectors_proto2hot.All
			if err := decode(&m, given); err != nil {
				t.Fatal(err)
			}
			want, err := m.MarshalWith(nil, pool.MarshalOptions{AllowPartial: true})
			if err != nil {
				t.Fatal(err)
			}
			all := append([][]byte{m.GetSingleBytes(), m.GetOneofBytes(), m.ValueBytes[1]}, m.RepeatedBytes...)
			for unknowns := m.UnknownFields(); unknowns.Next(); {
				all = append(all, unknowns.Field().Raw())
			}
			if len(all) != 8 {
				t.Fatalf("%d values", len(all))
			}
			for _, value := range all {
				_ = append(value, "more than there was"...)
			}
			if got, err := m.MarshalWith(nil, pool.MarshalOptions{AllowPartial: true}); err != nil || !bytes.Equal(got, want) || !bytes.Equal(b, before) {
				t.Errorf("%s: %v, now\n%q, was\n%q, the input\n%q", mode, err, got, want, b)
			}
		}
	}
}
