package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The shells that are here run what the command writes, and are asked for the words after "hotpb sch" and "hotpb schema ".
func TestCompletionsWorkInTheShell(t *testing.T) {
	folder := t.TempDir()
	program := filepath.Join(folder, "hotpb")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for shell, ask := range map[string]string{
		"bash": `eval "$(./hotpb completion bash)"; complete -p hotpb; COMP_LINE="hotpb sch" COMP_POINT=9 ./hotpb; COMP_LINE="hotpb schema a" COMP_POINT=14 ./hotpb`,
		"zsh":  `autoload -U compinit && compinit -u -d ./dump; eval "$(./hotpb completion zsh)"; COMP_LINE="hotpb sch" ./hotpb; COMP_LINE="hotpb schema a" ./hotpb`,
		"fish": `./hotpb completion fish | source; complete -C "hotpb sch"; complete -C "hotpb schema a"`,
	} {
		path, err := exec.LookPath(shell)
		if err != nil {
			t.Logf("SKIPPED: there is no %s", shell)
			continue
		}
		c := exec.Command(path, "-c", ask)
		c.Dir = folder
		c.Env = append(os.Environ(), "HOME="+folder, "PATH="+folder+":"+os.Getenv("PATH"))
		out, err := c.CombinedOutput()
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		if err != nil || len(lines) < 2 || lines[len(lines)-2] != "schema" || lines[len(lines)-1] != "arrow" {
			t.Errorf("%s: %v: %s", shell, err, out)
		}
		if shell == "bash" && !strings.Contains(lines[0], "-C "+program+" hotpb") && !strings.Contains(lines[0], "-C '"+program+"' hotpb") {
			t.Error(lines[0])
		}
	}
}

func TestCompletionOfAnUnknownShell(t *testing.T) {
	h := hotpb{t: t}
	if _, stderr := h.run(2, "completion", "tcsh"); !strings.Contains(stderr, "bash") || strings.Count(stderr, "\n") != 1 {
		t.Error(stderr)
	}
	for shell, want := range map[string]string{"bash": "complete ", "zsh": "bashcompinit", "fish": "complete -c hotpb"} {
		if out, _ := h.run(0, "completion", shell); !strings.Contains(out, want) {
			t.Error(out)
		}
	}
}

func TestSchemaWritesJSON(t *testing.T) {
	h := start(t)
	for command, want := range map[string]string{
		"show":                     `{"messages":[{"columns":[{"name":"src_addr","number":5,"type":"ip"},{"name":"bytes","number":9,"type":"uint64"},{"name":"src_mac","number":20,"off":true,"traits":"group=l2","type":"mac"}],"message":"flows.FlowMessage"}]}`,
		"hash --short":             `{"hash":"1a9d7a560c5b11ec"}`,
		"hash --text":              `{"text":"hotpb wire 1\nmessage 0\n5 bytes\n9 uint64"}`,
		"proto":                    `{"proto":"syntax`,
		"clickhouse --table=flows": `{"statements":"CREATE TABLE`,
		"check":                    `{"changes":[],"level":"compatible"}`,
	} {
		if command == "check" {
			h.run(0, "schema", "lock", "flows.yaml")
		}
		out, _ := h.run(0, append(append([]string{"schema", "--json"}, strings.Fields(command)...), "flows.yaml")...)
		var value any
		if err := json.Unmarshal([]byte(out), &value); err != nil || strings.Count(out, "\n") != 1 {
			t.Errorf("%s: %v: %s", command, err, out)
		}
		text, _ := json.Marshal(value)
		if !strings.HasPrefix(strings.ReplaceAll(string(text), "\\u003c", "<"), want) {
			t.Errorf("%s: %s", command, text)
		}
	}
}
