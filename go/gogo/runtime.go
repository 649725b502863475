package gogo

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"slices"

	"github.com/gogo/protobuf/jsonpb"
	"github.com/gogo/protobuf/proto"
	hotpb "github.com/hotpb/hotpb/go"
)

func init() { hotpb.RegisterRuntime(adapter{}) }

// adapter is this runtime in the form that package hotpb needs; hotpb.Runtime documents its methods.
type adapter struct{}

func (adapter) ImportPath() string { return "github.com/gogo/protobuf/proto" }

// Knows looks the type up in the registry.
func (adapter) Knows(msg any) bool {
	m, ok := msg.(proto.Message)
	if !ok {
		return false
	}
	name := proto.MessageName(m)
	return name != "" && proto.MessageType(name) == reflect.TypeOf(msg)
}

func (adapter) Size(msg any) int                  { return proto.Size(msg.(proto.Message)) }
func (adapter) Marshal(msg any) ([]byte, error)   { return proto.Marshal(msg.(proto.Message)) }
func (adapter) Unmarshal(b []byte, msg any) error { return proto.Unmarshal(b, msg.(proto.Message)) }
func (adapter) Reset(msg any)                     { msg.(proto.Message).Reset() }
func (adapter) Clone(msg any) any                 { return proto.Clone(msg.(proto.Message)) }
func (adapter) Equal(a, b any) bool               { return proto.Equal(a.(proto.Message), b.(proto.Message)) }

func (adapter) MarshalAppend(b []byte, msg any) ([]byte, error) {
	buffer := proto.NewBuffer(b)
	if err := buffer.Marshal(msg.(proto.Message)); err != nil {
		return b, err
	}
	return buffer.Bytes(), nil
}

// described returns the message and the extension, or an error if they do not fit together.
func described(msg, extension any) (proto.Message, *proto.ExtensionDesc, error) {
	x, ok := extension.(*proto.ExtensionDesc)
	if !ok || x == nil {
		return nil, nil, hotpb.NewExtensionError(msg, hotpb.ErrExtension, fmt.Sprintf("%T is not an extension of its runtime", extension))
	}
	if want := reflect.TypeOf(x.ExtendedType); want != reflect.TypeOf(msg) {
		return nil, nil, hotpb.NewExtensionError(msg, hotpb.ErrExtension, fmt.Sprintf("%s extends %v", x.Name, want))
	}
	return msg.(proto.Message), x, nil
}

func (adapter) HasExtension(msg, extension any) bool {
	m, x, err := described(msg, extension)
	return err == nil && proto.HasExtension(m, x)
}

func (adapter) GetExtension(msg, extension any) (any, error) {
	m, x, err := described(msg, extension)
	if err != nil {
		return nil, err
	}
	value, err := proto.GetExtension(m, x)
	if err == proto.ErrMissingExtension {
		return nil, hotpb.NewExtensionError(msg, hotpb.ErrMissingExtension, x.Name)
	}
	return value, err
}

func (adapter) SetExtension(msg, extension, value any) error {
	m, x, err := described(msg, extension)
	if err != nil {
		return err
	}
	if want := reflect.TypeOf(x.ExtensionType); want != reflect.TypeOf(value) {
		return hotpb.NewExtensionError(msg, hotpb.ErrExtension, fmt.Sprintf("a value of %s is a %v, not a %T", x.Name, want, value))
	}
	return proto.SetExtension(m, x, value)
}

func (adapter) ClearExtension(msg, extension any) error {
	m, x, err := described(msg, extension)
	if err == nil {
		proto.ClearExtension(m, x)
	}
	return err
}

func (adapter) ClearAllExtensions(msg any) { proto.ClearAllExtensions(msg.(proto.Message)) }

func (adapter) RangeExtensions(msg any, f func(value any, name string, number int32) error) error {
	if _, ok := msg.(interface{ ExtensionRangeArray() []proto.ExtensionRange }); !ok {
		return nil // a message that can have none; ExtensionDescs returns an error for it
	}
	m := msg.(proto.Message)
	set, err := proto.ExtensionDescs(m)
	if err != nil {
		return err
	}
	set = slices.DeleteFunc(set, func(x *proto.ExtensionDesc) bool { return x.ExtensionType == nil }) // not registered
	slices.SortFunc(set, func(a, b *proto.ExtensionDesc) int { return cmp.Compare(a.Field, b.Field) })
	for _, x := range set {
		value, err := proto.GetExtension(m, x)
		if err != nil {
			return err
		}
		if err := f(value, x.Name, x.Field); err != nil {
			return err
		}
	}
	return nil
}

func (adapter) ExtensionNumber(extension any) (int32, bool) {
	x, ok := extension.(*proto.ExtensionDesc)
	if !ok || x == nil {
		return 0, false
	}
	return x.Field, true
}

func (adapter) EncodeJSON(msg any, o hotpb.JSONOptions) ([]byte, error) {
	var out bytes.Buffer
	err := (&jsonpb.Marshaler{Indent: o.Indent, OrigName: o.ProtoNames, EnumsAsInts: o.EnumNumbers, EmitDefaults: o.ZeroValues}).
		Marshal(&out, msg.(proto.Message))
	if err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

func (adapter) DecodeJSON(b []byte, msg any, o hotpb.JSONOptions) error {
	m := msg.(proto.Message)
	m.Reset()
	in := json.NewDecoder(bytes.NewReader(b))
	if err := (&jsonpb.Unmarshaler{AllowUnknownFields: o.AllowUnknown}).UnmarshalNext(in, m); err != nil {
		return err
	}
	if _, err := in.Token(); err != io.EOF {
		return fmt.Errorf("hotpb: there is text after the JSON of a %T", msg)
	}
	return nil
}

func (adapter) EncodeText(msg any) ([]byte, error) {
	var out bytes.Buffer
	if err := proto.MarshalText(&out, msg.(proto.Message)); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

func (adapter) DecodeText(b []byte, msg any) error {
	return proto.UnmarshalText(string(b), msg.(proto.Message))
}
