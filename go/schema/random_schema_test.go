package schema_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"
)

type field = descriptorpb.FieldDescriptorProto

// maker makes random descriptors and messages of them.
type maker struct {
	*rand.Rand
	syntax string
}

// set builds a descriptor set of one file and returns the stock runtime's view of it.
func (r maker) set(t *testing.T, messages int) (fds []byte, types protoreflect.MessageDescriptors) {
	file := &descriptorpb.FileDescriptorProto{Name: proto.String("random.proto"), Package: proto.String("r"), Syntax: &r.syntax}
	if r.syntax == "editions" {
		file.Edition = descriptorpb.Edition_EDITION_2023.Enum()
		if r.IntN(2) == 0 {
			file.Options = &descriptorpb.FileOptions{Features: &descriptorpb.FeatureSet{
				MessageEncoding:       descriptorpb.FeatureSet_DELIMITED.Enum(),
				RepeatedFieldEncoding: descriptorpb.FeatureSet_EXPANDED.Enum(),
				FieldPresence:         descriptorpb.FeatureSet_IMPLICIT.Enum(),
			}}
		}
	}
	enum := &descriptorpb.EnumDescriptorProto{Name: proto.String("E")}
	for i, number := range []int32{0, 1, -7, 100, 1 << 30} {
		enum.Value = append(enum.Value, &descriptorpb.EnumValueDescriptorProto{Name: proto.String(fmt.Sprint("E_", i)), Number: &number})
	}
	file.EnumType = []*descriptorpb.EnumDescriptorProto{enum}
	for i := range messages {
		file.MessageType = append(file.MessageType, r.message(i, messages))
	}
	set := &descriptorpb.FileDescriptorSet{File: []*descriptorpb.FileDescriptorProto{file}}
	files, err := protodesc.NewFiles(set)
	if err != nil {
		t.Fatal(err)
	}
	if fds, err = proto.Marshal(set); err != nil {
		t.Fatal(err)
	}
	found, _ := files.FindFileByPath("random.proto")
	return fds, found.Messages()
}

func (r maker) message(index, messages int) *descriptorpb.DescriptorProto {
	m := &descriptorpb.DescriptorProto{Name: proto.String(fmt.Sprint("M", index))}
	used := map[int32]bool{}
	for i := range 1 + r.IntN(14) {
		number := 1 + r.Int32N(20)
		if r.IntN(5) == 0 {
			number = 1 + r.Int32N(1<<29-1)
		}
		if used[number] || number >= 19000 && number < 20000 {
			continue
		}
		used[number] = true
		f := &field{Name: proto.String(fmt.Sprint("f", i)), Number: &number}
		if r.IntN(8) == 0 {
			r.mapOf(m, f, messages)
		} else {
			r.typed(f, messages)
			r.labelled(m, f)
		}
		m.Field = append(m.Field, f)
	}
	// The members of a oneof stand side by side, and the oneofs that proto3 creates for its optional fields come after it.
	member := func(f *field) int { return map[bool]int{true: 0, false: 1}[f.OneofIndex != nil] }
	slices.SortStableFunc(m.Field, func(a, b *field) int { return member(a) - member(b) })
	for _, f := range m.Field {
		if f.GetProto3Optional() {
			f.OneofIndex = proto.Int32(int32(len(m.OneofDecl)))
			m.OneofDecl = append(m.OneofDecl, &descriptorpb.OneofDescriptorProto{Name: proto.String("_" + f.GetName())})
		}
	}
	return m
}

func (r maker) typed(f *field, messages int) {
	kinds := []descriptorpb.FieldDescriptorProto_Type{1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 11, 12, 13, 14, 15, 16, 17, 18}
	f.Type = kinds[r.IntN(len(kinds))].Enum()
	switch f.GetType() {
	case descriptorpb.FieldDescriptorProto_TYPE_MESSAGE:
		f.TypeName = proto.String(fmt.Sprint(".r.M", r.IntN(messages)))
	case descriptorpb.FieldDescriptorProto_TYPE_ENUM:
		f.TypeName = proto.String(".r.E")
	}
}

// labelled makes a field repeated, required, optional or the member of a oneof.
func (r maker) labelled(m *descriptorpb.DescriptorProto, f *field) {
	f.Label = descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL.Enum()
	switch r.IntN(6) {
	case 0, 1:
		f.Label = descriptorpb.FieldDescriptorProto_LABEL_REPEATED.Enum()
		packable := f.GetType() != 9 && f.GetType() != 11 && f.GetType() != 12
		if packable && r.syntax != "editions" && r.IntN(2) == 0 {
			f.Options = &descriptorpb.FieldOptions{Packed: proto.Bool(r.IntN(2) == 0)}
		}
	case 2:
		if len(m.OneofDecl) == 0 {
			m.OneofDecl = append(m.OneofDecl, &descriptorpb.OneofDescriptorProto{Name: proto.String("pick")})
		}
		f.OneofIndex = proto.Int32(0)
	case 3:
		f.Proto3Optional = map[string]*bool{"proto3": proto.Bool(true)}[r.syntax]
	case 4:
		if r.syntax == "proto2" && r.IntN(3) == 0 {
			f.Label = descriptorpb.FieldDescriptorProto_LABEL_REQUIRED.Enum()
		}
	}
}

