package gen

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hotpb/hotpb/go/internal/gen/emit"
	"github.com/hotpb/hotpb/go/internal/gen/plan"
	"github.com/hotpb/hotpb/go/test/staletest"
	"github.com/hotpb/hotpb/go/view"
)

// vet type-checks and vets generated files in a module of their own, as a user has it.
func vet(t *testing.T, module string, outputs []emit.Output) {
	t.Helper()
	if message, err := vetted(t, module, outputs); err != nil {
		t.Fatalf("%v:\n%s", err, message[:min(len(message), 4000)])
	}
}

func vetted(t *testing.T, module string, outputs []emit.Output) (message string, err error) {
	t.Helper()
	return inModule(t, module, outputs, "vet")
}

// inModule runs a command of go for all packages of a module with the files.
func inModule(t *testing.T, module string, outputs []emit.Output, command string) (message string, err error) {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	goMod := fmt.Sprintf("module %s\n\ngo 1.24\n\nrequire %s v0.0.0\n\nreplace %s => %s\n", module, emit.RuntimePath, emit.RuntimePath, root)
	outputs = append(outputs,
		emit.Output{Name: "go.mod", Content: []byte(goMod)},
		emit.Output{Name: "go.sum", Content: []byte(readFile(t, filepath.Join(root, "go.sum")))})
	if err := write(folder, outputs); err != nil {
		t.Fatal(err)
	}
	run := exec.Command("go", command, "-mod=mod", "./...")
	run.Dir = folder
	run.Env = append(os.Environ(), "GOWORK=off")
	output, err := run.CombinedOutput()
	return string(output), err
}

// FCE-6, FCE-15
func TestCodeOfAVersionThatTheRuntimeDoesNotKnowDoesNotCompile(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds packages")
	}
	p := planText(t, `name: "a.proto" package: "p" options { go_package: "example.com/version/p" } message_type { name: "M" }`)
	result, err := generateOne(t, p, "module=example.com/version")
	if err != nil {
		t.Fatal(err)
	}
	code := string(result.Outputs[0].Content)
	vet(t, "example.com/version", result.Outputs)
	for name, changed := range map[string]string{
		"too new": strings.Replace(code, fmt.Sprintf("view.MaxGenerated - %d)", view.MaxGenerated), fmt.Sprintf("view.MaxGenerated - %d)", view.MaxGenerated+1), 1),
		"too old": strings.Replace(code, fmt.Sprintf("(%d - view.MinGenerated)", view.MaxGenerated), fmt.Sprintf("(%d - view.MinGenerated)", view.MinGenerated-1), 1),
	} {
		result.Outputs[0].Content = []byte(changed)
		if message, err := vetted(t, "example.com/version", result.Outputs); err == nil || !strings.Contains(message, "constant -1 overflows uint") {
			t.Errorf("%s: %v %s", name, err, message)
		}
	}
}

func planOf(t *testing.T, name string) *plan.Plan {
	t.Helper()
	for _, row := range strings.Split(readFile(t, "../../../vectors/plans/list.txt"), "\n") {
		if schema, files, ok := strings.Cut(row, "\t"); ok && schema == name {
			p, err := plan.FromDescriptorSet([]byte(readFile(t, "../../../vectors/plans/"+name+".fds")), strings.Split(files, "+"))
			if err != nil {
				t.Fatal(err)
			}
			return p
		}
	}
	t.Fatalf("%s is not in the list of plans", name)
	return nil
}

func packageEach(file string) string { return strings.TrimSuffix(filepath.Base(file), ".proto") }
func onePackage(string) string       { return "all" }

