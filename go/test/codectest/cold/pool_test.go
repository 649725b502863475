package cold_test

import (
	"math/rand/v2"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/hotpb/hotpb/go/codec"
	"github.com/hotpb/hotpb/go/test/codectest"
)

// The content of a message before ResetVT never shows, whatever it was, and also after a decode that failed. COD-90, COD-91
func TestMessagesAreUsedAgainAfterResetVT(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 22))
	reused := 0
	for _, name := range codectest.Names() {
		used := codectest.New(name)
		pooled, is := used.(interface {
			ResetVT()
			UnmarshalVTUnsafe(b []byte) error
		})
		if !is {
			continue
		}
		for range 40 {
			m := codectest.New(name)
			(&codectest.Filler{Rand: r, Fill: r.Float64()}).Message(m.ProtoReflect(), 3)
			b, err := proto.MarshalOptions{AllowPartial: true}.Marshal(m)
			if err != nil {
				t.Fatal(err)
			}
			if r.IntN(4) == 0 {
				b = codectest.Damage(r, b)
			}
			fresh, o := codectest.New(name), codec.UnmarshalOptions{Merge: true, AllowPartial: true, Alias: r.IntN(2) == 0}
			want, got := fresh.UnmarshalHotOptions(b, o), used.UnmarshalHotOptions(b, o)
			if (want == nil) != (got == nil) || want == nil && !proto.Equal(used, fresh) {
				t.Fatalf("%s: %v, used again %v:\n%v\nused again\n%v", name, want, got, fresh, used)
			}
			pooled.ResetVT()
			clear(b) // nothing in the message points there
			if proto.Size(used) != 0 || !proto.Equal(used, codectest.New(name)) {
				t.Fatalf("%s is not empty: %v", name, used)
			}
			reused++
		}
	}
	if reused < 500 {
		t.Errorf("only %d messages were used again", reused)
	}
}
