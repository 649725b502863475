package codectest

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	"github.com/hotpb/hotpb/go/codec"
)

// marshaler is the half of codec.Message that writes.
type marshaler interface {
	proto.Message
	SizeHot() int
	MarshalHot() ([]byte, error)
	MarshalAppendHot(b []byte) ([]byte, error)
	MarshalHotOptions(b []byte, o codec.MarshalOptions) ([]byte, error)
}

// Encode holds the encodings of m against those of the runtime.
func Encode(t *testing.T, message proto.Message) {
	t.Helper()
	m := message.(marshaler)
	for _, o := range []codec.MarshalOptions{
		{}, {Deterministic: true}, {AllowPartial: true}, {Deterministic: true, AllowPartial: true},
	} {
		want, wantErr := proto.MarshalOptions{Deterministic: o.Deterministic, AllowPartial: o.AllowPartial}.Marshal(m)
		got, err := m.MarshalHotOptions(nil, o)
		if (err != nil) != (wantErr != nil) {
			t.Fatalf("%v: %v, want %v: %v", o, err, wantErr, m)
		}
		if err != nil {
			continue
		}
		if size := m.SizeHot(); size != proto.Size(m) || size != len(got) {
			t.Fatalf("the size is %d, that of the runtime %d, and there are %d bytes", size, proto.Size(m), len(got))
		}
		if o.Deterministic && !bytes.Equal(got, want) {
			t.Fatalf("%v: the bytes differ:\n%x\n%x", o, got, want)
		}
		reread := decoded(t, m, got)
		if stock := decoded(t, m, want); !proto.Equal(reread, stock) {
			t.Fatalf("%v: the messages differ:\n%v\n%v", o, reread, stock)
		} else if o == (codec.MarshalOptions{}) {
			lazily(t, stock.(marshaler), got)
		}
	}
	got, err := m.MarshalHot()
	appended, appendErr := m.MarshalAppendHot(append(make([]byte, 0, 4+m.SizeHot()), "head"...))
	if (err != nil) != (appendErr != nil) || err == nil && len(appended) != len(got)+4 || string(appended[:4]) != "head" {
		t.Fatalf("MarshalHot gives %d bytes and %v, MarshalAppendHot %d and %v", len(got), err, len(appended), appendErr)
	}
}

// lazily encodes what the runtime has decoded from b, which may be lazy in parts: such a part is written as it came.
func lazily(t *testing.T, m marshaler, b []byte) {
	t.Helper()
	m = decoded(t, m, b).(marshaler) // a fresh one, in which nothing is opened
	size := m.SizeHot()
	got, err := m.MarshalHotOptions(nil, codec.MarshalOptions{AllowPartial: true})
	if err != nil || size != len(got) {
		t.Fatalf("%d bytes, the size is %d: %v", len(got), size, err)
	}
	o := codec.MarshalOptions{Deterministic: true, AllowPartial: true}
	sorted, err := m.MarshalHotOptions(nil, o) // opens
	want, _ := proto.MarshalOptions{Deterministic: true, AllowPartial: true}.Marshal(m)
	if err != nil || !bytes.Equal(sorted, want) || !proto.Equal(decoded(t, m, got), m) {
		t.Fatalf("lazy parts differ:\n%x\n%x\n%v", sorted, want, err)
	}
}

func decoded(t *testing.T, m proto.Message, b []byte) proto.Message {
	t.Helper()
	stock := m.ProtoReflect().New().Interface()
	if err := (proto.UnmarshalOptions{AllowPartial: true}).Unmarshal(b, stock); err != nil {
		t.Fatalf("the runtime cannot read it: %v: %x", err, b)
	}
	return stock
}

// RandomEncodes holds random messages of every type that has fast code against the runtime.
func RandomEncodes(t *testing.T, rounds int) {
	types := 0
	protoregistry.GlobalTypes.RangeMessages(func(mt protoreflect.MessageType) bool {
		if _, hot := mt.Zero().Interface().(marshaler); !hot || isMessageSet(mt.Descriptor()) && !legacy {
			return true
		}
		types++
		t.Run(string(mt.Descriptor().FullName()), func(t *testing.T) {
			Encode(t, mt.Zero().Interface())
			for seed := range uint64(rounds) {
				r := &Filler{
					Rand: rand.New(rand.NewPCG(seed, 1)), Fill: float64(seed%5) * 0.24, BadText: seed%7 == 6, Nils: seed%3 == 1,
				}
				m := mt.New()
				r.Message(m, int(seed%4))
				Encode(t, m.Interface())
				if t.Failed() {
					t.Fatalf("with seed %d", seed)
				}
			}
		})
		return true
	})
	if types == 0 {
		t.Error("no type has fast code")
	}
}
