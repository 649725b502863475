package fast_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/gogo/protobuf/proto"
	"github.com/hotpb/hotpb/go/codec"
	"github.com/hotpb/hotpb/go/gogo/internal/stock/compat"
	"github.com/hotpb/hotpb/go/wire"
)

// parent contains a message with csproto's methods and has none itself: the runtime encodes and decodes it.
type parent struct {
	Plain *compat.Plain   `protobuf:"bytes,1,opt,name=plain"`
	List  []*compat.Plain `protobuf:"bytes,2,rep,name=list"`
}

func (m *parent) Reset()         { *m = parent{} }
func (m *parent) String() string { return proto.CompactTextString(m) }
func (*parent) ProtoMessage()    {}

func full(t *testing.T) *compat.Plain {
	t.Helper()
	m := &compat.Plain{
		Name: proto.String("a"), List: []*compat.Plain{{Name: proto.String("b")}}, XXX_unrecognized: []byte("\x90\x03\x05"),
		Counts: map[string]int64{"1": 1, "2": 2, "3": 3, "4": 4, "5": 5, "6": 6, "7": 7, "8": 8},
	}
	if err := proto.SetExtension(m, compat.E_More, &compat.Item{Text: proto.String("more")}); err != nil {
		t.Fatal(err)
	}
	return m
}

// equal compares encodings, because for the runtime a decoded extension is not equal to one that is still encoded.
func equal(t *testing.T, a, b *compat.Plain) bool {
	t.Helper()
	left, err := a.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	right, err := b.Marshal()
	return err == nil && bytes.Equal(left, right)
}

// COD-62
func TestTheRuntimeEncodesWithTheMethodOfCsproto(t *testing.T) {
	m := full(t)
	want, err := m.MarshalHotOptions(nil, codec.MarshalOptions{Deterministic: true})
	if err != nil {
		t.Fatal(err)
	}
	for range 20 { // each time maps by key
		if got, err := m.Marshal(); err != nil || !bytes.Equal(got, want) {
			t.Fatalf("Marshal returns %x, %v, not %x", got, err, want)
		}
		if got, err := proto.Marshal(m); err != nil || !bytes.Equal(got, want) {
			t.Fatalf("the runtime returns %x, %v, not %x", got, err, want)
		}
	}
	if m.Size() != len(want) || proto.Size(m) != len(want) {
		t.Errorf("the sizes are %d and %d, not %d", m.Size(), proto.Size(m), len(want))
	}
	filled := make([]byte, len(want)+1)
	if err := m.MarshalTo(filled); err != nil || filled[len(want)] != 0 || len(bytes.TrimRight(filled, "\x00")) == 0 {
		t.Errorf("%x, %v", filled, err)
	}
	var sorted proto.Buffer
	sorted.SetDeterministic(true)
	p := &parent{Plain: m, List: []*compat.Plain{m}}
	if err := sorted.Marshal(p); err != nil || bytes.Count(sorted.Bytes(), want) != 2 {
		t.Errorf("inside another message: %x, %v", sorted.Bytes(), err)
	}
	got := new(parent)
	if err := proto.Unmarshal(sorted.Bytes(), got); err != nil || !equal(t, got.Plain, m) || !equal(t, got.List[0], m) {
		t.Errorf("%v, %v", got, err)
	}
}

// COD-62
func TestTheRuntimeDecodesAndMergesWithoutTheMethodsOfCsproto(t *testing.T) {
	m := full(t)
	b, err := m.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	got := new(compat.Plain)
	if err := proto.Unmarshal(b, got); err != nil || !equal(t, got, m) {
		t.Errorf("%v, %v", got, err)
	}
	if err := proto.UnmarshalMerge([]byte("\x0a\x01z"), got); err != nil || got.GetName() != "z" || len(got.Counts) != 8 {
		t.Errorf("merged: %v, %v", got, err)
	}
	pieces := new(parent)
	if err := proto.Unmarshal([]byte("\x0a\x03\x0a\x01a\x0a\x08\x0a\x01a\x12\x03\x0a\x01b"), pieces); err != nil || pieces.Plain.GetName() != "a" || len(pieces.Plain.List) != 1 {
		t.Errorf("in pieces: %v, %v", pieces, err)
	}
	proto.Merge(pieces.Plain, m)
	if clone := proto.Clone(pieces).(*parent); len(clone.Plain.List) != 2 || !equal(t, clone.Plain, pieces.Plain) {
		t.Errorf("%v", clone)
	}
	// csproto's Unmarshal resets first.
	if err := got.Unmarshal([]byte("\x0a\x01x")); err != nil || !proto.Equal(got, &compat.Plain{Name: proto.String("x")}) {
		t.Errorf("%v, %v", got, err)
	}
}

// COD-62
func TestAbsentRequiredFieldsAreTheRuntimesErrorInTheMethodOfCsproto(t *testing.T) {
	m := full(t)
	m.Name = nil
	want, err := m.MarshalHotOptions(nil, codec.MarshalOptions{Deterministic: true, AllowPartial: true})
	if err != nil {
		t.Fatal(err)
	}
	var lacks *proto.RequiredNotSetError
	for _, m := range []proto.Message{m, &parent{Plain: m}} {
		if got, err := proto.Marshal(m); !errors.As(err, &lacks) || !bytes.HasSuffix(got, want) {
			t.Errorf("%T: %x, %v", m, got, err)
		}
	}
	if err := m.MarshalTo(make([]byte, 1000)); !errors.Is(err, wire.MissingRequired) {
		t.Errorf("MarshalTo: %v", err)
	}
	if err := m.Unmarshal(want); !errors.Is(err, wire.MissingRequired) {
		t.Errorf("Unmarshal: %v", err)
	}
}

// COD-63. The fast code of a message set calls the runtime, which would call a method Marshal: so the message has
// none.
func TestMessageSetsHaveNoMethodsOfCsproto(t *testing.T) {
	m := new(compat.Set)
	if err := proto.SetExtension(m, compat.E_Item_Item, &compat.Item{Text: proto.String("a")}); err != nil {
		t.Fatal(err)
	}
	if _, is := any(m).(interface{ Size() int }); is {
		t.Error("it has Size")
	}
	want, wantErr := proto.Marshal(m)
	if got, err := m.MarshalHot(); err != nil || wantErr != nil || !bytes.Equal(got, want) || len(got) != 10 {
		t.Errorf("%x, %v; the runtime returns %x, %v", got, err, want, wantErr)
	}
}
