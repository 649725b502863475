package gen

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hotpb/hotpb/go/internal/gen/emit"
	"github.com/hotpb/hotpb/go/internal/gen/emit/codec"
	"github.com/hotpb/hotpb/go/internal/gen/plan"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/types/descriptorpb"
)

const namesOfMethods = `name: "a.proto" package: "p" options { go_package: "example.com/p" }
	message_type { name: "Plain" }
	message_type { name: "Field" field { name: "size" number: 1 type: TYPE_INT32 label: LABEL_OPTIONAL }
		field { name: "marshal_to" number: 2 type: TYPE_INT32 label: LABEL_OPTIONAL }
		field { name: "marshal" number: 3 type: TYPE_INT32 label: LABEL_OPTIONAL } }
	message_type { name: "Oneof" oneof_decl { name: "size" } nested_type { name: "Unmarshal" }
		field { name: "unmarshal" number: 1 type: TYPE_INT32 label: LABEL_OPTIONAL oneof_index: 0 }
		field { name: "marshal_to" number: 2 type: TYPE_INT32 label: LABEL_OPTIONAL oneof_index: 0 } }
	message_type { name: "Set" options { message_set_wire_format: true } extension_range { start: 4 end: 2147483647 } }`

// methodsOfCsproto returns the methods of csproto's that files declare for a message.
func methodsOfCsproto(t *testing.T, outputs []emit.Output, message string) string {
	t.Helper()
	var found []string
	for _, output := range outputs {
		code, err := parser.ParseFile(token.NewFileSet(), output.Name, output.Content, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, declaration := range code.Decls {
			f, isFunc := declaration.(*ast.FuncDecl)
			if !isFunc || f.Recv == nil || f.Recv.List[0].Type.(*ast.StarExpr).X.(*ast.Ident).Name != message {
				continue
			}
			if slices.ContainsFunc(codec.CompatMethods, func(m codec.CompatMethod) bool { return m.Name == f.Name.Name }) {
				found = append(found, f.Name.Name)
			}
		}
	}
	return strings.Join(found, " ")
}

// COD-61
func TestMethodsOfCsprotoGiveWayToFieldsAndTheRuntime(t *testing.T) {
	const all = "Size Marshal MarshalTo Unmarshal"
	for options, want := range map[string]map[string]string{
		"":                              {"Plain": all, "Field": "Marshal Unmarshal", "Oneof": "Marshal MarshalTo Unmarshal", "Oneof_Unmarshal": all, "Set": all},
		",default_api_level=API_OPAQUE": {"Plain": all, "Field": all, "Oneof": all, "Set": all},
		",runtime=v1":                   {"Plain": all, "Field": "Marshal Unmarshal", "Oneof": "Marshal MarshalTo Unmarshal", "Set": ""},
		// gogo's generator calls the fields Size_ and MarshalTo_.
		",runtime=gogo": {"Plain": all, "Field": all, "Oneof": all, "Set": ""},
	} {
		result, err := generateOne(t, planText(t, namesOfMethods), "faces=codec,compat=csproto"+options)
		if err != nil {
			t.Fatal(err)
		}
		for message, methods := range want {
			if got := methodsOfCsproto(t, result.Outputs, message); got != methods {
				t.Errorf("%s: %s has %q, not %q", options, message, got, methods)
			}
			left := 4 - len(strings.Fields(methods))
			comment := "// " + message + " lacks csproto's "
			if n := strings.Count(string(result.Outputs[0].Content), comment); n != left {
				t.Errorf("%s: the comments name %[4]d of the %[2]d methods that %[3]s lacks", options, left, message, n)
			}
		}
	}
}

// COD-61
func TestHybridMessagesHaveTheSameMethodsOfCsprotoWithBothTags(t *testing.T) {
	result, err := generateOne(t, planText(t, namesOfMethods), "faces=codec,compat=csproto,default_api_level=API_HYBRID")
	if err != nil || len(result.Outputs) != 2 {
		t.Fatalf("%v, %d files", err, len(result.Outputs))
	}
	for _, message := range []string{"Plain", "Field", "Oneof"} {
		open, opaque := methodsOfCsproto(t, result.Outputs[:1], message), methodsOfCsproto(t, result.Outputs[1:], message)
		if open != opaque || open == "" {
			t.Errorf("%s has %q in one and %q in the other", message, open, opaque)
		}
	}
}

func TestWithoutTheOptionThereAreNoMethodsOfCsproto(t *testing.T) {
	result, err := generateOne(t, planText(t, namesOfMethods), "faces=codec")
	if err != nil {
		t.Fatal(err)
	}
	if got := methodsOfCsproto(t, result.Outputs, "Plain"); got != "" || len(result.Warnings) != 0 {
		t.Errorf("there are %q; warnings %q", got, result.Warnings)
	}
}

// COD-61
func TestMethodsThatGogosOptionsAddAreLeftToThem(t *testing.T) {
	in := func(file, message []byte) *plan.Plan {
		p := &descriptorpb.FileDescriptorProto{Name: new(string), Options: &descriptorpb.FileOptions{GoPackage: new(string)}}
		*p.Name, *p.Options.GoPackage = "a.proto", "example.com/a"
		name, field := "M", "size"
		p.MessageType = []*descriptorpb.DescriptorProto{{Name: &name, Options: &descriptorpb.MessageOptions{}, Field: []*descriptorpb.FieldDescriptorProto{{
			Name: &field, Number: new(int32), Type: descriptorpb.FieldDescriptorProto_TYPE_INT32.Enum(), Label: descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL.Enum(),
		}}}}
		*p.MessageType[0].Field[0].Number = 1
		p.Options.ProtoReflect().SetUnknown(file)
		p.MessageType[0].Options.ProtoReflect().SetUnknown(message)
		built, err := plan.Build([]*descriptorpb.FileDescriptorProto{p}, []string{"a.proto"})
		if err != nil {
			t.Fatal(err)
		}
		return built
	}
	and := func(options ...[]byte) []byte { return slices.Concat(options...) }
	for _, c := range []struct {
		file, message []byte
		want, field   string
	}{
		{nil, nil, "Size Marshal MarshalTo Unmarshal", "m.Size_ "},
		{and(option(63017, true), option(63020, true)), nil, "Unmarshal", "m.Size_ "}, // marshaler_all, sizer_all
		{option(63017, true), option(64017, false), "Size Marshal MarshalTo Unmarshal", "m.Size_ "},
		{nil, and(option(64023, true), option(64018, true)), "Size", "m.Size_ "}, // unsafe_marshaler, unmarshaler
		{option(63024, true), nil, "Size Marshal MarshalTo", "m.Size_ "},         // unsafe_unmarshaler_all
		{nil, option(64028, true), "Marshal MarshalTo Unmarshal", "m.Size "},     // protosizer: the field is called Size
		{protowire.AppendVarint(protowire.AppendTag(nil, 64017, protowire.Fixed32Type), 1), nil, "Size Marshal MarshalTo Unmarshal", "m.Size_ "},
	} {
		result, err := generateOne(t, in(c.file, c.message), "faces=codec,runtime=gogo,compat=csproto")
		if err != nil {
			t.Fatal(err)
		}
		if got := methodsOfCsproto(t, result.Outputs, "M"); got != c.want {
			t.Errorf("with %x and %x there are %q, not %q", c.file, c.message, got, c.want)
		}
		if !strings.Contains(string(result.Outputs[0].Content), c.field) {
			t.Errorf("with %x and %x no %s", c.file, c.message, c.field)
		}
	}
}

// COD-61. Each field with the name of a method costs that method and no other one.
func TestAFieldCostsOneMethodOfCsproto(t *testing.T) {
	for name, want := range map[string]string{
		"size":       "Marshal MarshalTo Unmarshal",
		"marshal_to": "Size Marshal Unmarshal",
		"marshal":    "Size Marshal MarshalTo Unmarshal", // the struct has Marshal_
		"unmarshal":  "Size Marshal MarshalTo Unmarshal",
	} {
		schema := fmt.Sprintf(`name: "a.proto" package: "p" options { go_package: "example.com/p" }
			message_type { name: "M" field { name: %q number: 1 type: TYPE_INT32 label: LABEL_OPTIONAL } }`, name)
		result, err := generateOne(t, planText(t, schema), "faces=codec,compat=csproto")
		if err != nil {
			t.Fatal(err)
		}
		if got := methodsOfCsproto(t, result.Outputs, "M"); got != want {
			t.Errorf("with a field %s there are %q, not %q", name, got, want)
		}
	}
}

// COD-96
func TestFieldsWithSpecialNamesEndInAnUnderscore(t *testing.T) {
	const schema = `name: "a.proto" package: "p" options { go_package: "example.com/p" }
		message_type { name: "M" field { name: "size" number: 1 type: TYPE_INT32 label: LABEL_OPTIONAL }
			field { name: "bits" number: 2 type: TYPE_INT32 label: LABEL_OPTIONAL }
			field { name: "marshal_to" number: 3 type: TYPE_STRING label: LABEL_OPTIONAL oneof_index: 0 }
			oneof_decl { name: "one_of" } }`
	const all = "Size Marshal MarshalTo Unmarshal"
	for options, want := range map[string]struct{ methods, fields string }{
		"":                       {"Marshal MarshalTo Unmarshal", "Size Bits OneOf M_MarshalTo"},
		",specialname=Size":      {all, "Size_ Bits OneOf M_MarshalTo"},
		",specialname=Size+Bits": {all, "Size_ Bits_ OneOf M_MarshalTo"},
		",specialname=Size,specialname=MarshalTo+OneOf":  {all, "Size_ Bits OneOf_ M_MarshalTo_"},
		",runtime=v1,specialname=Size":                   {all, "Size_ Bits OneOf M_MarshalTo"},
		",runtime=gogo":                                  {all, "Size_ Bits OneOf M_MarshalTo_"},
		",runtime=gogo,specialname=Size+MarshalTo":       {all, "Size_ Bits OneOf M_MarshalTo_"}, // says the same again
		",default_api_level=API_OPAQUE,specialname=Size": {all, "xxx_hidden_Size xxx_hidden_Bits xxx_hidden_OneOf m_MarshalTo"},
	} {
		result, err := generateOne(t, planText(t, schema), "faces=codec,compat=csproto"+options)
		if err != nil {
			t.Fatal(err)
		}
		if got := methodsOfCsproto(t, result.Outputs, "M"); got != want.methods {
			t.Errorf("%s: there are %q, not %q", options, got, want.methods)
		}
		code := string(result.Outputs[0].Content)
		for _, name := range strings.Fields(want.fields) {
			if !regexp.MustCompile(`\b`+name+`\b`).MatchString(code) || regexp.MustCompile(`\b`+name+`_\b`).MatchString(code) {
				t.Errorf("%s: no %s", options, name)
			}
		}
	}
}

// COD-61
func TestMethodsThatGogosGeneratorsAddAreLeftToThem(t *testing.T) {
	for runtime, want := range map[string]string{"gogo": "Size Marshal MarshalTo Unmarshal", "gogofast": "", "gogofaster": "", "gogoslick": ""} {
		result, err := generateOne(t, planText(t, namesOfMethods), "faces=codec,compat=csproto,runtime="+runtime)
		if err != nil {
			t.Fatal(err)
		}
		if got := methodsOfCsproto(t, result.Outputs, "Plain"); got != want {
			t.Errorf("%s: %q, not %q", runtime, got, want)
		}
	}
}

func TestTheOptionsOfTheCodecAreRefusedWithoutIt(t *testing.T) {
	for options, want := range map[string]string{
		"faces=view,compat=csproto":          "codec",
		"faces=codec,compat=vtprotobuf":      "csproto and vtproto are allowed",
		"faces=codec,compat=csproto+csproto": "csproto and vtproto are allowed",
		"faces=view,filepermessage=true":     "codec",
		"faces=codec,filepermessage=1":       "true and false",
		"faces=codec,filepermessage":         "a value",
		"filepermessage=true,faces=pool":     "codec",
		"compat=csproto,compat=csproto":      "twice",
		"faces=codec,filepermessages=false":  "no such option",
		"faces=pool,specialname=Size":        "codec",
		"faces=codec,specialname=size":       "Go names",
		"faces=codec,specialname=A+":         "Go names",
		"faces=codec,specialname":            "a value",
	} {
		if _, err := emit.ParseOptions(options); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", options, err)
		}
	}
}

// csproto has no options for a .proto. Those of its generator, protoc-gen-fastmarshal, are followed or refused with advice, and in the guide.
func TestEveryOptionOfCsprotosGeneratorIsFollowedOrRefused(t *testing.T) {
	guide := readFile(t, "../../../docs/migrate-from-csproto.md")
	for option, want := range map[string]string{
		"filepermessage=true":     "",
		"specialname=Size":        "",
		"apiversion=v1":           "option apiversion=v1: an option of csproto's generator; in place of v1 write runtime=v1",
		"apiversion=v2":           "leave out v2",
		"enableunsafedecode=true": "an option of csproto's generator; leave it out, and pass codec.UnmarshalOptions{Alias: true}",
		"paths=source_relative":   "",
		"module=example.com/you":  "",
	} {
		_, err := emit.ParseOptions("faces=codec,compat=csproto," + option)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", option, err, want)
		}
		if name, _, _ := strings.Cut(option, "="); !strings.Contains(guide, name) {
			t.Errorf("the guide does not name %s", name)
		}
	}
}
