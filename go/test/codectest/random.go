package codectest

import (
	"math/rand/v2"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/hotpb/hotpb/go/codec"
)

// Random decodes random messages of that name: as the runtime writes them, damaged, and on top of each other.
func Random(t *testing.T, name string, rounds int) {
	t.Helper()
	r := rand.New(rand.NewPCG(3, 4))
	var before []byte
	for range rounds {
		m := New(name)
		if m == nil {
			t.Fatalf("%s has no fast methods", name)
		}
		(&Filler{Rand: r, Fill: r.Float64()}).Message(m.ProtoReflect(), 3)
		input, err := proto.MarshalOptions{AllowPartial: true}.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		Decode(t, name, input, codec.UnmarshalOptions{})
		Decode(t, name, input, codec.UnmarshalOptions{AllowPartial: true, Alias: true})
		Decode(t, name, input, codec.UnmarshalOptions{AllowPartial: true, DiscardUnknown: true})
		if !legacy { // where the runtime puts extensions off, it does not count what is in them
			Decode(t, name, input, codec.UnmarshalOptions{AllowPartial: true, RecursionLimit: 1 + r.IntN(5)})
		}
		Decode(t, name, Damage(r, input), codec.UnmarshalOptions{AllowPartial: true})
		Merge(t, name, before, Damage(r, input))
		Merge(t, name, before, input)
		before = input
	}
}
