package emit

import (
	"path"
	"slices"
	"strings"
)

// maxAlternatives bounds what the braces of one pattern stand for: {a,b}{a,b}… doubles with each pair.
const maxAlternatives = 1000

// SplitOptions splits a plugin's parameter at its commas. Those in the braces of the options with patterns belong to the
// option.
func SplitOptions(parameter string) (options []string) {
	depth, start := 0, 0
	for i := 0; i < len(parameter); i++ {
		option := parameter[start:i]
		key, _, valued := strings.Cut(option, "=")
		patterns := valued && slices.Contains(patternOptions, key)
		switch c := parameter[i]; {
		case c == '\\' && patterns:
			i++
		case c == '{' && patterns:
			depth++
		case c == '}' && depth > 0:
			depth--
		case c == ',' && depth == 0:
			options = append(options, option)
			start = i + 1
		}
	}
	return append(options, parameter[start:])
}

// patternOptions are the options of vtprotobuf whose values are patterns. They may be repeated.
var patternOptions = []string{"pool", "pool-exclude", "ignoreUnknownFields"}

// alternatives returns the patterns without braces that a pattern of vtprotobuf's stands for, or why it is none.
func alternatives(pattern string) (all []string, problem string) {
	open := []string{pattern}
	for rounds := 0; len(open) > 0; rounds++ {
		if len(all)+len(open) > maxAlternatives || rounds > 2*maxAlternatives { // {{{a}}} takes a round for each pair
			return nil, "its braces stand for more than 1000 patterns, or are nested as deep; use * or **"
		}
		next := open[len(open)-1]
		open = open[:len(open)-1]
		before, inside, after, found := braces(next)
		switch {
		case !found && strings.ContainsAny(unescaped(next), "{}"):
			return nil, "a brace has no counterpart; write alternatives as {A,B}"
		case !found:
			next = strings.ReplaceAll(next, "[!", "[^")
			if _, err := path.Match(next, ""); err != nil {
				return nil, "it is not a pattern of an import path, a dot and the Go name of a message"
			}
			all = append(all, next)
		}
		for _, alternative := range inside {
			open = append(open, before+alternative+after)
		}
	}
	return all, ""
}

// braces finds the first braces of a pattern, and splits what they hold at their own commas.
func braces(pattern string) (before string, inside []string, after string, found bool) {
	depth, start := 0, 0
	for i := 0; i < len(pattern); i++ {
		switch pattern[i] {
		case '\\':
			i++
		case '{':
			if depth++; depth == 1 {
				before, start = pattern[:i], i+1
			}
		case ',':
			if depth == 1 {
				inside = append(inside, pattern[start:i])
				start = i + 1
			}
		case '}':
			if depth--; depth < 0 {
				return "", nil, "", false
			} else if depth == 0 {
				return before, append(inside, pattern[start:i]), pattern[i+1:], true
			}
		}
	}
	return "", nil, "", false
}

// unescaped is a pattern without the characters that follow a backslash.
func unescaped(pattern string) string {
	var b strings.Builder
	for i := 0; i < len(pattern); i++ {
		if pattern[i] == '\\' {
			i++
			continue
		}
		b.WriteByte(pattern[i])
	}
	return b.String()
}

// matchPath reports whether a pattern matches a name with slashes. In the pattern, ** between slashes stands for any
// number of parts; everything else is as in path.Match.
func matchPath(pattern, name string) bool {
	first, rest, more := strings.Cut(pattern, "/")
	if first == "**" {
		if !more {
			return true
		}
		for {
			if matchPath(rest, name) {
				return true
			}
			var left bool
			if _, name, left = strings.Cut(name, "/"); !left {
				return false
			}
		}
	}
	part, left, moreName := strings.Cut(name, "/")
	if ok, _ := path.Match(first, part); !ok || more != moreName {
		return false
	}
	return !more || matchPath(rest, left)
}
