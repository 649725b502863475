// Package kind has the wire types of the stock runtime's kinds, for the readers that go by its descriptors.
package kind

import (
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/hotpb/hotpb/go/rt/wire"
)

// Type returns the wire type of one element.
func Type(kind protoreflect.Kind) wire.Type {
	switch kind {
	case protoreflect.Fixed32Kind, protoreflect.Sfixed32Kind, protoreflect.FloatKind:
		return wire.Fixed32Type
	case protoreflect.Fixed64Kind, protoreflect.Sfixed64Kind, protoreflect.DoubleKind:
		return wire.Fixed64Type
	case protoreflect.StringKind, protoreflect.BytesKind, protoreflect.MessageKind:
		return wire.BytesType
	case protoreflect.GroupKind:
		return wire.StartGroup
	}
	return wire.VarintType
}

// Packable reports whether a field is a list that can be packed.
func Packable(f protoreflect.FieldDescriptor) bool {
	t := Type(f.Kind())
	return f.IsList() && t != wire.BytesType && t != wire.StartGroup
}
