package value

import (
	"fmt"
	"math"
	"reflect"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/runtime/protoiface"

	"github.com/hotpb/hotpb/go/rt/codec"
	"github.com/hotpb/hotpb/go/rt/wire"
)

// message is the reflection of a struct.
type message struct {
	t *binding
	m proto.Message
	v reflect.Value // the struct; invalid for a nil pointer
}

func (r *message) Descriptor() protoreflect.MessageDescriptor { return r.t.descriptor }
func (r *message) Type() protoreflect.MessageType             { return messageType{r.t} }
func (r *message) New() protoreflect.Message                  { return messageType{r.t}.New() }
func (r *message) Interface() protoreflect.ProtoMessage       { return r.m }
func (r *message) IsValid() bool                              { return r.v.IsValid() }

// fast is implemented by generated code for a struct.
type fast interface {
	codec.Message
	codec.Encodable
}

// methods let the runtime's own calls use the fast methods.
var methods = protoiface.Methods{
	Flags: protoiface.SupportMarshalDeterministic | protoiface.SupportUnmarshalDiscardUnknown,
	Size: func(in protoiface.SizeInput) (out protoiface.SizeOutput) {
		out.Size = in.Message.Interface().(fast).SizeHot()
		return out
	},
	Marshal: func(in protoiface.MarshalInput) (out protoiface.MarshalOutput, err error) {
		if !in.Message.IsValid() { // the runtime has no bytes for a nil message
			out.Buf = in.Buf
			return out, nil
		}
		o := codec.MarshalOptions{AllowPartial: true, Deterministic: in.Flags&protoiface.MarshalDeterministic != 0}
		out.Buf, err = codec.MarshalWith(in.Buf, in.Message.Interface().(fast), o)
		return out, err
	},
	Unmarshal: func(in protoiface.UnmarshalInput) (out protoiface.UnmarshalOutput, err error) {
		if in.Depth <= 0 {
			return out, &wire.Error{Code: wire.DepthExceeded}
		}
		o := codec.UnmarshalOptions{
			Merge:          true,
			DiscardUnknown: in.Flags&protoiface.UnmarshalDiscardUnknown != 0,
			Alias:          in.Flags&protoiface.UnmarshalAliasBuffer != 0,
			RecursionLimit: in.Depth,
			AllowPartial:   true,
		}
		return out, in.Message.Interface().(fast).UnmarshalHotOptions(in.Buf, o)
	},
	CheckInitialized: func(in protoiface.CheckInitializedInput) (out protoiface.CheckInitializedOutput, err error) {
		m, is := in.Message.Interface().(interface{ MissingHot() string })
		if !is {
			return out, nil // nothing in it is required
		}
		if path := m.MissingHot(); path != "" {
			return out, codec.Missing(0, path)
		}
		return out, nil
	},
	Equal: func(in protoiface.EqualInput) (out protoiface.EqualOutput) {
		out.Equal = equal(in.MessageA, in.MessageB)
		return out
	},
}

// equal compares two messages by protobuf's rules. If a custom type refuses to be written, it compares the structs.
func equal(a, b protoreflect.Message) (same bool) {
	err := safely(func() error {
		same = protoreflect.ValueOfMessage(a).Equal(protoreflect.ValueOfMessage(b))
		return nil
	})
	if err != nil {
		return reflect.DeepEqual(a.Interface(), b.Interface())
	}
	return same
}

// ProtoMethods returns the fast methods.
func (r *message) ProtoMethods() *protoiface.Methods { return &methods }

// field finds a field. One of another message is a bug in the program.
func (r *message) field(fd protoreflect.FieldDescriptor) *field {
	f := r.t.number[fd.Number()]
	if f == nil || fd.IsExtension() || f.fd.FullName() != fd.FullName() {
		if fd.IsExtension() && fd.ContainingMessage().FullName() == r.t.Name {
			return nil
		}
		panic(fmt.Sprintf("hotpb: %s has no field %s", r.t.Name, fd.FullName()))
	}
	return f
}

