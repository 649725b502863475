package schema_test

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/hotpb/hotpb/go/schema"
	"github.com/hotpb/hotpb/go/wire"
)

// SCH-22. Every message of the descriptor sets that the generators have golden plans of: the columns are the plan's fields.
func TestImportedColumnsAreTheFieldsOfTheGoldenPlans(t *testing.T) {
	goldens, err := filepath.Glob("../../build/vectors/plans/*.json")
	if err != nil || len(goldens) < 10 {
		t.Fatal(goldens, err)
	}
	messages := 0
	for _, path := range goldens {
		fds := readFile(t, "../../vectors/plans/"+strings.TrimSuffix(filepath.Base(path), ".json")+".fds")
		var plan struct{ Messages, Enums []goldenType }
		if err := json.Unmarshal(readFile(t, path), &plan); err != nil {
			t.Fatal(err)
		}
		closed := map[string]bool{}
		for _, e := range plan.Enums {
			closed[e.Name] = e.Closed
		}
		for _, m := range plan.Messages {
			if m.MapEntry {
				continue // seen through their maps
			}
			s, err := schema.FromDescriptorSet(fds, m.Name)
			if err != nil {
				t.Errorf("%s: %v", m.Name, err)
				continue
			}
			compareColumns(t, s.Message, m, closed)
			compareDefaults(t, s, m)
			messages++
		}
	}
	if messages < 200 {
		t.Errorf("only %d messages were compared", messages)
	}
}

