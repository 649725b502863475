package value_test

import (
	"bytes"
	"reflect"
	"testing"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/hotpb/hotpb/go/codec/value"
	"github.com/hotpb/hotpb/go/internal/testgen/values/kinds"
	"github.com/hotpb/hotpb/go/internal/testgen/values/kinds/elsewhere"
	"github.com/hotpb/hotpb/go/test/kindstest"
)

// copies are ways to copy a message. formats are those that do not have unknown fields.
var copies = []struct {
	name   string
	format bool
	copied func(to, from kindstest.Message) error
}{
	{"Unmarshal", false, func(to, from kindstest.Message) error {
		b, err := from.Marshal()
		if err != nil {
			return err
		}
		return to.Unmarshal(b)
	}},
	{"proto.Unmarshal", false, func(to, from kindstest.Message) error {
		b, err := proto.Marshal(from)
		if err != nil {
			return err
		}
		return proto.Unmarshal(b, to)
	}},
	{"proto.Merge", false, func(to, from kindstest.Message) error { proto.Merge(to, from); return nil }},
	{"proto.Clone", false, func(to, from kindstest.Message) error {
		reflect.ValueOf(to).Elem().Set(reflect.ValueOf(proto.Clone(from)).Elem())
		return nil
	}},
	{"protojson", true, func(to, from kindstest.Message) error {
		b, err := protojson.Marshal(from)
		if err != nil {
			return err
		}
		return protojson.Unmarshal(b, to)
	}},
	{"prototext", true, func(to, from kindstest.Message) error {
		b, err := prototext.Marshal(from)
		if err != nil {
			return err
		}
		return prototext.Unmarshal(b, to)
	}},
	{"UnmarshalJSON", true, func(to, from kindstest.Message) error {
		b, err := value.MarshalJSON(from)
		if err != nil {
			return err
		}
		return value.UnmarshalJSON(b, to)
	}},
	{"UnmarshalText", true, func(to, from kindstest.Message) error {
		b, err := value.MarshalText(from)
		if err != nil {
			return err
		}
		return value.UnmarshalText(b, to)
	}},
	{"Set", false, func(to, from kindstest.Message) error {
		m := to.ProtoReflect()
		m.SetUnknown(from.ProtoReflect().GetUnknown())
		from.ProtoReflect().Range(func(fd protoreflect.FieldDescriptor, v protoreflect.Value) bool {
			m.Set(fd, v)
			return true
		})
		return nil
	}},
	{"Mutable", false, func(to, from kindstest.Message) error {
		m := to.ProtoReflect()
		m.SetUnknown(from.ProtoReflect().GetUnknown())
		from.ProtoReflect().Range(func(fd protoreflect.FieldDescriptor, v protoreflect.Value) bool {
			switch {
			case fd.IsMap():
				entries := m.Mutable(fd).Map()
				v.Map().Range(func(key protoreflect.MapKey, v protoreflect.Value) bool {
					if fd.MapValue().Message() == nil {
						entries.Set(key, v)
					} else {
						proto.Merge(entries.Mutable(key).Message().Interface(), v.Message().Interface())
					}
					return true
				})
			case fd.IsList():
				list := m.Mutable(fd).List()
				for i := range v.List().Len() {
					if fd.Message() == nil {
						list.Append(v.List().Get(i))
					} else {
						proto.Merge(list.AppendMutable().Message().Interface(), v.List().Get(i).Message().Interface())
					}
				}
			case fd.Message() != nil:
				proto.Merge(m.Mutable(fd).Message().Interface(), v.Message().Interface())
			default:
				m.Set(fd, v)
			}
			return true
		})
		return nil
	}},
}

// encoded is the deterministic encoding by reflection of a dynamic message: fields without values are absent.
func encoded(t *testing.T, m proto.Message) []byte {
	t.Helper()
	b, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	dynamic := dynamicpb.NewMessage(m.ProtoReflect().Descriptor())
	if err := proto.Unmarshal(b, dynamic); err != nil {
		t.Fatal(err)
	}
	if b, err = (proto.MarshalOptions{Deterministic: true}).Marshal(dynamic); err != nil {
		t.Fatal(err)
	}
	return b
}

// COD-104: every function of Google's runtime on every kind of field.
func TestEveryKindOfField(t *testing.T) {
	for _, message := range kindstest.Types {
		for _, s := range kindstest.Samples(t, message) {
			t.Run(s.Name, func(t *testing.T) { everyFunction(t, s) })
		}
	}
}

