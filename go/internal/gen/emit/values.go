package emit

import (
	"github.com/hotpb/hotpb/go/internal/gen/plan"
)

// FromVarint is the value that a varint encodes.
func (f *File) FromVarint(field *plan.Field, x string) string {
	switch field.Type {
	case plan.TypeUint64:
		return x
	case plan.TypeBool:
		return x + " != 0"
	case plan.TypeSint32:
		return f.Wire("DecodeZigzag32") + "(" + x + ")"
	case plan.TypeSint64:
		return f.Wire("DecodeZigzag") + "(" + x + ")"
	}
	return f.GoType(field) + "(" + x + ")"
}

// FromFixed is the value that four or eight bytes encode.
func (f *File) FromFixed(field *plan.Field, x string) string {
	switch field.Type {
	case plan.TypeFloat:
		return f.Ident("math", "Float32frombits") + "(" + x + ")"
	case plan.TypeDouble:
		return f.Ident("math", "Float64frombits") + "(" + x + ")"
	case plan.TypeFixed32, plan.TypeFixed64:
		return x
	}
	return f.GoType(field) + "(" + x + ")"
}

// NotZero is the condition under which a field with implicit presence is written.
func (f *File) NotZero(field *plan.Field, value string) string {
	switch field.Type {
	case plan.TypeString, plan.TypeBytes:
		return "len(" + value + ") > 0"
	case plan.TypeBool:
		return value
	case plan.TypeFloat:
		return f.Ident("math", "Float32bits") + "(" + value + ") != 0"
	case plan.TypeDouble:
		return f.Ident("math", "Float64bits") + "(" + value + ") != 0"
	}
	return value + " != 0"
}

// ToVarint is the number that represents a value in a varint.
func (f *File) ToVarint(field *plan.Field, value string) string {
	switch field.Type {
	case plan.TypeUint64:
		return value
	case plan.TypeInt32, plan.TypeEnum:
		return "uint64(int64(" + value + "))"
	case plan.TypeSint32:
		return f.Pool("Zigzag32") + "(" + value + ")"
	case plan.TypeSint64:
		return f.Wire("EncodeZigzag") + "(" + value + ")"
	case plan.TypeBool:
		return f.Pool("Bit") + "(" + value + ")"
	}
	return "uint64(" + value + ")"
}

// ToFixed is the number of four or eight bytes that represents a value.
func (f *File) ToFixed(field *plan.Field, value string) string {
	switch field.Type {
	case plan.TypeFloat:
		return f.Ident("math", "Float32bits") + "(" + value + ")"
	case plan.TypeDouble:
		return f.Ident("math", "Float64bits") + "(" + value + ")"
	case plan.TypeSfixed32:
		return "uint32(" + value + ")"
	case plan.TypeSfixed64:
		return "uint64(" + value + ")"
	}
	return value
}

// MostRowFields limits the messages that are decoded in place: their code is repeated wherever such a message is
// an element.
const MostRowFields = 4
