package staletest

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"
	"google.golang.org/protobuf/types/pluginpb"

	"github.com/hotpb/hotpb/go/internal/typecheck"
)

// Thorough reports whether the tests that compile hundreds of packages try all of them, as check-all.sh has it with
// HOTPB_THOROUGH=1, or the first ones of each sort.
func Thorough() bool { return os.Getenv("HOTPB_THOROUGH") != "" }

// Flavour is one sort of structs.
type Flavour struct {
	Name      string
	Module    string // the module of the test, whose folder is the working folder's root
	Folder    string // where packages may be written, below it
	Generator string // the import path of the structs' generator
	Options   string // the options of both generators
	Hot       string // the options of our generator besides faces=codec
	Tags      string // build tags
	Program   []byte // the program that tries the methods: a package main without its table of messages
}

// Run generates all versions both ways round: structs that are newer than their fast methods, and older.
func Run(t *testing.T, f Flavour) {
	if testing.Short() {
		t.Skip("it builds programs")
	}
	bin := t.TempDir()
	stock, hot := filepath.Join(bin, "stock"), filepath.Join(bin, "hot")
	Build(t, stock, f.Generator)
	Build(t, hot, "github.com/hotpb/hotpb/go/cmd/protoc-gen-go-hotpb")
	folder, err := os.MkdirTemp(f.Folder, "stale")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	in := path.Join(f.Module, filepath.ToSlash(folder))
	table := new(bytes.Buffer)
	fmt.Fprintf(table, "package main\n\nimport (\n")
	var rows []string
	check := &checker{Checker: typecheck.New(f.Tags)}
	for _, newer := range []string{"structs", "methods"} {
		for _, e := range edits {
			if e.expected(newer) == compiles && e.name != "nothing" && newer == "methods" {
				continue // the same as the other way round
			}
			name := newer + "_" + e.name
			goPackage := in + "/" + name
			structs := version(f.Name+"_"+newer, e, newer == "structs", goPackage)
			methods := version(f.Name+"_"+newer, e, newer == "methods", goPackage)
			files := append(Generate(t, stock, f.Options, structs), Generate(t, hot, f.Options+",faces=codec"+f.Hot, methods)...)
			if outcome := e.expected(newer); outcome == failsToBuild || outcome == lacksAType {
				check.add(t, name, outcome, files)
				continue
			}
			write(t, filepath.Join(folder, name), files)
			fmt.Fprintf(table, "\t%s %q\n", name, goPackage)
			rows = append(rows, fmt.Sprintf("{%q, func() message { return new(%s.M) }, %q, %v},", name, name, filled(t, structs), e.expected(newer) == failsAtOnce))
		}
	}
	fmt.Fprintf(table, ")\n\nvar versions = []version{\n%s\n}\n", strings.Join(rows, "\n"))
	write(t, filepath.Join(folder, "main"), []File{{"main.go", string(f.Program)}, {"table.go", table.String()}})
	if output, err := exec.Command("go", "run", "-tags", f.Tags, "./"+filepath.ToSlash(folder)+"/main").CombinedOutput(); err != nil {
		t.Errorf("%v:\n%s", err, output[:min(len(output), 6000)])
	}
	check.run(t)
}

func Build(t *testing.T, program, importPath string) {
	t.Helper()
	if output, err := exec.Command("go", "build", "-o", program, importPath).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, output)
	}
}

// File is one that a generator has written.
type File struct{ Name, Content string }

