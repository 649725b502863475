package value

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/hotpb/hotpb/go/rt/codec"
	"github.com/hotpb/hotpb/go/rt/codec/google"
	"github.com/hotpb/hotpb/go/rt/codec/std"
)

// Encode writes a message whose type is in another package: with the message's fast code if it has any, else with
// Google's runtime.
func Encode(e *codec.Encoder, i int, m proto.Message) int {
	if isNil(m) {
		Nil(e)
		return i
	}
	return google.Encode(e, i, m)
}

// Size returns the size of a message whose type is in another package.
func Size(m proto.Message) int { return google.Size(m) }

// Decode decodes a message of another package. Arguments and result are those of codec.Nested.
func Decode(d *codec.Decoder, m proto.Message, b []byte, i, levels int) int {
	return google.Decode(d, m, b, i, levels)
}

// Missing returns the path of the first required field that a message of another package lacks, or "".
func Missing(m proto.Message) string { return google.Missing(m) }

// Nil ends an encoding that has met a nil message in a list, in a oneof or as the root.
func Nil(e *codec.Encoder) { std.Nil(e) }

// CheckInitialized returns the error for a message from size bytes in which a required field is absent that the struct
// cannot show as absent.
func CheckInitialized(size int, _ proto.Message) error { return codec.Missing(size, "") }

func isNil(m proto.Message) bool {
	v := reflect.ValueOf(m)
	return v.Kind() == reflect.Pointer && v.IsNil()
}

// MarshalTo is the method of this name.
func MarshalTo(b []byte, m codec.Encodable) (int, error) { return codec.MarshalToStart(b, m) }

// MarshalToSizedBuffer is the method of this name.
func MarshalToSizedBuffer(b []byte, m codec.Encodable) (int, error) { return codec.MarshalToEnd(b, m) }

// String is the method of this name. If a custom type refuses to be written, the text is that error.
func String(m proto.Message) (text string) {
	if isNil(m) {
		return "<nil>"
	}
	err := safely(func() error {
		text = prototext.MarshalOptions{}.Format(m)
		return nil
	})
	if err != nil {
		return "<" + err.Error() + ">"
	}
	return text
}

// Equal is the method of this name, for the option equal. that is a message of the same type, a pointer to one, or nil.
func Equal[T any, P interface {
	*T
	proto.Message
}](m P, that any) bool {
	switch that := that.(type) {
	case nil:
		return m == nil
	case P:
		return (m == nil) == (that == nil) && (m == nil || proto.Equal(m, that))
	case T:
		return m != nil && proto.Equal(m, P(&that))
	}
	return false
}

// MarshalJSON encodes m in protobuf's JSON. Unlike protojson.Marshal it returns the error of a custom type that refuses to
// be written.
func MarshalJSON(m proto.Message) (b []byte, err error) {
	refused := safely(func() error {
		b, err = protojson.Marshal(m)
		return err
	})
	return b, refused
}

// MarshalText encodes m in protobuf's text format. Unlike prototext.Marshal it returns the error of a custom type that
// refuses to be written.
func MarshalText(m proto.Message) (b []byte, err error) {
	refused := safely(func() error {
		b, err = prototext.Marshal(m)
		return err
	})
	return b, refused
}

// UnmarshalJSON decodes protobuf's JSON into m and replaces its contents. Unlike protojson.Unmarshal it returns an error
// for a value that a custom type refuses, and for a duration that time.Duration cannot hold.
func UnmarshalJSON(b []byte, m proto.Message) error {
	return unmarshal(m, func(to proto.Message) error { return protojson.Unmarshal(b, to) })
}

// UnmarshalText decodes protobuf's text format into m and replaces its contents. Unlike prototext.Unmarshal it returns an
// error for a value that a custom type refuses, and for a duration that time.Duration cannot hold.
func UnmarshalText(b []byte, m proto.Message) error {
	return unmarshal(m, func(to proto.Message) error { return prototext.Unmarshal(b, to) })
}

// unmarshal reads into a dynamic message, which holds every value, and from there into m: the fast methods return errors.
func unmarshal(m proto.Message, read func(proto.Message) error) error {
	if m == nil || isNil(m) {
		return codec.Nil()
	}
	to, is := m.(fast)
	if !is { // one of Google's
		return read(m)
	}
	dynamic := dynamicpb.NewMessage(m.ProtoReflect().Descriptor())
	if err := read(dynamic); err != nil {
		return err
	}
	b, err := proto.Marshal(dynamic)
	if err != nil {
		return err
	}
	err = to.UnmarshalHotOptions(b, codec.UnmarshalOptions{})
	if err == nil {
		return nil
	}
	// A custom type refused a value. Reflection knows the field.
	if refused := safely(func() error {
		proto.Merge(m.ProtoReflect().New().Interface(), dynamic)
		return nil
	}); refused != nil {
		return refused
	}
	return &RefusedError{string(dynamic.Descriptor().FullName()), err}
}

// RefusedError says which field has a value that its Go type refuses. Reflection panics with it.
type RefusedError struct {
	Field string // the full name of the field, or of the message if the field is not known
	Err   error  // of the custom type
}

func (e *RefusedError) Error() string { return fmt.Sprintf("hotpb: %s: %v", e.Field, e.Err) }

func (e *RefusedError) Unwrap() error { return e.Err }

func safely(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			refused, is := p.(*RefusedError)
			if !is {
				panic(p)
			}
			err = refused
		}
	}()
	return f()
}

// EnumName is the method String of an enum.
func EnumName[E ~int32](x E, names map[int32]string) string {
	if name, known := names[int32(x)]; known {
		return name
	}
	return strconv.Itoa(int(x))
}

// EnumFromJSON is the method UnmarshalJSON of an enum of proto2.
func EnumFromJSON[E ~int32](x *E, b []byte, values map[string]int32) error {
	if len(b) > 0 && b[0] != '"' {
		var number int32
		if err := json.Unmarshal(b, &number); err != nil {
			return fmt.Errorf("hotpb: %s is not a value of an enum: %w", b, err)
		}
		*x = E(number)
		return nil
	}
	var name string
	if err := json.Unmarshal(b, &name); err != nil {
		return fmt.Errorf("hotpb: %s is not a value of an enum: %w", b, err)
	}
	number, known := values[name]
	if !known {
		return fmt.Errorf("hotpb: %q is not a value of the enum", name)
	}
	*x = E(number)
	return nil
}
