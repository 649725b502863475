// Package kindstest has messages of structs=value with every kind of field, for tests.
package kindstest

import (
	"fmt"
	"testing"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/hotpb/hotpb/go/codec"
	"github.com/hotpb/hotpb/go/internal/testgen/values/kinds"
	"github.com/hotpb/hotpb/go/internal/testgen/values/kinds2"
)

// Message is a message of structs=value.
type Message interface {
	proto.Message
	codec.Message
	Marshal() ([]byte, error)
	Unmarshal([]byte) error
	Reset()
	Size() int
}

// Types are an empty message of each type.
var Types = []Message{
	new(kinds.Leaf), new(kinds.Singular), new(kinds.Optional), new(kinds.Repeated), new(kinds.Values), new(kinds.Keys), new(kinds.Choice),
	new(kinds.ByValue), new(kinds.OfStored), new(kinds.OfValued), new(kinds.OfStrict), new(kinds.OfPromoted), new(kinds.OfMapped),
	new(kinds.OfBlob), new(kinds.OfCode), new(kinds.OfElsewhere), new(kinds.EmbeddedCustom), new(kinds.Cast), new(kinds.CastOptional), new(kinds.CastList), new(kinds.CastValues),
	new(kinds.CastKeys), new(kinds.CastChoice), new(kinds.CastMap), new(kinds.Std), new(kinds.StdByValue), new(kinds.StdList), new(kinds.StdValues),
	new(kinds.StdMap), new(kinds.StdMapByValue), new(kinds.StdChoice), new(kinds.Known), new(kinds.Declared), new(kinds.DeclaredBare), new(kinds.Holder),
	new(kinds.Bare), new(kinds.Twice), new(kinds.Lower), new(kinds2.Leaf), new(kinds2.Grouped), new(kinds2.Presence), new(kinds2.Required), new(kinds2.Extended),
}

// Sample is a message with one field, or with all.
type Sample struct {
	Name    string
	Message Message
	Dynamic *dynamicpb.Message // the same contents
}

// Samples are messages of a type: an empty one, several for each field, and one with all fields.
func Samples(t *testing.T, message Message) (samples []Sample) {
	t.Helper()
	d := message.ProtoReflect().Descriptor()
	add := func(name string, m *dynamicpb.Message) {
		s := Sample{Name: string(d.Name()) + "." + name, Message: message.ProtoReflect().New().Interface().(Message), Dynamic: dynamicpb.NewMessage(d)}
		for i := range d.Fields().Len() { // which the struct cannot leave out
			fd := d.Fields().Get(i)
			if fd.Cardinality() == protoreflect.Required && !m.Has(fd) || refusesZero(d) && fd.Name() == "value" && !m.Has(fd) {
				m.Set(fd, values(fd, fd)[0])
			}
		}
		b, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
		if err != nil {
			t.Fatalf("%s: %v", s.Name, err)
		}
		if err := s.Message.Unmarshal(b); err != nil {
			t.Fatalf("%s: %v from %x", s.Name, err, b)
		}
		// Fields that are always present in the struct are not in m.
		if b, err = s.Message.Marshal(); err == nil {
			err = proto.Unmarshal(b, s.Dynamic)
		}
		if err != nil {
			t.Fatalf("%s: %v", s.Name, err)
		}
		m.Range(func(fd protoreflect.FieldDescriptor, v protoreflect.Value) bool {
			if !s.Dynamic.Get(fd).Equal(v) {
				t.Errorf("%s: %s is %v, want %v", s.Name, fd.Name(), s.Dynamic.Get(fd), v)
			}
			return true
		})
		samples = append(samples, s)
	}
	add("empty", dynamicpb.NewMessage(d))
	all := dynamicpb.NewMessage(d)
	for i := range d.Fields().Len() {
		fd := d.Fields().Get(i)
		for n, v := range fieldValues(fd) {
			m := dynamicpb.NewMessage(d)
			m.Set(fd, v)
			add(fmt.Sprint(fd.Name(), "#", n), m)
			if n == 0 {
				all.Set(fd, v)
			}
		}
	}
	if message.ProtoReflect().Descriptor().FullName() != "hotpb.kinds.Bare" && d.Name() != "DeclaredBare" { // which drop them
		all.SetUnknown([]byte("\xf2\xac\x04\x01u"))
	}
	add("all", all)
	return samples
}

