package gen

import (
	"os"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/hotpb/hotpb/go/internal/gen/emit"
	"github.com/hotpb/hotpb/go/internal/gen/plan"
)

const valueModule = "example.com/values"

// valueFiles are two packages, of which the second uses the first.
var valueFiles = []string{`
	name: "unit.proto" package: "unit" options { go_package: "example.com/values/unit" }
	enum_type { name: "Level" value { name: "LOW" number: 1 } value { name: "HIGH" number: -2 } }
	enum_type { name: "Bare" value { name: "BARE_ZERO" number: 0 } value { name: "BARE_ONE" number: 1 } }
	message_type { name: "Part" field { name: "id" number: 1 label: LABEL_OPTIONAL type: TYPE_INT32 } }
	message_type { name: "Choice"
		field { name: "id" number: 1 label: LABEL_OPTIONAL type: TYPE_INT32 oneof_index: 0 } oneof_decl { name: "one" }
		enum_type { name: "Kind" value { name: "PLAIN" number: 0 } } }
	message_type { name: "Picked" field { name: "other" number: 1 label: LABEL_OPTIONAL type: TYPE_INT32 oneof_index: 0 } oneof_decl { name: "one" } }`, `
	name: "main.proto" package: "whole" dependency: "unit.proto" public_dependency: 0 options { go_package: "example.com/values/whole" }
	message_type { name: "Whole"
		field { name: "part" number: 1 label: LABEL_OPTIONAL type: TYPE_MESSAGE type_name: ".unit.Part" }
		field { name: "parts" number: 2 label: LABEL_REPEATED type: TYPE_MESSAGE type_name: ".unit.Part" }
		field { name: "level" number: 3 label: LABEL_OPTIONAL type: TYPE_ENUM type_name: ".unit.Level" default_value: "HIGH" }
		field { name: "count" number: 4 label: LABEL_OPTIONAL type: TYPE_INT64 default_value: "-7" }
		field { name: "text" number: 5 label: LABEL_OPTIONAL type: TYPE_STRING default_value: "a\"b" }
		field { name: "raw" number: 6 label: LABEL_OPTIONAL type: TYPE_BYTES default_value: "\\001x" }
		field { name: "ratio" number: 7 label: LABEL_OPTIONAL type: TYPE_DOUBLE default_value: "-inf" }
		field { name: "on" number: 8 label: LABEL_OPTIONAL type: TYPE_BOOL default_value: "true" }
		field { name: "plain" number: 9 label: LABEL_OPTIONAL type: TYPE_ENUM type_name: ".unit.Level" } }
	message_type { name: "Rows"
		field { name: "row" number: 1 label: LABEL_REPEATED type: TYPE_GROUP type_name: ".whole.Rows.Row" }
		field { name: "by_id" number: 2 label: LABEL_REPEATED type: TYPE_MESSAGE type_name: ".whole.Rows.ByIdEntry" }
		nested_type { name: "Row" field { name: "text" number: 1 label: LABEL_REQUIRED type: TYPE_STRING } }
		nested_type { name: "ByIdEntry" options { map_entry: true }
			field { name: "key" number: 1 label: LABEL_OPTIONAL type: TYPE_INT32 }
			field { name: "value" number: 2 label: LABEL_OPTIONAL type: TYPE_MESSAGE type_name: ".whole.Rows.Row" } } }
	message_type { name: "Picked"
		field { name: "key" number: 1 label: LABEL_OPTIONAL type: TYPE_BYTES }
		field { name: "blob" number: 2 label: LABEL_OPTIONAL type: TYPE_BYTES oneof_index: 0 }
		field { name: "text" number: 3 label: LABEL_OPTIONAL type: TYPE_STRING oneof_index: 0 }
		field { name: "part" number: 4 label: LABEL_OPTIONAL type: TYPE_MESSAGE type_name: ".unit.Part" oneof_index: 0 }
		oneof_decl { name: "one" } }
	message_type { name: "PickedByRuntime"
		field { name: "key" number: 1 label: LABEL_OPTIONAL type: TYPE_BYTES }
		field { name: "blob" number: 2 label: LABEL_OPTIONAL type: TYPE_BYTES oneof_index: 0 }
		oneof_decl { name: "one" } }`}

// valueKey is a custom type whose zero value is nil.
const valueKey = `package unit

type Key []byte

func (k Key) Size() int                       { return len(k) }
func (k Key) MarshalTo(b []byte) (int, error) { return copy(b, k), nil }
func (k *Key) Unmarshal(b []byte) error {
	*k = append(Key(nil), b...) // nil for no bytes
	return nil
}
`

