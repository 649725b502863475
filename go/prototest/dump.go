package prototest

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hotpb/hotpb/go/rt/wire"
)

// Dump prints an encoded message, one record per line, with its field number, wire type and value. It knows no
// schema: it guesses whether bytes are text or a nested message, and is right for most. Dump accepts any input: it
// prints bytes that are not a record as bytes, with the error. Parse turns the text back into b.
//
//	0a 05 "hello"                           # 1 LEN
//	10 96 01                                # 2 VARINT 150
//	1a 02                                   # 3 LEN 2 bytes
//	  08 01                                 #   1 VARINT 1
func Dump(b []byte) string {
	d := dumper{b: b}
	d.records(0, len(b), 0)
	return d.out.String()
}

type dumper struct {
	b   []byte
	out strings.Builder
}

// column is where comments start.
const column = 40

// line prints bytes and their meaning.
func (d *dumper) line(depth int, bytes, comment string) {
	indent := strings.Repeat("  ", depth)
	if comment == "" {
		d.out.WriteString(indent + bytes + "\n")
		return
	}
	fmt.Fprintf(&d.out, "%-*s# %s%s\n", column, indent+bytes+" ", indent, comment)
}

// bytes prints a range as hex, sixteen bytes per line.
func (d *dumper) bytes(start, end, depth int, comment string) {
	for ; start < end; start += 16 {
		d.line(depth, hexOf(d.b[start:min(start+16, end)]), comment)
		comment = ""
	}
}

func hexOf(b []byte) string { return fmt.Sprintf("% x", b) }

// records prints a range of records, up to the first error.
func (d *dumper) records(i, end, depth int) {
	for i < end {
		next := d.record(i, end, depth)
		if next < 0 {
			d.bytes(i, end, depth, fmt.Sprintf("byte %d: not a record: %s", i, wire.Failed(next).String()))
			return
		}
		i = next
	}
}

// record prints the record at i and returns its end; on failure it has printed nothing.
func (d *dumper) record(i, end, depth int) int {
	tag, value := wire.ReadTag(d.b[:end], i)
	if value < 0 {
		return value
	}
	next := wire.Skip(d.b[:end], value, tag, wire.DefaultDepth-depth)
	if next < 0 {
		return next
	}
	head := fmt.Sprintf("%d %s", tag.Number(), types[tag.Type()])
	switch tag.Type() {
	case wire.VarintType:
		v, _ := wire.ReadVarint(d.b, value)
		d.line(depth, hexOf(d.b[i:next]), head+" "+varint(v))
	case wire.Fixed32Type:
		v, _ := wire.ReadFixed32(d.b, value)
		d.line(depth, hexOf(d.b[i:next]), fmt.Sprintf("%s %d, as float %v", head, v, math.Float32frombits(v)))
	case wire.Fixed64Type:
		v, _ := wire.ReadFixed64(d.b, value)
		d.line(depth, hexOf(d.b[i:next]), fmt.Sprintf("%s %d, as double %v", head, v, math.Float64frombits(v)))
	case wire.StartGroup:
		inner, _ := wire.SkipGroup(d.b[:end], value, tag.Number(), wire.DefaultDepth-depth)
		d.line(depth, hexOf(d.b[i:value]), head)
		d.records(value, inner, depth+1)
		d.line(depth, hexOf(d.b[inner:next]), fmt.Sprintf("%d %s", tag.Number(), types[wire.EndGroup]))
	default:
		start, _ := wire.ReadBytes(d.b[:end], value)
		d.payload(i, start, next, depth, head)
	}
	return next
}

func varint(v uint64) string {
	if int64(v) < 0 {
		return fmt.Sprintf("%d, signed %d", v, int64(v))
	}
	return strconv.FormatUint(v, 10)
}

// payload prints a length-delimited record from i, whose payload is b[start:end].
func (d *dumper) payload(i, start, end, depth int, head string) {
	payload := d.b[start:end]
	text := isText(payload)
	switch {
	case text && len(payload) <= 40 && !(hasControl(payload) && d.isMessage(start, end, depth)):
		d.line(depth, hexOf(d.b[i:start])+" "+strconv.Quote(string(payload)), head)
	case (!text || hasControl(payload)) && d.isMessage(start, end, depth):
		d.line(depth, hexOf(d.b[i:start]), fmt.Sprintf("%s %d bytes", head, len(payload)))
		d.records(start, end, depth+1)
	case text:
		d.line(depth, hexOf(d.b[i:start]), fmt.Sprintf("%s %d bytes", head, len(payload)))
		for rest := string(payload); rest != ""; {
			n := min(len(rest), 60)
			for n < len(rest) && !utf8.RuneStart(rest[n]) {
				n++
			}
			d.line(depth+1, strconv.Quote(rest[:n]), "")
			rest = rest[n:]
		}
	default:
		d.line(depth, hexOf(d.b[i:start]), fmt.Sprintf("%s %d bytes", head, len(payload)))
		d.bytes(start, end, depth+1, "")
	}
}

// isMessage reports whether a payload is a sequence of records.
func (d *dumper) isMessage(i, end, depth int) bool {
	if depth+1 >= wire.DefaultDepth || i == end {
		return false
	}
	for i < end {
		tag, next := wire.ReadTag(d.b[:end], i)
		if next < 0 {
			return false
		}
		if i = wire.Skip(d.b[:end], next, tag, wire.DefaultDepth-depth-1); i < 0 {
			return false
		}
	}
	return true
}

func isText(b []byte) bool {
	for _, r := range string(b) {
		if !unicode.IsPrint(r) && r != '\n' && r != '\t' && r != '\r' {
			return false
		}
	}
	return utf8.Valid(b)
}

func hasControl(b []byte) bool {
	return strings.ContainsAny(string(b), "\n\t\r")
}
