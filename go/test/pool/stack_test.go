package pool_test

import (
	"bytes"
	"testing"

	"github.com/hotpb/hotpb/go/pool"
	"github.com/hotpb/hotpb/go/wire"
)

// POL-46. An encoder and the room that it starts with are on the stack, which moves when a deep message needs a larger one.
func TestAnEncodingMovesWithItsStack(t *testing.T) {
	eachTier(t, func(t *testing.T) {
		for _, levels := range []int{3, 60, 900} {
			var b []byte
			for level := range levels {
				if level > 0 {
					b = wire.AppendBytes(wire.AppendTag(nil, 3, wire.BytesType), b)
				}
				head := wire.AppendVarint(wire.AppendTag(nil, 1, wire.VarintType), uint64(level+1))
				b = append(wire.AppendBytes(wire.AppendTag(head, 2, wire.BytesType), bytes.Repeat([]byte{'n'}, level%20+1)), b...)
			}
			m := newMessage(t, "hotpb.vectors.p2.Child")
			if err := pool.Unmarshal(m, b, pool.Options{MaxDepth: 1000}); err != nil {
				t.Fatal(err)
			}
			for range 4 {
				done := make(chan bool)
				go func() { // with a small stack
					defer close(done)
					if out, err := m.MarshalWith([]byte("head"), pool.MarshalOptions{}); err != nil || string(out[:4]) != "head" || !bytes.Equal(out[4:], b) {
						t.Errorf("%d levels: %v, %d bytes of %d", levels, err, len(out)-4, len(b))
					}
				}()
				<-done
				done = make(chan bool)
				go func() {
					defer close(done)
					out := make([]byte, m.Size())
					if n, err := m.MarshalToSizedBuffer(out); err != nil || n != len(b) || !bytes.Equal(out, b) {
						t.Errorf("%d levels: %v, %d bytes of %d", levels, err, n, len(b))
					}
				}()
				<-done
			}
		}
	})
}
