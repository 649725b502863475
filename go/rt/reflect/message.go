package reflect

import (
	"fmt"
	"reflect"
	"sync/atomic"

	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/runtime/protoiface"

	"github.com/hotpb/hotpb/go/rt/pool"
	"github.com/hotpb/hotpb/go/rt/wire"
)

// Fields is implemented by generated code for a message type, as a type without data, so that nothing runs at
// start-up.
type Fields interface {
	Schema() Schema
	// Has reports whether a field is populated. Fields that the code does not have are not populated.
	Has(m any, number protoreflect.FieldNumber) bool
	// Get returns the value of a populated field.
	Get(f Field, m any) protoreflect.Value
}

// Schema describes the schema that the code was generated from.
type Schema struct {
	File  string // the .proto, for errors
	Group *[]wire.MessageTable
	Index int
}

func (s Schema) table() *wire.MessageTable { return &(*s.Group)[s.Index] }

// Field is one field of a message that is being read.
type Field struct {
	Number protoreflect.FieldNumber

	descriptor protoreflect.FieldDescriptor
	from       *Resolver
	zero       protoreflect.Message // of the message that has the field
}

// message reads a message, *Foo or *FooView, through reflection.
type message struct {
	m      any
	fields Fields
	as     *binding
	from   *Resolver
	kept   atomic.Pointer[keptValue]
	rest   atomic.Pointer[rest]
}

// unknown returns all unknown fields of the message.
func (r *message) unknown() (b []byte) {
	switch m := r.m.(type) {
	case pool.Message:
		return m.RefHot().Hidden().AppendUnknown(nil)
	case ViewMessage:
		for unknowns := m.UnknownFields(); unknowns.Next(); {
			b = unknowns.Field().Append(b)
		}
	}
	return b
}

// keeps reports whether lists, maps and nested messages take time to build and are therefore kept.
func (r *message) keeps() bool {
	_, is := r.m.(ViewMessage)
	return is
}

// keptValue is an element of a list of values that were read before.
type keptValue struct {
	number protoreflect.FieldNumber
	value  protoreflect.Value
	next   *keptValue
}

// root returns a checked message: nothing in it can fail afterwards. Without m it is an empty one.
func root(fields Fields, m any, from *Resolver) (protoreflect.ProtoMessage, error) {
	if from == nil {
		from = &linked
	}
	as, err := from.bind(fields.Schema())
	if err != nil {
		return nil, err
	}
	if m == nil {
		return as.zero.Interface(), nil
	}
	r := &message{m: m, fields: fields, as: as, from: from}
	if err := r.check(); err != nil {
		return nil, err
	}
	return r, nil
}

// Message returns a nested message, for generated code. Its type was bound with that of the root.
func (f Field) Message(fields Fields, m any) protoreflect.Value {
	as := f.from.bound(fields.Schema().table())
	if reflect.ValueOf(m).IsNil() { // a program may put nil into a map
		return protoreflect.ValueOfMessage(as.zero)
	}
	return protoreflect.ValueOfMessage(&message{m: m, fields: fields, as: as, from: f.from})
}

