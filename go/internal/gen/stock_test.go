package gen

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/hotpb/hotpb/go/internal/gen/emit"
	"github.com/hotpb/hotpb/go/internal/gen/plan"
	"google.golang.org/protobuf/compiler/protogen"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/gofeaturespb"
	"google.golang.org/protobuf/types/pluginpb"
)

// The model of the stock struct is compared with protoc-gen-go's own library, for all schemas of the golden
// plans, the nasty ones among them.
func TestStockStructsHaveTheNamesOfProtocGenGo(t *testing.T) {
	sets, _ := filepath.Glob("../../../vectors/plans/*.fds")
	messages := 0
	for _, set := range sets {
		input, err := os.ReadFile(set)
		if err != nil {
			t.Fatal(err)
		}
		for _, level := range []string{"API_OPEN", "API_HYBRID", "API_OPAQUE"} {
			messages += compareWithProtogen(t, input, level)
		}
	}
	if messages < 100 {
		t.Errorf("only %d messages were compared", messages)
	}
}

// Names and features that meet: fields like methods of every message, and like each other's getters; oneofs like
// fields; wrappers like nested types; synthetic oneofs, which take their names.
func TestCollidingNamesAreThoseOfProtocGenGo(t *testing.T) {
	field := func(name string, number int32) *descriptorpb.FieldDescriptorProto {
		return &descriptorpb.FieldDescriptorProto{
			Name: &name, Number: &number, Type: descriptorpb.FieldDescriptorProto_TYPE_INT32.Enum(),
			Label: descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL.Enum(),
		}
	}
	member := func(f *descriptorpb.FieldDescriptorProto, index int32) *descriptorpb.FieldDescriptorProto {
		f.OneofIndex = &index
		return f
	}
	optional := func(f *descriptorpb.FieldDescriptorProto, index int32) *descriptorpb.FieldDescriptorProto {
		f.Proto3Optional = proto.Bool(true)
		return member(f, index)
	}
	oneof := func(name string) *descriptorpb.OneofDescriptorProto {
		return &descriptorpb.OneofDescriptorProto{Name: &name}
	}
	file := &descriptorpb.FileDescriptorProto{
		Name: proto.String("a.proto"), Package: proto.String("a"), Syntax: proto.String("proto3"),
		MessageType: []*descriptorpb.DescriptorProto{{
			Name:       proto.String("m"),
			NestedType: []*descriptorpb.DescriptorProto{{Name: proto.String("Inner")}},
			EnumType: []*descriptorpb.EnumDescriptorProto{{
				Name: proto.String("Other"), Value: []*descriptorpb.EnumValueDescriptorProto{{Name: proto.String("NONE"), Number: proto.Int32(0)}},
			}},
			Field: []*descriptorpb.FieldDescriptorProto{
				field("reset", 9), field("string", 2), field("get_x", 3), field("x", 4), field("get_string", 5),
				member(field("inner", 6), 0), member(field("other", 7), 0), field("size_hot", 11), field("Pick", 8), optional(field("late", 12), 1), field("late_x", 13),
				field("build", 14), field("marshal", 15), field("X_y", 16), field("_y", 17),
			},
			OneofDecl: []*descriptorpb.OneofDescriptorProto{oneof("pick"), oneof("_late")},
		}},
	}
	set, err := proto.Marshal(&descriptorpb.FileDescriptorSet{File: []*descriptorpb.FileDescriptorProto{file}})
	if err != nil {
		t.Fatal(err)
	}
	for _, level := range []string{"API_OPEN", "API_HYBRID", "API_OPAQUE"} {
		if n := compareWithProtogen(t, set, level); n != 2 {
			t.Errorf("%d messages were compared", n)
		}
	}
}