// valuesOutput generates valueFiles with options of gogo.
func valuesOutput(t *testing.T) []emit.Output {
	t.Helper()
	var files []*descriptorpb.FileDescriptorProto
	for _, text := range valueFiles {
		file := new(descriptorpb.FileDescriptorProto)
		if err := prototext.Unmarshal([]byte(text), file); err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	low, bare := new(descriptorpb.EnumValueOptions), new(descriptorpb.EnumOptions)
	low.ProtoReflect().SetUnknown(option(66001, "Least"))
	files[0].EnumType[0].Value[0].Options = low
	bare.ProtoReflect().SetUnknown(option(62001, false))
	files[0].EnumType[1].Options = bare
	tags, byValue := new(descriptorpb.FieldOptions), new(descriptorpb.FieldOptions)
	tags.ProtoReflect().SetUnknown(append(option(65005, "how_many"), option(65006, `yaml:"n"`)...))
	files[1].MessageType[0].Field[3].Options = tags
	byValue.ProtoReflect().SetUnknown(option(65001, false))
	files[1].MessageType[0].Field[1].Options = byValue
	files[1].MessageType[1].NestedType[0].Field[0].Options = byValue
	key, byMethod := new(descriptorpb.FieldOptions), new(descriptorpb.MessageOptions)
	key.ProtoReflect().SetUnknown(append(option(65001, false), option(65003, valueModule+"/unit.Key")...))
	files[1].MessageType[2].Field[0].Options = key
	files[1].MessageType[3].Field[0].Options = key
	byMethod.ProtoReflect().SetUnknown(option(64017, true)) // without Marshal of gogo's generator, its runtime writes the message
	files[1].MessageType[2].Options = byMethod
	p, err := plan.Build(files, []string{"unit.proto", "main.proto"})
	if err != nil {
		t.Fatal(err)
	}
	result, err := generateOne(t, p, "module="+valueModule+",faces=codec,structs=value,runtime=gogo")
	if err != nil {
		t.Fatal(err)
	}
	return append(result.Outputs, emit.Output{Name: "unit/key.go", Content: []byte(valueKey)})
}

// COD-100, COD-101, COD-104: the tests in testdata/value_test.txt run in the module of a user.
func TestStructsHaveTheOptionsAndDefaultsOfTheirSchema(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds packages")
	}
	tests, err := os.ReadFile("testdata/value_test.txt")
	if err != nil {
		t.Fatal(err)
	}
	outputs := append(valuesOutput(t), emit.Output{Name: "whole/whole_test.go", Content: tests})
	if message, err := inModule(t, valueModule, outputs, "test"); err != nil {
		t.Errorf("%v:\n%s", err, message)
	}
}

// COD-107: tables and lists do not know Go types, so that the compiler must compare the user's struct.
func TestAStructOfTheUsersThatDoesNotFitDoesNotCompile(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds packages")
	}
	file := new(descriptorpb.FileDescriptorProto)
	if err := prototext.Unmarshal([]byte(`
		name: "own.proto" package: "own" syntax: "proto3" options { go_package: "example.com/own" }
		message_type { name: "Own"
			field { name: "n" number: 1 label: LABEL_OPTIONAL type: TYPE_INT64 }
			field { name: "list" number: 2 label: LABEL_REPEATED type: TYPE_INT64 }
			field { name: "name" number: 3 label: LABEL_OPTIONAL type: TYPE_STRING }
			field { name: "raw" number: 4 label: LABEL_OPTIONAL type: TYPE_BYTES } }`), file); err != nil {
		t.Fatal(err)
	}
	options := new(descriptorpb.MessageOptions)
	options.ProtoReflect().SetUnknown(append(option(protowire.Number(plan.GogoTypeDecl), false), option(protowire.Number(plan.GogoGetters), false)...))
	file.MessageType[0].Options = options
	p, err := plan.Build([]*descriptorpb.FileDescriptorProto{file}, []string{"own.proto"})
	if err != nil {
		t.Fatal(err)
	}
	for _, tier := range []string{"hot", "cold"} {
		for declared, want := range map[string]string{
			"N int64; List []int64; Name string; Raw []byte; XXX_unrecognized []byte": "",
			"Raw []byte; XXX_unrecognized []byte; Extra int; base; List []int64":      "", // any order, and fields of embedded structs
			"N int32; List []int64; Name string; Raw []byte; XXX_unrecognized []byte": "cannot convert &m.N (value of type *int32) to type *int64",
			"N int64; List []int32; Name string; Raw []byte; XXX_unrecognized []byte": "cannot convert &m.List (value of type *[]int32) to type *[]int64",
			"N int64; List []int64; Name []byte; Raw []byte; XXX_unrecognized []byte": "cannot convert &m.Name (value of type *[]byte) to type *string",
			"N int64; List []int64; Name string; Raw string; XXX_unrecognized []byte": "cannot convert &m.Raw (value of type *string) to type *[]byte",
			"N int64; List []int64; Name string; Raw []byte; XXX_unrecognized string": "_or_set_goproto_unrecognized_to_false.XXX_unrecognized (value of type *string) to type *[]byte",
			"N int64; List []int64; Name string; Raw []byte":                          "add_XXX_unrecognized_to_Own_or_set_goproto_unrecognized_to_false.XXX_unrecognized undefined",
			"N int64; List []int64; Raw []byte; XXX_unrecognized []byte":              "Name",
		} {
			result, err := generateOne(t, p, "module=example.com/own,faces=codec,structs=value,"+tier+"=*")
			if err != nil {
				t.Fatal(err)
			}
			source := "package own\n\ntype base struct { N int64; Name string }\n\ntype Own struct {" + declared + "}\n"
			message, err := vetted(t, "example.com/own", append(result.Outputs, emit.Output{Name: "own.go", Content: []byte(source)}))
			if (err != nil) != (want != "") || !strings.Contains(message, want) {
				t.Errorf("%s, %s: %v\n%s\nwant %q", tier, declared, err, message, want)
			}
		}
	}
}
