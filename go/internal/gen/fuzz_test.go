package gen

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/pluginpb"
)

// FuzzGenerate feeds the plugin with every face that ships: a damaged request
// yields an error, a readable one yields code that gofmt accepts.
func FuzzGenerate(f *testing.F) {
	names, err := filepath.Glob("../../../vectors/plans/*.fds")
	if err != nil || len(names) == 0 {
		f.Fatalf("no seeds: %v", err)
	}
	parameters := []string{"paths=source_relative,faces=view", "module=example.com/m", "messages=p.M", "utf8=strict,faces=view"}
	for i, name := range names {
		encoded, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		if len(encoded) > 4<<10 { // the fuzzer hardly moves on large ones
			continue
		}
		var set descriptorpb.FileDescriptorSet
		if err := proto.Unmarshal(encoded, &set); err != nil {
			f.Fatal(err)
		}
		request := &pluginpb.CodeGeneratorRequest{ProtoFile: set.File, Parameter: &parameters[i%len(parameters)]}
		for _, file := range set.File {
			request.FileToGenerate = append(request.FileToGenerate, file.GetName())
		}
		seed, err := proto.Marshal(request)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		var stdout, stderr bytes.Buffer
		if status := Main(nil, bytes.NewReader(input), &stdout, &stderr); status != 0 {
			if stderr.Len() == 0 || stdout.Len() != 0 {
				t.Fatalf("status %d, %d bytes of output and of errors %d", status, stdout.Len(), stderr.Len())
			}
			return
		}
		var response pluginpb.CodeGeneratorResponse
		if err := proto.Unmarshal(stdout.Bytes(), &response); err != nil {
			t.Fatal(err)
		}
		if bytes.Contains([]byte(response.GetError()), []byte("fault of the generator")) {
			t.Fatal(response.GetError())
		}
	})
}
