package gen

import (
	"strings"
	"testing"

	"github.com/hotpb/hotpb/go/internal/gen/emit"
	"github.com/hotpb/hotpb/go/internal/gen/plan"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/types/descriptorpb"
)

// generateV1 runs the face codec over a file with one message M, which edit may change.
func generateV1(t *testing.T, runtime string, edit func(*descriptorpb.FileDescriptorProto)) error {
	t.Helper()
	file := new(descriptorpb.FileDescriptorProto)
	text := `name: "a.proto" package: "a" options { go_package: "example.com/a" }
		enum_type { name: "E" value { name: "ZERO" number: 0 } }
		message_type { name: "M" field { name: "f" number: 1 type: TYPE_ENUM type_name: ".a.E" label: LABEL_OPTIONAL } }`
	if err := prototext.Unmarshal([]byte(text), file); err != nil {
		t.Fatal(err)
	}
	if edit != nil {
		edit(file)
	}
	p, err := plan.Build([]*descriptorpb.FileDescriptorProto{file}, []string{"a.proto"})
	if err != nil {
		t.Fatal(err)
	}
	_, err = generateOne(t, p, "faces=codec,runtime="+runtime)
	return err
}

// option returns the bytes of an extension of descriptor options that gogo.proto declares.
func option(number protowire.Number, value any) []byte {
	if text, is := value.(string); is {
		return protowire.AppendString(protowire.AppendTag(nil, number, protowire.BytesType), text)
	}
	return protowire.AppendVarint(protowire.AppendTag(nil, number, protowire.VarintType), protowire.EncodeBool(value.(bool)))
}

func TestCustomisationsOfGogoAreRefusedByName(t *testing.T) {
	inField := func(b []byte) func(*descriptorpb.FileDescriptorProto) {
		return func(file *descriptorpb.FileDescriptorProto) {
			options := &descriptorpb.FieldOptions{}
			options.ProtoReflect().SetUnknown(b)
			file.MessageType[0].Field[0].Options = options
		}
	}
	for want, edit := range map[string]func(*descriptorpb.FileDescriptorProto){
		"a.M.f: it has the option gogoproto.nullable":   inField(option(65001, false)),
		"a.M.f: it has the option gogoproto.customtype": inField(option(65003, "T")),
		"a.M.f: it has the option gogoproto.stdtime":    inField(option(65010, true)),
		"a.M: it has the option gogoproto.goproto_unrecognized": func(file *descriptorpb.FileDescriptorProto) {
			file.MessageType[0].Options = &descriptorpb.MessageOptions{}
			file.MessageType[0].Options.ProtoReflect().SetUnknown(option(64026, false))
		},
		"a.proto: it has the option gogoproto.goproto_extensions_map_all": func(file *descriptorpb.FileDescriptorProto) {
			file.Options.ProtoReflect().SetUnknown(option(63025, false))
		},
		"a.E: it has the option gogoproto.enum_customname": func(file *descriptorpb.FileDescriptorProto) {
			file.EnumType[0].Options = &descriptorpb.EnumOptions{}
			file.EnumType[0].Options.ProtoReflect().SetUnknown(option(62023, "Other"))
		},
	} {
		if err := generateV1(t, "gogo", edit); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	for name, edit := range map[string]func(*descriptorpb.FileDescriptorProto){
		"no option": nil, "nullable": inField(option(65001, true)), "jsontag": inField(option(65005, "f")),
		"another option": inField(option(50000, true)),
	} {
		if err := generateV1(t, "gogo", edit); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestWhatTheFirstRuntimesCannotDoIsRefused(t *testing.T) {
	editions := func(file *descriptorpb.FileDescriptorProto) {
		file.Syntax, file.Edition = new(string), descriptorpb.Edition_EDITION_2023.Enum()
		*file.Syntax = "editions"
	}
	optional := func(file *descriptorpb.FileDescriptorProto) {
		file.Syntax = new(string)
		*file.Syntax = "proto3"
		m := file.MessageType[0]
		m.OneofDecl = []*descriptorpb.OneofDescriptorProto{{Name: new(string)}}
		*m.OneofDecl[0].Name = "_f"
		m.Field[0].OneofIndex, m.Field[0].Proto3Optional = new(int32), new(bool)
		*m.Field[0].Proto3Optional = true
	}
	for _, runtime := range []string{"v1", "gogo"} {
		if err := generateV1(t, runtime, editions); err == nil || !strings.Contains(err.Error(), "runtime="+runtime+" does not support editions") {
			t.Error(err)
		}
		if err := generateV1(t, runtime, optional); err == nil || !strings.Contains(err.Error(), "does not support optional fields in proto3") {
			t.Error(err)
		}
	}
	if err := generateV1(t, "google", editions); err != nil {
		t.Error(err)
	}
}

func TestRuntimeIsAnOptionOfTheCodecOnly(t *testing.T) {
	for parameter, want := range map[string]string{
		"faces=codec,runtime=v3":                              "option runtime=v3: google, v1 and gogo are allowed",
		"faces=view,runtime=v1":                               "option runtime=v1: it works only with the face codec",
		"faces=codec,runtime=v1,default_api_level=API_OPAQUE": "option runtime=v1: it excludes default_api_level=",
	} {
		if _, err := emit.ParseOptions(parameter); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", parameter, err, want)
		}
	}
}
