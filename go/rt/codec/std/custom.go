package std

import (
	"fmt"
	"reflect"

	"github.com/hotpb/hotpb/go/rt/codec"
)

// custom is a type of the option customtype, in a message with the method Size; sizer is one in a message with
// protosizer.
type (
	custom interface {
		Size() int
		MarshalTo(b []byte) (int, error)
	}
	sizer interface {
		ProtoSize() int
		MarshalTo(b []byte) (int, error)
	}
	unmarshaler interface{ Unmarshal(b []byte) error }
)

// EncodeCustom writes a value with its own methods. It must write as many bytes as it says.
func EncodeCustom(e *codec.Encoder, i int, v custom) int {
	return encodeCustom(e, i, v.Size(), v.MarshalTo)
}

// EncodeProtoSizer is EncodeCustom for messages with the option protosizer.
func EncodeProtoSizer(e *codec.Encoder, i int, v sizer) int {
	return encodeCustom(e, i, v.ProtoSize(), v.MarshalTo)
}

func encodeCustom(e *codec.Encoder, i, size int, marshalTo func(b []byte) (int, error)) int {
	if size < 0 {
		e.Fail(fmt.Errorf("hotpb: a value of a custom type has the size %d", size))
		return i
	}
	i = e.Reserve(i, size)
	part := e.B[i : i+size : i+size]
	switch n, err := marshalTo(part); {
	case err != nil:
		e.Fail(err)
	case n != size:
		e.Fail(fmt.Errorf("hotpb: a value of a custom type has the size %d and wrote %d bytes", size, n))
	}
	return i
}

// IsNil reports whether a value is a nil slice. gogo's runtime leaves such a value out.
func IsNil[T any](v *T) bool {
	slice := reflect.ValueOf(v).Elem()
	return slice.Kind() == reflect.Slice && slice.IsNil()
}

// SizeCustom returns the size of a value by its own method.
func SizeCustom(v custom) int { return v.Size() }

// SizeProtoSizer is SizeCustom for messages with the option protosizer.
func SizeProtoSizer(v sizer) int { return v.ProtoSize() }

// DecodeCustom decodes b[i:] with the value's own method. Result and b are those of codec.Nested.
func DecodeCustom(d *codec.Decoder, v unmarshaler, b []byte, i int) int {
	if err := v.Unmarshal(b[i:len(b):len(b)]); err != nil {
		return d.Refuse(err)
	}
	return 0
}