// check checks extensions in the message and in all nested messages.
func (r *message) check() (err error) {
	if !r.as.extensible {
		return nil
	}
	if r.as.descriptor.ExtensionRanges().Len() > 0 {
		found, err := r.split()
		if err != nil {
			return err
		}
		r.rest.Store(found)
	}
	look := func(v protoreflect.Value) bool {
		if m, ok := v.Message().(*message); ok {
			err = m.check()
		}
		return err == nil
	}
	for _, fd := range r.as.fields {
		if fd.Message() == nil || fd.IsMap() && fd.MapValue().Message() == nil || !r.has(fd) {
			continue
		}
		switch v := r.value(fd); {
		case fd.IsMap():
			v.Map().Range(func(_ protoreflect.MapKey, v protoreflect.Value) bool { return look(v) })
		case fd.IsList():
			for i, list := 0, v.List(); i < list.Len() && look(list.Get(i)); i++ {
			}
		default:
			look(v)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *message) has(fd protoreflect.FieldDescriptor) bool {
	return r.fields.Has(r.m, fd.Number())
}

// value returns the value of a populated field.
func (r *message) value(fd protoreflect.FieldDescriptor) protoreflect.Value {
	f := Field{Number: fd.Number(), descriptor: fd, from: r.from, zero: r.as.zero}
	if !r.keeps() || fd.Cardinality() != protoreflect.Repeated && fd.Message() == nil {
		return r.fields.Get(f, r.m)
	}
	for {
		first := r.kept.Load()
		for k := first; k != nil; k = k.next {
			if k.number == f.Number {
				return k.value
			}
		}
		made := &keptValue{f.Number, r.fields.Get(f, r.m), first}
		if r.kept.CompareAndSwap(first, made) {
			return made.value
		}
	}
}

// ownField returns this message's descriptor of the field, or nil for an extension. A field that does not belong to the
// message is a bug in the program.
func (r *message) ownField(fd protoreflect.FieldDescriptor) protoreflect.FieldDescriptor {
	if got, want := fd.ContainingMessage().FullName(), r.as.descriptor.FullName(); got != want {
		panic(fmt.Sprintf("hotpb: %s is a field of %s, not of %s", fd.FullName(), got, want))
	}
	if fd.IsExtension() {
		return nil
	}
	own := r.as.descriptor.Fields().ByNumber(fd.Number())
	if own == nil || own.FullName() != fd.FullName() {
		panic(fmt.Sprintf("hotpb: %s has no field %s", r.as.descriptor.FullName(), fd.FullName()))
	}
	return own
}

// Descriptor returns the descriptor of the linked stock package, or the one that was passed in.
func (r *message) Descriptor() protoreflect.MessageDescriptor { return r.as.descriptor }

// Type returns the stock type: the type of the messages that New returns.
func (r *message) Type() protoreflect.MessageType { return r.as.stock }

// New returns a new stock message, which can be changed.
func (r *message) New() protoreflect.Message { return r.as.stock.New() }

// Interface returns the message itself.
func (r *message) Interface() protoreflect.ProtoMessage { return r }

// ProtoReflect returns the message itself.
func (r *message) ProtoReflect() protoreflect.Message { return r }

// String returns the message as text for people.
func (r *message) String() string { return prototext.MarshalOptions{}.Format(r) }

// IsValid returns true: absent messages have the stock type.
func (r *message) IsValid() bool { return true }

// ProtoMethods returns nil: the stock runtime reads the message by its fields.
func (r *message) ProtoMethods() *protoiface.Methods { return nil }

// Range calls f for the populated fields in the order of the .proto, then for the extensions by number.
func (r *message) Range(f func(protoreflect.FieldDescriptor, protoreflect.Value) bool) {
	for _, fd := range r.as.fields {
		if r.has(fd) && !f(fd, r.value(fd)) {
			return
		}
	}
	for _, x := range r.others().extensions {
		if !f(x.descriptor, x.value) {
			return
		}
	}
}

// Has reports whether a field is populated.
func (r *message) Has(fd protoreflect.FieldDescriptor) bool {
	if own := r.ownField(fd); own != nil {
		return r.has(own)
	}
	_, has := r.others().extension(fd)
	return has
}

// Get returns the value of a field; for an absent one, its default or an empty, read-only value.
func (r *message) Get(fd protoreflect.FieldDescriptor) protoreflect.Value {
	if own := r.ownField(fd); own != nil {
		if r.has(own) {
			return r.value(own)
		}
		return r.as.zero.Get(own)
	}
	if v, has := r.others().extension(fd); has {
		return v
	}
	return r.as.zero.Get(fd)
}

// WhichOneof returns the set member of a oneof, or nil.
func (r *message) WhichOneof(od protoreflect.OneofDescriptor) protoreflect.FieldDescriptor {
	own := r.as.descriptor.Oneofs().ByName(od.Name())
	if own == nil || own.FullName() != od.FullName() {
		panic(fmt.Sprintf("hotpb: %s has no oneof %s", r.as.descriptor.FullName(), od.FullName()))
	}
	for i, members := 0, own.Fields(); i < members.Len(); i++ {
		if fd := members.Get(i); r.has(fd) {
			return fd
		}
	}
	return nil
}

// GetUnknown returns the unknown fields, without the known extensions.
func (r *message) GetUnknown() protoreflect.RawFields { return r.others().unknown }

// NewField returns a new value that can be set in a message from New.
func (r *message) NewField(fd protoreflect.FieldDescriptor) protoreflect.Value {
	return r.as.stock.New().NewField(fd)
}

// Clear, Set, Mutable and SetUnknown panic: the message is read-only.
func (r *message) Clear(fd protoreflect.FieldDescriptor) { panic(readOnly("Clear", fd.FullName())) }

func (r *message) Set(fd protoreflect.FieldDescriptor, _ protoreflect.Value) {
	panic(readOnly("Set", fd.FullName()))
}

func (r *message) Mutable(fd protoreflect.FieldDescriptor) protoreflect.Value {
	panic(readOnly("Mutable", fd.FullName()))
}

func (r *message) SetUnknown(protoreflect.RawFields) {
	panic(readOnly("SetUnknown", r.as.descriptor.FullName()))
}

func readOnly(method string, name protoreflect.FullName) string {
	return fmt.Sprintf("hotpb: %s of %s: messages of views and pools are read-only through reflection; "+
		"proto.Clone returns one that can be changed", method, name)
}