// compareWithProtogen compares all messages of a descriptor set, and counts them.
func compareWithProtogen(t *testing.T, input []byte, level string) (compared int) {
	t.Helper()
	p, err := plan.FromDescriptorSet(input, nil)
	if err != nil {
		t.Fatal(err)
	}
	var set descriptorpb.FileDescriptorSet
	if err := proto.Unmarshal(input, &set); err != nil {
		t.Fatal(err)
	}
	request := &pluginpb.CodeGeneratorRequest{ProtoFile: set.File}
	parameter := "default_api_level=" + level
	packages := ""
	for _, file := range set.File {
		request.FileToGenerate = append(request.FileToGenerate, file.GetName())
		packages += ",M" + file.GetName() + "=example.com/" + file.GetName()
		neutralise(file.MessageType)
		file.Extension = nil // some are of message sets, with numbers that no other message has
	}
	request.Parameter = proto.String(parameter + packages)
	stock, err := protogen.Options{}.New(request)
	if err != nil {
		t.Fatal(err)
	}
	byName := map[string]*protogen.Message{}
	called := map[protogen.GoIdent]int{}
	var add func(messages []*protogen.Message)
	add = func(messages []*protogen.Message) {
		for _, m := range messages {
			byName[string(m.Desc.FullName())] = m
			called[m.GoIdent]++
			add(m.Messages)
		}
	}
	for _, file := range stock.Files {
		add(file.Messages)
	}
	options, err := emit.ParseOptions("faces=codec," + parameter + packages)
	if err != nil {
		t.Fatal(err)
	}
	g := &emit.Generator{Plan: p, Options: options, Stock: true, Selected: &emit.Selection{All: true}, Packages: map[*plan.File]emit.GoPackage{},
		PackageNames: map[string]string{}, Names: map[string]*emit.Names{}, Warned: map[string]bool{}}
	if err := g.FindPackages(); err != nil {
		t.Fatal(err)
	}
	for _, file := range p.AllFiles {
		f := &emit.File{Plan: file, Options: options, Gen: g, In: g.Packages[file], Names: g.NamesOf(file), Imports: map[string]string{}}
		for _, m := range file.Messages {
			if want := byName[m.Name]; !m.MapEntry && want != nil && called[want.GoIdent] == 1 { // protoc-gen-go's code of two does not compile
				compared++
				compareMessage(t, emit.NewGoogleMessage(f, m), want)
			}
		}
	}
	return compared
}

// neutralise takes out what protogen refuses.
func neutralise(messages []*descriptorpb.DescriptorProto) {
	for _, m := range messages {
		if m.GetOptions().GetMessageSetWireFormat() {
			m.Options.MessageSetWireFormat = nil
			m.ExtensionRange = []*descriptorpb.DescriptorProto_ExtensionRange{{Start: proto.Int32(4), End: proto.Int32(1 << 29)}}
		}
		for _, field := range m.Field {
			field.DefaultValue = nil // of which some are out of range
		}
		m.Extension = nil
		neutralise(m.NestedType)
	}
}

func compareMessage(t *testing.T, got *emit.StockMessage, want *protogen.Message) {
	t.Helper()
	if got.Name != want.GoIdent.GoName {
		t.Errorf("%s is called %s, not %s", got.Name, want.GoIdent.GoName, got.Name)
	}
	if opaque := want.APILevel == gofeaturespb.GoFeatures_API_OPAQUE; opaque != got.Opaque {
		t.Errorf("%s: opaque is %v, not %v", got.Name, opaque, got.Opaque)
	}
	fields := map[int32]*protogen.Field{}
	for _, field := range want.Fields {
		fields[int32(field.Desc.Number())] = field
	}
	for _, field := range got.StockFields {
		expected := fields[field.Number]
		if field.GoName != expected.GoName {
			t.Errorf("%s.%s is called %s, not %s", got.Name, field.Name, expected.GoName, field.GoName)
		}
		if field.Oneof == nil {
			continue
		}
		wrapper := expected.GoIdent.GoName
		if got.Opaque {
			wrapper = string(wrapper[0]|0x20) + wrapper[1:]
		}
		if field.Wrapper != wrapper {
			t.Errorf("%s.%s has the wrapper %s, not %s", got.Name, field.Name, wrapper, field.Wrapper)
		}
		name := field.Oneof.StockSlot[len("m."):]
		if got.Opaque {
			name = name[len("xxx_hidden_"):]
		}
		if name != expected.Oneof.GoName || field.Oneof.Iface != "is"+got.Name+"_"+name {
			t.Errorf("the oneof of %s.%s is called %s, not %s", got.Name, field.Name, expected.Oneof.GoName, name)
		}
	}
}
