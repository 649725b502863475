package value

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// Type is the type of a message: a variable of generated code.
type Type struct {
	File *File
	Name protoreflect.FullName
	// Casts are the messages of fields that the struct stores under another type (castvalue), by number.
	Casts map[int32]reflect.Type
	// Customs are the numbers of the fields with custom types (customtype).
	Customs []int32
	// Members are the names of the members of a struct that the user declares (typedecl=false), whose tags may be any: by the
	// names of the fields and oneofs in the schema, and by "" for the unknown fields. It is nil for the structs of generated code.
	Members map[string]string
	// ByRuntime means that gogo's runtime decides what nil slices are, and not the methods of its generators: nil bytes in a oneof
	// are written, as empty ones, and nil slices as custom types and wrappers outside of oneofs and lists are left out.
	ByRuntime bool

	bound atomic.Pointer[binding] // complete when it is stored
}

// binding is how a struct stores its message.
type binding struct {
	*Type
	kind       reflect.Type // the struct
	descriptor protoreflect.MessageDescriptor
	fields     []*field // in the order of the descriptor
	number     map[protoreflect.FieldNumber]*field
	rest       []int // the index of the unknown fields, or nil
}

// field is where a struct has a field.
type field struct {
	fd      protoreflect.FieldDescriptor
	at      []int        // the index in the struct
	in      reflect.Type // the member of the struct
	wrapper reflect.Type // the struct of a member of a oneof, or nil
	element element      // of the field, of its elements, or of a map's values
	key     element      // of a map
}

// writesNil reports whether a nil slice is written.
func (f *field) writesNil(byRuntime bool) bool {
	_, isPlain := f.element.(*plain)
	switch {
	case f.wrapper == nil:
		return !isPlain && !byRuntime // a value of a custom type
	case isPlain:
		return byRuntime
	}
	return true
}

// Of returns the reflection of m, a pointer to the type's struct. If the struct does not fit, each call panics.
func (t *Type) Of(m proto.Message) protoreflect.Message {
	v := reflect.ValueOf(m)
	b := t.bound.Load()
	if b == nil { // of two at once, one is stored
		t.bound.CompareAndSwap(nil, t.bind(v.Type().Elem()))
		b = t.bound.Load()
	}
	return &message{t: b, m: m, v: v.Elem()}
}

// bind finds the fields of the message in the struct.
func (t *Type) bind(kind reflect.Type) *binding {
	descriptor, is := find(t.File.Descriptor(), t.Name).(protoreflect.MessageDescriptor)
	if !is {
		panic(fmt.Sprintf("hotpb: the descriptor in generated code has no message %s", t.Name))
	}
	b := &binding{Type: t, kind: kind, descriptor: descriptor, number: map[protoreflect.FieldNumber]*field{}}
	members, wrappers := t.members(kind, descriptor), wrappersOf(kind)
	if rest, is := members[""]; is {
		b.rest = rest.Index
	}
	for i := range descriptor.Fields().Len() {
		fd := descriptor.Fields().Get(i)
		name := fd.Name()
		oneof := fd.ContainingOneof()
		isMember := oneof != nil && !oneof.IsSynthetic()
		if isMember {
			name = oneof.Name()
		}
		in, is := members[string(name)]
		f := &field{fd: fd, at: in.Index, in: in.Type}
		goType := in.Type
		if is && isMember {
			if f.wrapper, is = wrappers[fd.Number()]; is {
				goType = f.wrapper.Field(0).Type
			}
		}
		if !is {
			panic(fmt.Sprintf("hotpb: the struct %v has no member for the field %s: generate the code again, and declare the struct as the generator does", kind, fd.FullName()))
		}
		f.convert(goType, t.Casts[int32(fd.Number())], slices.Contains(t.Customs, int32(fd.Number())))
		b.fields = append(b.fields, f)
		b.number[fd.Number()] = f
	}
	return b
}

// convert chooses how values of the field are converted, whose Go type is of.
func (f *field) convert(goType, cast reflect.Type, isCustom bool) {
	fd := f.fd
	switch {
	case fd.IsMap():
		f.key = elementOf(fd.MapKey(), goType.Key(), nil, false)
		fd, goType = fd.MapValue(), goType.Elem()
	case fd.IsList():
		goType = goType.Elem()
	}
	f.element = elementOf(fd, goType, cast, isCustom)
}

// members returns the members of the struct by the names of fields and oneofs, and the unknown fields by "".
func (t *Type) members(kind reflect.Type, descriptor protoreflect.MessageDescriptor) map[string]reflect.StructField {
	members := map[string]reflect.StructField{}
	if t.Members != nil {
		for name, goName := range t.Members {
			if member, is := kind.FieldByName(goName); is {
				members[name] = member
			}
		}
		return members
	}
	for i := range kind.NumField() {
		member := kind.Field(i)
		if oneof, is := member.Tag.Lookup("protobuf_oneof"); is {
			members[oneof] = member
		} else if fd := descriptor.Fields().ByNumber(numberOf(member.Tag)); fd != nil {
			members[string(fd.Name())] = member
		} else if member.Name == "XXX_unrecognized" {
			members[""] = member
		}
	}
	return members
}

// wrappersOf returns the structs of the members of oneofs, by number.
func wrappersOf(kind reflect.Type) map[protoreflect.FieldNumber]reflect.Type {
	wrappers := map[protoreflect.FieldNumber]reflect.Type{}
	if m, is := reflect.New(kind).Interface().(interface{ XXX_OneofWrappers() []any }); is {
		for _, wrapped := range m.XXX_OneofWrappers() {
			wrapper := reflect.TypeOf(wrapped).Elem()
			wrappers[numberOf(wrapper.Field(0).Tag)] = wrapper
		}
	}
	return wrappers
}

// numberOf returns the number in a struct tag, or 0.
func numberOf(tag reflect.StructTag) protoreflect.FieldNumber {
	parts := strings.SplitN(tag.Get("protobuf"), ",", 3)
	if len(parts) < 2 {
		return 0
	}
	n, err := strconv.ParseInt(parts[1], 10, 32)
	if err != nil {
		return 0
	}
	return protoreflect.FieldNumber(n)
}

// messageType is the protoreflect.MessageType of a binding.
type messageType struct{ *binding }

func (t messageType) New() protoreflect.Message {
	return t.Of(reflect.New(t.kind).Interface().(proto.Message))
}

func (t messageType) Zero() protoreflect.Message {
	return t.Of(reflect.Zero(reflect.PointerTo(t.kind)).Interface().(proto.Message))
}

func (t messageType) Descriptor() protoreflect.MessageDescriptor { return t.descriptor }