// slot is the place of a field's value, invalid if the message is nil or a oneof has another member.
func (r *message) slot(f *field) reflect.Value {
	if !r.v.IsValid() {
		return reflect.Value{}
	}
	v := r.member(f.at)
	if f.wrapper == nil {
		return v
	}
	if v.IsNil() || v.Elem().Type() != reflect.PointerTo(f.wrapper) || v.Elem().IsNil() {
		return reflect.Value{}
	}
	return settable(v.Elem().Elem().Field(0))
}

// member is the variable of the struct with an index.
func (r *message) member(at []int) reflect.Value { return settable(r.v.FieldByIndex(at)) }

// settable is v, also if Go does not export it, as with a lower-case customname.
func settable(v reflect.Value) reflect.Value {
	if v.CanSet() {
		return v
	}
	return reflect.NewAt(v.Type(), v.Addr().UnsafePointer()).Elem()
}

// made is slot, after a oneof has been set to the member.
func (r *message) made(f *field) reflect.Value {
	v := r.slot(f)
	if !v.IsValid() {
		r.mustBeValid()
		r.member(f.at).Set(reflect.New(f.wrapper))
		v = r.slot(f)
	}
	return v
}

func (r *message) mustBeValid() {
	if !r.v.IsValid() {
		panic(fmt.Sprintf("hotpb: a nil %s cannot be changed", r.t.Name))
	}
}

func (r *message) has(f *field) bool {
	v := r.slot(f)
	switch {
	case !v.IsValid():
		return false
	case f.fd.IsList(), f.fd.IsMap():
		return v.Len() > 0
	case v.Kind() == reflect.Pointer && v.IsNil():
		return false
	case f.fd.HasPresence() && v.Kind() == reflect.Pointer:
		return true
	case f.fd.HasPresence() && v.Kind() == reflect.Slice && v.IsNil():
		return f.writesNil(r.t.ByRuntime)
	case f.fd.HasPresence():
		return true
	}
	return f.isSet(f.element.get(pointed(v)))
}

// isSet reports whether a value is not the default of a field without presence.
func (f *field) isSet(v protoreflect.Value) bool {
	switch f.fd.Kind() {
	case protoreflect.BoolKind:
		return v.Bool()
	case protoreflect.EnumKind:
		return v.Enum() != 0
	case protoreflect.StringKind:
		return v.String() != ""
	case protoreflect.BytesKind:
		return len(v.Bytes()) > 0
	case protoreflect.FloatKind, protoreflect.DoubleKind:
		return math.Float64bits(v.Float()) != 0
	case protoreflect.Uint32Kind, protoreflect.Uint64Kind, protoreflect.Fixed32Kind, protoreflect.Fixed64Kind:
		return v.Uint() != 0
	}
	return v.Int() != 0
}

// Range calls f for the populated fields.
func (r *message) Range(each func(protoreflect.FieldDescriptor, protoreflect.Value) bool) {
	for _, f := range r.t.fields {
		if r.has(f) && !each(f.fd, r.get(f)) {
			return
		}
	}
}

// Has reports whether a field is populated.
func (r *message) Has(fd protoreflect.FieldDescriptor) bool {
	f := r.field(fd)
	return f != nil && r.has(f)
}

// Get returns the value of a field, or its default.
func (r *message) Get(fd protoreflect.FieldDescriptor) protoreflect.Value {
	f := r.field(fd)
	if f == nil {
		if x, is := fd.(protoreflect.ExtensionTypeDescriptor); is {
			return x.Type().Zero()
		}
		return fd.Default()
	}
	return r.get(f)
}

func (r *message) get(f *field) protoreflect.Value {
	v := r.slot(f)
	switch {
	case f.fd.IsList():
		return protoreflect.ValueOfList(&list{f, v})
	case f.fd.IsMap():
		return protoreflect.ValueOfMap(&mapping{f, v})
	case r.has(f):
		return f.element.get(pointed(v))
	case f.fd.Message() != nil:
		return f.element.zero()
	}
	return f.fd.Default()
}

// pointed is the value that a pointer to a plain value leads to.
func pointed(v reflect.Value) reflect.Value {
	if v.Kind() == reflect.Pointer {
		return v.Elem()
	}
	return v
}

// place is pointed, after a nil pointer has been set.
func place(v reflect.Value) reflect.Value {
	if v.Kind() != reflect.Pointer {
		return v
	}
	if v.IsNil() {
		v.Set(reflect.New(v.Type().Elem()))
	}
	return v.Elem()
}

