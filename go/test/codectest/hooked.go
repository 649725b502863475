package codectest

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/runtime/protoiface"
	"google.golang.org/protobuf/runtime/protoimpl"
)

// unhooked is a message as the runtime sees it that has not been told of the fast code.
func unhooked(m protoreflect.Message) protoreflect.Message {
	known := m.(interface{ ProtoMessageInfo() *protoimpl.MessageInfo }).ProtoMessageInfo()
	fresh := &protoimpl.MessageInfo{GoReflectType: known.GoReflectType, Desc: known.Desc, OneofWrappers: known.OneofWrappers}
	return fresh.MessageOf(m.Interface())
}

// Hooked holds proto.Marshal, proto.Size and proto.Unmarshal of all types, generated with protomethods=true, against the
// runtime's own.
func Hooked(t *testing.T, rounds int) {
	types := 0
	for _, name := range Names() {
		mt := New(name).ProtoReflect().Type()
		types++
		HookedMarshal(t, mt, rounds)
		HookedUnmarshal(t, mt, rounds)
	}
	if types == 0 {
		t.Error("no type has fast code")
	}
}

// HookedMarshal is the half of Hooked that writes, for one type.
func HookedMarshal(t *testing.T, mt protoreflect.MessageType, rounds int) {
	t.Helper()
	for seed := range uint64(rounds) {
		r := &Filler{Rand: rand.New(rand.NewPCG(seed, 5)), Fill: float64(seed%5) * 0.24, BadText: seed%7 == 6}
		m := mt.New()
		r.Message(m, int(seed%4))
		for _, o := range []proto.MarshalOptions{{}, {Deterministic: true}, {AllowPartial: true}, {Deterministic: true, AllowPartial: true}} {
			got, err := o.Marshal(m.Interface())
			out, wantErr := o.MarshalState(protoiface.MarshalInput{Message: unhooked(m)})
			want := out.Buf
			if (err != nil) != (wantErr != nil) || err == nil && len(got) != len(want) {
				t.Fatalf("%T, seed %d %v: %d bytes and %v, want %d and %v", m.Interface(), seed, o, len(got), err, len(want), wantErr)
			}
			if err == nil && (o.Size(m.Interface()) != len(want) || o.Deterministic && !bytes.Equal(got, want)) {
				t.Fatalf("%T, seed %d %v: the size is %d\n%x\n%x", m.Interface(), seed, o, o.Size(m.Interface()), got, want)
			}
			appended, err := o.MarshalAppend([]byte("head"), m.Interface())
			if err == nil && (string(appended[:4]) != "head" || len(appended) != 4+len(want)) {
				t.Fatalf("%T, seed %d %v: %d bytes appended", m.Interface(), seed, o, len(appended)-4)
			}
		}
	}
}

// HookedUnmarshal is the half of Hooked that reads, for one type.
func HookedUnmarshal(t *testing.T, mt protoreflect.MessageType, rounds int) {
	t.Helper()
	for seed := range uint64(rounds) {
		random := rand.New(rand.NewPCG(seed, 6))
		r := &Filler{Rand: random, Fill: float64(seed%5) * 0.24}
		m, before := mt.New(), mt.New()
		r.Message(m, int(seed%4))
		r.Message(before, 1)
		input, err := proto.MarshalOptions{AllowPartial: true}.Marshal(m.Interface())
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range []proto.UnmarshalOptions{
			{}, {AllowPartial: true}, {AllowPartial: true, DiscardUnknown: true}, {AllowPartial: true, Merge: true},
			{AllowPartial: true, RecursionLimit: 1 + int(seed%4)}, {AllowPartial: true, Resolver: new(protoregistry.Types)},
		} {
			hookedUnmarshal(t, o, before, input)
		}
		hookedUnmarshal(t, proto.UnmarshalOptions{AllowPartial: true}, before, Damage(random, input))
	}
}

func hookedUnmarshal(t *testing.T, o proto.UnmarshalOptions, before protoreflect.Message, input []byte) {
	t.Helper()
	got, want := before.New(), before.New()
	if o.Merge {
		proto.Merge(got.Interface(), before.Interface())
		proto.Merge(want.Interface(), before.Interface())
	}
	o.NoLazyDecoding = o.RecursionLimit != 0 // see Decode
	err := o.Unmarshal(input, got.Interface())
	_, wantErr := o.UnmarshalState(protoiface.UnmarshalInput{Message: unhooked(want), Buf: input})
	if wantErr == nil && err != nil && !o.AllowPartial && lacks(want.Interface()) {
		return
	}
	if (err != nil) != (wantErr != nil) {
		t.Fatalf("%T %+v: %v, want %v: %x", got.Interface(), o, err, wantErr, input)
	}
	if err == nil && !proto.Equal(got.Interface(), want.Interface()) {
		t.Fatalf("%T %+v:\n%v\n%v", got.Interface(), o, got, want)
	}
}
