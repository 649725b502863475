package fast_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"

	p2 "github.com/hotpb/hotpb/go/gogo/internal/stock/vectors_proto2"
	"github.com/hotpb/hotpb/go/gogo/rt/fast"
	"github.com/hotpb/hotpb/go/rt/codec"
	"github.com/hotpb/hotpb/go/test/codectest"
	"github.com/hotpb/hotpb/go/wire"
	googleproto "google.golang.org/protobuf/proto"
)

// nested returns an All in an All, and so on, all in field number, depth times.
func nested(number uint32, depth int) []byte {
	sizes := make([]int, depth+1)
	tag := uint64(number)<<3 | uint64(wire.BytesType)
	for i := range depth {
		sizes[i+1] = wire.SizeVarint(tag) + codec.SizeLen(sizes[i])
	}
	b := make([]byte, 0, sizes[depth])
	for i := depth; i > 0; i-- {
		b = wire.AppendVarint(wire.AppendVarint(b, tag), uint64(sizes[i-1]))
	}
	return b
}

// COD-57. The runtime has no limit: such nesting overflows the stack, which no program survives. The fast code has a
// limit, and enforces it when it leaves a message to the runtime.
func TestDeepMessagesAreRefused(t *testing.T) {
	for _, b := range [][]byte{
		nested(19, 1_500_000),                              // single_all
		nested(319, 1_500_000),                             // repeated_all
		bytes.Repeat([]byte{0xab, 0x38}, 1_500_000),        // groups 901 in 901, unknown from the second on
		bytes.Repeat([]byte{0xa3, 0x06}, 1_500_000),        // unknown groups
		append([]byte{0x9a, 0x01, 4}, 0xfa, 0x2c, 1, 0x12), // truncated in an entry
	} {
		if err := new(p2.All).UnmarshalHot(b); err == nil {
			t.Errorf("%x… is read", b[:8])
		}
		var d codec.Decoder
		if end := fast.DecodeSet(&d, new(p2.All), b, 0, codec.DefaultRecursionLimit); end == 0 {
			t.Errorf("%x… is read by the runtime", b[:8])
		}
	}
	var d codec.Decoder
	if end := fast.DecodeSet(&d, new(p2.All), nested(19, 9_000), 0, 9_000); end != 0 {
		t.Error(d.Err())
	}
	if end := fast.DecodeSet(&d, new(p2.All), nested(19, 9_000), 0, 8_999); end == 0 || !errors.Is(d.Err(), wire.DepthExceeded) {
		t.Error(d.Err())
	}
}

// The levels that are counted before the runtime is called are the same that the fast code counts.
func TestLevelsAreCountedAsByTheFastCode(t *testing.T) {
	refused, read := 0, 0
	for seed := range uint64(200) {
		r := &codectest.Filler{Rand: rand.New(rand.NewPCG(seed, 4)), Fill: 0.5}
		m := codectest.New("hotpb.vectors.p2.All")
		r.Message(m.ProtoReflect(), int(seed%5))
		input, err := googleproto.MarshalOptions{AllowPartial: true}.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		for levels := range 6 {
			var d, reference codec.Decoder
			d.Discard, reference.Discard = true, true
			left := fast.DecodeSet(&d, new(p2.All), input, 0, levels)
			two := new(p2.All).DecodeHot(&reference, input, 0, levels)
			if (left == 0) != (two == 0) && len(input) > 2*levels {
				t.Fatalf("seed %d, %d levels: %v and %v: %x", seed, levels, d.Err(), reference.Err(), input)
			}
			if left == 0 {
				read++
			} else {
				refused++
			}
		}
	}
	if read < 100 || refused < 100 {
		t.Errorf("%d read, %d refused", read, refused)
	}
}
