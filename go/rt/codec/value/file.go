package value

import (
	"slices"
	"strings"
	"sync/atomic"

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
	// Others are the encoded descriptors of files that only enums and custom types need, each after those that it uses: no
	// package need have their structs.
	Others []string

	file atomic.Pointer[fileDescriptor] // complete when it is stored
}

type fileDescriptor struct{ protoreflect.FileDescriptor }

// Descriptor returns the descriptor of the file.
func (f *File) Descriptor() protoreflect.FileDescriptor {
	known := f.file.Load()
	if known == nil { // of two at once, one is stored
		f.file.CompareAndSwap(nil, &fileDescriptor{f.build()})
		known = f.file.Load()
	}
	return known.FileDescriptor
}

func (f *File) build() protoreflect.FileDescriptor {
	var known resolver
	for _, file := range f.Imports {
		known = append(known, file().ParentFile())
	}
	for _, imported := range f.Others {
		known = append(known, known.file(imported))
	}
	return known.file(f.Raw)
}

// resolver finds elements in some files and, if they are not there, in Google's registry.
type resolver []protoreflect.FileDescriptor

// file returns the descriptor of an encoded one.
func (r resolver) file(encoded string) protoreflect.FileDescriptor {
	raw := new(descriptorpb.FileDescriptorProto)
	if err := proto.Unmarshal([]byte(encoded), raw); err != nil {
		panic("hotpb: the descriptor in generated code: " + err.Error())
	}
	raw.Extension = slices.DeleteFunc(raw.Extension, onlyInSet)
	for _, m := range raw.MessageType {
		plainSet(m)
	}
	file, err := protodesc.FileOptions{AllowUnresolvable: true}.New(raw, r)
	if err != nil {
		panic("hotpb: the descriptor in generated code: " + err.Error())
	}
	return file
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
func (r resolver) FindFileByPath(path string) (protoreflect.FileDescriptor, error) {
	for _, file := range r {
		if file.Path() == path {
			return file, nil
		}
	}
	return protoregistry.GlobalFiles.FindFileByPath(path)
}

// FindDescriptorByName finds an element of an import.
func (r resolver) FindDescriptorByName(name protoreflect.FullName) (protoreflect.Descriptor, error) {
	for _, file := range r {
		if d := find(file, name); d != nil {
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
