package view_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/hotpb/hotpb/go/view"
)

// stockType finds a message type in a golden descriptor set, for the stock runtime.
func stockType(t *testing.T, set, name string) protoreflect.MessageType {
	t.Helper()
	b, err := os.ReadFile("../../../vectors/plans/" + set + ".fds")
	if err != nil {
		t.Fatal(err)
	}
	var fds descriptorpb.FileDescriptorSet
	if err := proto.Unmarshal(b, &fds); err != nil {
		t.Fatal(err)
	}
	for _, file := range fds.File {
		withoutMessageSets(file.MessageType)
	}
	files, err := protodesc.NewFiles(&fds)
	if err != nil {
		t.Fatal(err)
	}
	d, err := files.FindDescriptorByName(protoreflect.FullName(name))
	if err != nil {
		t.Fatal(err)
	}
	return dynamicpb.NewMessageType(d.(protoreflect.MessageDescriptor))
}

// withoutMessageSets turns message sets into ordinary, empty messages: the stock runtime does not read message sets.
func withoutMessageSets(messages []*descriptorpb.DescriptorProto) {
	for _, m := range messages {
		if m.Options != nil {
			m.Options.MessageSetWireFormat = nil
		}
		for _, r := range m.ExtensionRange {
			r.End = proto.Int32(min(r.GetEnd(), 1<<29))
		}
		withoutMessageSets(m.NestedType)
	}
}

var stockMessages = []struct{ set, name string }{
	{"test_messages_proto3", "protobuf_test_messages.proto3.TestAllTypesProto3"},
	{"test_messages_edition2023", "protobuf_test_messages.editions.TestAllTypesEdition2023"},
	{"test_messages_proto2", "protobuf_test_messages.proto2.TestAllTypesProto2"},
}

// TestRandomMessagesOfTheStockRuntimeComeBackEqual encodes random messages with the stock runtime, re-encodes them
// through the view, and compares them in the stock runtime.
func TestRandomMessagesOfTheStockRuntimeComeBackEqual(t *testing.T) {
	for _, m := range stockMessages {
		kind := stockType(t, m.set, m.name)
		r := rand.New(rand.NewPCG(1, 2))
		for range 300 {
			want := kind.New()
			populate(r, want, 3)
			input, err := proto.Marshal(want.Interface())
			if err != nil {
				t.Fatal(err)
			}
			output, err := canonical(messages[m.name](), input, view.Options{}, true)
			if err != nil {
				t.Fatalf("%s: %v: %x", m.name, err, input)
			}
			got := kind.New()
			if err := proto.Unmarshal(output, got.Interface()); err != nil {
				t.Fatalf("%s: the stock runtime rejects the view's output: %v", m.name, err)
			}
			if !proto.Equal(want.Interface(), got.Interface()) {
				t.Fatalf("%s: not equal\ninput  %x\noutput %x", m.name, input, output)
			}
		}
	}
}

// TestConcatenatedMessagesMergeAsInTheStockRuntime: the concatenation of two encodings is the merged message.
func TestConcatenatedMessagesMergeAsInTheStockRuntime(t *testing.T) {
	for _, m := range stockMessages {
		kind := stockType(t, m.set, m.name)
		r := rand.New(rand.NewPCG(3, 4))
		for range 300 {
			var input []byte
			for range 2 {
				part := kind.New()
				populate(r, part, 2)
				input, _ = proto.MarshalOptions{}.MarshalAppend(input, part.Interface())
			}
			sameForTheStockRuntime(t, kind, m.name, input)
		}
	}
}

// TestDamagedMessagesMeanTheSameToTheStockRuntime: if both accept an input, the re-encoded message is the same. It
// uses only schemas with open enums, because the stock runtime's dynamic messages treat closed ones as open.
func TestDamagedMessagesMeanTheSameToTheStockRuntime(t *testing.T) {
	accepted := 0
	for _, m := range stockMessages[:2] {
		kind := stockType(t, m.set, m.name)
		r := rand.New(rand.NewPCG(5, 6))
		for range 3000 {
			part := kind.New()
			populate(r, part, 1)
			input, _ := proto.Marshal(part.Interface())
			if sameForTheStockRuntime(t, kind, m.name, damage(r, input)) {
				accepted++
			}
		}
	}
	if accepted < 300 {
		t.Errorf("only %d of 6000 damaged messages were accepted: nothing was compared", accepted)
	}
}

