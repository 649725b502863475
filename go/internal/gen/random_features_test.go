//go:build random

package gen

import (
	"fmt"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
)

// enrich adds to a random file what only the stock structs are compared on: groups, extensions, lazy fields, and the
// features of editions.
func (s schema) enrich(file *descriptorpb.FileDescriptorProto) {
	if s.syntax == "editions" {
		closed := proto.CloneOf(file.EnumType[1])
		closed.Name = proto.String("Closed")
		for i, value := range closed.Value {
			value.Name = proto.String(fmt.Sprint("Closed_", i))
		}
		closed.Options = &descriptorpb.EnumOptions{Features: &descriptorpb.FeatureSet{EnumType: descriptorpb.FeatureSet_CLOSED.Enum()}}
		file.EnumType = append(file.EnumType, closed)
	}
	for _, m := range file.MessageType {
		for _, f := range m.Field {
			s.features(f)
		}
		if s.syntax == "proto2" && s.IntN(2) == 0 {
			s.group(m)
		}
		if s.syntax != "proto3" && s.IntN(3) == 0 {
			s.extensions(file, m)
		}
	}
}

// features sets options on a field.
func (s schema) features(f *descriptorpb.FieldDescriptorProto) {
	kind := f.GetType()
	isMessage := kind == descriptorpb.FieldDescriptorProto_TYPE_MESSAGE
	isMap := strings.HasSuffix(f.GetTypeName(), "Entry")
	repeated := f.GetLabel() == descriptorpb.FieldDescriptorProto_LABEL_REPEATED
	if f.Options == nil {
		f.Options = new(descriptorpb.FieldOptions)
	}
	if isMessage && !isMap && f.Options.Features == nil && s.IntN(3) == 0 {
		f.Options.Lazy = proto.Bool(true)
	}
	if s.syntax != "editions" || isMessage {
		return
	}
	f.Options.Features = new(descriptorpb.FeatureSet)
	features := f.Options.Features
	switch {
	case repeated:
		if kind != descriptorpb.FieldDescriptorProto_TYPE_STRING && kind != descriptorpb.FieldDescriptorProto_TYPE_BYTES && s.IntN(3) == 0 {
			features.RepeatedFieldEncoding = descriptorpb.FeatureSet_EXPANDED.Enum()
		}
	case f.OneofIndex != nil || f.GetExtendee() != "":
	case s.IntN(3) == 0:
		features.FieldPresence = descriptorpb.FeatureSet_IMPLICIT.Enum()
	case s.IntN(6) == 0:
		features.FieldPresence = descriptorpb.FeatureSet_LEGACY_REQUIRED.Enum()
	}
	if kind == descriptorpb.FieldDescriptorProto_TYPE_STRING && s.IntN(3) == 0 {
		features.Utf8Validation = descriptorpb.FeatureSet_NONE.Enum()
	}
	if features.GetFieldPresence() != descriptorpb.FeatureSet_IMPLICIT && f.GetTypeName() == ".r.Other" && s.IntN(2) == 0 {
		f.TypeName = proto.String(".r.Closed")
	}
}

// group adds a group of proto2.
func (s schema) group(m *descriptorpb.DescriptorProto) {
	inner := &descriptorpb.DescriptorProto{Name: proto.String("Inner")}
	for i := range 1 + s.IntN(3) {
		f := &descriptorpb.FieldDescriptorProto{
			Name: proto.String(fmt.Sprint("f", i)), Number: proto.Int32(int32(1 + i*i)),
			Label: descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL.Enum(),
		}
		s.typed(f, 5, true)
		inner.Field = append(inner.Field, f)
	}
	label := descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL
	if s.IntN(2) == 0 {
		label = descriptorpb.FieldDescriptorProto_LABEL_REPEATED
	}
	m.NestedType = append(m.NestedType, inner)
	m.Field = append(m.Field, &descriptorpb.FieldDescriptorProto{
		Name: proto.String("inner"), Number: proto.Int32(536870911), Label: label.Enum(),
		Type: descriptorpb.FieldDescriptorProto_TYPE_GROUP.Enum(), TypeName: proto.String(".r." + m.GetName() + ".Inner"),
	})
}

// extensions adds an extension range to a message, and a few extensions in it.
func (s schema) extensions(file *descriptorpb.FileDescriptorProto, m *descriptorpb.DescriptorProto) {
	const first = 600_000_000 >> 1
	for _, f := range m.Field {
		if f.GetNumber() >= first && f.GetNumber() < first+100 {
			return
		}
	}
	m.ExtensionRange = append(m.ExtensionRange, &descriptorpb.DescriptorProto_ExtensionRange{
		Start: proto.Int32(first), End: proto.Int32(first + 100),
	})
	for i := range 1 + s.IntN(6) {
		x := &descriptorpb.FieldDescriptorProto{
			Name: proto.String(fmt.Sprint("x", i, "_of_", strings.ToLower(m.GetName()))), Number: proto.Int32(int32(first + i)),
			Label: descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL.Enum(), Extendee: proto.String(".r." + m.GetName()),
		}
		s.typed(x, len(file.MessageType), true)
		if s.IntN(3) == 0 {
			x.Label = descriptorpb.FieldDescriptorProto_LABEL_REPEATED.Enum()
		}
		s.features(x)
		x.Options.Lazy = nil
		file.Extension = append(file.Extension, x)
	}
}
