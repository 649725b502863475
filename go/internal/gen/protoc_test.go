package gen

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

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
			if readFile(t, filepath.Join(folder, name+".json")) != readFile(t, filepath.Join(root, "vectors", "plans", name+".json")) {
				t.Error("the plan is not the golden one")
			}
		})
	}
}