// Clear empties a field.
func (r *message) Clear(fd protoreflect.FieldDescriptor) {
	f := r.field(fd)
	if f == nil {
		return
	}
	if v := r.slot(f); v.IsValid() {
		if f.wrapper != nil {
			v = r.member(f.at)
		}
		v.SetZero()
	}
}

// Set sets a field. A message by value is copied.
func (r *message) Set(fd protoreflect.FieldDescriptor, value protoreflect.Value) {
	f := r.field(fd)
	if f == nil {
		panic(fmt.Sprintf("hotpb: %s: extensions are unknown fields of %s", fd.FullName(), r.t.Name))
	}
	r.mustBeValid()
	switch {
	case f.fd.IsList():
		given, is := value.List().(*list)
		if !is || !given.v.IsValid() || given.v.Type() != f.in {
			panic(wrongType(f, value))
		}
		r.slot(f).Set(given.v)
	case f.fd.IsMap():
		given, is := value.Map().(*mapping)
		if !is || !given.v.IsValid() || given.v.Type() != f.in {
			panic(wrongType(f, value))
		}
		r.slot(f).Set(given.v)
	case f.wrapper != nil: // the oneof keeps its member if the value is refused
		wrapper := reflect.New(f.wrapper)
		f.store(settable(wrapper.Elem().Field(0)), value)
		r.member(f.at).Set(wrapper)
	default:
		f.store(r.slot(f), value)
	}
}

func wrongType(f *field, value protoreflect.Value) string {
	return fmt.Sprintf("hotpb: %s cannot be set to a %T", f.fd.FullName(), value.Interface())
}

// Mutable returns a message, list or map that changes the struct.
func (r *message) Mutable(fd protoreflect.FieldDescriptor) protoreflect.Value {
	f := r.field(fd)
	if f == nil || f.fd.Message() == nil && !f.fd.IsList() {
		panic(fmt.Sprintf("hotpb: %s of %s has no mutable value", fd.FullName(), r.t.Name))
	}
	v := r.made(f)
	switch {
	case f.fd.IsList():
		return protoreflect.ValueOfList(&list{f, v})
	case f.fd.IsMap():
		if v.IsNil() {
			v.Set(reflect.MakeMap(v.Type()))
		}
		return protoreflect.ValueOfMap(&mapping{f, v})
	}
	return f.element.mutable(place(v))
}

// NewField returns a new value for Set.
func (r *message) NewField(fd protoreflect.FieldDescriptor) protoreflect.Value {
	f := r.field(fd)
	switch {
	case f == nil:
		return fd.(protoreflect.ExtensionTypeDescriptor).Type().New()
	case f.fd.IsList():
		return protoreflect.ValueOfList(&list{f, reflect.New(f.in).Elem()})
	case f.fd.IsMap():
		return protoreflect.ValueOfMap(&mapping{f, reflect.MakeMap(f.in)})
	case f.fd.Message() != nil:
		return f.element.fresh()
	}
	return f.fd.Default()
}

// WhichOneof returns the member of a oneof that is set, or nil.
func (r *message) WhichOneof(od protoreflect.OneofDescriptor) protoreflect.FieldDescriptor {
	own := r.t.descriptor.Oneofs().ByName(od.Name())
	if own == nil || own.FullName() != od.FullName() {
		panic(fmt.Sprintf("hotpb: %s has no oneof %s", r.t.Name, od.FullName()))
	}
	for i := range own.Fields().Len() {
		if fd := own.Fields().Get(i); r.has(r.t.number[fd.Number()]) {
			return fd
		}
	}
	return nil
}

// GetUnknown returns the unknown fields.
func (r *message) GetUnknown() protoreflect.RawFields {
	if r.t.rest == nil || !r.v.IsValid() {
		return nil
	}
	return r.member(r.t.rest).Bytes()
}

// SetUnknown replaces the unknown fields. A struct without them (goproto_unrecognized=false) drops them.
func (r *message) SetUnknown(b protoreflect.RawFields) {
	if r.mustBeValid(); r.t.rest != nil {
		r.member(r.t.rest).SetBytes(b)
	}
}
