package schema_test

import (
	"errors"
	"fmt"
	"iter"
	"net/netip"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"
	"google.golang.org/protobuf/types/known/timestamppb"

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

// One element that does not fit costs no other one.
func TestElementsThatDoNotFitAreLeftOut(t *testing.T) {
	s := schema.New("Root")
	closed := s.AddEnum(schema.Enum{Name: "E", Closed: true, Values: []schema.EnumValue{{Name: "A", Number: 1}, {Name: "B", Number: 2}}})
	uints, ints, enums := s.Uint32s("uints", 1), s.Sint32s("ints", 2), s.Enums("enums", 3, closed)
	texts, addresses := s.Strings("texts", 4, schema.CheckUTF8), s.IPs("addresses", 5)
	plan := compile(t, s)
	r := plan.NewRecord()
	r.AddUint(uints, 1, 1<<40, 2)
	r.AddInt(ints, -1, 1<<40, -2)
	r.AddEnum(enums, 1, 9, 2)
	r.AddString(texts, "a", "\xff", "b")
	r.AddIP(addresses, netip.Addr{}, netip.MustParseAddr("192.0.2.1"))
	for _, h := range []schema.Handle{uints.Handle, ints.Handle, enums.Handle, texts.Handle} {
		if n := r.Misfits(h); n != 1 {
			t.Errorf("%d misfits", n)
		}
	}
	row := plan.NewRow()
	if err := row.Unmarshal(r.Encoded()); err != nil || r.Err() != nil {
		t.Fatal(err, r.Err())
	}
	if got := fmt.Sprint(row.Uints(uints), row.Ints(ints), elements[int32](row.Enums(enums)), elements[string](row.Strings(texts)), elements[netip.Addr](row.IPs(addresses))); got != "[1 2] [-1 -2] [1 2] [a b] [192.0.2.1]" {
		t.Error(got)
	}
}

func elements[T any](v interface{ All() iter.Seq2[int, T] }) (list []T) {
	for _, element := range v.All() {
		list = append(list, element)
	}
	return list
}

func TestAHandleOfAnotherSchemaIsMisuseWithoutElements(t *testing.T) {
	s, second := schema.New("Root"), schema.New("Second")
	s.Uint32s("list", 1)
	strange := second.Uint32s("list", 1)
	r := compile(t, s).NewRecord()
	if r.AddUint(strange); !errors.Is(r.Err(), wire.HandleMisuse) {
		t.Error(r.Err())
	}
}

func TestLookupRefusesHandlesOfOtherPackages(t *testing.T) {
	type named struct{ schema.Handle }
	s := schema.New("Root")
	s.Uint32("id", 1)
	if _, err := schema.Lookup[named](s.Message, "id"); !errors.Is(err, wire.TypeMismatch) {
		t.Error(err)
	}
	if _, err := schema.Lookup[schema.UintColumn](nil, "id"); !errors.Is(err, wire.InvalidSchema) {
		t.Error(err)
	}
}

func TestReadingValuesAllocatesNothing(t *testing.T) {
	s := schema.New("Root")
	texts, raw, addresses := s.Strings("texts", 1), s.BytesList("raw", 2), s.IPs("addresses", 3)
	bools, floats := s.Bools("bools", 4), s.Floats("floats", 5)
	plan := compile(t, s)
	r := plan.NewRecord()
	r.AddString(texts, "a", "bc")
	r.AddBytes(raw, []byte("d"), []byte("ef"))
	r.AddIP(addresses, netip.MustParseAddr("2001:db8::1"), netip.MustParseAddr("192.0.2.1"))
	r.AddBool(bools, true, false)
	r.AddFloat(floats, 0.5, -1)
	row := plan.NewRow()
	if err := row.Unmarshal(r.Encoded()); err != nil {
		t.Fatal(err)
	}
	sum := 0
	if n := testing.AllocsPerRun(100, func() {
		for i := range 2 {
			sum += len(row.Strings(texts).At(i)) + len(row.BytesList(raw).At(i)) + row.IPs(addresses).At(i).BitLen()
			if row.Bools(bools).At(i) || row.Floats(floats).At(i) < 0 {
				sum++
			}
		}
	}); n > 0 || sum != 101*(6+160+2) {
		t.Errorf("%v allocations, sum %d", n, sum)
	}
}

// A list of times is printed by its elements, and not by its place in the row.
func TestDebugPrintsTheElementsOfListsOfTimes(t *testing.T) {
	timestamp := protodesc.ToFileDescriptorProto(timestamppb.File_google_protobuf_timestamp_proto)
	set, err := proto.Marshal(&descriptorpb.FileDescriptorSet{File: []*descriptorpb.FileDescriptorProto{timestamp, {
		Name: proto.String("m.proto"), Syntax: proto.String("proto3"), Dependency: []string{timestamp.GetName()},
		MessageType: []*descriptorpb.DescriptorProto{{Name: proto.String("M"), Field: []*descriptorpb.FieldDescriptorProto{{
			Name: proto.String("at"), Number: proto.Int32(1), Label: descriptorpb.FieldDescriptorProto_LABEL_REPEATED.Enum(),
			Type: descriptorpb.FieldDescriptorProto_TYPE_MESSAGE.Enum(), TypeName: proto.String(".google.protobuf.Timestamp"),
		}}}},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	s, err := schema.FromDescriptorSet(set, "M")
	if err != nil {
		t.Fatal(err)
	}
	row := compile(t, s).NewRow()
	if err := row.Unmarshal([]byte("\x0a\x02\x08\x01\x0a\x04\x08\x02\x10\x07")); err != nil {
		t.Fatal(err)
	}
	if got, want := row.Debug(), "at { seconds: 1 } at { seconds: 2 nanos: 7 }"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
