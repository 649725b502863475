package gen

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hotpb/hotpb/go/internal/gen/emit"
	"github.com/hotpb/hotpb/go/internal/gen/plan"
)

// program is the frame of the functions of documents.
type program struct {
	documents []string // the first has the .proto
	options   string
	stock     bool // the runtime's own structs are generated, too
	imports   []string
	variables string
}

var programs = []program{{
	documents: []string{"migrate-from-gogo.md"},
	options:   "faces=pool",
	imports:   []string{"errors", "fmt", "sync", "example.com/you/demo/demohot", emit.RuntimePath + "/pool", emit.RuntimePath + "/wire"},
	variables: `
		body     = []byte("\x0a\x19\x0a\x0a\x0a\x03job\x12\x03api\x12\x09\x09\x00\x00\x00\x00\x00\x00\xf8?\x18\x02")
		bodies   = [][]byte{body[:0], body}
		buf      = make([]byte, 0, 100)
		requests = sync.Pool{New: func() any { return new(demohot.WriteRequest) }}
		_        = errors.Is
		_        pool.Options
		_        wire.Code`,
}, {
	documents: []string{"migrate-from-csproto.md", "migrate-from-vtprotobuf.md"},
	options:   "faces=codec,compat=csproto+vtproto,pool=example.com/you/demo.Event",
	stock:     true,
	imports: []string{"errors", "fmt", "example.com/you/demo", "google.golang.org/protobuf/proto", "hotpb=" + emit.RuntimePath,
		emit.RuntimePath + "/codec", emit.RuntimePath + "/wire"},
	variables: `
		data   = []byte("\x0a\x09disk full\x10\x05\x1a\x03\x1c\xac\x02\x18\x07")
		nested = []byte("\x2a\x0a\x0a\x03log\x1a\x03\x01\xac\x02")
		buf    = make([]byte, 0, 100)
		_      = errors.Is
		_      codec.MarshalOptions`,
}, {
	documents: []string{"migrate-from-zeropb.md"},
	options:   "faces=view+edit",
	imports:   []string{"fmt", "slices", "example.com/you/demo/demohot", emit.RuntimePath + "/view"},
	variables: `
		entryBytes   = []byte("\x10\x05\x22\x04data")
		messageBytes = []byte("\x3a\x08\x10\x05\x22\x04data\x3a\x08\x10\x06\x22\x04data")`,
}}

// The blocks of a document that are marked for it, ```proto test NAME and ```go test (or, unseen by the reader,
// <!-- go test), are compiled and run: what stands below one heading is one function.
func TestTheBlocksOfDocumentsRun(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds programs")
	}
	for _, p := range programs {
		t.Run(p.documents[0], p.run)
	}
}

func (p *program) run(t *testing.T) {
	const module = "example.com/you"
	folder, root := t.TempDir(), moduleRoot(t)
	var proto string
	var functions []string
	for i, name := range p.documents {
		schema, more := documentBlocks(t, readFile(t, root+"/../docs/"+name))
		if len(more) < 3 || (schema == "") != (i > 0) {
			t.Errorf("%s: %d functions, and %d bytes of .proto", name, len(more), len(schema))
		}
		proto += schema
		functions = append(functions, more...)
	}
	compiler := filepath.Join(root, "../build/tools/protoc/bin/protoc")
	if err := write(folder, []emit.Output{{Name: "schema.proto", Content: []byte(proto)}}); err != nil {
		t.Fatal(err)
	}
	do := func(in, name string, arguments ...string) {
		t.Helper()
		command := exec.Command(name, arguments...)
		command.Dir = in
		command.Env = append(os.Environ(), "GOWORK=off", "GOPROXY=off", "GOTOOLCHAIN=local")
		if output, err := command.CombinedOutput(); err != nil {
			t.Fatalf("%s %v (tools/setup protoc brings protoc): %v\n%s", name, arguments, err, output)
		}
	}
	do(folder, compiler, "-I.", "--descriptor_set_out=schema.fds", "schema.proto")
	if p.stock {
		do(root, "go", "build", "-o", folder+"/protoc-gen-go", "google.golang.org/protobuf/cmd/protoc-gen-go")
		do(folder, compiler, "-I.", "--plugin=protoc-gen-go", "--go_out=.", "--go_opt=module="+module, "schema.proto")
	}
	schema, err := plan.FromDescriptorSet([]byte(readFile(t, folder+"/schema.fds")), nil)
	if err != nil {
		t.Fatal(err)
	}
	result, err := generateOne(t, schema, p.options+",module="+module)
	if err != nil {
		t.Fatal(err)
	}
	if err := write(folder, append(result.Outputs,
		emit.Output{Name: "go.mod", Content: fmt.Appendf(nil, "module %[1]s\n\ngo 1.24\n\nrequire %[2]s v0.0.0\n\nreplace %[2]s => %[3]s\n", module, emit.RuntimePath, root)},
		emit.Output{Name: "go.sum", Content: []byte(readFile(t, root+"/go.sum"))},
		emit.Output{Name: "main.go", Content: p.main(functions)})); err != nil {
		t.Fatal(err)
	}
	do(folder, "go", "run", "-mod=mod", ".")
}

func (p *program) main(functions []string) []byte {
	imports := ""
	for _, path := range p.imports {
		name, importPath, named := strings.Cut(path, "=")
		if !named {
			name, importPath = "", path
		}
		imports += fmt.Sprintf("%s %q\n", name, importPath)
	}
	return []byte("package main\n\nimport (\n" + imports + ")\n\nvar (" + p.variables + `
		)

		func consume(string, float64) {}

		func check(ok bool) {
			if !ok {
				panic("what the document says is not so")
			}
		}

		func main() {
			for i, f := range []func() error{` + strings.Join(functions, ",\n") + `} {
				if err := f(); err != nil {
					panic(fmt.Sprint("function ", i, ": ", err))
				}
			}
		}`)
}

// documentBlocks are the .proto of a document and a function for each heading that has code.
func documentBlocks(t *testing.T, document string) (proto string, functions []string) {
	var code string
	end := func() {
		if code != "" {
			functions = append(functions, "func() error {\n"+code+"return nil\n}")
		}
		code = ""
	}
	var block *string
	fence := ""
	for line := range strings.Lines(document) {
		switch opening := strings.TrimSpace(line); {
		case block != nil && opening == fence:
			block = nil
		case block != nil:
			*block += line
		case strings.HasPrefix(line, "## "):
			end()
		case strings.HasPrefix(opening, "```proto test"):
			block, fence = &proto, "```"
		case opening == "```go test":
			block, fence = &code, "```"
		case opening == "<!-- go test":
			block, fence = &code, "-->"
		case strings.HasPrefix(opening, "```"): // not run
			var skipped string
			block, fence = &skipped, "```"
		}
	}
	end()
	return proto, functions
}
