//go:build random

package gen

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/pluginpb"

	"github.com/hotpb/hotpb/go/internal/gen/plan"
)

const randomCodecTest = `package random

import (
	"testing"

	"github.com/hotpb/hotpb/go/internal/codectest"
)

func TestDecode(t *testing.T) {
	for _, name := range codectest.Names() {
		codectest.Random(t, name, 60)
	}
}

func TestEncode(t *testing.T) { codectest.RandomEncodes(t, 20) }
`

// Random schemas, and random messages of them, good and damaged: the fast methods of stock structs against the runtime.
// The stock structs are made by protoc-gen-go of go.mod; the packages stand in this module, for as long as it takes.
func TestFastMethodsOfRandomSchemasDoWhatTheRuntimeDoes(t *testing.T) {
	stock := filepath.Join(t.TempDir(), "protoc-gen-go")
	if output, err := exec.Command("go", "build", "-o", stock, "google.golang.org/protobuf/cmd/protoc-gen-go").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, output)
	}
	seed := uint64(0)
	for _, syntax := range []string{"proto3", "proto2", "editions"} {
		for _, level := range []string{"API_OPEN", "API_OPAQUE"} {
			seed++
			t.Run(syntax+" "+level, func(t *testing.T) {
				s := schema{rand.New(rand.NewPCG(seed, 2)), syntax}
				file := s.file(20)
				folder, err := os.MkdirTemp("../testgen", "random")
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { os.RemoveAll(folder) })
				name := filepath.Base(folder)
				file.Options.GoPackage = proto.String(runtimePath + "/internal/testgen/" + name + ";random")
				parameter := "module=" + runtimePath + "/internal/testgen/" + name + ",default_api_level=" + level
				outputs := stockOutputs(t, stock, file, parameter)
				p, err := plan.Build([]*descriptorpb.FileDescriptorProto{file}, []string{"random.proto"})
				if err != nil {
					t.Fatal(err)
				}
				result, err := generateOne(t, p, parameter+",faces=codec")
				if err != nil {
					t.Fatal(err)
				}
				outputs = append(outputs, result.Outputs...)
				if err := write(folder, append(outputs, Output{"random_test.go", []byte(randomCodecTest)})); err != nil {
					t.Fatal(err)
				}
				if output, err := exec.Command("go", "test", "./"+folder).CombinedOutput(); err != nil {
					t.Fatalf("%v:\n%s", err, output[:min(len(output), 4000)])
				}
			})
		}
	}
}

// stockOutputs are the files that protoc-gen-go writes.
func stockOutputs(t *testing.T, stock string, file *descriptorpb.FileDescriptorProto, parameter string) (outputs []Output) {
	t.Helper()
	input, err := proto.Marshal(&pluginpb.CodeGeneratorRequest{
		FileToGenerate: []string{file.GetName()}, Parameter: &parameter, ProtoFile: []*descriptorpb.FileDescriptorProto{file},
	})
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command(stock)
	command.Stdin = bytes.NewReader(input)
	output, err := command.Output()
	response := new(pluginpb.CodeGeneratorResponse)
	if err == nil {
		err = proto.Unmarshal(output, response)
	}
	if err == nil && response.Error != nil {
		err = fmt.Errorf("protoc-gen-go: %s", response.GetError())
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range response.File {
		outputs = append(outputs, Output{file.GetName(), []byte(file.GetContent())})
	}
	return outputs
}
