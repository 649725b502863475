package vtproto

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

// template is a buf.gen.yaml.
type template struct {
	Version string
	Plugins []struct {
		Local any // a name, or a command
		Out   string
		Opt   []string
	}
}

const event = `syntax = "proto2"; package demo; option go_package = "example.com/you/demo"; message Event { optional string name = 1; repeated Event causes = 2; }`

// guides are the documents with templates. For each template there is a program that uses what the template generates.
var guides = []struct {
	name, schema string
	gogo         bool // the structs are those of gogo
	imports      []string
	programs     []string
}{{
	name:    "migrate-from-vtprotobuf.md",
	schema:  event,
	imports: []string{"example.com/you/demo"},
	programs: []string{`
		m := demo.EventFromVTPool()
		check(m.UnmarshalVT([]byte("\x0a\x01x")) == nil && m.GetName() == "x" && m.SizeVT() == 3 && m.EqualVT(m.CloneVT()))
		b, err := m.MarshalVT()
		check(string(b) == "\x0a\x01x" && err == nil)
		m.ReturnToVTPool()`, `
		m := new(demo.Event)
		check(m.UnmarshalHot([]byte("\x0a\x01x")) == nil && m.GetName() == "x")
		b, err := m.MarshalHot()
		check(string(b) == "\x0a\x01x" && err == nil)
		_, has := any(m).(interface{ SizeVT() int })
		check(!has)`},
}, {
	name:    "migrate-from-csproto.md",
	schema:  event,
	imports: []string{"example.com/you/demo", "github.com/hotpb/hotpb/go"},
	programs: []string{`
		m := &demo.Event{Name: hotpb.String("x")}
		b := make([]byte, m.Size())
		check(m.MarshalTo(b) == nil && string(b) == "\x0a\x01x")
		b, err := m.Marshal()
		check(string(b) == "\x0a\x01x" && err == nil && m.SizeHot() == 3)
		check(m.Unmarshal(nil) == nil && m.Name == nil && hotpb.Unmarshal(b, m) == nil && m.GetName() == "x")`},
}, {
	name: "migrate-from-gogo.md",
	schema: `syntax = "proto3"; package demo; option go_package = "example.com/you/demo"; import "gogoproto/gogo.proto";
		message Label { string name = 1; }
		message Event { string name = 1; repeated Label labels = 2 [(gogoproto.nullable) = false]; }`,
	gogo:    true,
	imports: []string{"example.com/you/demo"},
	programs: []string{`
		m, old := new(demohot.Event), &demo.Event{Name: "x", Labels: []demo.Label{{Name: "y"}}}
		b, err := old.Marshal()
		check(err == nil && m.Unmarshal(b) == nil && m.Name == "x" && m.Labels[0].Name == "y")
		b, err = m.Marshal()
		check(err == nil && old.Unmarshal(b) == nil && old.Labels[1].Name == "y") // gogo's adds`, `
		m := &demo.Event{Name: "x", Labels: []demo.Label{{Name: "y"}}}
		b, err := m.MarshalHot()
		check(err == nil && len(b) == m.SizeHot() && len(b) == m.Size())
		check(m.UnmarshalHot(b) == nil && m.Labels[0].Name == "y" && len(m.Labels) == 1)`, `
		m := &demo.Event{Name: "x", Labels: []demo.Label{{Name: "y"}}}
		b, err := m.Marshal()
		check(err == nil && len(b) == m.Size() && m.Unmarshal(b) == nil && len(m.Labels) == 2) // as gogo's
		stock, err := proto.Marshal(m)
		check(err == nil && proto.Size(m) == len(stock) && m.ProtoReflect().Descriptor().FullName() == "demo.Event")
		text, err := protojson.Marshal(m)
		check(err == nil && value.UnmarshalJSON(text, m) == nil && m.Labels[1].Name == "y")
		info, _ := debug.ReadBuildInfo()
		for _, module := range info.Deps {
			check(module.Path != "github.com/gogo/protobuf")
		}`},
}}

