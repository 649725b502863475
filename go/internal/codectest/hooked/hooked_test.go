// Package hooked_test is about code generated with protomethods=true: the runtime's own calls, which then take the fast
// code. What they give is held against what they give otherwise.
package hooked_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/runtime/protoiface"
	"google.golang.org/protobuf/runtime/protoimpl"

	"github.com/hotpb/hotpb/go/codec/google"
	"github.com/hotpb/hotpb/go/internal/codectest"
	raft "github.com/hotpb/hotpb/go/internal/testgen/stock/raft_hooked"
	e24 "github.com/hotpb/hotpb/go/internal/testgen/stock/vectors_2024_hooked"
	p3 "github.com/hotpb/hotpb/go/internal/testgen/stock/vectors_hooked"
	"github.com/hotpb/hotpb/go/wire"
)

// When this fails with a new version of google.golang.org/protobuf, protomethods=true has no effect there any more: the
// runtime no longer takes the functions that a message's ProtoMethods points to.
func TestRuntimeCallsTheFastCode(t *testing.T) {
	for _, m := range []proto.Message{new(p3.All), new(e24.All), new(raft.Entry)} {
		methods := m.ProtoReflect().ProtoMethods()
		for _, f := range []any{methods.Size, methods.Marshal, methods.Unmarshal} {
			if name := runtime.FuncForPC(reflect.ValueOf(f).Pointer()).Name(); !strings.Contains(name, "/codec/google.Hook") {
				t.Errorf("%T: %s", m, name)
			}
		}
		// Errors of the fast code, and of nothing else, are of this type.
		var located *wire.Error
		if err := proto.Unmarshal([]byte{0x0a}, m); !errors.As(err, &located) {
			t.Errorf("%T: proto.Unmarshal gives %v", m, err)
		}
	}
	var located *wire.Error
	if _, err := proto.Marshal(&p3.All{SingleString: "\xff"}); !errors.As(err, &located) {
		t.Errorf("proto.Marshal gives %v", err)
	}
}

// A second Hook changes nothing: the runtime's own methods, which read extensions, stay at hand.
func TestHookOnceMore(t *testing.T) {
	google.Hook[e24.All]()
	m := new(e24.All)
	proto.SetExtension(m, e24.E_ExtInt32, int32(3))
	b, err := proto.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	back := new(e24.All)
	if err := proto.Unmarshal(b, back); err != nil || proto.GetExtension(back, e24.E_ExtInt32) != int32(3) {
		t.Errorf("%v, %v", back, err)
	}
}

func TestMessageInsideOneThatIsNotHookedIsLeftToTheRuntime(t *testing.T) {
	var located *wire.Error
	truncated := []byte{0x3a, 0x01, 0x0a} // field 7, entries
	if err := proto.Unmarshal(truncated[1:2], new(raft.Entry)); !errors.As(err, &located) {
		t.Errorf("an entry alone: %v", err)
	}
	if err := proto.Unmarshal(truncated, new(raft.Message)); err == nil || errors.As(err, &located) {
		t.Errorf("an entry in a message: %v", err)
	}
}

func types(t *testing.T, each func(t *testing.T, mt protoreflect.MessageType)) {
	for _, name := range []protoreflect.FullName{
		"hotpb.vectors.p3.All", "hotpb.vectors.e24.All", "hotpb.vectors.e24.Needs", "hotpb.raft.Entry", "hotpb.raft.Message",
	} {
		mt, err := protoregistry.GlobalTypes.FindMessageByName(name)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(string(name), func(t *testing.T) { each(t, mt) })
	}
}

func TestMarshalAndSizeAreThoseOfTheRuntime(t *testing.T) {
	types(t, func(t *testing.T, mt protoreflect.MessageType) {
		for seed := range uint64(30) {
			r := &codectest.Filler{Rand: rand.New(rand.NewPCG(seed, 5)), Fill: float64(seed%5) * 0.24, BadText: seed%7 == 6}
			m := mt.New()
			r.Message(m, int(seed%4))
			for _, o := range []proto.MarshalOptions{{}, {Deterministic: true}, {AllowPartial: true}, {Deterministic: true, AllowPartial: true}} {
				got, err := o.Marshal(m.Interface())
				out, wantErr := o.MarshalState(protoiface.MarshalInput{Message: unhooked(m)})
				want := out.Buf
				if (err != nil) != (wantErr != nil) || err == nil && len(got) != len(want) {
					t.Fatalf("seed %d %v: %d bytes and %v, want %d and %v", seed, o, len(got), err, len(want), wantErr)
				}
				if err == nil && (o.Size(m.Interface()) != len(want) || o.Deterministic && !bytes.Equal(got, want)) {
					t.Fatalf("seed %d %v: the size is %d\n%x\n%x", seed, o, o.Size(m.Interface()), got, want)
				}
				appended, err := o.MarshalAppend([]byte("head"), m.Interface())
				if err == nil && (string(appended[:4]) != "head" || len(appended) != 4+len(want)) {
					t.Fatalf("seed %d %v: %d bytes appended", seed, o, len(appended)-4)
				}
			}
		}
	})
}

// unhooked is a message as the runtime sees it that has not been told of the fast code.
func unhooked(m protoreflect.Message) protoreflect.Message {
	known := m.(interface{ ProtoMessageInfo() *protoimpl.MessageInfo }).ProtoMessageInfo()
	fresh := &protoimpl.MessageInfo{GoReflectType: known.GoReflectType, Desc: known.Desc, OneofWrappers: known.OneofWrappers}
	return fresh.MessageOf(m.Interface())
}

func TestUnmarshalIsThatOfTheRuntime(t *testing.T) {
	types(t, func(t *testing.T, mt protoreflect.MessageType) {
		for seed := range uint64(30) {
			r := &codectest.Filler{Rand: rand.New(rand.NewPCG(seed, 6)), Fill: float64(seed%5) * 0.24}
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
				got, want := mt.New(), mt.New()
				if o.Merge {
					proto.Merge(got.Interface(), before.Interface())
					proto.Merge(want.Interface(), before.Interface())
				}
				err := o.Unmarshal(input, got.Interface())
				_, wantErr := o.UnmarshalState(protoiface.UnmarshalInput{Message: unhooked(want), Buf: input})
				if (err != nil) != (wantErr != nil) {
					t.Fatalf("seed %d %+v: %v, want %v: %x", seed, o, err, wantErr, input)
				}
				if err == nil && !proto.Equal(got.Interface(), want.Interface()) {
					t.Fatalf("seed %d %+v:\n%v\n%v", seed, o, got, want)
				}
			}
		}
	})
}
