package dynamic

import (
	"math"

	"buf.build/go/hyperpb"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"
)

func newDynamicpb(w *workload) (rival, error) {
	kind := w.messages[0].ProtoReflect().Descriptor()
	fields := newFields(kind, map[protoreflect.FullName]*fields{})
	var m *dynamicpb.Message
	return rival{
		decode: func(b []byte) (uint64, error) {
			m = dynamicpb.NewMessage(kind)
			if err := proto.Unmarshal(b, m); err != nil {
				return 0, err
			}
			return fields.sum(m), nil
		},
		stock: func() ([]byte, error) { return proto.Marshal(m) },
		note:  "a fresh message each time",
	}, nil
}

// newHyperpb is hyperpb with shared memory and strings that alias the input, and a profile of the first input
// or none.
func newHyperpb(w *workload, profiled bool) (rival, error) {
	kind := hyperpb.CompileMessageDescriptor(w.messages[0].ProtoReflect().Descriptor())
	shared := new(hyperpb.Shared)
	note := "shared memory, aliased strings; UTF-8 checked"
	if profiled {
		note += "; PGO"
		profile := kind.NewProfile()
		for i := range 8 {
			if err := shared.NewMessage(kind).Unmarshal(w.inputs[i%len(w.inputs)], hyperpb.WithRecordProfile(profile, 1)); err != nil {
				return rival{}, err
			}
			shared.Free()
		}
		kind = kind.Recompile(profile)
	}
	fields := newFields(kind.Descriptor(), map[protoreflect.FullName]*fields{})
	var m *hyperpb.Message
	return rival{
		decode: func(b []byte) (uint64, error) {
			if m != nil {
				shared.Free()
			}
			m = shared.NewMessage(kind)
			if err := m.Unmarshal(b, hyperpb.WithAllowAlias(true)); err != nil {
				return 0, err
			}
			return fields.sum(m.ProtoReflect()), nil
		},
		stock: func() ([]byte, error) { return proto.Marshal(m) },
		note:  note,
	}, nil
}

// fields are looked up once.
type fields struct {
	uints, ints, floats, bools, enums, strings, bytes []protoreflect.FieldDescriptor
	lists                                             []protoreflect.FieldDescriptor // of unsigned numbers
	messages, messageLists                            []nested
}

type nested struct {
	fd protoreflect.FieldDescriptor
	*fields
}

// newFields knows the messages that contain themselves by what is done already.
func newFields(m protoreflect.MessageDescriptor, done map[protoreflect.FullName]*fields) *fields {
	if f := done[m.FullName()]; f != nil {
		return f
	}
	f := &fields{}
	done[m.FullName()] = f
	for i := range m.Fields().Len() {
		fd := m.Fields().Get(i)
		switch {
		case fd.Message() != nil && fd.IsList():
			f.messageLists = append(f.messageLists, nested{fd, newFields(fd.Message(), done)})
		case fd.Message() != nil:
			f.messages = append(f.messages, nested{fd, newFields(fd.Message(), done)})
		case fd.IsList() && isUnsigned(fd.Kind()):
			f.lists = append(f.lists, fd)
		case fd.IsList(): // the messages have none
		case isUnsigned(fd.Kind()):
			f.uints = append(f.uints, fd)
		default:
			to := map[protoreflect.Kind]*[]protoreflect.FieldDescriptor{
				protoreflect.DoubleKind: &f.floats, protoreflect.BoolKind: &f.bools, protoreflect.EnumKind: &f.enums,
				protoreflect.StringKind: &f.strings, protoreflect.BytesKind: &f.bytes,
			}[fd.Kind()]
			if to == nil {
				to = &f.ints
			}
			*to = append(*to, fd)
		}
	}
	return f
}

func isUnsigned(k protoreflect.Kind) bool {
	switch k {
	case protoreflect.Uint32Kind, protoreflect.Uint64Kind, protoreflect.Fixed32Kind, protoreflect.Fixed64Kind:
		return true
	}
	return false
}

func (f *fields) sum(m protoreflect.Message) (sum uint64) {
	for _, fd := range f.uints {
		sum += m.Get(fd).Uint()
	}
	for _, fd := range f.ints {
		sum += uint64(m.Get(fd).Int())
	}
	for _, fd := range f.floats {
		sum += math.Float64bits(m.Get(fd).Float())
	}
	for _, fd := range f.bools {
		if m.Get(fd).Bool() {
			sum++
		}
	}
	for _, fd := range f.enums {
		sum += uint64(m.Get(fd).Enum())
	}
	for _, fd := range f.strings {
		sum += textSum(m.Get(fd).String())
	}
	for _, fd := range f.bytes {
		sum += textSum(m.Get(fd).Bytes())
	}
	for _, fd := range f.lists {
		list := m.Get(fd).List()
		for i := range list.Len() {
			sum += list.Get(i).Uint()
		}
	}
	for _, n := range f.messages {
		if m.Has(n.fd) {
			sum += n.sum(m.Get(n.fd).Message())
		}
	}
	for _, n := range f.messageLists {
		list := m.Get(n.fd).List()
		for i := range list.Len() {
			sum += n.sum(list.Get(i).Message())
		}
	}
	return sum
}
