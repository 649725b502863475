package main

import (
	"bytes"
	"os"
	"regexp"
	"strings"
	"testing"
)

var call = regexp.MustCompile(`^\$ (?:echo (?:"([^"]*)"|'([^']*)') \| )?hotpb (.*)$`)

// The console blocks of docs/cli.md show what the commands write; -update writes them again.
func TestTheBlocksOfTheDocumentRun(t *testing.T) {
	const file = "../../../docs/cli.md"
	old, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	calls, inside := 0, false
	for line := range strings.Lines(string(old)) {
		bare := strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(bare, "```") {
			inside = bare == "```console"
		}
		m := call.FindStringSubmatch(bare)
		if inside && m == nil && !strings.HasPrefix(bare, "```") {
			continue // what the call before has written
		}
		text.WriteString(line)
		if inside && m != nil {
			calls++
			var out bytes.Buffer
			run(strings.Fields(m[3]), strings.NewReader(m[1]+m[2]+"\n"), &out, &out)
			text.Write(out.Bytes())
		}
	}
	if *update {
		if err := os.WriteFile(file, []byte(text.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	} else if text.String() != string(old) {
		t.Errorf("docs/cli.md is not what the commands write (go test . -update):\n%s", &text)
	}
	if calls < 8 {
		t.Errorf("%d calls", calls)
	}
}
