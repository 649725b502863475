package gen

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/hotpb/hotpb/go/internal/gen/emit"
	"github.com/hotpb/hotpb/go/internal/gen/emit/codec"
	"github.com/hotpb/hotpb/go/internal/gen/plan"
	"github.com/hotpb/hotpb/go/rt/codec/google"
	"github.com/hotpb/hotpb/go/test/staletest"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
)

// COD-27, COD-65, COD-66.
// Structs and fast methods that are from two versions of a schema do not compile together, or fail with an error
// at the first use.
func TestFastMethodsOfAnotherSchemaThanTheirStructsLoseNothing(t *testing.T) {
	for _, f := range []staletest.Flavour{
		{Name: "open"},
		{Name: "hooked", Hot: ",protomethods=true,filepermessage=true"},
		{Name: "hybrid", Options: ",default_api_level=API_HYBRID"},
		{Name: "hybrid_opaque", Options: ",default_api_level=API_HYBRID", Tags: emit.OpaqueTag},
		{Name: "opaque", Options: ",default_api_level=API_OPAQUE"},
	} {
		if f.Name != "open" && f.Name != "opaque" && !staletest.Thorough() {
			continue
		}
		t.Run(f.Name, func(t *testing.T) {
			f.Module, f.Folder, f.Options = emit.RuntimePath+"/internal/gen", ".", "paths=source_relative"+f.Options
			f.Generator, f.Program = "google.golang.org/protobuf/cmd/protoc-gen-go", staletest.Google
			staletest.Run(t, f)
		})
	}
}

// The generator and the runtime describe a message in the same words, whatever the schema.
func TestGeneratorAndRuntimeDescribeMessagesAlike(t *testing.T) {
	sets, _ := filepath.Glob("../../../vectors/plans/*.fds")
	messages := 0
	for _, set := range sets {
		input := []byte(readFile(t, set))
		var files descriptorpb.FileDescriptorSet
		if err := proto.Unmarshal(input, &files); err != nil {
			t.Fatal(err)
		}
		for _, file := range files.File {
			neutralise(file.MessageType)
			for _, m := range file.MessageType {
				for _, oneof := range m.OneofDecl {
					oneof.Options = nil // the runtime takes no account of features there
				}
			}
			file.Extension = nil
		}
		neutral, err := proto.Marshal(&files)
		if err != nil {
			t.Fatal(err)
		}
		p, err := plan.FromDescriptorSet(neutral, nil)
		if err != nil {
			t.Fatal(err)
		}
		linked, err := protodesc.FileOptions{AllowUnresolvable: true}.NewFiles(&files)
		if err != nil {
			t.Fatalf("%s: %v", set, err)
		}
		for _, file := range p.AllFiles {
			for _, m := range file.Messages {
				d, err := linked.FindDescriptorByName(protoreflect.FullName(m.Name))
				if err != nil {
					t.Fatal(err)
				}
				messages++
				want := google.DescriptorLines(d.(protoreflect.MessageDescriptor))
				if got := codec.DescriptorLines(m); !slices.Equal(got, want) {
					t.Errorf("%s: %s\n%q\nthe runtime\n%q", set, m.Name, got, want)
				}
			}
		}
	}
	if messages < 100 {
		t.Errorf("only %d messages were compared", messages)
	}
}
