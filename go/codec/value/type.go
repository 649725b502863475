package value

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
)

// File is the descriptor of a .proto. It is read when a message of the file is first asked for its reflection.
type File struct {
	Raw string
	// Imports are messages of the files that messages of this file use.
	Imports []func() protoreflect.MessageDescriptor

	once sync.Once
	file protoreflect.FileDescriptor
}

// Descriptor returns the descriptor of the file.
func (f *File) Descriptor() protoreflect.FileDescriptor {
	f.once.Do(func() {
		raw := new(descriptorpb.FileDescriptorProto)
		if err := proto.Unmarshal([]byte(f.Raw), raw); err != nil {
			panic("hotpb: the descriptor in generated code: " + err.Error())
		}
		raw.Extension = slices.DeleteFunc(raw.Extension, onlyInSet)
		for _, m := range raw.MessageType {
			plainSet(m)
		}
		file, err := protodesc.FileOptions{AllowUnresolvable: true}.New(raw, f)
		if err != nil {
			panic("hotpb: the descriptor in generated code: " + err.Error())
		}
		f.file = file
	})
	return f.file
}

// plainSet presents message sets as plain messages: the stock runtime refuses the others unless it is built with the tag
// protolegacy.
func plainSet(m *descriptorpb.DescriptorProto) {
	if m.GetOptions().GetMessageSetWireFormat() {
		m.Options.MessageSetWireFormat = nil
		for _, r := range m.ExtensionRange {
			r.End = proto.Int32(min(r.GetEnd(), 1<<29))
		}
	}
	m.Extension = slices.DeleteFunc(m.Extension, onlyInSet)
	for _, nested := range m.NestedType {
		plainSet(nested)
	}
}

// onlyInSet reports whether an extension has a number that only message sets can have.
func onlyInSet(x *descriptorpb.FieldDescriptorProto) bool { return x.GetNumber() >= 1<<29 }

// FindFileByPath finds an import.
func (f *File) FindFileByPath(path string) (protoreflect.FileDescriptor, error) {
	for _, of := range f.Imports {
		if file := of().ParentFile(); file.Path() == path {
			return file, nil
		}
	}
	return protoregistry.GlobalFiles.FindFileByPath(path)
}

// FindDescriptorByName finds an element of an import.
func (f *File) FindDescriptorByName(name protoreflect.FullName) (protoreflect.Descriptor, error) {
	for _, of := range f.Imports {
		if d := find(of().ParentFile(), name); d != nil {
			return d, nil
		}
	}
	return protoregistry.GlobalFiles.FindDescriptorByName(name)
}

// find looks for a message or an enum in a file.
func find(file protoreflect.FileDescriptor, name protoreflect.FullName) protoreflect.Descriptor {
	rest, in := strings.CutPrefix(string(name), string(file.Package())+".")
	if file.Package() == "" {
		rest, in = string(name), true
	}
	if !in {
		return nil
	}
	var scope interface {
		Messages() protoreflect.MessageDescriptors
		Enums() protoreflect.EnumDescriptors
	} = file
	for {
		first, after, nested := strings.Cut(rest, ".")
		m := scope.Messages().ByName(protoreflect.Name(first))
		switch {
		case !nested && m != nil:
			return m
		case !nested:
			if e := scope.Enums().ByName(protoreflect.Name(first)); e != nil {
				return e
			}
			return nil
		case m == nil:
			return nil
		}
		scope, rest = m, after
	}
}

// Type is the type of a message: a variable of generated code.
type Type struct {
	File *File
	Name protoreflect.FullName
	// Casts are the messages of fields that the struct stores under another type (castvalue), by number.
	Casts map[int32]reflect.Type
	// WritesNil means that nil bytes in a oneof are written, as empty ones: gogo's runtime writes them, the methods of its
	// generators leave them out.
	WritesNil bool

	once   sync.Once
	kind   reflect.Type // the struct
	of     protoreflect.MessageDescriptor
	fields []*field // in the order of the descriptor
	number map[protoreflect.FieldNumber]*field
	rest   int // the index of the unknown fields, or -1
}

