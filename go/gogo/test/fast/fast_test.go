package fast_test

import (
	"bytes"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/gogo/protobuf/proto"
	"github.com/hotpb/hotpb/go/codec"
	p2 "github.com/hotpb/hotpb/go/gogo/internal/stock/vectors_proto2"
	"github.com/hotpb/hotpb/go/internal/vectors"
	"github.com/hotpb/hotpb/go/test/codectest"
	googleproto "google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoregistry"
)

type message interface {
	proto.Message
	codec.Message
}

// newMessage returns a new message of this runtime by its full name, or nil if there is none with fast code.
func newMessage(name string) message {
	t := proto.MessageType(name)
	if t == nil {
		return nil
	}
	m, _ := reflect.New(t.Elem()).Interface().(message)
	return m
}

// Google's runtime with extensions left undecoded, as in this runtime: unopened, and complete with a check for
// required fields.
var (
	complete = googleproto.UnmarshalOptions{Resolver: new(protoregistry.Types)}
	unopened = googleproto.UnmarshalOptions{AllowPartial: true, Resolver: complete.Resolver}
)

// check compares the fast code on an input with the runtime.
func check(t *testing.T, name string, input []byte) {
	t.Helper()
	stock, hot := newMessage(name), newMessage(name)
	given := bytes.Clone(input)
	stockErr, err := proto.Unmarshal(input, stock), hot.UnmarshalHot(given)
	clear(given) // the message must not point there
	_, lacks := stockErr.(*proto.RequiredNotSetError)
	switch {
	case stockErr != nil && err == nil && complete.Unmarshal(input, codectest.New(name)) == nil:
		// Only this runtime rejects it: some fields with another wire type, which are unknown fields elsewhere, and
		// required fields that come in another piece of the message.
		return
	case stockErr == nil && err != nil && unopened.Unmarshal(input, codectest.New(name)) != nil:
		return // only this runtime accepts it, e.g. field numbers from 2^29 on
	case (stockErr != nil) != (err != nil):
		t.Fatalf("%s: %v, the runtime says %v: %x", name, err, stockErr, input)
	case lacks:
		err := hot.UnmarshalHotOptions(input, codec.UnmarshalOptions{AllowPartial: true})
		if err != nil && unopened.Unmarshal(input, codectest.New(name)) != nil {
			return
		}
		if err != nil {
			t.Fatalf("%s: %v: %x", name, err, input)
		}
	case err != nil:
		return
	}
	if !same(t, name, sorted(t, stock), sorted(t, hot)) && !readsAsGoogles(t, name, input, sorted(t, hot)) {
		t.Fatalf("%s: decoded differently:\n%v\n%v\nfrom %x", name, stock, hot, input)
	}
	encode(t, stock)
}

// readsAsGoogles reports whether Google's runtime reads the same from again as from input. This runtime loses data
// that the fast code keeps: of a oneof's message that comes in pieces it has only the last piece.
func readsAsGoogles(t *testing.T, name string, input, rewritten []byte) bool {
	t.Helper()
	left, right := codectest.New(name), codectest.New(name)
	return unopened.Unmarshal(input, left) == nil && unopened.Unmarshal(rewritten, right) == nil && googleproto.Equal(left, right)
}

// same reports whether two encodings are equal. Their bytes are the same, too, except for the order of several oneofs
// in large messages, which the runtime writes in random order, and of maps in the runtime's own types.
func same(t *testing.T, name string, a, b []byte) bool {
	t.Helper()
	if bytes.Equal(a, b) {
		return true
	}
	left, right := codectest.New(name), codectest.New(name)
	return len(a) == len(b) && unopened.Unmarshal(a, left) == nil && unopened.Unmarshal(b, right) == nil && googleproto.Equal(left, right)
}

// sorted returns the runtime's own deterministic encoding.
func sorted(t *testing.T, m proto.Message) []byte {
	t.Helper()
	var buffer proto.Buffer
	buffer.SetDeterministic(true)
	if err := buffer.Marshal(m); err != nil {
		if _, lacks := err.(*proto.RequiredNotSetError); !lacks {
			t.Fatal(err)
		}
	}
	return buffer.Bytes()
}

