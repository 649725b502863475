package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/pluginpb"
)

// golang has each .proto file in a package of its own: imports of files have no cycles, those of their packages may.
type golang struct{ generator, stock string }

const goModule = "example.com/foreign"

func (g *golang) prepare(t *tool) error {
	g.generator = filepath.Join(t.root, "build/bin/protoc-gen-go-hotpb-testing")
	g.stock = filepath.Join(t.root, "build/bin/protoc-gen-go")
	for _, arguments := range [][]string{
		{"build", "-o", g.generator, "./internal/testgenerator"},
		// With its legacy tag, because it refuses message sets without.
		{"build", "-tags", "protolegacy", "-o", g.stock, "google.golang.org/protobuf/cmd/protoc-gen-go"},
	} {
		c := command{dir: filepath.Join(t.root, "go"), limit: t.limit}
		if output, err := c.run("go", arguments...); err != nil {
			return fmt.Errorf("%w\n%s", err, output)
		}
	}
	return nil
}

// generates: the stock structs of what comes with google.golang.org/protobuf are there; readers need the functions that
// write back, which the well-known types of the runtime do not have.
func (g *golang) generates(f *face, file *descriptorpb.FileDescriptorProto) bool {
	if f.options == "codec" {
		return !strings.HasPrefix(file.GetOptions().GetGoPackage(), "google.golang.org/protobuf/")
	}
	return f.variants != nil || !shipped[file.GetName()]
}

// shipped are the files whose faces come with the runtimes.
var shipped = map[string]bool{}

func init() {
	for _, name := range strings.Fields("any duration empty field_mask source_context struct timestamp wrappers") {
		shipped["google/protobuf/"+name+".proto"] = true
	}
}

var notInNames = regexp.MustCompile(`[^a-z0-9]+`)

// packages are the M options of the files.
func (g *golang) packages(files []*descriptorpb.FileDescriptorProto) string {
	var options strings.Builder
	for i, file := range files {
		name := strings.TrimSuffix(path.Base(file.GetName()), ".proto")
		fmt.Fprintf(&options, "M%s=%s/f%03d%s,", file.GetName(), goModule, i, notInNames.ReplaceAllString(strings.ToLower(name), ""))
	}
	return options.String()
}

func (g *golang) generate(t *tool, c *cell, set string, files []*descriptorpb.FileDescriptorProto) (string, error) {
	out := filepath.Join(c.folder, "gen")
	options := g.packages(files) + "module=" + goModule
	var names []string
	for _, file := range files {
		names = append(names, file.GetName())
	}
	said, err := c.make.run(g.generator, "--descriptor_set="+set, "--out="+out, "--files="+strings.Join(names, "+"), "--opt="+options+",faces="+c.face.options)
	if err != nil || c.face.options != "codec" {
		return said, err
	}
	return g.generateStock(set, out, options, names)
}

// generateStock runs the stock runtime's generator, a plugin of protoc, without protoc.
func (g *golang) generateStock(set, out, options string, names []string) (string, error) {
	raw, err := os.ReadFile(set)
	if err != nil {
		return "", err
	}
	var all descriptorpb.FileDescriptorSet
	if err := proto.Unmarshal(raw, &all); err != nil {
		return "", err
	}
	request, err := proto.Marshal(&pluginpb.CodeGeneratorRequest{FileToGenerate: names, Parameter: &options, ProtoFile: all.File})
	if err != nil {
		return "", err
	}
	plugin := exec.Command(g.stock)
	plugin.Stdin = bytes.NewReader(request)
	var problem bytes.Buffer
	plugin.Stderr = &problem
	output, err := plugin.Output()
	if err != nil {
		return "protoc-gen-go: " + problem.String(), err
	}
	var response pluginpb.CodeGeneratorResponse
	if err := proto.Unmarshal(output, &response); err != nil {
		return "", err
	}
	if response.Error != nil {
		return "protoc-gen-go: " + response.GetError(), fmt.Errorf("protoc-gen-go refuses it")
	}
	for _, file := range response.File {
		if err := write([]byte(file.GetContent()), out, file.GetName()); err != nil {
			return "", err
		}
	}
	return "", nil
}

