package prototest

import (
	"bytes"
	"fmt"
	"strings"
)

// Diff returns "" if the messages have the same bytes. Otherwise it returns their dumps as one text, with "-" before
// the lines that only want has and "+" before those that only got has.
func Diff(want, got []byte) string {
	if bytes.Equal(want, got) {
		return ""
	}
	first := 0
	for first < len(want) && first < len(got) && want[first] == got[first] {
		first++
	}
	var out strings.Builder
	fmt.Fprintf(&out, "  # %d and %d bytes, different from byte %d\n", len(want), len(got), first)
	a, b := lines(Dump(want)), lines(Dump(got))
	start, end := 0, 0
	for start < len(a) && start < len(b) && a[start] == b[start] {
		start++
	}
	for end < len(a)-start && end < len(b)-start && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	put(&out, "  ", a[:start])
	merge(&out, a[start:len(a)-end], b[start:len(b)-end])
	put(&out, "  ", a[len(a)-end:])
	return out.String()
}

func lines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.SplitAfter(strings.TrimSuffix(text, "\n"), "\n")
}

func put(out *strings.Builder, mark string, lines []string) {
	for _, line := range lines {
		out.WriteString(mark + strings.TrimSuffix(line, "\n") + "\n")
	}
}

// merge prints two lists of lines, with their longest common subsequence once.
func merge(out *strings.Builder, a, b []string) {
	const most = 1 << 22 // entries of the table; beyond it the whole lists are the difference
	if len(a)*len(b) > most {
		put(out, "- ", a)
		put(out, "+ ", b)
		return
	}
	// common[i][j] is the number of lines that a[i:] and b[j:] have in common.
	common := make([][]int32, len(a)+1)
	for i := range common {
		common[i] = make([]int32, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				common[i][j] = common[i+1][j+1] + 1
			} else {
				common[i][j] = max(common[i+1][j], common[i][j+1])
			}
		}
	}
	i, j := 0, 0
	for i < len(a) && j < len(b) {
		switch {
		case a[i] == b[j]:
			put(out, "  ", a[i:i+1])
			i, j = i+1, j+1
		case common[i+1][j] >= common[i][j+1]:
			put(out, "- ", a[i:i+1])
			i++
		default:
			put(out, "+ ", b[j:j+1])
			j++
		}
	}
	put(out, "- ", a[i:])
	put(out, "+ ", b[j:])
}
