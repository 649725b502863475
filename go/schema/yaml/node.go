package yaml

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// No schema file needs more, and the parser's stack could overflow.
const (
	maxSize  = 1 << 20
	maxLine  = 4096
	maxDepth = 64 // of brackets
)

// parse parses a text that has one document, with a mapping.
func parse(text []byte) (ast.Node, error) {
	if len(text) > maxSize {
		return nil, &Error{Reason: fmt.Sprintf("a schema file must not have more than %d bytes", maxSize)}
	}
	depth := 0
	for i, line := range bytes.Split(text, []byte("\n")) {
		if len(line) > maxLine {
			return nil, &Error{Line: i + 1, Reason: fmt.Sprintf("a line must not have more than %d bytes", maxLine)}
		}
		depth += bytes.Count(line, []byte("[")) + bytes.Count(line, []byte("{"))
		if depth > maxDepth {
			return nil, &Error{Line: i + 1, Reason: fmt.Sprintf("more than %d brackets are open", maxDepth)}
		}
		depth = max(0, depth-bytes.Count(line, []byte("]"))-bytes.Count(line, []byte("}")))
	}
	file, err := parser.ParseBytes(text, 0)
	var syntax *yaml.SyntaxError
	switch {
	case errors.As(err, &syntax):
		if line, word := withoutColon(text, syntax.Token.Position.Line); line > 0 {
			return nil, &Error{Line: line, Reason: fmt.Sprintf("there is no colon after %q", word)}
		}
		return nil, &Error{Line: syntax.Token.Position.Line, Reason: syntax.Message}
	case err != nil:
		return nil, &Error{Reason: err.Error()}
	case len(file.Docs) != 1 || file.Docs[0].Body == nil:
		return nil, &Error{Reason: "a schema file must be one document with a mapping"}
	}
	return file.Docs[0].Body, nil
}

// withoutColon finds the key of a mapping or list that lacks its colon. The parser reports one where it can no longer go on, perhaps
// at the end of the file. It is a word on a line by itself, up to that line, before lines that it contains.
func withoutColon(text []byte, last int) (line int, word string) {
	indent := -1 // of the word
	for i, l := range strings.Split(string(text), "\n") {
		content, _, _ := strings.Cut(l, " #")
		content = strings.TrimSpace(content)
		if content == "" || strings.HasPrefix(content, "#") {
			continue
		}
		depth := len(l) - len(strings.TrimLeft(l, " "))
		if line > 0 && (depth > indent || depth == indent && strings.HasPrefix(content, "- ")) {
			return line, word
		}
		line = 0
		if i < last && strings.Trim(content, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == "" {
			line, word, indent = i+1, content, depth
		}
	}
	return 0, ""
}

func lineOf(n ast.Node) int {
	if n != nil && n.GetToken() != nil {
		return n.GetToken().Position.Line
	}
	return 0
}

// fail records an error at a node.
func (r *reader) fail(n ast.Node, format string, args ...any) {
	r.wrong = append(r.wrong, &Error{lineOf(n), r.where, fmt.Sprintf(format, args...)})
}

// pairs are the keys and values of a mapping.
func (r *reader) pairs(n ast.Node, subject string) []*ast.MappingValueNode {
	switch n := n.(type) {
	case *ast.MappingNode:
		return n.Values
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{n}
	}
	r.fail(n, "%s is a mapping", subject)
	return nil
}

// mapping reads the known keys; others are errors.
func (r *reader) mapping(n ast.Node, subject string, known map[string]func(value ast.Node)) {
	for _, pair := range r.pairs(n, subject) {
		key := r.text(pair.Key, "a key")
		read, ok := known[key]
		if !ok {
			keys := slices.Sorted(maps.Keys(known))
			if word, number, ok := strings.Cut(key, " "); ok && known[word] != nil {
				r.fail(pair.Key, "there is no colon after %q: write %s: %s", word, word, number)
				continue
			}
			if word := near(key, keys); word != "" {
				r.fail(pair.Key, "%s has no %q; did you mean %s?", subject, key, word)
				continue
			}
			r.fail(pair.Key, "%s has no %q; it may have %s", subject, key, strings.Join(keys, ", "))
			continue
		}
		read(pair.Value)
	}
}

// list returns the elements of a sequence.
func (r *reader) list(n ast.Node, subject string) []ast.Node {
	if n, ok := n.(*ast.SequenceNode); ok {
		return n.Values
	}
	r.fail(n, "%s is a list", subject)
	return nil
}

func (r *reader) text(n ast.Node, subject string) string {
	switch n := n.(type) {
	case *ast.StringNode:
		return n.Value
	case *ast.LiteralNode:
		return n.Value.Value
	}
	r.fail(n, "%s is a text", subject)
	return ""
}

func (r *reader) flag(n ast.Node, subject string) bool {
	if n, ok := n.(*ast.BoolNode); ok {
		return n.Value
	}
	r.fail(n, "%s must be true or false", subject)
	return false
}

// integer reads a number from low to high.
func (r *reader) integer(n ast.Node, subject string, low, high int64) int64 {
	if n, ok := n.(*ast.IntegerNode); ok {
		v, ok := n.Value.(int64)
		if u, unsigned := n.Value.(uint64); unsigned && u <= math.MaxInt64 {
			v, ok = int64(u), true
		}
		if ok && low <= v && v <= high {
			return v
		}
	}
	r.fail(n, "%s must be from %d to %d", subject, low, high)
	return low
}

// choice reads one of some words.
func (r *reader) choice(n ast.Node, subject string, words ...string) int {
	text := r.text(n, subject)
	i := slices.Index(words, text)
	if i < 0 {
		r.fail(n, "%s must be one of %s", subject, strings.Join(words, ", "))
	}
	return max(0, i)
}
