package schema_test

import (
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/hotpb/hotpb/go/schema"
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
	r.Uint32s(path, []uint32{1, 0, 2})
	r.Strings(names, []string{"", "a", ""})
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
