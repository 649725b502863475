package google_test

import (
	"bytes"
	"math/rand/v2"
	"sync"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/hotpb/hotpb/go/codec"
	"github.com/hotpb/hotpb/go/test/codectest"
)

// Reading a message is safe for many goroutines at once with the runtime, and therefore with the fast code, even
// while lazy fields and extensions are decoded. Run with -race (go/check-all.sh), this test checks that.
func TestMessagesAreReadByManyGoroutinesAtOnce(t *testing.T) {
	type message interface {
		proto.Message
		codec.Message
	}
	sorted := codec.MarshalOptions{Deterministic: true, AllowPartial: true}
	partial := proto.UnmarshalOptions{AllowPartial: true}
	for _, name := range []string{"hotpb.lazy.Holder", "hotpb.vectors.p2.All", "hotpb.vectors.e24.All"} {
		for seed := range uint64(10) {
			r := &codectest.Filler{Rand: rand.New(rand.NewPCG(seed, 9)), Fill: 0.5}
			made := codectest.New(name)
			r.Message(made.ProtoReflect(), 3)
			input, err := proto.MarshalOptions{AllowPartial: true, Deterministic: true}.Marshal(made)
			if err != nil {
				t.Fatal(err)
			}
			shared, plain := codectest.New(name).(message), codectest.New(name)
			if err := partial.Unmarshal(input, shared); err != nil { // the runtime's decoder, which decodes lazily
				t.Fatal(err)
			}
			if err := partial.Unmarshal(input, plain); err != nil {
				t.Fatal(err)
			}
			readers := []func() bool{
				func() bool {
					b, err := shared.MarshalHotOptions(nil, sorted)
					return err == nil && bytes.Equal(b, input)
				},
				func() bool {
					b, err := shared.MarshalHotOptions(nil, codec.MarshalOptions{AllowPartial: true})
					return err == nil && len(b) == len(input)
				},
				func() bool { return shared.SizeHot() == len(input) },
				func() bool { return proto.Size(shared) == len(input) },
				func() bool { return proto.Equal(shared, plain) }, // decodes all lazy fields
			}
			var all sync.WaitGroup
			start := make(chan bool)
			for n := range 2 * len(readers) {
				all.Add(1)
				go func() {
					defer all.Done()
					<-start
					for k := range 3 {
						if i := (n + k) % len(readers); !readers[i]() {
							t.Errorf("%s, seed %d: reader %d sees something else", name, seed, i)
						}
					}
				}()
			}
			close(start)
			all.Wait()
		}
	}
}
