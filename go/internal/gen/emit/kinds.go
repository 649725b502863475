package emit

import (
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"github.com/hotpb/hotpb/go/internal/gen/plan"
)

func Itoa[T ~int32 | ~int | ~uint32](n T) string { return strconv.FormatInt(int64(n), 10) }

func IsText(field *plan.Field) bool {
	return field.Type == plan.TypeString || field.Type == plan.TypeBytes
}

// Verify reports whether a string is checked by default.
func (f *File) Verify(field *plan.Field) bool {
	return field.UTF8 == plan.UTF8Verify || field.Type == plan.TypeString && f.Options.Strict
}

// KindName is the wire.Kind of a field.
func KindName(field *plan.Field) string {
	if field.Delimited {
		return "Group"
	}
	return strings.ToUpper(string(field.Type[:1])) + string(field.Type[1:])
}

// WireTypeName is the wire.Type of one element.
func WireTypeName(field *plan.Field) string {
	return [...]string{"VarintType", "Fixed64Type", "BytesType", "StartGroup", "EndGroup", "Fixed32Type"}[field.WireType]
}

// GoType is the Go type of one element.
func (f *File) GoType(field *plan.Field) string {
	switch field.Type {
	case plan.TypeInt32, plan.TypeSint32, plan.TypeSfixed32:
		return "int32"
	case plan.TypeInt64, plan.TypeSint64, plan.TypeSfixed64:
		return "int64"
	case plan.TypeUint32, plan.TypeFixed32:
		return "uint32"
	case plan.TypeUint64, plan.TypeFixed64:
		return "uint64"
	case plan.TypeFloat:
		return "float32"
	case plan.TypeDouble:
		return "float64"
	case plan.TypeBytes:
		return "[]byte"
	case plan.TypeEnum:
		return f.EnumName(field.Enum)
	case plan.TypeMessage:
		return f.TypeName(field.Message, ViewSuffix)
	}
	return string(field.Type) // bool, string
}

// IterName is the name of the iterator for a repeated number or bool field.
func IterName(field *plan.Field) string {
	switch field.Type {
	case plan.TypeSfixed32:
		return "Int32Iter"
	case plan.TypeSfixed64:
		return "Int64Iter"
	case plan.TypeFixed32:
		return "Uint32Iter"
	case plan.TypeFixed64:
		return "Uint64Iter"
	}
	return KindName(field) + "Iter"
}

// Read is the expression that reads an element through the methods of from (Raw with a position, or Value
// without).
func (f *File) Read(field *plan.Field, from, at string) string {
	call := func(method string) string { return from + "." + method + "(" + at + ")" }
	switch field.Type {
	case plan.TypeInt32:
		return "int32(" + call("Varint") + ")"
	case plan.TypeInt64:
		return "int64(" + call("Varint") + ")"
	case plan.TypeUint32:
		return "uint32(" + call("Varint") + ")"
	case plan.TypeUint64:
		return call("Varint")
	case plan.TypeSint32:
		return f.Wire("DecodeZigzag32") + "(" + call("Varint") + ")"
	case plan.TypeSint64:
		return f.Wire("DecodeZigzag") + "(" + call("Varint") + ")"
	case plan.TypeFixed32:
		return call("Fixed32")
	case plan.TypeSfixed32:
		return "int32(" + call("Fixed32") + ")"
	case plan.TypeFixed64:
		return call("Fixed64")
	case plan.TypeSfixed64:
		return "int64(" + call("Fixed64") + ")"
	case plan.TypeFloat:
		return call("Float")
	case plan.TypeDouble:
		return call("Double")
	case plan.TypeBool:
		return call("Varint") + " != 0"
	case plan.TypeEnum:
		return f.EnumName(field.Enum) + "(" + call("Varint") + ")"
	case plan.TypeString:
		return call("String")
	case plan.TypeBytes:
		return call("ByteSlice")
	}
	panic("gen: a message is not read as a value")
}

// DefaultOf is the expression of the value of an absent field.
func (f *File) DefaultOf(field *plan.Field) string {
	text := ""
	if field.Default != nil {
		text = *field.Default
	}
	switch field.Type {
	case plan.TypeBool:
		return map[bool]string{true: "true", false: "false"}[text == "true"]
	case plan.TypeString:
		return strconv.Quote(text)
	case plan.TypeBytes:
		if text == "" {
			return "nil"
		}
		raw, err := hex.DecodeString(text)
		if err != nil {
			panic("gen: the plan has bad bytes: " + err.Error())
		}
		return fmt.Sprintf("[]byte(%q)", raw)
	case plan.TypeFloat, plan.TypeDouble:
		if strings.Trim(text, "0") == "" {
			return "0"
		}
		if field.Type == plan.TypeFloat {
			return f.Ident("math", "Float32frombits") + "(0x" + text + ")"
		}
		return f.Ident("math", "Float64frombits") + "(0x" + text + ")"
	case plan.TypeEnum:
		return f.EnumDefault(field.Enum, text)
	}
	if text == "" {
		return "0"
	}
	return text
}

func (f *File) EnumDefault(enum *plan.Enum, name string) string {
	value := enum.Values[0]
	for _, v := range enum.Values {
		if v.Name == name {
			value = v
			break
		}
	}
	return f.ValueName(enum, value)
}

// HexTag is a tag's bytes for comments, byteList for code.
func HexTag(tag []byte) string { return fmt.Sprintf("% x", tag) }

func ByteList(tag []byte) string {
	parts := make([]string, len(tag))
	for i, c := range tag {
		parts[i] = fmt.Sprintf("0x%02x", c)
	}
	return strings.Join(parts, ", ")
}

// TagValue is a tag as a number.
func TagValue(number int32, wireType int) uint64 { return uint64(uint32(number))<<3 | uint64(wireType) }
