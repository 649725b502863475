package google_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"google.golang.org/protobuf/proto"

	plain "github.com/hotpb/hotpb/go/internal/testgen/stock/codec_proto3"
	opaque "github.com/hotpb/hotpb/go/internal/testgen/stock/codec_proto3_opaque"
	vectors "github.com/hotpb/hotpb/go/internal/testgen/stock/vectors"
	p2 "github.com/hotpb/hotpb/go/internal/testgen/stock/vectors_proto2"
	"github.com/hotpb/hotpb/go/rt/codec/google"
	"github.com/hotpb/hotpb/go/test/codectest"
)

func written(t *testing.T, m proto.Message) []byte {
	b, err := proto.MarshalOptions{Deterministic: true, AllowPartial: true}.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Random messages of all types that the tests link. A change of the clone does not show in the original. COD-88
func TestACloneIsThatOfTheRuntime(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	for _, name := range codectest.Names() {
		nils := isOpen(codectest.New(name))
		for range 40 {
			m := codectest.New(name)
			fill := &codectest.Filler{Rand: r, Fill: r.Float64(), Nils: nils}
			fill.Message(m.ProtoReflect(), 3)
			clone := google.CloneVT(m)
			before := written(t, m)
			// The runtime's clone loses -0. That of a nil message in a oneof, list or map is an empty message, which is written
			// as one, too.
			if want := proto.Clone(m); !proto.Equal(clone, want) && !proto.Equal(clone, m) {
				t.Fatalf("%s: the clone of\n%v\nis\n%v", name, m, clone)
			}
			fill.Message(clone.ProtoReflect(), 3)
			if after := written(t, m); !bytes.Equal(after, before) {
				t.Fatalf("%s: its clone was changed, and with it\n%x\nwhich was\n%x", name, after, before)
			}
			proto.Reset(clone)
			if after := written(t, m); !bytes.Equal(after, before) {
				t.Fatalf("%s changed with its clone", name)
			}
		}
	}
}

// COD-88
func TestCloneOfSpecialValues(t *testing.T) {
	if google.CloneVT((*plain.Event)(nil)) != nil || google.CloneVT((*opaque.Actor)(nil)) != nil {
		t.Error("the clone of nil is not nil")
	}
	if m := google.CloneVT(proto.Message(&plain.Event{Name: "a"})); m.(*plain.Event).Name != "a" {
		t.Error("an interface")
	}
	for _, m := range []proto.Message{
		&plain.Actor{Tokens: [][]byte{nil, {}, []byte("a")}},
		&plain.Event{Origin: (*plain.Event_By)(nil)},
		&plain.Event{Origin: &plain.Event_By{}},
		&plain.Event{Actor: &plain.Actor{}},
		&plain.Batch{Events: []*plain.Event{nil, {}}},
		&vectors.All{KeyInt32: map[int32]int32{}, RepeatedDouble: []float64{}, SingleBytes: []byte{}},
		&p2.All{SingleBytes: []byte{}, SingleString: proto.String("")},
		opaque.Actor_builder{Id: 1}.Build(),
	} {
		clone, want := google.CloneVT(m), proto.Clone(m)
		if !proto.Equal(clone, want) || !bytes.Equal(written(t, clone), written(t, want)) {
			t.Errorf("%T: %v instead of %v", m, clone, want)
		}
	}
}

// Values read with Alias point into the input; strings are shared with the clone, bytes are not.
func TestACloneOwnsItsBytes(t *testing.T) {
	m := &plain.Actor{Tokens: [][]byte{[]byte("one")}}
	m.ProtoReflect().SetUnknown([]byte("\xa0\x06\x07"))
	clone := google.CloneVT(m)
	m.Tokens[0][0] = 'X'
	m.ProtoReflect().GetUnknown()[2] = 9
	if string(clone.Tokens[0]) != "one" || clone.ProtoReflect().GetUnknown()[2] != 7 {
		t.Errorf("%q", clone.Tokens)
	}
}
