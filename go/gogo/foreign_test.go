package gogo_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	googleproto "google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
)

// foreign are schemas with options of gogo that nobody here wrote, and the files of each that are generated. They are
// where HOTPB_DATA names their folder.
var foreign = []struct {
	name, generator string
	files           *regexp.Regexp
}{
	{"prom", "gogofast", regexp.MustCompile(`^(types|remote|io/prometheus/.*)\.proto$|prompb`)},
	{"prom", "gogofaster", regexp.MustCompile(`^(types|remote)\.proto$`)},
	{"raft", "gogofast", regexp.MustCompile(`raft`)},
	{"raft", "gogofaster", regexp.MustCompile(`raft`)},
}

// COD-98
func TestForeignSchemasWithOptionsOfGogo(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds programs")
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, schema := range foreign {
		t.Run(schema.name+" "+schema.generator, func(t *testing.T) {
			data := os.Getenv("HOTPB_DATA")
			if data == "" {
				t.Skip("HOTPB_DATA is not set")
			}
			packed, err := os.ReadFile(filepath.Join(data, "schemas", schema.name+".fds.gz"))
			if err != nil {
				t.Fatal(err)
			}
			reader, err := gzip.NewReader(bytes.NewReader(packed))
			if err != nil {
				t.Fatal(err)
			}
			set, err := io.ReadAll(reader)
			if err != nil {
				t.Fatal(err)
			}
			compare(t, root, schema.generator, set, schema.files)
		})
	}
}

// compare generates structs and fast methods, and runs a test that compares the two in a module of its own.
func compare(t *testing.T, root, generator string, set []byte, wanted *regexp.Regexp) {
	const module = "github.com/hotpb/hotpb/go/gogo/foreign" // which may import the internal packages
	folder := t.TempDir()
	do := func(in, name string, arguments ...string) {
		t.Helper()
		command := exec.Command(name, arguments...)
		command.Dir = in
		command.Env = append(os.Environ(), "GOWORK=off", "GOPROXY=off", "GOFLAGS=-mod=mod", "GOTOOLCHAIN=local")
		if output, err := command.CombinedOutput(); err != nil {
			t.Fatalf("%s %v: %v\n%s", name, arguments, err, output)
		}
	}
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	var all descriptorpb.FileDescriptorSet
	if err := googleproto.Unmarshal(set, &all); err != nil {
		t.Fatal(err)
	}
	write("schema.fds", string(set))
	var messages []string
	var packages strings.Builder
	for _, name := range []string{"any", "duration", "field_mask", "struct", "timestamp", "wrappers"} {
		if slices.ContainsFunc(all.File, func(file *descriptorpb.FileDescriptorProto) bool {
			return file.GetName() == "google/protobuf/"+name+".proto"
		}) {
			fmt.Fprintf(&packages, "Mgoogle/protobuf/%s.proto=github.com/gogo/protobuf/types,", name)
		}
	}
	byPackage := map[string][]string{}
	for _, file := range all.File {
		if !wanted.MatchString(file.GetName()) {
			continue
		}
		name := regexp.MustCompile(`\W`).ReplaceAllString(file.GetPackage(), "_")
		byPackage[name] = append(byPackage[name], file.GetName())
		fmt.Fprintf(&packages, "M%s=%s/%s,", file.GetName(), module, name)
		for _, m := range file.MessageType {
			messages = append(messages, fmt.Sprintf("new(%s.%s)", name, m.GetName()))
		}
	}
	if len(messages) == 0 {
		t.Fatal("no file is wanted")
	}
	do(root+"/go/gogo", "go", "build", "-o", folder+"/", "github.com/gogo/protobuf/protoc-gen-"+generator)
	do(root+"/go", "go", "build", "-o", folder+"/", "./cmd/protoc-gen-go-hotpb")
	for name, files := range byPackage { // gogo's generators write one package at a time
		do(folder, "mkdir", "-p", "out", name)
		do(folder, root+"/build/tools/protoc/bin/protoc", append([]string{
			"--descriptor_set_in=schema.fds", "--plugin=protoc-gen-" + generator, "--plugin=protoc-gen-go-hotpb",
			"--" + generator + "_out=" + packages.String() + "paths=source_relative:out", "--go-hotpb_out=.",
			"--go-hotpb_opt=" + packages.String() + "module=" + module + ",faces=codec,runtime=" + generator}, files...)...)
		for _, file := range files {
			do(folder, "cp", "out/"+strings.TrimSuffix(file, ".proto")+".pb.go", name)
		}
	}
	write("go.mod", fmt.Sprintf(`module %s

go 1.24

require (
	github.com/gogo/protobuf v1.3.2
	github.com/hotpb/hotpb/go v0.0.0
	github.com/hotpb/hotpb/go/gogo v0.0.0
	google.golang.org/protobuf v1.36.12
)

replace github.com/hotpb/hotpb/go => %s/go
replace github.com/hotpb/hotpb/go/gogo => %s/go/gogo
`, module, root, root))
	sums, err := os.ReadFile("go.sum")
	if err != nil {
		t.Fatal(err)
	}
	write("go.sum", string(sums))
	var lines strings.Builder
	for name := range byPackage {
		fmt.Fprintf(&lines, "\t%s %q\n", name, module+"/"+name)
	}
	write("foreign_test.go", fmt.Sprintf(`package foreign

import (
	"testing"

	"github.com/hotpb/hotpb/go/gogo/internal/customtest"
%s)

var messages = []customtest.Message{%s}

func TestSame(t *testing.T) { customtest.Same(t, 100, messages...) }

func TestDamaged(t *testing.T) { customtest.Damaged(t, 300, messages...) }
`, lines.String(), strings.Join(messages, ", ")))
	do(folder, "go", "test", "-vet=off", ".")
}
