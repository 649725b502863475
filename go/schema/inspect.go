package schema

import (
	"cmp"
	"slices"
	"strings"

	"github.com/hotpb/hotpb/go/schema/internal/locked"
	"github.com/hotpb/hotpb/go/wire"
)

// Root returns the full name of the plan's root message.
func (p *Plan) Root() string {
	if p.isEmpty() {
		return ""
	}
	return p.messages[0].Name
}

// Package returns the package of the root message; "" for none.
func (p *Plan) Package() string {
	if p.isEmpty() {
		return ""
	}
	return p.pkg
}

// isEmpty reports whether Compile has not created the plan; a nil plan is empty. Such a plan has no columns, and
// nothing can be written or read with it.
func (p *Plan) isEmpty() bool { return p == nil || len(p.messages) == 0 }

func errNoPlan() error { return &Error{wire.InvalidSchema, "", "the plan was not created by Compile"} }

// Messages returns the full names of the messages to which columns lead that are on, the root first.
func (p *Plan) Messages() (names []string) {
	if p.isEmpty() {
		return nil
	}
	for _, m := range p.describe().Reached().Messages {
		names = append(names, m.Name)
	}
	return names
}

// Columns returns the columns of a message that are on, by number; none for a name that is not a message of the
// plan.
func (p *Plan) Columns(message string) []Column { return copies(p.find(message), true) }

// ColumnsOff returns the columns of a message that are off, by number.
func (p *Plan) ColumnsOff(message string) []Column { return copies(p.find(message), false) }

func (p *Plan) find(message string) *Message {
	if p.isEmpty() {
		return nil
	}
	for _, m := range p.messages {
		if m.Name == message {
			return m
		}
	}
	return nil
}

func copies(m *Message, on bool) (list []Column) {
	for _, c := range m.Columns() {
		if c.Disabled != on {
			list = append(list, *c)
		}
	}
	slices.SortFunc(list, func(a, b Column) int { return cmp.Compare(a.Number, b.Number) })
	return list
}

// Type returns the column's type in words, as in the YAML schema file and in .proto files: repeated uint32,
// map<string, Label>, timestamp(millis).
func (c *Column) Type() string {
	var t string
	switch {
	case c.Map:
		if entry := c.Message.columns; len(entry) == 2 {
			return "map<" + entry[0].Type() + ", " + entry[1].Type() + ">"
		}
		t = "map"
	case c.Logical == IP:
		t = "ip"
	case c.Logical == MAC:
		t = "mac"
	case c.Logical == Timestamp || c.Logical == Duration:
		t = "timestamp"
		if c.Logical == Duration {
			t = "duration"
		}
		t += "(" + c.Unit.String() + ")"
	case c.Message != nil:
		t = c.Message.Name[strings.LastIndexByte(c.Message.Name, '.')+1:]
		if locked.KindNames[c.Kind] == "group" {
			t = "group " + t
		}
	case c.Enum != nil:
		t = c.Enum.Name[strings.LastIndexByte(c.Enum.Name, '.')+1:]
	default:
		t = locked.KindNames[c.Kind]
	}
	if c.Repeated {
		return "repeated " + t
	}
	return t
}

var unitNames = [...]string{"seconds", "millis", "micros", "nanos", "wellknown"}

func (u Unit) String() string { return unitNames[u] }