// goTables are the names of the tables that test-only emitters write.
var goTables = map[string]*regexp.Regexp{
	"view":   regexp.MustCompile(`(?m)^var (Reencoders_\w+) = map\[`),
	"pool":   regexp.MustCompile(`(?m)^var (Canonical_\w+) = map\[`),
	"writer": regexp.MustCompile(`(?m)^var (Rewriters_\w+) = map\[`),
}

func (g *golang) compile(t *tool, c *cell) ([]string, error) {
	gen := filepath.Join(c.folder, "gen")
	runtime := filepath.Join(t.root, "go")
	module := fmt.Sprintf("module %s\n\ngo 1.24\n\nrequire github.com/hotpb/hotpb/go v0.0.0\n\nrequire google.golang.org/protobuf v1.36.12\n\n"+
		"replace github.com/hotpb/hotpb/go => %s\n", goModule, runtime)
	sums, err := os.ReadFile(filepath.Join(runtime, "go.sum"))
	if err != nil {
		return nil, err
	}
	if err := write([]byte(module), gen, "go.mod"); err != nil {
		return nil, err
	}
	if err := write(sums, gen, "go.sum"); err != nil {
		return nil, err
	}
	if c.face.variants != nil {
		if err := g.program(c, gen); err != nil {
			return nil, err
		}
	}
	program := filepath.Join(c.folder, "harness")
	c.build.dir = gen
	c.build.environment = []string{"GOWORK=off", "GOFLAGS=-mod=mod"}
	// What compiles the packages for vet is used for the program, too.
	flags := []string{"-tags", "protolegacy", "-p", fmt.Sprint(t.jobs), "-gcflags=" + goModule + "/...=-N -l"}
	if c.face.variants != nil && t.upTo != "check" {
		if output, err := c.build.run("go", append(append([]string{"build"}, flags...), "-o", program, ".")...); err != nil {
			return nil, fmt.Errorf("%w\n%s", err, firstLines(output, 12))
		}
	}
	if output, err := c.build.run("go", append(append([]string{"vet"}, flags...), "./...")...); err != nil {
		return nil, fmt.Errorf("go vet: %w\n%s", err, firstLines(output, 12))
	}
	if c.face.variants == nil || t.upTo == "check" {
		return nil, nil
	}
	return []string{program}, nil
}

// program writes the harness's main package and the list of tables.
func (g *golang) program(c *cell, gen string) error {
	if err := place("go_main.txt", gen, "main.go"); err != nil {
		return err
	}
	if err := place("go_"+c.face.name+".txt", gen, "face.go"); err != nil {
		return err
	}
	var imports, tables strings.Builder
	count := 0
	err := filepath.WalkDir(gen, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(name, ".go") || filepath.Dir(name) == gen {
			return err
		}
		folder, err := filepath.Rel(gen, filepath.Dir(name))
		if err != nil {
			return err
		}
		if c.face.name == "codec" {
			if strings.HasSuffix(name, ".pb.go") {
				fmt.Fprintf(&imports, "import _ %q\n", goModule+"/"+filepath.ToSlash(folder))
			}
			return nil
		}
		content, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if found := goTables[c.face.name].FindSubmatch(content); found != nil {
			fmt.Fprintf(&imports, "import p%d %q\n", count, goModule+"/"+filepath.ToSlash(folder))
			fmt.Fprintf(&tables, "\tp%d.%s,\n", count, found[1])
			count++
		}
		return nil
	})
	if err != nil {
		return err
	}
	source := "package main\n\n" + imports.String()
	if c.face.name != "codec" {
		source += "\nvar tables = []map[string]func() message{\n" + tables.String() + "}\n"
	}
	return write([]byte(source), gen, "tables.go")
}
