//go:build random

package gen

import (
	"bytes"
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/hotpb/hotpb/go/internal/gen/emit"
	"github.com/hotpb/hotpb/go/internal/gen/plan"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/pluginpb"
)

const randomCodecTest = `package random

import (
	"testing"

	"github.com/hotpb/hotpb/go/test/codectest"
)

func TestDecode(t *testing.T) {
	for _, name := range codectest.Names() {
		codectest.Random(t, name, 60)
	}
}

func TestEncode(t *testing.T) { codectest.RandomEncodes(t, 20) }
`

// With protomethods=true the runtime's own calls take the fast code.
const randomHookedTest = `package random

import (
	"testing"

	"github.com/hotpb/hotpb/go/test/codectest"
)

func TestHooked(t *testing.T) { codectest.Hooked(t, 40) }
`

// Random schemas, and random messages of them, good and damaged: the fast methods of stock structs against the runtime.
// protoc-gen-go of go.mod generates the stock structs; the packages are in this module while the test runs.
// The environment variable RANDOM_SEED makes other schemas.
func TestFastMethodsOfRandomSchemasDoWhatTheRuntimeDoes(t *testing.T) {
	stock := buildStock(t)
	for n, c := range []struct {
		syntax, level, options string
		tags                   string // to build with
	}{
		{"proto3", "API_OPEN", "", ""},
		{"proto3", "API_OPAQUE", "", ""},
		{"proto2", "API_OPEN", "", ""},
		{"proto2", "API_OPAQUE", "", ""},
		{"editions", "API_OPEN", "", ""},
		{"editions", "API_OPAQUE", "", ""},
		{"proto2", "API_HYBRID", "", ""},
		{"editions", "API_HYBRID", "", "protoopaque"},
		{"proto3", "API_OPAQUE", ",protomethods=true", ""},
		{"proto2", "API_OPEN", ",protomethods=true", ""},
		{"editions", "API_OPAQUE", ",protomethods=true", ""},
	} {
		t.Run(c.syntax+" "+c.level+c.options, func(t *testing.T) {
			s := schema{rand.New(rand.NewPCG(uint64(n)+randomSeed(t), 2)), c.syntax}
			file := s.file(20)
			s.enrich(file)
			if n%2 == 1 && c.syntax == "editions" {
				file.Edition = descriptorpb.Edition_EDITION_2024.Enum()
			}
			folder, parameter := randomPackage(t, file)
			parameter += ",default_api_level=" + c.level
			test := randomCodecTest
			if c.options != "" {
				test = randomHookedTest
			}
			hot := parameter + ",faces=codec" + c.options
			if n%2 == 0 { // which must change nothing
				hot += ",compat=csproto+vtproto,pool=**,filepermessage=true"
			}
			outputs := append(stockOutputs(t, stock, file, parameter), hotOutputs(t, file, hot)...)
			testRandom(t, folder, append(outputs, emit.Output{Name: "random_test.go", Content: []byte(test)}), c.tags)
		})
	}
}

// randomSeed is where the random schemas start.
func randomSeed(t *testing.T) uint64 {
	t.Helper()
	seed, err := strconv.ParseUint(cmp.Or(os.Getenv("RANDOM_SEED"), "1"), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return seed
}

// buildStock builds protoc-gen-go.
func buildStock(t *testing.T) (program string) {
	t.Helper()
	program = filepath.Join(t.TempDir(), "protoc-gen-go")
	if output, err := exec.Command("go", "build", "-o", program, "google.golang.org/protobuf/cmd/protoc-gen-go").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, output)
	}
	return program
}

// randomPackage makes a folder in this module for a file's package, and the parameter that the generators need for it.
func randomPackage(t *testing.T, file *descriptorpb.FileDescriptorProto) (folder, parameter string) {
	t.Helper()
	folder, err := os.MkdirTemp("../testgen", "random")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	path := emit.RuntimePath + "/internal/testgen/" + filepath.Base(folder)
	file.Options.GoPackage = proto.String(path + ";random")
	return folder, "module=" + path
}

// hotOutputs are the files that our generator writes.
func hotOutputs(t *testing.T, file *descriptorpb.FileDescriptorProto, parameter string) []emit.Output {
	t.Helper()
	p, err := plan.Build([]*descriptorpb.FileDescriptorProto{file}, []string{file.GetName()})
	if err != nil {
		t.Fatal(err)
	}
	result, err := generateOne(t, p, parameter)
	if err != nil {
		t.Fatal(err)
	}
	return result.Outputs
}

// testRandom writes the files and runs the test among them.
func testRandom(t *testing.T, folder string, outputs []emit.Output, tags string) {
	t.Helper()
	if err := write(folder, outputs); err != nil {
		t.Fatal(err)
	}
	if output, err := exec.Command("go", "test", "-tags", tags, "./"+folder).CombinedOutput(); err != nil {
		t.Fatalf("%v:\n%s", err, output[:min(len(output), 4000)])
	}
}

// stockOutputs are the files that protoc-gen-go writes.
func stockOutputs(t *testing.T, stock string, file *descriptorpb.FileDescriptorProto, parameter string) (outputs []emit.Output) {
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
		outputs = append(outputs, emit.Output{Name: file.GetName(), Content: []byte(file.GetContent())})
	}
	return outputs
}