func (r maker) mapOf(m *descriptorpb.DescriptorProto, f *field, messages int) {
	optional := descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL.Enum()
	keys := []descriptorpb.FieldDescriptorProto_Type{3, 4, 5, 6, 7, 8, 9, 13, 15, 16, 17, 18}
	key := &field{Name: proto.String("key"), Number: proto.Int32(1), Label: optional, Type: keys[r.IntN(len(keys))].Enum()}
	value := &field{Name: proto.String("value"), Number: proto.Int32(2), Label: optional}
	r.typed(value, messages)
	name := "F" + f.GetName()[1:] + "Entry"
	m.NestedType = append(m.NestedType, &descriptorpb.DescriptorProto{Name: &name,
		Field: []*field{key, value}, Options: &descriptorpb.MessageOptions{MapEntry: proto.Bool(true)}})
	f.Label = descriptorpb.FieldDescriptorProto_LABEL_REPEATED.Enum()
	f.Type = descriptorpb.FieldDescriptorProto_TYPE_MESSAGE.Enum()
	f.TypeName = proto.String(".r." + m.GetName() + "." + name)
}

// encoded is a random message, in one part or in several, which merge, with unknown fields or without.
func (r maker) encoded(t *testing.T, desc protoreflect.MessageDescriptor) (b []byte) {
	for range 1 + r.IntN(2)*r.IntN(3) {
		part, err := proto.MarshalOptions{AllowPartial: true}.Marshal(r.filled(desc))
		if err != nil {
			t.Fatal(err)
		}
		b = append(b, part...)
		if r.IntN(4) == 0 {
			b = protowire.AppendTag(b, protowire.Number(900+r.IntN(5)), protowire.VarintType)
			b = protowire.AppendVarint(b, r.Uint64())
		}
	}
	return b
}

func (r maker) filled(desc protoreflect.MessageDescriptor) *dynamicpb.Message {
	m := dynamicpb.NewMessage(desc)
	r.fill(m, 1+r.IntN(3))
	return m
}

func (r maker) fill(m protoreflect.Message, depth int) {
	for i := range m.Descriptor().Fields().Len() {
		f := m.Descriptor().Fields().Get(i)
		if r.IntN(3) == 0 {
			continue
		}
		message := f.Message() != nil && !f.IsMap()
		switch {
		case f.IsMap():
			for range r.IntN(4) {
				key := r.scalar(f.MapKey()).MapKey()
				if f.MapValue().Message() == nil {
					m.Mutable(f).Map().Set(key, r.scalar(f.MapValue()))
				} else if value := m.Mutable(f).Map().Mutable(key); depth > 0 {
					r.fill(value.Message(), depth-1)
				}
			}
		case message && depth == 0:
		case f.IsList():
			list := m.Mutable(f).List()
			for range r.IntN(5) {
				if message {
					r.fill(list.AppendMutable().Message(), depth-1)
				} else {
					list.Append(r.scalar(f))
				}
			}
		case message:
			r.fill(m.Mutable(f).Message(), depth-1)
		default:
			m.Set(f, r.scalar(f))
		}
	}
}

func (r maker) scalar(f protoreflect.FieldDescriptor) protoreflect.Value {
	number := r.Uint64() >> r.IntN(64)
	switch f.Kind() {
	case protoreflect.BoolKind:
		return protoreflect.ValueOfBool(r.IntN(2) == 0)
	case protoreflect.EnumKind:
		values := f.Enum().Values()
		return protoreflect.ValueOfEnum(values.Get(r.IntN(values.Len())).Number())
	case protoreflect.Int32Kind, protoreflect.Sint32Kind, protoreflect.Sfixed32Kind:
		return protoreflect.ValueOfInt32(int32(number))
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind:
		return protoreflect.ValueOfUint32(uint32(number))
	case protoreflect.Int64Kind, protoreflect.Sint64Kind, protoreflect.Sfixed64Kind:
		return protoreflect.ValueOfInt64(int64(number))
	case protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		return protoreflect.ValueOfUint64(number)
	case protoreflect.FloatKind:
		return protoreflect.ValueOfFloat32(math.Float32frombits(r.Uint32()))
	case protoreflect.DoubleKind:
		return protoreflect.ValueOfFloat64(math.Float64frombits(number))
	case protoreflect.StringKind:
		return protoreflect.ValueOfString([]string{"", "a", "text", "é", "twenty bytes of text", "語"}[r.IntN(6)])
	}
	return protoreflect.ValueOfBytes([]byte("\x00bytes\xff")[:r.IntN(8)])
}
