package gen

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/hotpb/hotpb/go/internal/gen/emit"
	"github.com/hotpb/hotpb/go/internal/gen/plan"
	"github.com/hotpb/hotpb/go/internal/typecheck"
	"github.com/hotpb/hotpb/go/test/staletest"
)

const vtModule = "example.com/later"

// vtOptionsSchema has a field of each kind for the option unique, and messages in each other for ignore_unknown_fields.
const vtOptionsSchema = `name: "later.proto" package: "later" syntax: "proto3" options { go_package: "PACKAGE;later" }
	message_type { name: "Label" field { name: "name" number: 1 type: TYPE_STRING label: LABEL_OPTIONAL } field { name: "value" number: 2 type: TYPE_STRING label: LABEL_OPTIONAL } }
	message_type { name: "M"
		field { name: "foo" number: 1 type: TYPE_STRING label: LABEL_OPTIONAL }
		field { name: "bar" number: 2 type: TYPE_MESSAGE type_name: ".later.M.BarEntry" label: LABEL_REPEATED }
		field { name: "baz" number: 3 type: TYPE_MESSAGE type_name: ".later.M.BazEntry" label: LABEL_REPEATED }
		field { name: "both" number: 4 type: TYPE_MESSAGE type_name: ".later.M.BothEntry" label: LABEL_REPEATED }
		field { name: "many" number: 5 type: TYPE_STRING label: LABEL_REPEATED }
		field { name: "opt" number: 6 type: TYPE_STRING label: LABEL_OPTIONAL proto3_optional: true oneof_index: 1 }
		field { name: "pick" number: 7 type: TYPE_STRING label: LABEL_OPTIONAL oneof_index: 0 }
		field { name: "labels" number: 8 type: TYPE_MESSAGE type_name: ".later.Label" label: LABEL_REPEATED }
		field { name: "plain" number: 9 type: TYPE_STRING label: LABEL_OPTIONAL }
		field { name: "raw" number: 10 type: TYPE_BYTES label: LABEL_OPTIONAL }
		field { name: "number" number: 11 type: TYPE_INT32 label: LABEL_OPTIONAL }
		field { name: "more" number: 12 type: TYPE_INT32 label: LABEL_OPTIONAL }
		field { name: "most" number: 13 type: TYPE_INT32 label: LABEL_OPTIONAL }
		oneof_decl { name: "choice" } oneof_decl { name: "_opt" }
		nested_type { name: "BarEntry" options { map_entry: true } field { name: "key" number: 1 type: TYPE_STRING label: LABEL_OPTIONAL } field { name: "value" number: 2 type: TYPE_INT64 label: LABEL_OPTIONAL } }
		nested_type { name: "BazEntry" options { map_entry: true } field { name: "key" number: 1 type: TYPE_INT64 label: LABEL_OPTIONAL } field { name: "value" number: 2 type: TYPE_STRING label: LABEL_OPTIONAL } }
		nested_type { name: "BothEntry" options { map_entry: true } field { name: "key" number: 1 type: TYPE_STRING label: LABEL_OPTIONAL } field { name: "value" number: 2 type: TYPE_STRING label: LABEL_OPTIONAL } } }
	message_type { name: "Keep" field { name: "drop" number: 1 type: TYPE_MESSAGE type_name: ".later.Drop" label: LABEL_OPTIONAL } }
	message_type { name: "Drop"
		field { name: "foo" number: 1 type: TYPE_STRING label: LABEL_OPTIONAL }
		field { name: "child" number: 2 type: TYPE_MESSAGE type_name: ".later.Drop" label: LABEL_OPTIONAL }
		field { name: "keep" number: 3 type: TYPE_MESSAGE type_name: ".later.Keep" label: LABEL_OPTIONAL }
		field { name: "children" number: 4 type: TYPE_MESSAGE type_name: ".later.Drop" label: LABEL_REPEATED }
		field { name: "by_id" number: 5 type: TYPE_MESSAGE type_name: ".later.Drop.ByIdEntry" label: LABEL_REPEATED }
		field { name: "a" number: 6 type: TYPE_INT32 label: LABEL_OPTIONAL } field { name: "b" number: 7 type: TYPE_INT32 label: LABEL_OPTIONAL } field { name: "c" number: 8 type: TYPE_INT32 label: LABEL_OPTIONAL }
		nested_type { name: "ByIdEntry" options { map_entry: true } field { name: "key" number: 1 type: TYPE_INT32 label: LABEL_OPTIONAL }
			field { name: "value" number: 2 type: TYPE_MESSAGE type_name: ".later.Drop" label: LABEL_OPTIONAL } } }`

// The options of vtprotobuf later than 0.6.0: its own numbers.
var (
	isUnique       = append(option(64150, "\x08\x01"), option(64150, "")...) // in parts
	ignoresUnknown = option(64102, true)
)