func everyFunction(t *testing.T, s kindstest.Sample) {
	m := s.Message
	want := encoded(t, s.Dynamic)
	if !proto.Equal(m, s.Dynamic) || !proto.Equal(s.Dynamic, m) {
		t.Fatalf("it is\n%v\nwant\n%v", prototext.Format(m), prototext.Format(s.Dynamic))
	}
	if b, err := m.Marshal(); err != nil || m.Size() != len(b) || proto.Size(m) != len(b) {
		t.Errorf("sizes %d and %d of %x, %v", m.Size(), proto.Size(m), b, err)
	}
	for _, c := range copies {
		from := m
		if c.format && len(m.ProtoReflect().GetUnknown()) > 0 {
			from = proto.Clone(m).(kindstest.Message)
			from.ProtoReflect().SetUnknown(nil)
		}
		to := m.ProtoReflect().New().Interface().(kindstest.Message)
		if err := c.copied(to, from); err != nil {
			t.Errorf("%s: %v", c.name, err)
		} else if !proto.Equal(to, from) || !bytes.Equal(encoded(t, to), encoded(t, from)) {
			t.Errorf("%s:\n%v\nwant\n%v", c.name, prototext.Format(to), prototext.Format(from))
		}
	}
	sameView(t, m.ProtoReflect(), s.Dynamic)

	// A second merge adds, as that of a dynamic message does.
	twice, dynamic := proto.Clone(m), proto.Clone(s.Dynamic)
	proto.Merge(twice, m)
	proto.Merge(dynamic, s.Dynamic)
	if !proto.Equal(twice, dynamic) {
		t.Errorf("merged twice it is\n%v\nwant\n%v", prototext.Format(twice), prototext.Format(dynamic))
	}
	if got := encoded(t, m); !bytes.Equal(got, want) {
		t.Errorf("its copy has changed it: %x, want %x", got, want)
	}

	empty := m.ProtoReflect().New().Interface().(kindstest.Message)
	cleared := proto.Clone(m).(kindstest.Message)
	m.ProtoReflect().Range(func(fd protoreflect.FieldDescriptor, _ protoreflect.Value) bool {
		cleared.ProtoReflect().Clear(fd)
		return true
	})
	cleared.ProtoReflect().SetUnknown(nil)
	if !proto.Equal(cleared, empty) {
		t.Errorf("cleared it is %v", cleared)
	}
	if proto.Reset(twice); !proto.Equal(twice, empty) {
		t.Errorf("reset it is %v", twice)
	}
}

// sameView compares a message by its methods.
func sameView(t *testing.T, m, dynamic protoreflect.Message) {
	t.Helper()
	fields := m.Descriptor().Fields()
	for i := range fields.Len() {
		fd := fields.Get(i)
		if m.Has(fd) != dynamic.Has(fd) {
			t.Errorf("Has(%s) is %v", fd.Name(), m.Has(fd))
		}
		if v := m.Get(fd); !v.Equal(dynamic.Get(fd)) {
			t.Errorf("Get(%s) is %v, want %v", fd.Name(), v, dynamic.Get(fd))
		}
		if fresh := m.NewField(fd); fd.Message() != nil && !fd.IsMap() && !fd.IsList() && fresh.Message().Descriptor().FullName() != fd.Message().FullName() {
			t.Errorf("NewField(%s) is a %v", fd.Name(), fresh.Message().Descriptor().FullName())
		}
		if fd.IsList() && m.Get(fd).List().NewElement().Interface() == nil || fd.IsMap() && m.Get(fd).Map().NewValue().Interface() == nil {
			t.Errorf("%s has no new elements", fd.Name())
		}
	}
	for i := range m.Descriptor().Oneofs().Len() {
		od := m.Descriptor().Oneofs().Get(i)
		if m.WhichOneof(od) != dynamic.WhichOneof(od) {
			t.Errorf("WhichOneof(%s) is %v", od.Name(), m.WhichOneof(od))
		}
	}
}

// Descriptors have what no struct of the package has: enums of other files, and messages that only custom types stand for.
func TestDescriptorsOfOtherFilesAreComplete(t *testing.T) {
	place := &elsewhere.Place{Name: "p", Level: elsewhere.Level_HIGH, Parts: []*elsewhere.Place{{Name: "q"}}}
	b, err := place.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	for want, m := range map[string]proto.Message{
		`{"ofLevel":"HIGH"}`: &kinds.Singular{OfLevel: elsewhere.Level_HIGH},
		`{"place":{"name":"p","level":"HIGH","parts":[{"name":"q"}]},"json":{},"time":"1970-01-01T00:00:00Z"}`: &kinds.OfElsewhere{Place: kinds.Stored{Encoding: string(b)}},
	} {
		got, err := value.MarshalJSON(m)
		if err != nil || string(bytes.ReplaceAll(got, []byte(" "), nil)) != want {
			t.Errorf("%s, %v, want %s", got, err, want)
		}
	}
}
