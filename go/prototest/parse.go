// Package prototest reads and prints encoded messages as annotated hex, for tests:
//
//	want := prototest.MustParse(`
//		0a 05 "hello"     # field 1, LEN
//		2:VARINT 96 01    # a tag by its number and wire type
//		1a {              # braces put the length of the bytes between them
//			08 01
//		}
//	`)
//	if diff := prototest.Diff(want, got); diff != "" {
//		t.Errorf("-want +got\n%s", diff)
//	}
//
// Bytes need not be well-formed: tests of malformed input need both. [Dump] prints the same language, so you can edit
// and parse its output.
package prototest

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/hotpb/hotpb/go/wire"
)

// SyntaxError is the error for a text that Parse does not understand. Line and Column count from 1, the column in
// bytes.
type SyntaxError struct {
	Line, Column int
	Reason       string
}

// Error returns a text like "line 3, column 7: half a byte".
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Reason)
}

// MustParse is Parse for texts in the source of a test; it panics if Parse fails.
func MustParse(text string) []byte {
	b, err := Parse(text)
	if err != nil {
		panic("prototest: " + err.Error())
	}
	return b
}

// Parse returns the bytes that a text stands for:
//
//	0a 05 0A05       bytes, two hex digits each, together or apart
//	"text\n\xff"     the bytes of a string, with Go's escapes
//	1:LEN            a tag: a field number and VARINT, I64, LEN, SGROUP, EGROUP or I32
//	{ … }            the length of the bytes between the braces, then these bytes
//	# // ;           a comment, to the end of the line
//
// The error is a *SyntaxError.
func Parse(text string) ([]byte, error) {
	p := parser{text: text}
	b, err := p.sequence(0)
	if err != nil {
		return nil, err
	}
	return b, nil
}

type parser struct {
	text string
	at   int
}

// maxNesting limits the use of stack.
const maxNesting = 1000

// sequence reads to the end, or to the brace that ends a nested sequence.
func (p *parser) sequence(nesting int) (b []byte, err error) {
	opened := p.at - 1
	for p.at < len(p.text) {
		switch c := p.text[p.at]; {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			p.at++
		case c == '#' || c == ';' || strings.HasPrefix(p.text[p.at:], "//"):
			p.comment()
		case c == '"':
			b, err = p.quoted(b)
		case c == '{':
			b, err = p.braces(b, nesting)
		case c == '}' && nesting > 0:
			return b, nil
		case isHex(c):
			b, err = p.word(b)
		default:
			err = p.fail(p.at, fmt.Sprintf("unexpected %q", []rune(p.text[p.at:])[0]))
		}
		if err != nil {
			return nil, err
		}
	}
	if nesting > 0 {
		return nil, p.fail(opened, "the brace is not closed")
	}
	return b, nil
}

func (p *parser) comment() {
	if end := strings.IndexByte(p.text[p.at:], '\n'); end >= 0 {
		p.at += end
	} else {
		p.at = len(p.text)
	}
}

func (p *parser) braces(b []byte, nesting int) ([]byte, error) {
	if nesting == maxNesting {
		return nil, p.fail(p.at, "nested too deeply")
	}
	p.at++
	inner, err := p.sequence(nesting + 1)
	p.at++
	return wire.AppendBytes(b, inner), err
}

func (p *parser) quoted(b []byte) ([]byte, error) {
	literal, err := strconv.QuotedPrefix(p.text[p.at:])
	if err != nil {
		return nil, p.fail(p.at, "the string is not closed, or has a wrong escape")
	}
	text, err := strconv.Unquote(literal)
	if err != nil {
		return nil, p.fail(p.at, "the string has a wrong escape")
	}
	p.at += len(literal)
	return append(b, text...), nil
}

// word reads hex digits, or a tag, which starts with a number.
func (p *parser) word(b []byte) ([]byte, error) {
	start := p.at
	for p.at < len(p.text) && isHex(p.text[p.at]) {
		p.at++
	}
	digits := p.text[start:p.at]
	if p.at < len(p.text) && p.text[p.at] == ':' {
		return p.tag(b, start, digits)
	}
	if len(digits)%2 != 0 {
		return nil, p.fail(start, "half a byte: hex digits come in pairs")
	}
	for i := 0; i < len(digits); i += 2 {
		v, err := strconv.ParseUint(digits[i:i+2], 16, 8)
		if err != nil {
			return nil, p.fail(start+i, "no byte")
		}
		b = append(b, byte(v))
	}
	return b, nil
}

var types = []string{"VARINT", "I64", "LEN", "SGROUP", "EGROUP", "I32"} // by their number

func (p *parser) tag(b []byte, start int, digits string) ([]byte, error) {
	number, err := strconv.ParseUint(digits, 10, 32)
	if err != nil || number > wire.MaxNumber {
		return nil, p.fail(start, "no field number: "+digits)
	}
	p.at++
	rest := p.text[p.at:]
	for t, name := range types {
		if after, ok := strings.CutPrefix(rest, name); ok && (after == "" || !isWord(after[0])) {
			p.at += len(name)
			return wire.AppendTag(b, uint32(number), wire.Type(t)), nil
		}
	}
	return nil, p.fail(p.at, "no wire type; there are "+strings.Join(types, ", "))
}

func (p *parser) fail(at int, reason string) error {
	before := p.text[:at]
	return &SyntaxError{
		Line:   strings.Count(before, "\n") + 1,
		Column: at - strings.LastIndexByte(before, '\n'),
		Reason: reason,
	}
}

func isHex(c byte) bool { return c-'0' < 10 || c|0x20-'a' < 6 }

func isWord(c byte) bool { return c-'0' < 10 || c|0x20-'a' < 26 || c == '_' }
