package fast_test

import (
	"bytes"
	"sync"
	"testing"

	"github.com/gogo/protobuf/proto"
	"github.com/hotpb/hotpb/go/codec"
	p2 "github.com/hotpb/hotpb/go/gogo/internal/stock/vectors_proto2"
)

// Reading a message is safe for many goroutines at once with the runtime, and therefore with the fast code, even
// while scalar extensions that came encoded are decoded. Run with -race (go/check-all.sh), this test checks that.
// Extensions that are messages are decoded before: the runtime itself writes a wrong length for one that is decoded
// while it encodes.
func TestMessagesAreReadByManyGoroutinesAtOnce(t *testing.T) {
	made := &p2.All{SingleString: proto.String("text"), RepeatedAll: []*p2.All{{}, {}}}
	for _, m := range append(made.RepeatedAll, made) {
		if err := proto.SetExtension(m, p2.E_ExtInt32, proto.Int32(7)); err != nil {
			t.Fatal(err)
		}
		if err := proto.SetExtension(m, p2.E_ExtChild, &p2.Child{Id: proto.Int32(3)}); err != nil {
			t.Fatal(err)
		}
	}
	input := sorted(t, made)
	for range 50 {
		shared := new(p2.All)
		if err := shared.UnmarshalHot(input); err != nil {
			t.Fatal(err)
		}
		for _, m := range append(shared.RepeatedAll, shared) {
			if _, err := proto.GetExtension(m, p2.E_ExtChild); err != nil {
				t.Fatal(err)
			}
		}
		readers := []func() bool{
			func() bool {
				b, err := shared.MarshalHotOptions(nil, codec.MarshalOptions{Deterministic: true})
				return err == nil && bytes.Equal(b, input)
			},
			func() bool { b, err := shared.MarshalHot(); return err == nil && len(b) == len(input) },
			func() bool { return shared.SizeHot() == len(input) },
			func() bool { b, err := proto.Marshal(shared); return err == nil && len(b) == len(input) },
			func() bool {
				child, err := proto.GetExtension(shared.RepeatedAll[1], p2.E_ExtChild)
				return err == nil && child.(*p2.Child).GetId() == 3
			},
			func() bool {
				number, err := proto.GetExtension(shared, p2.E_ExtInt32) // decodes it
				return err == nil && *number.(*int32) == 7
			},
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
						t.Errorf("reader %d sees something else", i)
					}
				}
			}()
		}
		close(start)
		all.Wait()
	}
}
