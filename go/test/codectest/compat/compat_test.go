// Package compat_test is about the methods of csproto that compat=csproto adds: to structs of the open, the hybrid (open
// or, with the build tag protoopaque, opaque) and the opaque API. It is a package of its own because of the message set
// in them, which is read with the build tag protolegacy only.
package compat_test

import (
	"bytes"
	"errors"
	"testing"

	hotpb "github.com/hotpb/hotpb/go"
	"github.com/hotpb/hotpb/go/codec"
	open "github.com/hotpb/hotpb/go/internal/testgen/stock/compat"
	hybrid "github.com/hotpb/hotpb/go/internal/testgen/stock/compat_hybrid"
	opaque "github.com/hotpb/hotpb/go/internal/testgen/stock/compat_opaque"
	selected "github.com/hotpb/hotpb/go/internal/testgen/stock/compat_selected"
	"github.com/hotpb/hotpb/go/wire"
	"google.golang.org/protobuf/proto"
)

// The interfaces that code with csproto asks for.
type (
	sizer       interface{ Size() int }
	marshaler   interface{ Marshal() ([]byte, error) }
	marshalerTo interface{ MarshalTo(dest []byte) error }
	unmarshaler interface{ Unmarshal(p []byte) error }

	message interface {
		proto.Message
		codec.Message
		sizer
		marshaler
		marshalerTo
		unmarshaler
	}
)

var plains = []message{new(open.Plain), new(hybrid.Plain), new(opaque.Plain)}

func has(m any) string {
	s := ""
	if _, is := m.(sizer); is {
		s += "size "
	}
	if _, is := m.(marshaler); is {
		s += "marshal "
	}
	if _, is := m.(marshalerTo); is {
		s += "marshalTo "
	}
	if _, is := m.(unmarshaler); is {
		s += "unmarshal "
	}
	return s
}

// COD-25, COD-61
func TestEachStructHasTheMethodsItsFieldsLeaveFree(t *testing.T) {
	const all, noSize, neither = "size marshal marshalTo unmarshal ", "marshal marshalTo unmarshal ", "marshal unmarshal "
	for _, c := range []struct {
		m    any
		want string
	}{
		{new(open.Names), neither}, {new(hybrid.Names), neither}, {new(opaque.Names), all},
		{new(open.Choice), noSize}, {new(hybrid.Choice), noSize}, {new(opaque.Choice), all},
		{new(open.Choice_Size), noSize}, {new(open.Set), all}, {new(opaque.Set), all},
	} {
		if got := has(c.m); got != c.want {
			t.Errorf("%T has %q, not %q", c.m, got, c.want)
		}
	}
}

// plain is an encoded Plain: a name, a child, a map of one entry, an extension with a child, an unknown field.
var plain = []byte("\x0a\x01a" + "\x12\x03\x0a\x01b" + "\x1a\x05\x0a\x01k\x10\x07" + "\xa2\x06\x02\x0a\x00" + "\xa0\x1f\x05")

// COD-25, COD-59
func TestMethodsOfCsproto(t *testing.T) {
	for _, m := range plains {
		if err := m.Unmarshal(plain); err != nil {
			t.Fatalf("%T: %v", m, err)
		}
		want, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
		if err != nil || m.Size() != len(want) || m.Size() != len(plain) {
			t.Fatalf("%T: %v, Size is %d for %d bytes", m, err, m.Size(), len(want))
		}
		got, err := m.Marshal()
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%T: Marshal gives %x, %v", m, got, err)
		}
		large := bytes.Repeat([]byte{0xee}, len(want)+40)
		if err := m.MarshalTo(large[:len(want)+20]); err != nil || !bytes.Equal(large[:len(want)], want) {
			t.Errorf("%T: MarshalTo writes %x, %v", m, large, err)
		}
		if rest := large[len(want):]; !bytes.Equal(rest, bytes.Repeat([]byte{0xee}, 40)) {
			t.Errorf("%T: behind the message MarshalTo writes %x", m, rest)
		}
		small := make([]byte, len(want)-1)
		var e *wire.Error
		if err := m.MarshalTo(small); !errors.Is(err, wire.BufferExhausted) || !errors.As(err, &e) || e.Offset != int64(len(small)) {
			t.Errorf("%T: MarshalTo of too few bytes: %v", m, err)
		}
		if !bytes.Equal(small, make([]byte, len(small))) {
			t.Errorf("%T: MarshalTo writes into what is too small", m)
		}
	}
}

// COD-60
func TestUnmarshalOfCsprotoResetsFirst(t *testing.T) {
	for _, m := range plains {
		if err := m.Unmarshal(plain); err != nil {
			t.Fatal(err)
		}
		if err := m.Unmarshal([]byte("\x0a\x01x")); err != nil || m.Size() != 3 {
			t.Errorf("%T: %v, %v", m, m, err)
		}
	}
	names := new(open.Names)
	names.Size = proto.Uint32(7)
	if err := names.Unmarshal(nil); err != nil || names.Size != nil {
		t.Errorf("from nothing: %v, %v", names, err)
	}
}

