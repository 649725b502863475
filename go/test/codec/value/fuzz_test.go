package value_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/hotpb/hotpb/go/codec"
	"github.com/hotpb/hotpb/go/internal/vectors"
)

// FuzzDecode compares structs with dynamic messages, for any input as any test message.
func FuzzDecode(f *testing.F) {
	names := slices.Sorted(maps.Keys(messageTypes))
	for _, file := range []string{"wire", "invalid"} {
		for _, v := range vectors.Read(f, file) {
			if which := slices.Index(names, v.Message); which >= 0 && len(v.Input) < big {
				f.Add(byte(which), []byte(v.Input))
			}
		}
	}
	f.Fuzz(func(t *testing.T, which byte, input []byte) {
		if len(input) >= big { // deep inputs take time that grows with the square
			return
		}
		_ = compare(t, messageTypes[names[int(which)%len(names)]], input, codec.UnmarshalOptions{AllowPartial: true})
	})
}