// encode compares the fast code's encoding of a message with the runtime's.
func encode(t *testing.T, m message) {
	t.Helper()
	o := codec.MarshalOptions{Deterministic: true, AllowPartial: true}
	got, err := m.MarshalHotOptions(nil, o)
	if want := sorted(t, m); err != nil || !same(t, proto.MessageName(m), got, want) {
		t.Fatalf("%T: encoded differently, %v:\n%x\n%x", m, err, got, want)
	}
	if size := m.SizeHot(); size != len(got) || size != proto.Size(m) {
		t.Fatalf("%T: the size is %d, the runtime's %d, of %d bytes", m, size, proto.Size(m), len(got))
	}
	_, stockErr := proto.Marshal(m)
	if _, err := m.MarshalHot(); (err != nil) != (stockErr != nil) {
		t.Fatalf("%T: %v, the runtime says %v", m, err, stockErr)
	}
}

func TestRandomMessagesAreReadAndWrittenAsByTheRuntime(t *testing.T) {
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			r := &codectest.Filler{Rand: rand.New(rand.NewPCG(1, 2))}
			for n := range 60 {
				r.Fill = float64(n%5) * 0.2
				m := codectest.New(name)
				r.Message(m.ProtoReflect(), n%4)
				input, err := googleproto.MarshalOptions{AllowPartial: true}.Marshal(m)
				if err != nil {
					t.Fatal(err)
				}
				check(t, name, input)
				for range 5 {
					check(t, name, codectest.Damage(r.Rand, input))
				}
			}
		})
	}
}

func TestVectorsAreReadAndWrittenAsByTheRuntime(t *testing.T) {
	n := 0
	for _, v := range vectors.Read(t, "wire") {
		if newMessage(v.Message) != nil {
			n++
			check(t, v.Message, v.Input)
		}
	}
	if n == 0 {
		t.Error("there are no vectors of these messages")
	}
}

// The methods of the runtime's own messages do not check UTF-8; the runtime does not use these methods for nested
// messages.
func TestMessagesOfTheRuntimeAreCheckedInsideOfOthers(t *testing.T) {
	const name = "protobuf_test_messages.proto3.TestAllTypesProto3"
	if newMessage(name) == nil {
		t.Skip("not generated for this runtime")
	}
	check(t, name, []byte{0xfa, 0x12, 3, 0x0a, 1, 0xff}) // paths of a FieldMask
	check(t, name, []byte{0xfa, 0x12, 3, 0x0a, 1, 'a'})
}

func TestExtensionsStayRawUntilSomebodyAsks(t *testing.T) {
	m := new(p2.All)
	if err := proto.SetExtension(m, p2.E_ExtInt32, proto.Int32(7)); err != nil {
		t.Fatal(err)
	}
	if err := proto.SetExtension(m, p2.E_ExtChild, &p2.Child{Id: proto.Int32(3)}); err != nil {
		t.Fatal(err)
	}
	encode(t, m)
	b, err := m.MarshalHot()
	if err != nil {
		t.Fatal(err)
	}
	got := new(p2.All)
	if err := got.UnmarshalHot(b); err != nil {
		t.Fatal(err)
	}
	encode(t, got) // undecoded
	child, err := proto.GetExtension(got, p2.E_ExtChild)
	if err != nil || child.(*p2.Child).GetId() != 3 || !proto.HasExtension(got, p2.E_ExtInt32) {
		t.Errorf("%v, %v", child, err)
	}
	encode(t, got) // one of them decoded
	child.(*p2.Child).Id = proto.Int32(4)
	encode(t, got) // and changed
	proto.ClearExtension(got, p2.E_ExtChild)
	encode(t, got)
}

func TestNilsAreRefusedWhereTheRuntimeDoes(t *testing.T) {
	for name, m := range map[string]message{
		"root":    (*p2.All)(nil),
		"element": &p2.All{RepeatedAll: []*p2.All{{}, nil}},
		"oneof":   &p2.All{Kind: &p2.All_OneofAll{}},
	} {
		_, stockErr := proto.Marshal(m)
		if _, err := m.MarshalHot(); err == nil || stockErr == nil {
			t.Errorf("%s: %v, the runtime says %v", name, err, stockErr)
		}
	}
	encode(t, &p2.All{Kind: (*p2.All_OneofAll)(nil)})
	encode(t, &p2.All{ValueAll: map[string]*p2.All{"a": nil, "b": {}}})
	encode(t, &p2.All{ValueBytes: map[int32][]byte{1: nil, 2: {}}})
}
