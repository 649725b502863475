package hotpb

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/protoadapt"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// google is google.golang.org/protobuf. It serves its own messages, and messages of the v1 API that are compiled
// against a golang/protobuf that is built on it.
type google struct{}

// googleMessage returns the message in the form that its runtime accepts.
func googleMessage(msg any) proto.Message {
	if m, ok := msg.(proto.Message); ok {
		return m
	}
	return protoadapt.MessageV2Of(msg.(protoadapt.MessageV1))
}

func (google) ImportPath() string { return googlePath }
func (google) Knows(msg any) bool { _, ok := msg.(proto.Message); return ok }

func (google) Size(msg any) int                  { return proto.Size(googleMessage(msg)) }
func (google) Marshal(msg any) ([]byte, error)   { return proto.Marshal(googleMessage(msg)) }
func (google) Unmarshal(b []byte, msg any) error { return proto.Unmarshal(b, googleMessage(msg)) }
func (google) Reset(msg any)                     { proto.Reset(googleMessage(msg)) }
func (google) Equal(a, b any) bool               { return proto.Equal(googleMessage(a), googleMessage(b)) }

func (google) MarshalAppend(b []byte, msg any) ([]byte, error) {
	out, err := proto.MarshalOptions{}.MarshalAppend(b, googleMessage(msg))
	if err != nil {
		return b, err
	}
	return out, nil
}

func (google) Clone(msg any) any {
	if m, ok := msg.(proto.Message); ok {
		return proto.Clone(m)
	}
	return protoadapt.MessageV1Of(proto.Clone(googleMessage(msg)))
}

// googleExtension returns the message and the extension, or an error if they do not fit together.
func googleExtension(msg, extension any) (proto.Message, protoreflect.ExtensionType, error) {
	x, ok := extension.(protoreflect.ExtensionType)
	if !ok || isNil(extension) {
		return nil, nil, NewExtensionError(msg, ErrExtension, fmt.Sprintf("%T is not an extension of its runtime", extension))
	}
	m := googleMessage(msg)
	d, is := x.TypeDescriptor(), m.ProtoReflect().Descriptor().FullName()
	if extended := d.ContainingMessage().FullName(); extended != is {
		return nil, nil, NewExtensionError(msg, ErrExtension, fmt.Sprintf("%s extends %s, not %s", d.FullName(), extended, is))
	}
	return m, x, nil
}

func (google) HasExtension(msg, extension any) bool {
	m, x, err := googleExtension(msg, extension)
	return err == nil && proto.HasExtension(m, x)
}

func (google) GetExtension(msg, extension any) (any, error) {
	m, x, err := googleExtension(msg, extension)
	if err != nil {
		return nil, err
	}
	if d := x.TypeDescriptor(); !d.HasDefault() && !proto.HasExtension(m, x) {
		return nil, NewExtensionError(msg, ErrMissingExtension, string(d.FullName()))
	}
	return extensionValue(msg, proto.GetExtension(m, x)), nil
}

// extensionValue returns the value in the form that the message's API uses.
func extensionValue(msg, value any) any {
	v := reflect.ValueOf(value)
	if !viaV1(msg) || !isScalar(v.Kind()) {
		return value
	}
	pointer := reflect.New(v.Type())
	pointer.Elem().Set(v)
	return pointer.Interface()
}

// viaV1 reports whether the message belongs to the v1 API, where the value of a scalar extension is a pointer.
func viaV1(msg any) bool { _, v2 := msg.(proto.Message); return !v2 }

func isScalar(kind reflect.Kind) bool { return kind <= reflect.Float64 || kind == reflect.String }

func (google) SetExtension(msg, extension, value any) error {
	m, x, err := googleExtension(msg, extension)
	if err != nil {
		return err
	}
	want := reflect.TypeOf(x.InterfaceOf(x.Zero()))
	if viaV1(msg) && isScalar(want.Kind()) {
		if v := reflect.ValueOf(value); v.IsValid() && v.Type() == reflect.PointerTo(want) && !v.IsNil() {
			value = v.Elem().Interface()
		} else {
			want, value = reflect.PointerTo(want), nil
		}
	}
	if !x.IsValidInterface(value) {
		detail := fmt.Sprintf("a value of %s is a %v, not a %T", x.TypeDescriptor().FullName(), want, value)
		return NewExtensionError(msg, ErrExtension, detail)
	}
	proto.SetExtension(m, x, value)
	return nil
}

func (google) ClearExtension(msg, extension any) error {
	m, x, err := googleExtension(msg, extension)
	if err == nil {
		proto.ClearExtension(m, x)
	}
	return err
}

func (google) ClearAllExtensions(msg any) {
	m := googleMessage(msg).ProtoReflect()
	m.Range(func(d protoreflect.FieldDescriptor, _ protoreflect.Value) bool {
		if d.IsExtension() {
			m.Clear(d)
		}
		return true
	})
}

func (google) RangeExtensions(msg any, f func(value any, name string, number int32) error) error {
	type extension struct {
		descriptor protoreflect.FieldDescriptor
		value      any
	}
	var set []extension
	proto.RangeExtensions(googleMessage(msg), func(x protoreflect.ExtensionType, value any) bool {
		set = append(set, extension{x.TypeDescriptor(), extensionValue(msg, value)})
		return true
	})
	slices.SortFunc(set, func(a, b extension) int { return cmp.Compare(a.descriptor.Number(), b.descriptor.Number()) })
	for _, x := range set {
		if err := f(x.value, string(x.descriptor.FullName()), int32(x.descriptor.Number())); err != nil {
			return err
		}
	}
	return nil
}

func (google) ExtensionNumber(extension any) (int32, bool) {
	x, ok := extension.(protoreflect.ExtensionType)
	if !ok || isNil(extension) {
		return 0, false
	}
	return int32(x.TypeDescriptor().Number()), true
}

func (google) EncodeJSON(msg any, o JSONOptions) ([]byte, error) {
	return protojson.MarshalOptions{
		Indent: o.Indent, UseProtoNames: o.ProtoNames, UseEnumNumbers: o.EnumNumbers, EmitUnpopulated: o.ZeroValues,
		AllowPartial: o.AllowPartial,
	}.Marshal(googleMessage(msg))
}

func (google) DecodeJSON(b []byte, msg any, o JSONOptions) error {
	options := protojson.UnmarshalOptions{DiscardUnknown: o.AllowUnknown, AllowPartial: o.AllowPartial}
	return options.Unmarshal(b, googleMessage(msg))
}

func (google) EncodeText(msg any) ([]byte, error) {
	return prototext.MarshalOptions{Multiline: true}.Marshal(googleMessage(msg))
}

func (google) DecodeText(b []byte, msg any) error {
	return prototext.Unmarshal(b, googleMessage(msg))
}