func write(t *testing.T, folder string, files []File) {
	t.Helper()
	if err := os.MkdirAll(folder, 0o777); err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if err := os.WriteFile(filepath.Join(folder, file.Name), []byte(file.Content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// Generate runs a plugin for the last of some files. Where it wants its files is left out: they are in one folder.
func Generate(t *testing.T, plugin, options string, set ...*descriptorpb.FileDescriptorProto) (files []File) {
	t.Helper()
	schema := set[len(set)-1]
	input, err := proto.Marshal(&pluginpb.CodeGeneratorRequest{FileToGenerate: []string{schema.GetName()}, Parameter: &options, ProtoFile: set})
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command(plugin)
	command.Stdin = bytes.NewReader(input)
	var problems bytes.Buffer
	command.Stderr = &problems
	output, err := command.Output()
	response := new(pluginpb.CodeGeneratorResponse)
	if err == nil {
		err = proto.Unmarshal(output, response)
	}
	if err == nil && response.Error != nil {
		err = errors.New(response.GetError())
	}
	if err != nil {
		t.Fatalf("%s of %s: %v %s", plugin, schema.GetName(), err, &problems)
	}
	for _, file := range response.File {
		files = append(files, File{path.Base(file.GetName()), file.GetContent()})
	}
	return files
}

// filled is the encoding of a message M with all its fields set; of a oneof the last one.
func filled(t *testing.T, schema *file) []byte {
	t.Helper()
	for _, m := range schema.MessageType { // it looks at options that the tests do not set
		if m.Options == nil {
			m.Options = &descriptorpb.MessageOptions{}
		}
	}
	made, err := protodesc.NewFile(schema, nil)
	if err != nil {
		t.Fatal(err)
	}
	m := dynamicpb.NewMessage(made.Messages().ByName("M"))
	fill(m, 2)
	b, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func fill(m protoreflect.Message, depth int) {
	fields := m.Descriptor().Fields()
	for i := range fields.Len() {
		fd := fields.Get(i)
		switch {
		case fd.Message() != nil && !fd.IsMap() && depth == 0:
		case fd.IsMap():
			m.Mutable(fd).Map().Set(sampleValue(fd.MapKey()).MapKey(), sampleValue(fd.MapValue()))
		case fd.IsList() && fd.Message() != nil:
			fill(m.Mutable(fd).List().AppendMutable().Message(), depth-1)
		case fd.IsList():
			m.Mutable(fd).List().Append(sampleValue(fd))
		case fd.Message() != nil:
			fill(m.Mutable(fd).Message(), depth-1)
		default:
			m.Set(fd, sampleValue(fd))
		}
	}
}

func sampleValue(fd protoreflect.FieldDescriptor) protoreflect.Value {
	switch fd.Kind() {
	case protoreflect.StringKind:
		return protoreflect.ValueOfString("text of " + string(fd.Name()))
	case protoreflect.BytesKind:
		return protoreflect.ValueOfBytes([]byte("bytes"))
	case protoreflect.BoolKind:
		return protoreflect.ValueOfBool(true)
	case protoreflect.EnumKind:
		return protoreflect.ValueOfEnum(1)
	case protoreflect.Int64Kind:
		return protoreflect.ValueOfInt64(300)
	}
	return protoreflect.ValueOfInt32(300)
}

// checker sees that versions do not compile.
type checker struct {
	*typecheck.Checker
	versions []notBuilt
}

type notBuilt struct {
	name    string
	outcome outcome
}

func (c *checker) add(t *testing.T, name string, outcome outcome, files []File) {
	for _, file := range files {
		if err := c.Add(name, file.Name, file.Content); err != nil {
			t.Fatal(err)
		}
	}
	c.versions = append(c.versions, notBuilt{name, outcome})
}

// run sees that each guard's error is among those that the compiler prints.
func (c *checker) run(t *testing.T) {
	t.Helper()
	for _, v := range c.versions {
		problems, err := c.Check(v.name)
		if err != nil {
			t.Fatal(err)
		}
		all := strings.Join(problems, "\n")
		named := strings.Contains(all, "regenerate_") && strings.Contains(all, "_with_protoc_gen_go_hotpb")
		if !named && (v.outcome == failsToBuild || !strings.Contains(all, "undefined: ")) {
			t.Errorf("%s: no guard among the errors of the compiler:\n%s", v.name, all)
		}
	}
}