// The templates of the guides: their plugins with their options, run by protoc, or by buf where HOTPB_BUF names it
// (check-all.sh does so). Programs that use the generated code run.
func TestTheBufTemplatesOfTheGuides(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds programs")
	}
	here, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	root, bin := filepath.Dir(here), t.TempDir()
	environment := append(os.Environ(), "GOWORK=off", "GOPROXY=off", "GOTOOLCHAIN=local", "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	do := func(t *testing.T, in, name string, arguments ...string) string {
		t.Helper()
		command := exec.Command(name, arguments...)
		command.Dir, command.Env = in, environment
		output, err := command.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %v (tools/setup protoc brings protoc): %v\n%s", name, arguments, err, output)
		}
		return string(output)
	}
	read := func(t *testing.T, name ...string) string {
		t.Helper()
		content, err := os.ReadFile(filepath.Join(name...))
		if err != nil {
			t.Fatal(err)
		}
		return string(content)
	}
	do(t, here, "go", "build", "-o", bin+"/", "google.golang.org/protobuf/cmd/protoc-gen-go", "./cmd/protoc-gen-go-hotpb")
	gogo := filepath.Join(here, "gogo")
	do(t, gogo, "go", "build", "-o", bin+"/", "github.com/gogo/protobuf/protoc-gen-gogofaster")
	environment = append(environment, "GOFLAGS=-mod=mod")

	for _, guide := range guides {
		blocks := regexp.MustCompile("(?s)```yaml test\n(.*?)```").FindAllStringSubmatch(read(t, root, "docs", guide.name), -1)
		if len(blocks) != len(guide.programs) {
			t.Errorf("%s has %d templates, and %d programs use them", guide.name, len(blocks), len(guide.programs))
			continue
		}
		for i, program := range guide.programs {
			t.Run(fmt.Sprint(guide.name, " ", i+1), func(t *testing.T) {
				imports := guide.imports
				if strings.Contains(program, "demohot.") {
					imports = append(imports[:len(imports):len(imports)], "example.com/you/demo/demohot")
				}
				for name, path := range map[string]string{
					" proto.": "google.golang.org/protobuf/proto", "protojson.": "google.golang.org/protobuf/encoding/protojson",
					"value.": "github.com/hotpb/hotpb/go/codec/value", "debug.": "runtime/debug",
				} {
					if strings.Contains(program, name) {
						imports = append(imports[:len(imports):len(imports)], path)
					}
				}
				files := map[string]string{
					"buf.gen.yaml":     blocks[i][1],
					"demo/event.proto": guide.schema,
					"main.go": fmt.Sprintf("package main\n\nimport (\n\"%s\"\n)\n\nfunc check(ok bool) {\nif !ok {\npanic(\"not as the guide says\")\n}\n}\n\nfunc main() {%s\n}\n",
						strings.Join(imports, "\"\n\""), program),
					"go.mod": "module example.com/you\n\ngo 1.24\n\ntool github.com/hotpb/hotpb/go/cmd/protoc-gen-go-hotpb\n\n" +
						"require github.com/hotpb/hotpb/go v0.0.0\n\nreplace github.com/hotpb/hotpb/go => " + here + "\n" + requirements(read(t, here, "go.mod")),
					"go.sum": read(t, here, "go.sum"),
				}
				if guide.gogo {
					files["go.mod"] += "\nrequire github.com/hotpb/hotpb/go/gogo v0.0.0\n\nreplace github.com/hotpb/hotpb/go/gogo => " + gogo + "\n" + requirements(read(t, gogo, "go.mod"))
					files["go.sum"] += read(t, gogo, "go.sum")
					gogoDir := do(t, gogo, "go", "list", "-mod=readonly", "-m", "-f", "{{.Dir}}", "github.com/gogo/protobuf")
					files["gogoproto/gogo.proto"] = read(t, strings.TrimSpace(gogoDir), "gogoproto/gogo.proto")
				}
				folder := t.TempDir()
				for name, content := range files {
					file := filepath.Join(folder, name)
					if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(content), 0o644)); err != nil {
						t.Fatal(err)
					}
				}
				if buf := os.Getenv("HOTPB_BUF"); buf != "" {
					do(t, folder, buf, "generate", "--path", "demo")
				} else {
					for _, arguments := range protocArguments(t, blocks[i][1], bin) {
						do(t, folder, filepath.Join(root, "build/tools/protoc/bin/protoc"), append(arguments, "-I.", "demo/event.proto")...)
					}
				}
				do(t, folder, "go", "vet", "./...")
				do(t, folder, "go", "run", ".")
			})
		}
	}
}

// requirements are those of a go.mod: the versions that are at hand without a network.
func requirements(mod string) string {
	return "\n" + strings.Join(regexp.MustCompile(`(?ms)^require (\(.*?^\)|[^(\n]+)$`).FindAllString(mod, -1), "\n") + "\n"
}

// protocArguments are the options with which protoc does what buf does: for each plugin of a template those of one call.
func protocArguments(t *testing.T, text, bin string) (calls [][]string) {
	t.Helper()
	var parsed template
	if err := yaml.Unmarshal([]byte(text), &parsed); err != nil || parsed.Version != "v2" || len(parsed.Plugins) == 0 {
		t.Fatalf("%v: %+v", err, parsed)
	}
	for _, plugin := range parsed.Plugins {
		command := fmt.Sprint(plugin.Local)
		if words, is := plugin.Local.([]any); is {
			command = fmt.Sprint(words[len(words)-1])
		}
		name := strings.TrimPrefix(command, "protoc-gen-")
		calls = append(calls, []string{"--plugin=" + filepath.Join(bin, command), "--" + name + "_out=" + plugin.Out, "--" + name + "_opt=" + strings.Join(plugin.Opt, ",")})
	}
	return calls
}
