package schema

import (
	"slices"

	"github.com/hotpb/hotpb/go/schema/internal/locked"
)

// describe describes the plan, with a note of the columns that are off. Messages and enums are in the order of their
// creation.
func (p *Plan) describe() *locked.Lock {
	l := &locked.Lock{Root: p.messages[0].Name}
	for _, m := range p.messages {
		l.Messages = append(l.Messages, p.describeMessage(m))
	}
	for _, e := range p.enums {
		l.Enums = append(l.Enums, e.describe())
	}
	return l
}

func (p *Plan) describeMessage(m *Message) locked.Message {
	t := locked.Message{Name: m.Name, Entry: m.entry, Comment: m.Comment}
	for _, r := range locked.MergeRanges(m.ReservedNumbers) {
		t.Numbers = append(t.Numbers, locked.Range(r))
	}
	t.Names = slices.Clone(m.ReservedNames)
	for _, c := range m.columns {
		column := locked.Column{
			Name: c.Name, Number: c.Number, Kind: c.Kind, Repeated: c.Repeated, Map: c.Map, Packed: c.packed(), Oneof: c.Oneof,
			Explicit: c.Presence == Explicit && c.Oneof == "" && c.Message == nil && !c.Repeated && !m.entry,
			Required: c.Presence == LegacyRequired && !m.entry, Off: c.Disabled,
			Logical: c.logicalText(), Default: c.defaultText(), CheckUTF8: c.CheckUTF8, Comment: c.Comment,
		}
		switch {
		case c.Message != nil && c.Disabled:
			column.Of = c.Message.Name
		case c.Message != nil: // whose name may have changed since
			column.Of = p.compiled.Messages[p.compiled.Ops[c.index].Child].Name
		case c.Enum != nil:
			column.Of = c.Enum.Name
		}
		t.Columns = append(t.Columns, column)
	}
	return t
}

func (e *Enum) describe() locked.Enum {
	t := locked.Enum{Name: e.Name, Closed: e.Closed}
	for _, v := range e.Values {
		t.Values = append(t.Values, locked.Value(v))
	}
	return t
}

// logicalText is the meaning of a column's kind, as it is written in a lock.
func (c *Column) logicalText() string {
	switch {
	case c.Message != nil: // a well-known type, whether or not the column is one of times
		return ""
	case c.Logical == IP:
		return "ip"
	case c.Logical == MAC:
		return "mac"
	case c.Logical == Timestamp:
		return "timestamp " + c.Unit.String()
	case c.Logical == Duration:
		return "duration " + c.Unit.String()
	}
	return ""
}
