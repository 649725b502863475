package gen

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hotpb/hotpb/go/internal/gen/plan"
)

// The blocks of a document that are marked for it, ```proto test NAME and ```go test (or, unseen by the reader,
// <!-- go test), are compiled and run: what stands below one heading is one function.
func TestTheBlocksOfDocumentsRun(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds a program")
	}
	const module = "example.com/you"
	folder, root := t.TempDir(), moduleRoot(t)
	proto, functions := documentBlocks(t, readFile(t, root+"/../docs/migrate-from-gogo.md"))
	compiler := filepath.Join(root, "../build/tools/protoc/bin/protoc")
	if err := write(folder, []Output{{"metrics.proto", []byte(proto)}}); err != nil {
		t.Fatal(err)
	}
	command := exec.Command(compiler, "-I.", "--descriptor_set_out=metrics.fds", "metrics.proto")
	command.Dir = folder
	if output, err := command.CombinedOutput(); err != nil {
		t.Fatalf("protoc (tools/setup protoc brings it): %v\n%s", err, output)
	}
	p, err := plan.FromDescriptorSet([]byte(readFile(t, folder+"/metrics.fds")), nil)
	if err != nil {
		t.Fatal(err)
	}
	result, err := generateOne(t, p, "faces=pool,module="+module)
	if err != nil {
		t.Fatal(err)
	}
	main := "package main\n\nimport (\n\t\"errors\"\n\t\"fmt\"\n\t\"sync\"\n\n\t\"example.com/you/demo/demohot\"\n\t\"" +
		runtimePath + "/pool\"\n\t\"" + runtimePath + "/wire\"\n)\n\n" + `
		var (
			body     = []byte("\x0a\x19\x0a\x0a\x0a\x03job\x12\x03api\x12\x09\x09\x00\x00\x00\x00\x00\x00\xf8?\x18\x02")
			bodies   = [][]byte{body[:0], body}
			buf      = make([]byte, 0, 100)
			requests = sync.Pool{New: func() any { return new(demohot.WriteRequest) }}
			_        = errors.Is
			_        pool.Options
			_        wire.Code
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
		}`
	if err := write(folder, append(result.Outputs,
		Output{"go.mod", fmt.Appendf(nil, "module %[1]s\n\ngo 1.24\n\nrequire %[2]s v0.0.0\n\nreplace %[2]s => %[3]s\n", module, runtimePath, root)},
		Output{"main.go", []byte(main)})); err != nil {
		t.Fatal(err)
	}
	command = exec.Command("go", "run", "-mod=mod", ".")
	command.Dir = folder
	command.Env = append(os.Environ(), "GOWORK=off", "GOPROXY=off", "GOTOOLCHAIN=local")
	if output, err := command.CombinedOutput(); err != nil || len(functions) < 4 {
		t.Errorf("%d functions: %v\n%s", len(functions), err, output)
	}
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
			var other string
			block, fence = &other, "```"
		}
	}
	end()
	return proto, functions
}
