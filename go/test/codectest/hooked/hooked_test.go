// Package hooked_test is about code generated with protomethods=true: the runtime's own calls, which then take the fast
// code (COD-24). Their results are compared with those without it.
package hooked_test

import (
	"errors"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	raft "github.com/hotpb/hotpb/go/internal/testgen/stock/raft_hooked"
	e24 "github.com/hotpb/hotpb/go/internal/testgen/stock/vectors_2024_hooked"
	p3 "github.com/hotpb/hotpb/go/internal/testgen/stock/vectors_hooked"
	"github.com/hotpb/hotpb/go/rt/codec/google"
	"github.com/hotpb/hotpb/go/test/codectest"
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
	types(t, func(t *testing.T, mt protoreflect.MessageType) { codectest.HookedMarshal(t, mt, 30) })
}

func TestUnmarshalIsThatOfTheRuntime(t *testing.T) {
	types(t, func(t *testing.T, mt protoreflect.MessageType) { codectest.HookedUnmarshal(t, mt, 30) })
}
