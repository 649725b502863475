package value

import (
	"fmt"
	"math"
	"reflect"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/timestamppb"
	_ "google.golang.org/protobuf/types/known/wrapperspb" // whose descriptors elements need
)

// element converts values between a struct and reflection. A place is a variable of the type, never a pointer to it.
type element interface {
	get(place reflect.Value) protoreflect.Value
	set(place reflect.Value, value protoreflect.Value)
	// share makes a pointer in the struct lead to the message itself, if that is possible.
	share(pointer reflect.Value, value protoreflect.Value) bool
	// mutable returns a message that changes the place. fresh returns a new one for set, zero an empty one to be read.
	mutable(place reflect.Value) protoreflect.Value
	fresh() protoreflect.Value
	zero() protoreflect.Value
}

// elementOf chooses how elements of a Go type are converted. cast is the type that has the methods of a message that is
// stored under another type; isCustom says that the element is a custom type. Such a type may also be a proto.Message.
func elementOf(fd protoreflect.FieldDescriptor, kind, cast reflect.Type, isCustom bool) element {
	if kind.Kind() == reflect.Pointer {
		kind = kind.Elem()
	}
	pointer := reflect.PointerTo(kind)
	switch {
	case isCustom:
		return &customElement{fd, kind}
	case fd.Message() == nil:
		return &plain{fd: fd, kind: kind, base: baseTypes[fd.Kind()]}
	case cast != nil:
		return &nested{fd, kind, cast}
	case pointer.Implements(protoMessage):
		return &nested{fd, kind, pointer}
	}
	return &known{fd, kind}
}

var protoMessage = reflect.TypeFor[proto.Message]()

// notMessage is the part of an element that messages need.
type notMessage struct{}

func (notMessage) share(reflect.Value, protoreflect.Value) bool { return false }
func (notMessage) mutable(reflect.Value) protoreflect.Value     { return protoreflect.Value{} }
func (notMessage) fresh() protoreflect.Value                    { return protoreflect.Value{} }
func (notMessage) zero() protoreflect.Value                     { return protoreflect.Value{} }

// plain is a number, bool, enum, string or bytes, perhaps of a type of its own.
type plain struct {
	notMessage
	fd         protoreflect.FieldDescriptor
	kind, base reflect.Type
}

var baseTypes = map[protoreflect.Kind]reflect.Type{
	protoreflect.BoolKind: reflect.TypeFor[bool](), protoreflect.EnumKind: reflect.TypeFor[protoreflect.EnumNumber](),
	protoreflect.Int32Kind: reflect.TypeFor[int32](), protoreflect.Sint32Kind: reflect.TypeFor[int32](), protoreflect.Sfixed32Kind: reflect.TypeFor[int32](),
	protoreflect.Int64Kind: reflect.TypeFor[int64](), protoreflect.Sint64Kind: reflect.TypeFor[int64](), protoreflect.Sfixed64Kind: reflect.TypeFor[int64](),
	protoreflect.Uint32Kind: reflect.TypeFor[uint32](), protoreflect.Fixed32Kind: reflect.TypeFor[uint32](),
	protoreflect.Uint64Kind: reflect.TypeFor[uint64](), protoreflect.Fixed64Kind: reflect.TypeFor[uint64](),
	protoreflect.FloatKind: reflect.TypeFor[float32](), protoreflect.DoubleKind: reflect.TypeFor[float64](),
	protoreflect.StringKind: reflect.TypeFor[string](), protoreflect.BytesKind: reflect.TypeFor[[]byte](),
}

// get refuses a number of a wider type that the field's type does not hold.
func (p *plain) get(v reflect.Value) protoreflect.Value {
	base := v.Convert(p.base)
	if p.kind.Kind() != p.base.Kind() && (v.CanInt() || v.CanUint()) && !base.Convert(p.kind).Equal(v) {
		panic(&RefusedError{string(p.fd.FullName()), fmt.Errorf("%v is no %v", v, p.base)})
	}
	return protoreflect.ValueOf(base.Interface())
}

