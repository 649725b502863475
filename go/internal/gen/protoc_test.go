package gen

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hotpb/hotpb/go/internal/gen/emit"
)

// As README.md describes it: the generator is a tool of the user's module.
func TestProtocMakesCodeWithTheGeneratorThatTheUsersModulePins(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the plugin")
	}
	compiler, err := filepath.Abs("../../../build/tools/protoc/bin/protoc")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(compiler); err != nil {
		t.Skip("protoc is not there; tools/setup protoc brings it")
	}
	include, root := filepath.Join(filepath.Dir(filepath.Dir(compiler)), "include"), moduleRoot(t)
	folder := t.TempDir()
	if err := write(folder, []emit.Output{
		{Name: "go.sum", Content: []byte(readFile(t, filepath.Join(root, "go.sum")))}, // no checksum database is asked
		{Name: "go.mod", Content: []byte("module example.com/you\n\ngo 1.24\n\nrequire " + emit.RuntimePath + " v0.0.0\n\nreplace " + emit.RuntimePath + " => " + root + "\n")},
		{Name: "event.proto", Content: []byte(`syntax = "proto3"; package acme; option go_package = "example.com/you/acme";
			import "google/protobuf/timestamp.proto";
			message Event { string name = 1; google.protobuf.Timestamp at = 2; map<string, Event> parts = 3; }`)},
		{Name: "acme/use_test.go", Content: []byte("package acme\n\nimport (\n\t\"testing\"\n\n\t\"example.com/you/acme/acmehot\"\n)\n\n" + `func TestUse(t *testing.T) {
			var e acmehot.EventView
			if err := e.Decode([]byte("\n\x04name\x12\x02\x08\x05")); err != nil {
				t.Fatal(err)
			}
			if at, err := e.At(); err != nil || at.Seconds() != 5 || e.Name() != "name" {
				t.Error(at.Seconds(), e.Name(), err)
			}
		}`)},
	}); err != nil {
		t.Fatal(err)
	}
	run := func(wantFailure bool, name string, arguments ...string) string {
		t.Helper()
		command := exec.Command(name, arguments...)
		command.Dir = folder
		command.Env = append(os.Environ(), "GOWORK=off", "GOPROXY=off", "GOTOOLCHAIN=local")
		output, err := command.CombinedOutput()
		if (err != nil) != wantFailure {
			t.Fatalf("%s %s: %v\n%s", filepath.Base(name), strings.Join(arguments, " "), err, output)
		}
		return string(output)
	}
	run(false, "go", "get", "-tool", emit.RuntimePath+"/cmd/protoc-gen-go-hotpb")
	run(false, "go", "build", "-o", "bin/", emit.RuntimePath+"/cmd/protoc-gen-go-hotpb")
	arguments := func(options string) []string {
		return []string{"--plugin=bin/protoc-gen-go-hotpb", "--go-hotpb_out=.", "--go-hotpb_opt=" + options, "-I.", "-I" + include, "event.proto"}
	}
	run(false, compiler, arguments("module=example.com/you")...)
	run(false, "go", "test", "./...")
	for options, want := range map[string]string{
		"faces=schema":              `--go-hotpb_out: option faces=schema: the face "schema" is not in this version`,
		"messages=acme.Gone":        `--go-hotpb_out: option messages=acme.Gone: "acme.Gone" is not a message of the files to generate`,
		"Mevent.proto=bad":          `--go-hotpb_out: InvalidSchema: event.proto: "bad" is not a Go package`,
		"module=example.com/others": `--go-hotpb_out: option module=example.com/others: the Go package`,
	} {
		if output := run(true, compiler, arguments(options)...); !strings.Contains(output, want) {
			t.Errorf("%s: %s", options, output)
		}
	}
}

// moduleRoot is the folder of this module.
func moduleRoot(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	return root
}

func TestProtocGetsTheGoldenPlanFromThePlugin(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the plugin")
	}
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	protoc := filepath.Join(root, "build", "tools", "protoc", "bin", "protoc")
	if _, err := os.Stat(protoc); err != nil {
		t.Skip("protoc is not there; tools/setup protoc brings it")
	}
	folder := t.TempDir()
	plugin := filepath.Join(folder, "protoc-gen-go-hotpb")
	if message, err := exec.Command("go", "build", "-o", plugin, "../../cmd/protoc-gen-go-hotpb").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, message)
	}
	for _, name := range []string{
		"nasty",             // with editions 2023 and 2024
		"option_dependency", // what it imports for options is not in the request
		"vectors",
		"remote_write_v1",
	} {
		t.Run(name, func(t *testing.T) {
			var files string
			for _, row := range strings.Split(readFile(t, filepath.Join(root, "vectors", "plans", "list.txt")), "\n") {
				if schema, listed, ok := strings.Cut(row, "\t"); ok && schema == name {
					files = listed
				}
			}
			arguments := []string{"--plugin=" + plugin, "--go-hotpb_out=" + folder, "--go-hotpb_opt=emit_plan=" + name + ".json"}
			for _, include := range []string{"proto", "proto/prometheus", "build/tools/protoc/include"} {
				arguments = append(arguments, "-I"+filepath.Join(root, filepath.FromSlash(include)))
			}
			command := exec.Command(protoc, append(arguments, strings.Split(files, "+")...)...)
			if message, err := command.CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, message)
			}
			if readFile(t, filepath.Join(folder, name+".json")) != readFile(t, filepath.Join(root, "build", "vectors", "plans", name+".json")) {
				t.Error("the plan is not the golden one")
			}
		})
	}
}