// COD-84, COD-93: the tests in testdata/vtproto_test.txt run in the module of a user.
func TestOptionsOfLaterVtprotobufAreFollowed(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds packages")
	}
	tests, err := os.ReadFile("testdata/vtproto_test.txt")
	if err != nil {
		t.Fatal(err)
	}
	stock := filepath.Join(t.TempDir(), "protoc-gen-go")
	staletest.Build(t, stock, "google.golang.org/protobuf/cmd/protoc-gen-go")
	var outputs []emit.Output
	for name, c := range map[string]struct{ stock, hot string }{
		"open": {}, "cold": {"", ",cold=*"}, "pooled": {"", ",pool=**"}, "opaque": {"default_api_level=API_OPAQUE", ",default_api_level=API_OPAQUE"},
		"hybrid": {"default_api_level=API_HYBRID", ",default_api_level=API_HYBRID"},
		"named":  {"", ",ignoreUnknownFields=" + vtModule + "/named.{Drop,None}"},
	} {
		file := planFile(t, strings.ReplaceAll(vtOptionsSchema, "PACKAGE", vtModule+"/"+name))
		for _, generated := range staletest.Generate(t, stock, c.stock, file) {
			outputs = append(outputs, emit.Output{Name: name + "/" + path.Base(generated.Name), Content: []byte(generated.Content)})
		}
		file = proto.Clone(file).(*descriptorpb.FileDescriptorProto)
		if name != "named" {
			file.MessageType[3].Options = &descriptorpb.MessageOptions{}
			file.MessageType[3].Options.ProtoReflect().SetUnknown(ignoresUnknown)
		}
		for _, m := range file.MessageType[:2] {
			for _, field := range m.Field {
				if field.GetName() != "plain" {
					field.Options = &descriptorpb.FieldOptions{}
					field.Options.ProtoReflect().SetUnknown(isUnique)
				}
			}
		}
		p, err := plan.Build([]*descriptorpb.FileDescriptorProto{file}, []string{"later.proto"})
		if err != nil {
			t.Fatal(err)
		}
		result, err := generateOne(t, p, "faces=codec,compat=vtproto"+c.hot)
		if err != nil {
			t.Fatal(err)
		}
		for _, output := range result.Outputs {
			outputs = append(outputs, emit.Output{Name: name + "/" + path.Base(output.Name), Content: output.Content})
		}
		outputs = append(outputs, emit.Output{Name: name + "/later_test.go", Content: tests})
	}
	if message, err := inModule(t, vtModule, outputs, "test"); err != nil {
		t.Errorf("%v:\n%s", err, message)
	}
}

// In proto2, too, with extensions, groups, required fields and defaults.
func TestOptionsOfLaterVtprotobufCompileInProto2(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds protoc-gen-go")
	}
	stock := filepath.Join(t.TempDir(), "protoc-gen-go")
	staletest.Build(t, stock, "google.golang.org/protobuf/cmd/protoc-gen-go")
	checker := typecheck.New()
	for i, options := range []string{"", ",cold=*", ",hot=*", ",pool=**", ",default_api_level=API_OPAQUE", ",protomethods=true,filepermessage=true", ",features=clone", ",compat=csproto+vtproto"} {
		folder := fmt.Sprintf("example.com/later/p%d", i)
		file := planFile(t, fmt.Sprintf(`name: "a.proto" package: "p" syntax: "proto2" options { go_package: "%s;p" }
			message_type { name: "M" options {} extension_range { start: 100 end: 200 }
				field { name: "need" number: 1 type: TYPE_STRING label: LABEL_REQUIRED options {} }
				field { name: "with" number: 2 type: TYPE_STRING label: LABEL_OPTIONAL default_value: "d" options {} }
				field { name: "many" number: 3 type: TYPE_STRING label: LABEL_REPEATED options {} }
				field { name: "row" number: 4 type: TYPE_GROUP type_name: ".p.M.Row" label: LABEL_REPEATED options {} }
				field { name: "raw" number: 5 type: TYPE_BYTES label: LABEL_REPEATED options {} }
				field { name: "long" number: 3000 type: TYPE_STRING label: LABEL_REPEATED options {} }
				nested_type { name: "Row" options {} field { name: "text" number: 1 type: TYPE_STRING label: LABEL_OPTIONAL options {} } } }
			message_type { name: "Empty" options {} }
			message_type { name: "Open" options {} extension_range { start: 1 end: 536870912 } }`, folder))
		plain := proto.Clone(file).(*descriptorpb.FileDescriptorProto)
		messages := append(file.MessageType, file.MessageType[0].NestedType...)
		for _, m := range messages {
			m.Options.ProtoReflect().SetUnknown(ignoresUnknown)
			for _, field := range m.Field {
				field.Options.ProtoReflect().SetUnknown(isUnique)
			}
		}
		level := ""
		if strings.Contains(options, "API_OPAQUE") {
			level = "default_api_level=API_OPAQUE"
		}
		for _, generated := range staletest.Generate(t, stock, level, plain) {
			if err := checker.Add(folder, generated.Name, generated.Content); err != nil {
				t.Fatal(err)
			}
		}
		p, err := plan.Build([]*descriptorpb.FileDescriptorProto{file}, []string{"a.proto"})
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(options, "compat=") {
			options += ",compat=vtproto"
		}
		result, err := generateOne(t, p, "faces=codec"+options)
		if err != nil {
			t.Fatal(err)
		}
		for _, output := range result.Outputs {
			if err := checker.Add(folder, path.Base(output.Name), string(output.Content)); err != nil {
				t.Fatal(err)
			}
		}
		if problems, err := checker.Check(folder); err != nil || len(problems) > 0 {
			t.Errorf("%s: %v, %s", options, err, strings.Join(problems, "\n"))
		}
	}
}