func (p *plain) set(v reflect.Value, value protoreflect.Value) {
	base := reflect.ValueOf(value.Interface())
	if base.Type() != p.base {
		panic(fmt.Sprintf("hotpb: %s cannot be set to a %v", p.fd.FullName(), base.Type()))
	}
	if p.fd.Kind() == protoreflect.BytesKind && base.IsNil() {
		base = reflect.ValueOf([]byte{}) // present
	}
	v.Set(base.Convert(p.kind))
}

// nested is a message; pointerType is the pointer to the struct with its methods.
type nested struct {
	fd                protoreflect.FieldDescriptor
	kind, pointerType reflect.Type
}

func (n *nested) message(v reflect.Value) protoreflect.Message {
	if !v.CanAddr() { // the value of a map
		place := reflect.New(n.kind)
		place.Elem().Set(v)
		v = place.Elem()
	}
	return v.Addr().Convert(n.pointerType).Interface().(proto.Message).ProtoReflect()
}

func (n *nested) get(v reflect.Value) protoreflect.Value {
	return protoreflect.ValueOfMessage(n.message(v))
}
func (n *nested) mutable(v reflect.Value) protoreflect.Value { return n.get(v) }
func (n *nested) fresh() protoreflect.Value                  { return n.get(reflect.New(n.kind).Elem()) }

func (n *nested) zero() protoreflect.Value {
	return protoreflect.ValueOfMessage(reflect.Zero(n.pointerType).Interface().(proto.Message).ProtoReflect())
}

func (n *nested) pointer(value protoreflect.Value) reflect.Value {
	message := reflect.ValueOf(value.Message().Interface())
	if message.Type() != n.pointerType || message.IsNil() {
		panic(fmt.Sprintf("hotpb: %s cannot be set to a %v", n.fd.FullName(), message.Type()))
	}
	return message
}

func (n *nested) set(v reflect.Value, value protoreflect.Value) {
	v.Set(n.pointer(value).Convert(reflect.PointerTo(n.kind)).Elem())
}

func (n *nested) share(v reflect.Value, value protoreflect.Value) bool {
	v.Set(n.pointer(value).Convert(v.Type()))
	return true
}

// custom has the methods of a custom type.
type custom interface {
	MarshalTo(b []byte) (int, error)
	Unmarshal(b []byte) error
}

// customElement is a custom type, for bytes or for a message.
type customElement struct {
	fd   protoreflect.FieldDescriptor
	kind reflect.Type
}

func (c *customElement) refuse(err error) { panic(&RefusedError{string(c.fd.FullName()), err}) }

func (c *customElement) get(v reflect.Value) protoreflect.Value {
	if !v.CanAddr() {
		place := reflect.New(c.kind)
		place.Elem().Set(v)
		v = place.Elem()
	}
	var size int
	switch sized := v.Addr().Interface().(type) {
	case interface{ Size() int }:
		size = sized.Size()
	case interface{ ProtoSize() int }:
		size = sized.ProtoSize()
	}
	if size < 0 {
		c.refuse(fmt.Errorf("it has the size %d", size))
	}
	b := make([]byte, size)
	n, err := v.Addr().Interface().(custom).MarshalTo(b)
	if err == nil && n != size {
		err = fmt.Errorf("it has the size %d and wrote %d bytes", size, n)
	}
	if err != nil {
		c.refuse(err)
	}
	if c.fd.Message() == nil {
		return protoreflect.ValueOfBytes(b)
	}
	m := dynamicpb.NewMessage(c.fd.Message())
	if err := (proto.UnmarshalOptions{AllowPartial: true}).Unmarshal(b, m); err != nil {
		c.refuse(err)
	}
	return protoreflect.ValueOfMessage(m)
}

func (c *customElement) set(v reflect.Value, value protoreflect.Value) {
	var b []byte
	if c.fd.Message() == nil {
		b = append(b, value.Bytes()...)
	} else {
		var err error
		if b, err = (proto.MarshalOptions{AllowPartial: true, Deterministic: true}).Marshal(value.Message().Interface()); err != nil {
			c.refuse(err)
		}
	}
	fresh := reflect.New(c.kind)
	if err := fresh.Interface().(custom).Unmarshal(b); err != nil {
		c.refuse(err)
	}
	v.Set(fresh.Elem())
}

