package schema_test

import (
	"errors"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/hotpb/hotpb/go/schema"
	"github.com/hotpb/hotpb/go/wire"
)

// The stock runtime, which knows the schema from its export, reads [1, 0, 2] where that was written.
func TestProtoReadersSeeTheZerosInLists(t *testing.T) {
	s := schema.New("M")
	path := s.Uint32s("path", 1)
	names := s.Strings("names", 2)
	plan := compile(t, s)
	encoded, err := plan.FileDescriptorSet()
	if err != nil {
		t.Fatal(err)
	}
	var set descriptorpb.FileDescriptorSet
	if err := proto.Unmarshal(encoded, &set); err != nil {
		t.Fatal(err)
	}
	files, err := protodesc.NewFiles(&set)
	if err != nil {
		t.Fatal(err)
	}
	d, err := files.FindDescriptorByName("M")
	if err != nil {
		t.Fatal(err)
	}
	r := plan.NewRecord()
	r.AddUint(path, 1, 0, 2)
	r.AddString(names, "", "a", "")
	m := dynamicpb.NewMessage(d.(protoreflect.MessageDescriptor))
	if err := proto.Unmarshal(r.Encoded(), m); err != nil {
		t.Fatal(err)
	}
	list := m.Get(m.Descriptor().Fields().ByNumber(1)).List()
	if list.Len() != 3 || list.Get(0).Uint() != 1 || list.Get(1).Uint() != 0 || list.Get(2).Uint() != 2 {
		t.Error(list)
	}
	if texts := m.Get(m.Descriptor().Fields().ByNumber(2)).List(); texts.Len() != 3 || texts.Get(1).String() != "a" {
		t.Error(texts)
	}
}

// A list is found as a list only, and a single value as a single value only: the error names the column.
func TestListsAndSingleValuesAreFoundApart(t *testing.T) {
	s := schema.New("M")
	s.Uint32("u", 1)
	s.Uint32s("us", 2)
	s.Int32("i", 3)
	s.Int32s("is", 4)
	s.String("s", 5)
	s.Strings("ss", 6)
	for path, find := range map[string]func(string) error{
		"u":  func(p string) error { _, err := schema.Lookup[schema.UintList](s.Message, p); return err },
		"us": func(p string) error { _, err := schema.Lookup[schema.UintColumn](s.Message, p); return err },
		"i":  func(p string) error { _, err := schema.Lookup[schema.IntList](s.Message, p); return err },
		"is": func(p string) error { _, err := schema.Lookup[schema.IntColumn](s.Message, p); return err },
		"s":  func(p string) error { _, err := schema.Lookup[schema.StringList](s.Message, p); return err },
		"ss": func(p string) error { _, err := schema.Lookup[schema.StringColumn](s.Message, p); return err },
	} {
		var e *schema.Error
		if err := find(path); !errors.As(err, &e) || e.Code != wire.TypeMismatch || e.Where != "M."+path {
			t.Errorf("%s: %v", path, err)
		}
	}
	if _, err := schema.Lookup[schema.UintList](s.Message, "us"); err != nil {
		t.Error(err)
	}
	if _, err := schema.Lookup[schema.UintColumn](s.Message, "u"); err != nil {
		t.Error(err)
	}
}
