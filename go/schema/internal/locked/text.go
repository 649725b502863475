package locked

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/hotpb/hotpb/go/wire"
)

// head is the first line.
const head = "hotpb lock 1"

// String returns the lock as text: the same for the same schema, in whatever order it was built.
func (l *Lock) String() string {
	var b strings.Builder
	b.WriteString(head + "\n")
	fmt.Fprintf(&b, "root %s\n", l.Root)
	for _, m := range l.Messages {
		m.write(&b)
	}
	for _, e := range l.Enums {
		e.write(&b)
	}
	return b.String()
}

func (m *Message) write(b *strings.Builder) {
	fmt.Fprintf(b, "message %s\n", m.Name)
	for _, c := range m.Columns {
		fmt.Fprintf(b, "  %d %s %s\n", c.Number, c.Name, c.TypeText())
	}
	for _, r := range m.Numbers {
		if r.First == r.Last {
			fmt.Fprintf(b, "  reserved %d\n", r.First)
			continue
		}
		fmt.Fprintf(b, "  reserved %d to %d\n", r.First, r.Last)
	}
	for _, name := range m.Names {
		fmt.Fprintf(b, "  reserved %q\n", name)
	}
}

// TypeText is the text after the name of a column.
func (c *Column) TypeText() string {
	var words []string
	switch {
	case c.Map:
		words = append(words, "map")
	case c.Repeated:
		words = append(words, "repeated")
	}
	words = append(words, KindNames[c.Kind])
	if c.Of != "" {
		words = append(words, c.Of)
	}
	switch {
	case c.Repeated && Packable(c.Kind) && !c.Packed:
		words = append(words, "unpacked")
	case c.Explicit:
		words = append(words, "optional")
	case c.Required:
		words = append(words, "required")
	}
	if c.Oneof != "" {
		words = append(words, "oneof", c.Oneof)
	}
	if c.Logical != "" {
		words = append(words, c.Logical)
	}
	if c.Default != "" {
		words = append(words, "default", strconv.QuoteToASCII(c.Default))
	}
	return strings.Join(words, " ")
}

func (e *Enum) write(b *strings.Builder) {
	openness := "open"
	if e.Closed {
		openness = "closed"
	}
	fmt.Fprintf(b, "enum %s %s\n", e.Name, openness)
	for _, v := range e.Values {
		fmt.Fprintf(b, "  %d %s\n", v.Number, v.Name)
	}
}

// KindNames are the kinds as .proto files have them.
var KindNames = [...]string{
	wire.Int32: "int32", wire.Int64: "int64", wire.Uint32: "uint32", wire.Uint64: "uint64", wire.Sint32: "sint32", wire.Sint64: "sint64",
	wire.Fixed32: "fixed32", wire.Fixed64: "fixed64", wire.Sfixed32: "sfixed32", wire.Sfixed64: "sfixed64", wire.Float: "float",
	wire.Double: "double", wire.Bool: "bool", wire.String: "string", wire.Bytes: "bytes", wire.Enum: "enum", wire.Message: "message",
	wire.Group: "group",
}

// Packable reports whether many elements of a kind can share one length.
func Packable(k wire.Kind) bool { t := k.Type(); return t != wire.BytesType && t != wire.StartGroup }

// IsFullName reports whether s is a valid protobuf name with its package.
func IsFullName(name string) bool {
	for _, part := range strings.Split(name, ".") {
		if !IsName(part) {
			return false
		}
	}
	return true
}

// IsName reports whether s is a valid protobuf name.
func IsName(name string) bool {
	for i, c := range []byte(name) {
		letter := c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return name != ""
}