// COD-25
func TestMethodsOfCsprotoRefuseWhatTheFastOnesDo(t *testing.T) {
	for _, m := range plains {
		if err := m.Unmarshal(nil); !errors.Is(err, wire.MissingRequired) { // name
			t.Errorf("%T: Unmarshal: %v", m, err)
		}
		if _, err := m.Marshal(); !errors.Is(err, wire.MissingRequired) {
			t.Errorf("%T: Marshal: %v", m, err)
		}
		if err := m.MarshalTo(make([]byte, 100)); !errors.Is(err, wire.MissingRequired) {
			t.Errorf("%T: MarshalTo: %v", m, err)
		}
		// The runtime does not ask them: it would be refused here, too.
		if b, err := (proto.MarshalOptions{AllowPartial: true}).Marshal(m); err != nil || len(b) != 0 {
			t.Errorf("%T: the runtime gives %x, %v", m, b, err)
		}
	}
}

// COD-25
func TestTheRuntimeMergesAsWithoutMethodsOfCsproto(t *testing.T) {
	for _, m := range plains {
		proto.Reset(m)
		// A child in two pieces, and a message on top of another.
		pieces := []byte("\x0a\x01a" + "\xa2\x06\x02\x0a\x00" + "\xa2\x06\x05\x12\x03\x0a\x01c")
		if err := proto.Unmarshal(pieces, m); err != nil {
			t.Fatal(err)
		}
		onTop := proto.Clone(m)
		if err := (proto.UnmarshalOptions{Merge: true}).Unmarshal([]byte("\x0a\x01z"), onTop); err != nil || !proto.Equal(onTop, merged(t, m, "\x0a\x01z")) {
			t.Errorf("%T: %v, %v", m, onTop, err)
		}
		if want := len("\x0a\x01z" + "\xa2\x06\x07\x0a\x00\x12\x03\x0a\x01c"); proto.Size(onTop) != want || hotpb.Size(onTop) != want {
			t.Errorf("%T: %v has %d bytes, and not %d", m, onTop, proto.Size(onTop), want)
		}
	}
}

// With messages= only those and what they hold have fast methods, nested ones of others too; the runtime reads and writes
// the others, and these inside them.
func TestMessagesThatWereNotSelectedAreLeftToTheRuntime(t *testing.T) {
	for m, want := range map[proto.Message]bool{
		new(selected.Choice): false, new(selected.Choice_Size): true, new(selected.Plain): false, new(selected.Item): true,
		new(selected.Names): false, new(selected.Set): false,
	} {
		if _, is := m.(codec.Message); is != want {
			t.Errorf("%T has fast methods: %v", m, is)
		}
	}
	whole := &selected.Choice{Inner: &selected.Choice_Size{Size: proto.Int32(7)}, Size: &selected.Choice_Plain{Plain: &selected.Plain{Name: proto.String("a")}}}
	proto.SetExtension(whole.GetPlain(), selected.E_More, &selected.Item{Text: proto.String("b")})
	b, err := hotpb.Marshal(whole)
	if err != nil || len(b) != hotpb.Size(whole) {
		t.Fatalf("%x, %v", b, err)
	}
	got := new(selected.Choice)
	if err := hotpb.Unmarshal(b, got); err != nil || !proto.Equal(got, whole) {
		t.Errorf("%v, %v", got, err)
	}
	inner := new(selected.Choice_Size)
	if b, err := whole.Inner.MarshalHot(); err != nil || inner.UnmarshalHot(b) != nil || inner.GetSize() != 7 {
		t.Errorf("%v, %v", inner, err)
	}
}

// merged is a copy of m with what is encoded in text merged into it.
func merged(t *testing.T, m message, text string) proto.Message {
	source := m.ProtoReflect().New().Interface()
	if err := proto.Unmarshal([]byte(text), source); err != nil {
		t.Fatal(err)
	}
	copied := proto.Clone(m)
	proto.Merge(copied, source)
	return copied
}

// The runtime may be asked for a message set by the fast code; it must not come back. COD-63
func TestMethodsOfMessageSetsComeToAnEnd(t *testing.T) {
	for _, m := range []message{new(open.Set), new(opaque.Set), new(hybrid.Set)} {
		want, wantErr := proto.Marshal(m)
		got, err := m.Marshal()
		if (err == nil) != (wantErr == nil) || !bytes.Equal(got, want) {
			t.Errorf("%T: %x, %v; the runtime: %x, %v", m, got, err, want, wantErr)
		}
		item := []byte("\x0b\x10\xe8\x07\x1a\x03\x0a\x01a\x0c")
		wantErr = proto.Unmarshal(item, m.ProtoReflect().New().Interface())
		if err := m.Unmarshal(item); (err == nil) != (wantErr == nil) {
			t.Errorf("%T: %v; the runtime: %v", m, err, wantErr)
		}
	}
}