func TestCodeOfNastySchemasPassesVet(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds packages")
	}
	const module = "example.com/nasty"
	for _, c := range []struct {
		name, schema, options string
		packageOf             func(file string) string
	}{
		{"a package each", "nasty", "", packageEach},
		{"one package for all", "nasty", "", onePackage},
		{"strict", "nasty", ",utf8=strict", packageEach},
		{"selection, sorted maps", "nasty", ",maps=sorted,messages=hotpb.nasty.kinds.Maps+hotpb.nasty.recursive.Ping", packageEach},
		{"features", "features", "", onePackage},
		{"option dependency", "option_dependency", "", onePackage},
		{"editions", "test_messages_proto2_editions", "", onePackage},
	} {
		if (c.name == "a package each" || c.name == "strict") && !staletest.Thorough() {
			continue // they take half a minute each
		}
		t.Run(c.name, func(t *testing.T) {
			p := planOf(t, c.schema)
			parameter := "module=" + module
			for _, file := range p.Files {
				parameter += ",M" + file.Name + "=" + module + "/" + c.packageOf(file.Name)
			}
			options, err := emit.ParseOptions(parameter + c.options)
			if err != nil {
				t.Fatal(err)
			}
			result, err := emit.Generate(p, options)
			if err != nil {
				t.Fatal(err)
			}
			if len(result.Outputs) < len(p.Files) {
				t.Errorf("%d files of code for %d of schemas", len(result.Outputs), len(p.Files))
			}
			vet(t, module, result.Outputs)
		})
	}
}

func TestFilesOfOnePackageMayBeGeneratedApart(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds packages")
	}
	const goPackage = `options { go_package: "example.com/apart/p" } `
	files := []string{
		`name: "a.proto" package: "p" ` + goPackage + `enum_type { name: "Closed" value { name: "A" number: 1 } value { name: "B" number: 5 } }
			message_type { name: "M" extension_range { start: 10 end: 20 } }`,
		`name: "b.proto" package: "p" dependency: "a.proto" ` + goPackage + `message_type { name: "B"
			field { name: "closed" number: 1 label: LABEL_OPTIONAL type: TYPE_ENUM type_name: ".p.Closed" }
			field { name: "m" number: 2 label: LABEL_REPEATED type: TYPE_MESSAGE type_name: ".p.M" } }`,
		`name: "c.proto" package: "p" dependency: "a.proto" ` + goPackage + `message_type { name: "C"
			field { name: "closed" number: 1 label: LABEL_REPEATED type: TYPE_ENUM type_name: ".p.Closed" } }
			extension { name: "x" number: 10 label: LABEL_OPTIONAL type: TYPE_ENUM type_name: ".p.Closed" extendee: ".p.M" }`,
	}
	options, err := emit.ParseOptions("module=example.com/apart")
	if err != nil {
		t.Fatal(err)
	}
	var outputs []emit.Output
	for i := range files {
		p := planText(t, files...)
		for j, file := range p.AllFiles {
			file.Requested = i == j
		}
		p.Files = p.AllFiles[i : i+1]
		result, err := emit.Generate(p, options)
		if err != nil {
			t.Fatal(err)
		}
		outputs = append(outputs, result.Outputs...)
	}
	vet(t, "example.com/apart", outputs)
}

func TestNamesThatDifferInCaseOnlyCompile(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds packages")
	}
	p := planText(t, `name: "a.proto" package: "p" options { go_package: "example.com/cases/p" } message_type { name: "M"
		field { name: "foo" number: 1 label: LABEL_OPTIONAL type: TYPE_INT32 }
		field { name: "x" number: 2 label: LABEL_OPTIONAL type: TYPE_INT32 oneof_index: 0 }
		oneof_decl { name: "Foo" } }`)
	result, err := generateOne(t, p, "module=example.com/cases")
	if err != nil {
		t.Fatal(err)
	}
	if len(result.Warnings) == 0 || slices.ContainsFunc(result.Warnings, func(warning string) bool {
		return !strings.HasPrefix(warning, "oneof p.M.Foo is called Foo_ in Go")
	}) {
		t.Errorf("warnings %q", result.Warnings)
	}
	vet(t, "example.com/cases", result.Outputs)
}
