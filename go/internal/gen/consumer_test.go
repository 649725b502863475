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
)

// FCE-1. TestAConsumerOfTheRuntimeGetsNothingThatGoModDoesNotSay builds a module of a
// user's that imports the runtime only. Its module graph holds our module and
// what our go.mod requires, nothing behind that; none of it is compiled, and
// nothing has to be downloaded.
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
	if err := write(folder, []Output{
		{"go.mod", fmt.Appendf(nil, "module %s\n\ngo 1.24\n\nrequire %s v0.0.0\n\nreplace %s => %s\n", consumer, runtimePath, runtimePath, root)},
		{"main.go", fmt.Appendf(nil, "package main\n\nimport (\n\t%q\n\t%q\n)\n\nfunc main() { println(wire.MaxSize, view.MaxGenerated) }\n",
			runtimePath+"/view", runtimePath+"/wire")},
	}); err != nil {
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
	ours := runtimePath + "@v0.0.0"
	allowed := []string{consumer + " " + ours}
	for _, require := range goMod.Require {
		allowed = append(allowed, ours+" "+require.Path+"@"+require.Version)
	}
	var graph []string
	for _, edge := range strings.Split(strings.TrimSpace(run(folder, "mod", "graph")), "\n") {
		_, to, _ := strings.Cut(edge, " ")
		if !strings.HasPrefix(to, "go@") && !strings.HasPrefix(to, "toolchain@") {
			graph = append(graph, edge)
		}
	}
	slices.Sort(graph)
	slices.Sort(allowed)
	if !slices.Equal(graph, allowed) {
		t.Errorf("go mod graph shows\n%s\nwant\n%s", strings.Join(graph, "\n"), strings.Join(allowed, "\n"))
	}

	compiled := strings.Fields(run(folder, "list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", "."))
	slices.Sort(compiled)
	if want := []string{consumer, runtimePath + "/view", runtimePath + "/wire"}; !slices.Equal(compiled, want) {
		t.Errorf("compiled in: %s, want %s", compiled, want)
	}
	run(folder, "build", "-o", filepath.Join(folder, "consumer"), ".")
}
