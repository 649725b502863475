package codectest

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/hotpb/hotpb/go/codec"
	"github.com/hotpb/hotpb/go/internal/vectors"
)

// Vectors runs all vectors of messages that are linked.
func Vectors(t *testing.T) {
	t.Helper()
	n := 0
	before := map[string][]byte{}
	for _, file := range []string{"wire", "invalid"} {
		for _, v := range vectors.Read(t, file) {
			if New(v.Message) == nil {
				continue
			}
			n++
			Decode(t, v.Message, v.Input, codec.UnmarshalOptions{})
			Decode(t, v.Message, v.Input, codec.UnmarshalOptions{Alias: true, AllowPartial: true})
			Decode(t, v.Message, v.Input, codec.UnmarshalOptions{DiscardUnknown: true, AllowPartial: true})
			Merge(t, v.Message, before[v.Message], v.Input)
			before[v.Message] = v.Input
		}
	}
	if n == 0 {
		t.Error("there are no vectors of these messages")
	}
}

// InvalidVectors sees that errors are where the vectors have them, as far as the runtime refuses these inputs too.
func InvalidVectors(t *testing.T) {
	t.Helper()
	n := 0
	for _, v := range vectors.Read(t, "invalid") {
		m := New(v.Message)
		if m == nil || v.Options.Depth != nil || v.Options.Size != nil || v.Options.Elements != nil || v.Options.Strict {
			continue // limits of other faces
		}
		if proto.Unmarshal(v.Input, New(v.Message)) == nil {
			continue
		}
		n++
		err := m.UnmarshalHot(v.Input)
		if difference := v.Error.Differs(err); difference != "" {
			t.Errorf("%s %v: %s: %x", v.Name, v.IDs, difference, []byte(v.Input[:min(len(v.Input), 100)]))
		}
	}
	if n == 0 {
		t.Error("there are no such vectors of these messages")
	}
}

// Damaged runs the vectors with random damage.
func Damaged(t *testing.T, rounds int) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	for _, file := range []string{"wire", "invalid"} {
		for _, v := range vectors.Read(t, file) {
			if New(v.Message) == nil || len(v.Input) > 5_000 {
				continue // what is big is big by repetition
			}
			for range rounds {
				Decode(t, v.Message, damage(r, v.Input), codec.UnmarshalOptions{AllowPartial: true})
			}
			Merge(t, v.Message, damage(r, v.Input), damage(r, v.Input))
		}
	}
}

func damage(r *rand.Rand, input []byte) []byte {
	b := bytes.Clone(input)
	for range 1 + r.IntN(3) {
		switch at := r.IntN(len(b) + 1); r.IntN(4) {
		case 0:
			b = b[:at]
		case 1:
			b = append(b[:at], append([]byte{byte(r.IntN(256))}, b[at:]...)...)
		case 2:
			if at < len(b) {
				b[at] = byte(r.IntN(256))
			}
		default:
			b = append(b, b[at:]...)
		}
	}
	return b
}
