package schema_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// section returns the blocks of one language in README.md's section on schemas.
func section(t *testing.T, language string) []string {
	t.Helper()
	text, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, after, ok := strings.Cut(string(text), "\n## Schema: columns at run time\n")
	if !ok {
		t.Fatal("README.md has no such section")
	}
	after, _, _ = strings.Cut(after, "\n## ")
	var blocks []string
	for {
		_, rest, more := strings.Cut(after, "\n```"+language+"\n")
		if !more {
			return blocks
		}
		block, next, _ := strings.Cut(rest, "```\n")
		blocks, after = append(blocks, block), next
	}
}

// README.md's program, started in an empty folder, prints what stands there.
func TestReadmeIsFollowedFromAnEmptyFolder(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds a program")
	}
	programs, outputs := section(t, "go"), section(t, "text")
	if len(programs) != 1 || len(outputs) != 1 {
		t.Fatalf("%d programs, %d outputs", len(programs), len(outputs))
	}
	module, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	for name, text := range map[string]string{
		"main.go": programs[0],
		"go.mod": "module example.com/you\n\ngo 1.24\n\nrequire github.com/hotpb/hotpb/go v0.0.0\n\n" +
			"replace github.com/hotpb/hotpb/go => " + module + "\n",
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	command := exec.Command("go", "run", ".")
	command.Dir = folder
	command.Env = append(os.Environ(), "GOWORK=off", "GOPROXY=off", "GOTOOLCHAIN=local", "GOFLAGS=-mod=mod")
	got, err := command.CombinedOutput()
	if err != nil || string(got) != outputs[0] {
		t.Errorf("%v\n%s\nwant\n%s", err, got, outputs[0])
	}
}
