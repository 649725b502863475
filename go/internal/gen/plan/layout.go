package plan

import "google.golang.org/protobuf/types/descriptorpb"

var typeNames = map[descriptorpb.FieldDescriptorProto_Type]Type{
	descriptorpb.FieldDescriptorProto_TYPE_DOUBLE:   TypeDouble,
	descriptorpb.FieldDescriptorProto_TYPE_FLOAT:    TypeFloat,
	descriptorpb.FieldDescriptorProto_TYPE_INT64:    TypeInt64,
	descriptorpb.FieldDescriptorProto_TYPE_UINT64:   TypeUint64,
	descriptorpb.FieldDescriptorProto_TYPE_INT32:    TypeInt32,
	descriptorpb.FieldDescriptorProto_TYPE_FIXED64:  TypeFixed64,
	descriptorpb.FieldDescriptorProto_TYPE_FIXED32:  TypeFixed32,
	descriptorpb.FieldDescriptorProto_TYPE_BOOL:     TypeBool,
	descriptorpb.FieldDescriptorProto_TYPE_STRING:   TypeString,
	descriptorpb.FieldDescriptorProto_TYPE_GROUP:    TypeMessage,
	descriptorpb.FieldDescriptorProto_TYPE_MESSAGE:  TypeMessage,
	descriptorpb.FieldDescriptorProto_TYPE_BYTES:    TypeBytes,
	descriptorpb.FieldDescriptorProto_TYPE_UINT32:   TypeUint32,
	descriptorpb.FieldDescriptorProto_TYPE_ENUM:     TypeEnum,
	descriptorpb.FieldDescriptorProto_TYPE_SFIXED32: TypeSfixed32,
	descriptorpb.FieldDescriptorProto_TYPE_SFIXED64: TypeSfixed64,
	descriptorpb.FieldDescriptorProto_TYPE_SINT32:   TypeSint32,
	descriptorpb.FieldDescriptorProto_TYPE_SINT64:   TypeSint64,
}

// Wire types.
const (
	wireVarint = 0
	wireFix8   = 1
	wireLen    = 2
	wireGroup  = 3
	wireFix4   = 5
)

// layout returns the wire type of one element and its size class (PLN-15, PLN-16).
func layout(t Type, delimited bool) (wireType int, class SizeClass) {
	switch t {
	case TypeBool:
		return wireVarint, SizeBool
	case TypeUint32, TypeSint32:
		return wireVarint, SizeVarint32
	case TypeInt32, TypeInt64, TypeUint64, TypeSint64, TypeEnum:
		return wireVarint, SizeVarint64
	case TypeFixed32, TypeSfixed32, TypeFloat:
		return wireFix4, SizeFix4
	case TypeFixed64, TypeSfixed64, TypeDouble:
		return wireFix8, SizeFix8
	}
	if delimited {
		return wireGroup, SizeGroup
	}
	return wireLen, SizeLen
}

// TagBytes is the shortest form of a tag.
func TagBytes(number int32, wireType int) []byte {
	value := uint64(uint32(number))<<3 | uint64(wireType)
	var tag []byte
	for ; value >= 0x80; value >>= 7 {
		tag = append(tag, byte(value)|0x80)
	}
	return append(tag, byte(value))
}

// setNext fills in the slots that are expected after each field (PLN-14).
func setNext(fields []*Field) {
	for slot, field := range fields {
		if field.Presence == Repeated {
			field.Next = append(field.Next, slot)
		}
		if slot+1 < len(fields) {
			field.Next = append(field.Next, slot+1)
		}
	}
}
