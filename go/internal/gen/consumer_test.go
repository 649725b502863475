package gen

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hotpb/hotpb/go/internal/gen/emit"
)

// FCE-1, COD-1. TestAConsumerOfTheRuntimeGetsNothingThatGoModDoesNotSay builds a
// module of a user's that imports every face's runtime and the API of the codec face. Its module
// graph holds our module and what our go.mod requires, google.golang.org/protobuf and nothing else, and
// nothing beyond that; nothing has to be downloaded. Whoever imports no codec face has none of that compiled in.
func TestAConsumerOfTheRuntimeGetsNothingThatGoModDoesNotSay(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds a module")
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	const consumer = "example.com/consumer"
	folder := t.TempDir()
	if err := write(folder, []emit.Output{
		{Name: "go.mod", Content: fmt.Appendf(nil, "module %s\n\ngo 1.24\n\nrequire (\n\t%s v0.0.0\n\tgoogle.golang.org/protobuf v1.36.12\n)\n\nreplace %[2]s => %[3]s\n",
			consumer, emit.RuntimePath, root)},
		{Name: "lean/main.go", Content: fmt.Appendf(nil, "package main\n\nimport (\n\t%q\n\t%q\n)\n\nfunc main() { println(wire.MaxSize, view.MaxGenerated) }\n",
			emit.RuntimePath+"/view", emit.RuntimePath+"/wire")},
		{Name: "main.go", Content: fmt.Appendf(nil, `package main

import (
	hotpb %[1]q
	%[2]q
	%[3]q
	%[4]q
	%[5]q
	%[6]q
	"google.golang.org/protobuf/types/known/durationpb"
)

func main() {
	println(wire.MaxSize, view.MaxGenerated, pool.MaxGenerated, writer.MaxGenerated, codec.MaxGenerated, hotpb.Size(durationpb.New(1)))
}
`, emit.RuntimePath, emit.RuntimePath+"/codec", emit.RuntimePath+"/pool", emit.RuntimePath+"/view", emit.RuntimePath+"/wire", emit.RuntimePath+"/writer")},
	}); err != nil {
		t.Fatal(err)
	}
	google, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "go.sum"), google, 0o666); err != nil {
		t.Fatal(err)
	}
	run := func(in string, arguments ...string) string {
		t.Helper()
		command := exec.Command("go", arguments...)
		command.Dir = in
		command.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod", "GOPROXY=off", "GOTOOLCHAIN=local")
		output, err := command.Output()
		if err != nil {
			message := ""
			if exit, ok := err.(*exec.ExitError); ok {
				message = string(exit.Stderr)
			}
			t.Fatalf("go %s: %v\n%s", strings.Join(arguments, " "), err, message)
		}
		return string(output)
	}

	var goMod struct {
		Require []struct{ Path, Version string }
	}
	if err := json.Unmarshal([]byte(run(root, "mod", "edit", "-json")), &goMod); err != nil {
		t.Fatal(err)
	}
	runtime := emit.RuntimePath + "@v0.0.0"
	allowed := []string{consumer + " " + runtime}
	for _, require := range goMod.Require {
		if require.Path != "google.golang.org/protobuf" {
			t.Errorf("our go.mod requires %s", require.Path)
		}
		allowed = append(allowed, runtime+" "+require.Path+"@"+require.Version, consumer+" "+require.Path+"@"+require.Version)
	}
	var graph []string
	for _, edge := range strings.Split(strings.TrimSpace(run(folder, "mod", "graph")), "\n") {
		from, to, _ := strings.Cut(edge, " ")
		// Modules that google.golang.org/protobuf requires for its own tests are in the list of a module that requires it
		// directly, and is neither downloaded nor compiled.
		if !strings.HasPrefix(to, "go@") && !strings.HasPrefix(to, "toolchain@") && !strings.HasPrefix(from, "google.golang.org/protobuf@") {
			graph = append(graph, edge)
		}
	}
	slices.Sort(graph)
	slices.Sort(allowed)
	if !slices.Equal(graph, allowed) {
		t.Errorf("go mod graph shows\n%s\nwant\n%s", strings.Join(graph, "\n"), strings.Join(allowed, "\n"))
	}

	compiled := func(program string) []string {
		t.Helper()
		list := strings.Fields(run(folder, "list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", program))
		slices.Sort(list)
		return list
	}
	if got, want := compiled("./lean"), []string{consumer + "/lean", emit.RuntimePath + "/rt/view", emit.RuntimePath + "/rt/wire", emit.RuntimePath + "/view", emit.RuntimePath + "/wire"}; !slices.Equal(got, want) {
		t.Errorf("compiled in: %s, want %s", got, want)
	}
	for _, path := range compiled(".") {
		if !strings.HasPrefix(path, consumer) && !strings.HasPrefix(path, emit.RuntimePath) && !strings.HasPrefix(path, "google.golang.org/protobuf/") {
			t.Errorf("compiled in: %s", path)
		}
	}
	binary := filepath.Join(folder, "consumer")
	run(folder, "build", "-o", binary, ".")
	// Who does not write JSON or text has none of it linked, though every runtime can do it.
	symbols := run(folder, "tool", "nm", binary)
	if !strings.Contains(symbols, emit.RuntimePath+".Size") {
		t.Error("the API is not linked at all")
	}
	for _, method := range []string{"EncodeJSON", "DecodeJSON", "EncodeText", "DecodeText"} {
		if strings.Contains(symbols, emit.RuntimePath+".google."+method) {
			t.Errorf("%s is linked", method)
		}
	}
}