func (c *customElement) share(reflect.Value, protoreflect.Value) bool { return false }

// mutable begins with the empty message where the type has its zero value, as in a new struct.
func (c *customElement) mutable(v reflect.Value) protoreflect.Value {
	m := protoreflect.Message(dynamicpb.NewMessage(c.fd.Message()))
	if !v.IsZero() {
		m = c.get(v).Message()
	}
	return protoreflect.ValueOfMessage(&live{m, func() { c.set(v, protoreflect.ValueOfMessage(m)) }})
}

func (c *customElement) fresh() protoreflect.Value {
	if c.fd.Message() == nil {
		return protoreflect.ValueOfBytes(nil)
	}
	return protoreflect.ValueOfMessage(dynamicpb.NewMessage(c.fd.Message()))
}

func (c *customElement) zero() protoreflect.Value {
	if c.fd.Message() == nil {
		return protoreflect.ValueOfBytes(nil)
	}
	return protoreflect.ValueOfMessage(dynamicpb.NewMessageType(c.fd.Message()).Zero())
}

// known is a time, a duration or the value of a wrapper.
type known struct {
	fd   protoreflect.FieldDescriptor
	kind reflect.Type
}

func (k *known) get(v reflect.Value) protoreflect.Value {
	switch stored := v.Interface().(type) {
	case time.Time:
		return protoreflect.ValueOfMessage(timestamppb.New(stored).ProtoReflect())
	case time.Duration:
		return protoreflect.ValueOfMessage(durationpb.New(stored).ProtoReflect())
	}
	m := dynamicpb.NewMessage(k.fd.Message())
	fd := k.fd.Message().Fields().ByNumber(1)
	if value := protoreflect.ValueOf(v.Interface()); value.IsValid() {
		m.Set(fd, value)
	}
	return protoreflect.ValueOfMessage(m)
}

func (k *known) set(v reflect.Value, value protoreflect.Value) {
	m := value.Message()
	if got, want := m.Descriptor().FullName(), k.fd.Message().FullName(); got != want {
		panic(fmt.Sprintf("hotpb: %s cannot be set to a %s", k.fd.FullName(), got))
	}
	fields := m.Descriptor().Fields()
	switch v.Interface().(type) {
	case time.Time:
		seconds, nanos := m.Get(fields.ByNumber(1)).Int(), m.Get(fields.ByNumber(2)).Int()
		v.Set(reflect.ValueOf(time.Unix(seconds, nanos).UTC()))
	case time.Duration:
		d := &durationpb.Duration{Seconds: m.Get(fields.ByNumber(1)).Int(), Nanos: int32(m.Get(fields.ByNumber(2)).Int())}
		v.Set(reflect.ValueOf(d.AsDuration()))
	default:
		content := m.Get(fields.ByNumber(1)).Interface()
		if f, is := content.(float64); is && math.IsNaN(f) { // keep its bits
			v.SetFloat(f)
			return
		}
		v.Set(reflect.ValueOf(content))
	}
}

func (k *known) share(reflect.Value, protoreflect.Value) bool { return false }

// begin makes the zero time, which a new struct has, an empty Timestamp: that is the beginning of 1970.
func (k *known) begin(v reflect.Value) {
	if at, is := v.Interface().(time.Time); is && at.IsZero() {
		v.Set(reflect.ValueOf(time.Unix(0, 0).UTC()))
	}
}

func (k *known) mutable(v reflect.Value) protoreflect.Value {
	k.begin(v)
	m := k.get(v).Message()
	return protoreflect.ValueOfMessage(&live{m, func() { k.set(v, protoreflect.ValueOfMessage(m)) }})
}

func (k *known) fresh() protoreflect.Value {
	v := reflect.New(k.kind).Elem()
	k.begin(v)
	return k.get(v)
}

func (k *known) zero() protoreflect.Value {
	return protoreflect.ValueOfMessage(k.fresh().Message().Type().Zero())
}
