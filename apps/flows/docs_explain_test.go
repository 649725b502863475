package main

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

var explanationOfDocs = regexp.MustCompile("(?s)<!-- flows test explain -->\n```text\n(.*?)```")

// The explanation that docs/guide.md shows is the one of the program, but for what … stands for.
func TestTheExplanationOfTheDocumentation(t *testing.T) {
	docs, err := os.ReadFile("docs/guide.md")
	if err != nil {
		t.Fatal(err)
	}
	block := explanationOfDocs.FindSubmatch(docs)
	if block == nil {
		t.Fatal("no example")
	}
	code, out, problems := flows(t, "explain", "testdata/softflowd_netflow9.dgrams", "--datagram=2")
	if code != fine {
		t.Fatal(problems)
	}
	lines := strings.Split(out, "\n")
	compared := 0
	for line := range strings.Lines(string(block[1])) {
		line = strings.TrimSuffix(line, "\n")
		start, short := strings.CutSuffix(line, "…")
		if strings.TrimSpace(start) == "" { // lines are left out
			continue
		}
		for len(lines) > 0 && lines[0] != line && !(short && strings.HasPrefix(lines[0], start)) {
			lines = lines[1:]
		}
		if len(lines) == 0 {
			t.Fatalf("the program does not show %q", line)
		}
		compared++
	}
	if compared < 10 {
		t.Errorf("%d lines", compared)
	}
}