// refusesZero reports whether the custom type of a message's fields has a zero value that cannot be written.
func refusesZero(d protoreflect.MessageDescriptor) bool {
	return d.Name() == "OfStrict" || d.Name() == "OfPromoted"
}

func fieldValues(fd protoreflect.FieldDescriptor) (all []protoreflect.Value) {
	m := dynamicpb.NewMessage(fd.ContainingMessage())
	switch {
	case fd.IsMap():
		keys, elements := values(fd.MapKey(), fd), values(fd.MapValue(), fd)
		for _, list := range [][]protoreflect.Value{elements, elements[:1]} {
			v := m.NewField(fd)
			for i := range max(len(list), len(keys)) {
				v.Map().Set(keys[i%len(keys)].MapKey(), list[i%len(list)])
			}
			all = append(all, v)
		}
	case fd.IsList():
		elements := values(fd, fd)
		for _, list := range [][]protoreflect.Value{elements, elements[:1]} {
			v := m.NewField(fd)
			for _, element := range list {
				v.List().Append(element)
			}
			all = append(all, v)
		}
	default:
		all = values(fd, fd)
	}
	return all
}

// values are values of an element of a field.
func values(fd, field protoreflect.FieldDescriptor) []protoreflect.Value {
	list := func(values ...any) (all []protoreflect.Value) {
		for _, v := range values {
			all = append(all, protoreflect.ValueOf(v))
		}
		return all
	}
	switch fd.Kind() {
	case protoreflect.BoolKind:
		return list(true, false)
	case protoreflect.EnumKind:
		var all []protoreflect.Value
		for i := fd.Enum().Values().Len() - 1; i >= 0; i-- {
			all = append(all, protoreflect.ValueOfEnum(fd.Enum().Values().Get(i).Number()))
		}
		return all
	case protoreflect.Int32Kind, protoreflect.Sint32Kind, protoreflect.Sfixed32Kind:
		return list(int32(5), int32(-1<<31), int32(0))
	case protoreflect.Int64Kind, protoreflect.Sint64Kind, protoreflect.Sfixed64Kind:
		return list(int64(5), int64(-1<<63), int64(0))
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind:
		return list(uint32(5), uint32(1<<32-1), uint32(0))
	case protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		return list(uint64(5), uint64(1<<64-1), uint64(0))
	case protoreflect.FloatKind:
		return list(float32(1.5), float32(0))
	case protoreflect.DoubleKind:
		return list(1.5, float64(0))
	case protoreflect.StringKind:
		return list("text", "")
	case protoreflect.BytesKind:
		if field.ContainingMessage().Name() == "OfCode" || field.Name() == "code" { // four bytes, always
			return list([]byte("abcd"))
		}
		return list([]byte("bytes"), []byte{})
	}
	all := []protoreflect.Value{filled(fd.Message(), 2)}
	// An empty message, too, but where the struct must have contents.
	if !refusesZero(field.ContainingMessage()) && fd.Message().Name() != "Declared" && all[0].Message().Descriptor().RequiredNumbers().Len() == 0 {
		all = append(all, protoreflect.ValueOfMessage(dynamicpb.NewMessage(fd.Message())))
	}
	return all
}

// filled is a message with all fields.
func filled(d protoreflect.MessageDescriptor, depth int) protoreflect.Value {
	m := dynamicpb.NewMessage(d)
	if d.FullName() == "google.protobuf.Struct" {
		if err := protojson.Unmarshal([]byte(`{"a": 1.5, "b": ["x", null, {"c": true}]}`), m); err != nil {
			panic(err)
		}
		return protoreflect.ValueOfMessage(m)
	}
	for i := range d.Fields().Len() {
		fd := d.Fields().Get(i)
		if depth == 0 && (fd.Message() != nil || fd.IsMap()) {
			continue
		}
		value := func(fd protoreflect.FieldDescriptor) protoreflect.Value {
			if fd.Message() != nil {
				return filled(fd.Message(), depth-1)
			}
			return values(fd, fd)[0]
		}
		switch {
		case fd.IsMap():
			m.Mutable(fd).Map().Set(value(fd.MapKey()).MapKey(), value(fd.MapValue()))
		case fd.IsList():
			m.Mutable(fd).List().Append(value(fd))
		default:
			m.Set(fd, value(fd))
		}
	}
	return protoreflect.ValueOfMessage(m)
}
