package vtproto

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/planetscale/vtprotobuf/vtproto"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"

	_ "github.com/hotpb/hotpb/go/internal/gen"
	"github.com/hotpb/hotpb/go/internal/gen/emit"
	"github.com/hotpb/hotpb/go/internal/gen/plan"
)

// laterOptions are the options of vtprotobuf in commit ba97887 of March 2025, which has no release: its numbers, described again.
const laterOptions = `name: "later/options.proto" package: "vtproto" syntax: "proto2" dependency: "google/protobuf/descriptor.proto"
	extension { name: "mempool" number: 64101 extendee: ".google.protobuf.MessageOptions" type: TYPE_BOOL label: LABEL_OPTIONAL }
	extension { name: "ignore_unknown_fields" number: 64102 extendee: ".google.protobuf.MessageOptions" type: TYPE_BOOL label: LABEL_OPTIONAL }
	extension { name: "options" number: 64150 extendee: ".google.protobuf.FieldOptions" type: TYPE_MESSAGE type_name: ".vtproto.Opts" label: LABEL_OPTIONAL }
	message_type { name: "Opts" field { name: "unique" number: 1 type: TYPE_BOOL label: LABEL_OPTIONAL } }`

// followed are the options on which generated code depends. There is none without effect.
var followed = []string{"mempool", "ignore_unknown_fields", "options.unique"}

// Every option that vtprotobuf has for a .proto changes the generated code, and the guide names it.
func TestEveryOptionOfVtprotobufInASchemaIsFollowed(t *testing.T) {
	text := new(descriptorpb.FileDescriptorProto)
	if err := prototext.Unmarshal([]byte(laterOptions), text); err != nil {
		t.Fatal(err)
	}
	later, err := protodesc.NewFile(text, protoregistry.GlobalFiles)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, file := range []protoreflect.FileDescriptor{vtproto.File_github_com_planetscale_vtprotobuf_vtproto_ext_proto, later} {
		for i := range file.Extensions().Len() {
			extension := file.Extensions().Get(i)
			name, tag := string(extension.Name()), func(kind protowire.Type) []byte { return protowire.AppendTag(nil, extension.Number(), kind) }
			if extension.Kind() == protoreflect.BoolKind {
				expectFollowed(t, extension, name, protowire.AppendVarint(tag(protowire.VarintType), 1))
				found[name] = true
				continue
			}
			for j := range extension.Message().Fields().Len() {
				field := extension.Message().Fields().Get(j)
				if field.Kind() != protoreflect.BoolKind {
					t.Errorf("%s has the type %s", field.FullName(), field.Kind())
				}
				value := protowire.AppendVarint(protowire.AppendTag(nil, field.Number(), protowire.VarintType), 1)
				expectFollowed(t, extension, name+"."+string(field.Name()), protowire.AppendBytes(tag(protowire.BytesType), value))
				found[name+"."+string(field.Name())] = true
			}
		}
	}
	for _, name := range followed {
		if !found[name] {
			t.Errorf("vtprotobuf has no option %s", name)
		}
	}
}

func expectFollowed(t *testing.T, extension protoreflect.ExtensionDescriptor, name string, option []byte) {
	t.Helper()
	known := false
	for _, option := range followed {
		known = known || option == name
	}
	if !known {
		t.Errorf("vtprotobuf has the option %s, of which nothing is known here", name)
	}
	generate := func(option []byte) string {
		text := `name: "a.proto" package: "p" syntax: "proto3" options { go_package: "example.com/p" }
			message_type { name: "M" options {} field { name: "s" number: 1 type: TYPE_STRING label: LABEL_OPTIONAL options {} } }`
		file := new(descriptorpb.FileDescriptorProto)
		if err := prototext.Unmarshal([]byte(text), file); err != nil {
			t.Fatal(err)
		}
		elements := map[protoreflect.FullName]proto.Message{"google.protobuf.MessageOptions": file.MessageType[0].Options, "google.protobuf.FieldOptions": file.MessageType[0].Field[0].Options}
		element := elements[extension.ContainingMessage().FullName()]
		if element == nil {
			t.Fatalf("%s is an option of %s", name, extension.ContainingMessage().FullName())
		}
		element.ProtoReflect().SetUnknown(option)
		p, err := plan.Build([]*descriptorpb.FileDescriptorProto{file}, []string{"a.proto"})
		if err != nil {
			t.Fatal(err)
		}
		options, err := emit.ParseOptions("faces=codec,compat=vtproto")
		if err != nil {
			t.Fatal(err)
		}
		result, err := emit.Generate(p, options)
		if err != nil {
			t.Fatal(err)
		}
		return string(result.Outputs[0].Content)
	}
	if generate(nil) == generate(option) {
		t.Errorf("the option %s changes nothing", name)
	}
	guide(t, "vtproto."+strings.TrimSuffix(name, ".unique"))
}

// guide expects the guide to name an option.
func guide(t *testing.T, name string) {
	t.Helper()
	text, err := os.ReadFile("../../../docs/migrate-from-vtprotobuf.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), name) {
		t.Errorf("the guide does not name %s", name)
	}
}

// flags are the options of vtprotobuf's generator, each with a value: in release 0.6.0, and later ones.
var flags = map[string]string{
	"pool": "example.com/p.M", "pool-exclude": "example.com/p.M", "features": "all", "ignoreUnknownFields": "example.com/p.M",
	"wrap": "refused", "buildTag": "refused", "allow-empty": "refused",
}

// Every option of its generator is one here, too, or refused with advice.
func TestEveryOptionOfVtprotobufsGeneratorIsFollowedOrRefused(t *testing.T) {
	module, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/planetscale/vtprotobuf").Output()
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(module)), "cmd/protoc-gen-go-vtproto/main.go"))
	if err != nil {
		t.Fatal(err)
	}
	declared := regexp.MustCompile(`f\.\w*Var\(&[\w.]+, "([\w-]+)"`).FindAllSubmatch(source, -1)
	if len(declared) < 6 {
		t.Errorf("only %d options were found", len(declared))
	}
	for _, flag := range declared {
		if flags[string(flag[1])] == "" {
			t.Errorf("vtprotobuf's generator has the option %s, of which nothing is known here", flag[1])
		}
	}
	for name, value := range flags {
		_, err := emit.ParseOptions(fmt.Sprintf("faces=codec,compat=vtproto,%s=%s", name, value))
		switch {
		case value != "refused" && err != nil:
			t.Error(err)
		case value == "refused" && (err == nil || !strings.Contains(err.Error(), "option "+name+"=refused: an option of vtprotobuf's generator; leave it out")):
			t.Errorf("%s: %v", name, err)
		}
		guide(t, name)
	}
}