func readFile(t testing.TB, path string) []byte {
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// goldenType is a message or an enum of a golden plan, as far as it is compared.
type goldenType struct {
	Name     string
	MapEntry bool `json:"map_entry"`
	Closed   bool
	Oneofs   []struct{ Name string }
	Fields   []goldenField
}

type goldenField struct {
	Name          string
	Number        uint32
	Type          string
	Presence      string
	Oneof         int
	Packed        bool
	UTF8          string
	Delimited     bool
	Message, Enum string
	Map           *struct{}
	Default       *string
}

func compareColumns(t *testing.T, m *schema.Message, want goldenType, closed map[string]bool) {
	if m.Name != want.Name || len(m.Columns()) != len(want.Fields) {
		t.Errorf("%s has %d columns, want %d", m.Name, len(m.Columns()), len(want.Fields))
		return
	}
	for _, f := range want.Fields {
		c, _, ok := m.Find(f.Name)
		if !ok {
			t.Errorf("%s.%s: there is no such column", m.Name, f.Name)
			continue
		}
		got := goldenField{Name: c.Name, Number: c.Number, Type: kindNames[c.Kind], Presence: "implicit", Oneof: -1,
			Packed: c.Repeated && c.Message == nil && c.Kind != wire.String && c.Kind != wire.Bytes && !c.Unpacked, Delimited: c.Kind == wire.Group}
		switch {
		case c.Repeated:
			got.Presence = "repeated"
		case c.Presence == schema.Explicit:
			got.Presence = "explicit"
		case c.Presence == schema.LegacyRequired:
			got.Presence = "required"
		}
		for i, o := range want.Oneofs {
			if o.Name == c.Oneof {
				got.Oneof = i
			}
		}
		if c.Kind == wire.String {
			got.UTF8 = map[bool]string{true: "verify", false: "none"}[c.CheckUTF8]
		}
		if c.Message != nil {
			got.Message = c.Message.Name
		}
		if c.Enum != nil {
			got.Enum = c.Enum.Name
			if was, known := closed[c.Enum.Name]; known && was != c.Enum.Closed {
				t.Errorf("%s.%s: closed %v", m.Name, f.Name, c.Enum.Closed)
			}
		}
		if f.Map != nil != c.Map {
			t.Errorf("%s.%s: map %v", m.Name, f.Name, c.Map)
		}
		if f.Map, f.Default = nil, nil; got != f {
			t.Errorf("%s.%s:\n got %+v\nwant %+v", m.Name, f.Name, got, f)
		}
	}
}

var kindNames = map[wire.Kind]string{
	wire.Int32: "int32", wire.Int64: "int64", wire.Uint32: "uint32", wire.Uint64: "uint64", wire.Sint32: "sint32", wire.Sint64: "sint64",
	wire.Fixed32: "fixed32", wire.Fixed64: "fixed64", wire.Sfixed32: "sfixed32", wire.Sfixed64: "sfixed64", wire.Float: "float",
	wire.Double: "double", wire.Bool: "bool", wire.String: "string", wire.Bytes: "bytes", wire.Enum: "enum", wire.Message: "message",
	wire.Group: "message",
}

// compareDefaults reads an empty message, FLD-11.
func compareDefaults(t *testing.T, s *schema.Schema, want goldenType) {
	p, err := s.Compile()
	if err != nil {
		t.Errorf("%s: %v", want.Name, err)
		return
	}
	row := p.NewRow()
	for _, f := range want.Fields {
		c, h, _ := s.Find(f.Name)
		if f.Default == nil || row.Has(h) {
			continue
		}
		got := ""
		switch v := value(c, row.Fields, h).(type) {
		case float64:
			if got = fmt.Sprintf("%016x", math.Float64bits(v)); c.Kind == wire.Float {
				got = fmt.Sprintf("%08x", math.Float32bits(float32(v)))
			}
			if v != v {
				got = map[wire.Kind]string{wire.Float: "7fc00000", wire.Double: "7ff8000000000000"}[c.Kind]
			}
		case []byte:
			got = hex.EncodeToString(v)
		default:
			got = fmt.Sprint(v)
		}
		if c.Enum != nil {
			for _, e := range c.Enum.Values {
				if fmt.Sprint(e.Number) == got {
					got = e.Name
				}
			}
		}
		if got != *f.Default {
			t.Errorf("%s.%s reads as %q, want %q", want.Name, f.Name, got, *f.Default)
		}
	}
}

// accepted are descriptor sets that generators refuse for what an import does not look at: extensions, imports
// that nothing is used of, oneofs and enums that no column has. A default that is empty is none.
var accepted = regexp.MustCompile("^(default_double_empty|ext|dependency|message_set_extension|number_too_large_for_message_set|oneof_without|enum_without|file_twice)")

func TestDescriptorSetsThatGeneratorsRefuseAreRefused(t *testing.T) {
	sets, err := filepath.Glob("../../vectors/plans/invalid/*.fds")
	if err != nil || len(sets) < 50 {
		t.Fatal(sets, err)
	}
	for _, path := range sets {
		fds := readFile(t, path)
		messages := []string{"a.M"} // where there are none, it is the reading that is refused
		set := new(descriptorpb.FileDescriptorSet)
		_ = proto.Unmarshal(fds, set)
		for _, file := range set.File {
			for _, m := range file.MessageType {
				messages = append(messages, strings.TrimPrefix(file.GetPackage()+"."+m.GetName(), "."))
			}
		}
		var wrong error
		for i, name := range messages {
			s, err := schema.FromDescriptorSet(fds, name)
			if (s == nil) != errors.Is(err, wire.InvalidSchema) {
				t.Errorf("%s: %s: %v", filepath.Base(path), name, err)
			}
			if i > 0 || len(messages) == 1 {
				wrong = errors.Join(wrong, err)
			}
		}
		if wrong == nil && !accepted.MatchString(filepath.Base(path)) {
			t.Errorf("%s was imported", filepath.Base(path))
		}
	}
}

func TestDescriptorSetsThatCannotBeImportedAreRefused(t *testing.T) {
	good, err := os.ReadFile("../../vectors/plans/raft.fds")
	if err != nil {
		t.Fatal(err)
	}
	file := func(change func(*descriptorpb.FileDescriptorProto)) []byte {
		f := &descriptorpb.FileDescriptorProto{Name: proto.String("a.proto"), Syntax: proto.String("proto3"),
			MessageType: []*descriptorpb.DescriptorProto{{Name: proto.String("M"), Field: []*descriptorpb.FieldDescriptorProto{{
				Name: proto.String("f"), Number: proto.Int32(1), Label: descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL.Enum(),
				Type: descriptorpb.FieldDescriptorProto_TYPE_INT32.Enum(),
			}}}}}
		change(f)
		b, err := proto.Marshal(&descriptorpb.FileDescriptorSet{File: []*descriptorpb.FileDescriptorProto{f}})
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	for name, c := range map[string]struct {
		fds            []byte
		message, where string
	}{
		"no such message": {good, "hotpb.raft.Nothing", "hotpb.raft.Nothing: is not a message"},
		"an enum":         {good, "hotpb.raft.MessageType", "is not a message"},
		"cut":             {good[:len(good)-1], "hotpb.raft.Message", "Truncated"},
		"no bytes":        {nil, "M", "is not a message"},
		"no such type": {file(func(f *descriptorpb.FileDescriptorProto) {
			f.MessageType[0].Field[0].Type = descriptorpb.FieldDescriptorProto_TYPE_MESSAGE.Enum()
			f.MessageType[0].Field[0].TypeName = proto.String(".N")
		}), "M", "M.f: its type \".N\""},
		"a bad number":     {file(func(f *descriptorpb.FileDescriptorProto) { f.MessageType[0].Field[0].Number = proto.Int32(0) }), "M", "M.f: 0 is not a field number"},
		"a bad oneof":      {file(func(f *descriptorpb.FileDescriptorProto) { f.MessageType[0].Field[0].OneofIndex = proto.Int32(3) }), "M", "M.f: its oneof 3"},
		"a syntax to come": {file(func(f *descriptorpb.FileDescriptorProto) { f.Syntax = proto.String("proto4") }), "M", "proto4"},
		"an edition to come": {file(func(f *descriptorpb.FileDescriptorProto) {
			f.Syntax, f.Edition = proto.String("editions"), descriptorpb.Edition_EDITION_99999_TEST_ONLY.Enum()
		}), "M", "edition 99999"},
		"a feature to come": {file(func(f *descriptorpb.FileDescriptorProto) {
			f.Syntax, f.Edition = proto.String("editions"), descriptorpb.Edition_EDITION_2023.Enum()
			f.MessageType[0].Field[0].Options = &descriptorpb.FieldOptions{Features: &descriptorpb.FeatureSet{
				FieldPresence: descriptorpb.FeatureSet_FieldPresence(9).Enum()}}
		}), "M", "M.f: the feature field_presence has the unknown value 9"},
		"one name twice": {file(func(f *descriptorpb.FileDescriptorProto) { f.MessageType = append(f.MessageType, f.MessageType[0]) }), "M", "two types"},
	} {
		s, err := schema.FromDescriptorSet(c.fds, c.message)
		if s != nil || !errors.Is(err, wire.InvalidSchema) || !strings.Contains(err.Error(), c.where) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// SCH-23. Work that grows with the square of a descriptor set's size would show: this is 3 MB of them.
func TestALargeDescriptorSetIsImportedInTime(t *testing.T) {
	const many = 20000
	f := &descriptorpb.FileDescriptorProto{Name: proto.String("a.proto"), Syntax: proto.String("proto2")}
	root := &descriptorpb.DescriptorProto{Name: proto.String("M")}
	for i := range int32(many) {
		name := fmt.Sprint("N", i)
		f.MessageType = append(f.MessageType, &descriptorpb.DescriptorProto{Name: &name})
		f.EnumType = append(f.EnumType, &descriptorpb.EnumDescriptorProto{Name: proto.String("E" + name),
			Value: []*descriptorpb.EnumValueDescriptorProto{{Name: proto.String("V" + name), Number: proto.Int32(1)}}})
		for j, kind := range []descriptorpb.FieldDescriptorProto_Type{descriptorpb.FieldDescriptorProto_TYPE_MESSAGE, descriptorpb.FieldDescriptorProto_TYPE_ENUM} {
			root.Field = append(root.Field, &descriptorpb.FieldDescriptorProto{Name: proto.String(fmt.Sprint("f", j, "_", i)),
				Number: proto.Int32(20000 + 3*i + int32(j)), Label: descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL.Enum(), Type: kind.Enum(),
				TypeName: proto.String([]string{".N", ".EN"}[j] + fmt.Sprint(i))})
		}
		root.ReservedRange = append(root.ReservedRange, &descriptorpb.DescriptorProto_ReservedRange{Start: proto.Int32(20002 + 3*i), End: proto.Int32(20003 + 3*i)})
	}
	f.MessageType = append(f.MessageType, root)
	fds, err := proto.Marshal(&descriptorpb.FileDescriptorSet{File: []*descriptorpb.FileDescriptorProto{f}})
	if err != nil {
		t.Fatal(err)
	}
	s, err := schema.FromDescriptorSet(fds, "M")
	if err != nil {
		t.Fatal(err)
	}
	p, err := s.Compile()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.NewRow().Unmarshal([]byte("\x82\xe2\x09\x00")); err != nil { // 20000
		t.Error(err)
	}
}
