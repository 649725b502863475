package gen

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/hotpb/hotpb/go/internal/gen/emit"
	"github.com/hotpb/hotpb/go/internal/gen/plan"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/known/timestamppb"
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
	extensible := func(file *descriptorpb.FileDescriptorProto) {
		file.MessageType[0].ExtensionRange = []*descriptorpb.DescriptorProto_ExtensionRange{{Start: new(int32), End: new(int32)}}
		*file.MessageType[0].ExtensionRange[0].Start, *file.MessageType[0].ExtensionRange[0].End = 100, 200
	}
	for want, edit := range map[string]func(*descriptorpb.FileDescriptorProto){
		"a.M.f: it has the option gogoproto.customtype, and gogo supports it only": inField(option(65003, "T")),
		"a.M.f: it has the option gogoproto.embed":                                 inField(option(65002, true)),
		"a.M.f: it has the option gogoproto.castrepeated":                          inField(option(65013, "T")),
		`a.M.f: it has the option gogoproto.casttype, and "T{}" is not a name`:     inField(option(65007, "T{}")),
		`a.M.f: it has the option gogoproto.casttype, and "list" is a name that`:   inField(option(65007, "list")),
		`a.M.f: it has the option gogoproto.customname, and "a.B" is not a name`:   inField(option(65004, "a.B")),
		"a.M: it has the option gogoproto.goproto_extensions_map": func(file *descriptorpb.FileDescriptorProto) {
			extensible(file)
			file.Options.ProtoReflect().SetUnknown(option(63025, false))
		},
		"a.M.f: it has the option gogoproto.nullable, and the face codec supports groups only": func(file *descriptorpb.FileDescriptorProto) {
			inField(option(65001, false))(file)
			field := file.MessageType[0].Field[0]
			field.Type, *field.TypeName = descriptorpb.FieldDescriptorProto_TYPE_GROUP.Enum(), ".a.M"
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
		"casttype": inField(option(65007, "example.com/t.T")), "not nullable": inField(option(65001, false)),
		"no option": nil, "nullable": inField(option(65001, true)), "jsontag": inField(option(65005, "f")),
		"another option": inField(option(50000, true)),
	} {
		if err := generateV1(t, "gogo", edit); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Go would give the outer message the fast methods of the embedded one.
func TestAMessageThatEmbedsOneWithFastMethodsMustHaveThem(t *testing.T) {
	p := planText(t, `name: "a.proto" package: "p" options { go_package: "example.com/p" }
		message_type { name: "Inner" }
		message_type { name: "Outer" field { name: "inner" number: 1 type: TYPE_MESSAGE type_name: ".p.Inner" label: LABEL_OPTIONAL } }`)
	generate := func(options string) error {
		_, err := generateOne(t, p, "faces=codec,"+options)
		return err
	}
	if err := generate("runtime=gogo,messages=p.Inner"); err != nil {
		t.Fatal(err)
	}
	file := &descriptorpb.FileDescriptorProto{}
	if err := prototext.Unmarshal([]byte(`name: "a.proto" package: "p" options { go_package: "example.com/p" }
		message_type { name: "Inner" }
		message_type { name: "Outer" field { name: "inner" number: 1 type: TYPE_MESSAGE type_name: ".p.Inner" label: LABEL_OPTIONAL options {} } }`), file); err != nil {
		t.Fatal(err)
	}
	file.MessageType[1].Field[0].Options.ProtoReflect().SetUnknown(option(65002, true))
	var err error
	if p, err = plan.Build([]*descriptorpb.FileDescriptorProto{file}, []string{"a.proto"}); err != nil {
		t.Fatal(err)
	}
	if err := generate("runtime=gogo,messages=p.Inner"); err == nil || !strings.Contains(err.Error(), "p.Outer.inner: it has the option gogoproto.embed") {
		t.Error(err)
	}
	for _, options := range []string{"runtime=gogo,messages=p.Outer", "runtime=gogo", "runtime=v1,messages=p.Inner"} {
		if err := generate(options); err != nil {
			t.Errorf("%s: %v", options, err)
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
		"faces=codec,runtime=v3":                              "option runtime=v3: google, v1, gogo, gogofast, gogofaster and gogoslick are allowed",
		"faces=pool,structs=value":                            "option structs=value: it works only with the face codec",
		"faces=codec,structs=value,runtime=v1":                "option structs=value: runtime=gogo, gogofast (the default)",
		"faces=codec,structs=value,runtime=google":            "option structs=value: runtime=gogo, gogofast (the default)",
		"faces=codec,structs=value,compat=csproto":            "option structs=value: it excludes compat=",
		"faces=codec,structs=value,filepermessage=true":       "option structs=value: it excludes compat=",
		"faces=codec,structs=value,protomethods=true":         "option protomethods=true: it works only",
		"faces=codec,structs=values":                          "option structs=values: value is allowed",
		"faces=view,runtime=v1":                               "option runtime=v1: it works only with the face codec",
		"faces=codec,runtime=v1,default_api_level=API_OPAQUE": "option runtime=v1: it excludes default_api_level=",
	} {
		if _, err := emit.ParseOptions(parameter); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", parameter, err, want)
		}
	}
}

// COD-109
func TestAStructOfGooglesIsNoValue(t *testing.T) {
	parameter := "faces=codec,structs=value"
	refused := func(options ...[]byte) error {
		o := &descriptorpb.FieldOptions{}
		o.ProtoReflect().SetUnknown(slices.Concat(options...))
		text := `name: "a.proto" package: "a" syntax: "proto3" options { go_package: "example.com/a" } dependency: "google/protobuf/timestamp.proto"
			message_type { name: "M" field { name: "f" number: 1 type: TYPE_MESSAGE type_name: ".google.protobuf.Timestamp" label: LABEL_OPTIONAL } }`
		file := new(descriptorpb.FileDescriptorProto)
		if err := prototext.Unmarshal([]byte(text), file); err != nil {
			t.Fatal(err)
		}
		file.MessageType[0].Field[0].Options = o
		known := protodesc.ToFileDescriptorProto(timestamppb.File_google_protobuf_timestamp_proto)
		p, err := plan.Build([]*descriptorpb.FileDescriptorProto{known, file}, []string{"a.proto"})
		if err != nil {
			t.Fatal(err)
		}
		_, err = generateOne(t, p, parameter)
		return err
	}
	byValue := option(65001, false)
	if err := refused(byValue); err == nil || !strings.Contains(err.Error(), "a.M.f: it has the option gogoproto.nullable, and a struct of google.golang.org/protobuf must not be copied") {
		t.Error(err)
	}
	if err := errors.Join(refused(), refused(byValue, option(65010, true))); err != nil {
		t.Error(err)
	}
	// The list of M options that gogo's users pass: with it the code did not compile.
	parameter += ",Mgoogle/protobuf/timestamp.proto=github.com/gogo/protobuf/types"
	if err := refused(); err == nil || !strings.Contains(err.Error(), "a.M.f: its type is in the package github.com/gogo/protobuf/types") ||
		!strings.Contains(err.Error(), "leave out Mgoogle/protobuf/timestamp.proto=") {
		t.Error(err)
	}
	if err := refused(option(65010, true)); err != nil { // time.Time
		t.Error(err)
	}
}