func sameForTheStockRuntime(t *testing.T, kind protoreflect.MessageType, name string, input []byte) (accepted bool) {
	t.Helper()
	output, err := canonical(messages[name](), input, view.Options{}, true)
	if err != nil {
		return false
	}
	want, got := kind.New().Interface(), kind.New().Interface()
	if err := stockUnmarshal(input, want); err != nil {
		return false // stricter, for example about tenth varint bytes
	}
	if err := proto.Unmarshal(output, got); err != nil {
		t.Fatalf("%s: the stock runtime rejects the view's output: %v\ninput  %x\noutput %x", name, err, input, output)
	}
	if !proto.Equal(want, got) {
		t.Fatalf("%s: not equal\ninput  %x\noutput %x", name, input, output)
	}
	return true
}

// stockUnmarshal turns a panic into an error: dynamic messages panic on map entries whose key comes again with another wire
// type.
func stockUnmarshal(b []byte, m proto.Message) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return proto.Unmarshal(b, m)
}

// populate sets about a third of the fields, nested messages up to depth levels.
func populate(r *rand.Rand, m protoreflect.Message, depth int) {
	fields := m.Descriptor().Fields()
	for i := range fields.Len() {
		f := fields.Get(i)
		if r.IntN(3) > 0 || f.Message() != nil && depth == 0 {
			continue
		}
		switch {
		case f.IsMap():
			entries := m.Mutable(f).Map()
			for range r.IntN(4) {
				key := scalar(r, f.MapKey()).MapKey()
				if f.MapValue().Message() != nil {
					populate(r, entries.Mutable(key).Message(), depth-1)
				} else {
					entries.Set(key, scalar(r, f.MapValue()))
				}
			}
		case f.IsList():
			list := m.Mutable(f).List()
			for range r.IntN(4) {
				if f.Message() != nil {
					populate(r, list.AppendMutable().Message(), depth-1)
				} else {
					list.Append(scalar(r, f))
				}
			}
		case f.Message() != nil:
			populate(r, m.Mutable(f).Message(), depth-1)
		default:
			m.Set(f, scalar(r, f))
		}
	}
}

func scalar(r *rand.Rand, f protoreflect.FieldDescriptor) protoreflect.Value {
	n := r.Uint64() >> r.IntN(64)
	if r.IntN(5) == 0 {
		n = 0
	}
	switch f.Kind() {
	case protoreflect.BoolKind:
		return protoreflect.ValueOfBool(n&1 == 1)
	case protoreflect.EnumKind:
		values := f.Enum().Values()
		return protoreflect.ValueOfEnum(values.Get(r.IntN(values.Len())).Number())
	case protoreflect.Int32Kind, protoreflect.Sint32Kind, protoreflect.Sfixed32Kind:
		return protoreflect.ValueOfInt32(int32(n))
	case protoreflect.Int64Kind, protoreflect.Sint64Kind, protoreflect.Sfixed64Kind:
		return protoreflect.ValueOfInt64(int64(n))
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind:
		return protoreflect.ValueOfUint32(uint32(n))
	case protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		return protoreflect.ValueOfUint64(n)
	case protoreflect.FloatKind:
		return protoreflect.ValueOfFloat32(math.Float32frombits(uint32(n)))
	case protoreflect.DoubleKind:
		return protoreflect.ValueOfFloat64(math.Float64frombits(n))
	case protoreflect.BytesKind:
		b := make([]byte, n%20)
		for i := range b {
			b[i] = byte(r.UintN(256))
		}
		return protoreflect.ValueOfBytes(b)
	}
	return protoreflect.ValueOfString([]string{"", "x", "a longer string of ASCII", "mit Umlauten: äöü €"}[n%4])
}
