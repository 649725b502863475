package migrate

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Each hunk of a diff says at which line it is in the file before and in the file after.
func TestHunksHaveTheLinesOfBothFiles(t *testing.T) {
	var before, after []string
	for i := range 60 {
		line := "line " + strconv.Itoa(i) + "\n"
		before = append(before, line)
		switch i {
		case 3: // removed
		case 6, 8, 40, 44:
			after = append(after, "changed "+line)
		case 20, 55:
			after = append(after, "new "+line, line)
		default:
			after = append(after, line)
		}
	}
	c := change{before: []byte(strings.Join(before, "")), after: []byte(strings.Join(after, ""))}
	hunks := regexp.MustCompile(`(?m)^@@ -(\d+),(\d+) \+(\d+),(\d+) @@\n`).FindAllStringSubmatchIndex(c.diff("a.go"), -1)
	if len(hunks) != 4 {
		t.Fatal(c.diff("a.go"))
	}
	for i, at := range hunks {
		text := c.diff("a.go")[at[1]:]
		if i+1 < len(hunks) {
			text = c.diff("a.go")[at[1]:hunks[i+1][0]]
		}
		var n [4]int
		for j := range n {
			n[j], _ = strconv.Atoi(c.diff("a.go")[at[2+2*j]:at[3+2*j]])
		}
		var old, changed []string
		for line := range strings.Lines(text) {
			if line[0] != '+' {
				old = append(old, line[1:])
			}
			if line[0] != '-' {
				changed = append(changed, line[1:])
			}
		}
		if !slices.Equal(old, before[n[0]-1:n[0]-1+n[1]]) || !slices.Equal(changed, after[n[2]-1:n[2]-1+n[3]]) {
			t.Errorf("hunk %v:\n%s", n, text)
		}
	}
}