// FCE-11: neither the runtime nor generated code does anything at start-up.
func TestNothingRunsAtStartUp(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds a program")
	}
	const module = "example.com/start"
	p := planText(t, `name: "a.proto" package: "p" options { go_package: "example.com/start/p" }
		enum_type { name: "Closed" value { name: "A" number: 1 } value { name: "B" number: 5 } }
		message_type { name: "M" extension_range { start: 10 end: 20 }
			field { name: "b" number: 1 label: LABEL_OPTIONAL type: TYPE_BYTES default_value: "abc" }
			field { name: "closed" number: 2 label: LABEL_REPEATED type: TYPE_ENUM type_name: ".p.Closed" }
			field { name: "f" number: 3 label: LABEL_OPTIONAL type: TYPE_FLOAT default_value: "nan" }
			field { name: "m" number: 4 label: LABEL_REPEATED type: TYPE_MESSAGE type_name: ".p.M.MEntry" }
			nested_type { name: "MEntry" options { map_entry: true }
				field { name: "key" number: 1 label: LABEL_OPTIONAL type: TYPE_STRING }
				field { name: "value" number: 2 label: LABEL_OPTIONAL type: TYPE_MESSAGE type_name: ".p.M" } } }
		extension { name: "x" number: 10 label: LABEL_OPTIONAL type: TYPE_MESSAGE type_name: ".p.M" extendee: ".p.M" }`)
	result, err := generateOne(t, p, "faces=pool+reflect+view+writer,module="+module)
	if err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile(filepath.Join(moduleRoot(t), "go.sum")) // the bridge links the stock runtime
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	if err := write(folder, append(result.Outputs,
		emit.Output{Name: "go.mod", Content: fmt.Appendf(nil, "module %s\n\ngo 1.24\n\nrequire %s v0.0.0\n\nreplace %s => %s\n", module, emit.RuntimePath, emit.RuntimePath, moduleRoot(t))},
		emit.Output{Name: "main.go", Content: fmt.Appendf(nil, "package main\n\nimport (\n\t_ %q\n\t_ %q\n\t_ %q\n\t_ %q\n\t_ %q\n)\n\nfunc main() {}\n",
			module+"/p/phot", emit.RuntimePath+"/schema", emit.RuntimePath+"/wkt", module+"/p/phot/photreflect", emit.RuntimePath+"/wkt/wktreflect")},
		emit.Output{Name: "go.sum", Content: sums})); err != nil {
		t.Fatal(err)
	}
	run := func(arguments ...string) string {
		t.Helper()
		command := exec.Command("go", arguments...)
		command.Dir = folder
		command.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod", "GOPROXY=off", "GOTOOLCHAIN=local")
		output, err := command.CombinedOutput()
		if err != nil {
			t.Fatalf("go %s: %v\n%s", strings.Join(arguments, " "), err, output)
		}
		return string(output)
	}
	run("build", "-o", "start", ".")
	sawRuntime := false
	for _, line := range strings.Split(run("tool", "nm", "start"), "\n") {
		if strings.Contains(line, "inittask") {
			sawRuntime = sawRuntime || strings.Contains(line, " runtime..inittask")
			if strings.Contains(line, emit.RuntimePath) || strings.Contains(line, module) {
				t.Errorf("it runs at start-up: %s", line)
			}
		}
	}
	if !sawRuntime {
		t.Error("no start-up work is seen at all, not even that of Go's own packages")
	}
}