// field is where a struct has a field.
type field struct {
	fd      protoreflect.FieldDescriptor
	at      int          // the index in the struct
	wrapper reflect.Type // the struct of a member of a oneof, or nil
	element element      // of the field, of its elements, or of a map's values
	key     element      // of a map
}

// isPlainBytes reports whether nil is no value: a value of a custom type is one, even if it is a nil slice.
func (f *field) isPlainBytes() bool {
	p, is := f.element.(*plain)
	return is && p.fd.Kind() == protoreflect.BytesKind
}

// Of returns the reflection of m, a pointer to the type's struct.
func (t *Type) Of(m proto.Message) protoreflect.Message {
	v := reflect.ValueOf(m)
	t.once.Do(func() { t.bind(v.Type().Elem()) })
	return &message{t: t, m: m, v: v.Elem()}
}

// bind finds the fields of the struct by their tags.
func (t *Type) bind(kind reflect.Type) {
	d := find(t.File.Descriptor(), t.Name)
	t.kind, t.of, t.rest = kind, d.(protoreflect.MessageDescriptor), -1
	t.number = map[protoreflect.FieldNumber]*field{}
	add := func(tag reflect.StructTag, at int, wrapper, kind reflect.Type) {
		number, is := numberOf(tag)
		fd := t.of.Fields().ByNumber(number)
		if !is || fd == nil {
			return
		}
		f := &field{fd: fd, at: at, wrapper: wrapper}
		one := fd
		switch {
		case fd.IsMap():
			f.key = elementOf(fd.MapKey(), kind.Key(), nil)
			one, kind = fd.MapValue(), kind.Elem()
		case fd.IsList():
			kind = kind.Elem()
		}
		f.element = elementOf(one, kind, t.Casts[int32(number)])
		t.number[number] = f
	}
	for i := range kind.NumField() {
		member := kind.Field(i)
		if member.Name == "XXX_unrecognized" {
			t.rest = i
		}
		if _, is := member.Tag.Lookup("protobuf_oneof"); !is {
			add(member.Tag, i, nil, member.Type)
			continue
		}
		wrappers, _ := reflect.New(kind).Interface().(interface{ XXX_OneofWrappers() []any })
		if wrappers == nil {
			continue
		}
		for _, one := range wrappers.XXX_OneofWrappers() {
			if wrapper := reflect.TypeOf(one); wrapper.Implements(member.Type) {
				add(wrapper.Elem().Field(0).Tag, i, wrapper.Elem(), wrapper.Elem().Field(0).Type)
			}
		}
	}
	for i := range t.of.Fields().Len() {
		f := t.number[t.of.Fields().Get(i).Number()]
		if f == nil {
			panic(fmt.Sprintf("hotpb: the struct %v has no member for the field %s: its tags must be those that the generator writes", kind, t.of.Fields().Get(i).FullName()))
		}
		t.fields = append(t.fields, f)
	}
}

func numberOf(tag reflect.StructTag) (protoreflect.FieldNumber, bool) {
	parts := strings.SplitN(tag.Get("protobuf"), ",", 3)
	if len(parts) < 2 {
		return 0, false
	}
	n, err := strconv.ParseInt(parts[1], 10, 32)
	return protoreflect.FieldNumber(n), err == nil
}

// messageType is the protoreflect.MessageType of a Type.
type messageType struct{ *Type }

func (t messageType) New() protoreflect.Message {
	return t.Of(reflect.New(t.kind).Interface().(proto.Message))
}

func (t messageType) Zero() protoreflect.Message {
	return t.Of(reflect.Zero(reflect.PointerTo(t.kind)).Interface().(proto.Message))
}

func (t messageType) Descriptor() protoreflect.MessageDescriptor { return t.Type.of }
