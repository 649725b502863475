package schema

import (
	"cmp"
	"slices"
	"strings"

	"github.com/hotpb/hotpb/go/schema/internal/locked"
)

// locked returns the plan as a lock records it, with a note of the columns that are off.
func (p *Plan) locked() *locked.Lock {
	if p.isEmpty() {
		return new(locked.Lock)
	}
	l := &locked.Lock{Root: p.messages[0].def.Name}
	for _, m := range p.messages {
		l.Messages = append(l.Messages, m.locked())
	}
	for _, e := range p.enums {
		l.Enums = append(l.Enums, e.locked())
	}
	l.Sort()
	return l
}

func (m *plannedMessage) locked() locked.Message {
	t := locked.Message{Name: m.def.Name}
	for _, r := range locked.MergeRanges(m.def.ReservedNumbers) {
		t.Numbers = append(t.Numbers, locked.Range(r))
	}
	t.Names = slices.Clone(m.def.ReservedNames)
	for _, c := range m.def.columns {
		column := locked.Column{
			Name: c.Name, Number: c.Number, Kind: c.Kind, Repeated: c.Repeated, Map: c.Map, Packed: c.packed(), Oneof: c.Oneof,
			Explicit: m.optional(c), Required: c.Presence == LegacyRequired && !m.def.entry, Off: c.Disabled,
			Logical: c.logicalText(), Default: c.defaultText(),
		}
		switch {
		case c.Message != nil:
			column.Of = c.Message.Name
		case c.Enum != nil:
			column.Of = c.Enum.Name
		}
		t.Columns = append(t.Columns, column)
	}
	return t
}

func (e *Enum) locked() locked.Enum {
	t := locked.Enum{Name: e.Name, Closed: e.Closed}
	for _, v := range e.Values {
		t.Values = append(t.Values, locked.Value{Name: v.Name, Number: v.Number})
	}
	slices.SortFunc(t.Values, func(a, b locked.Value) int {
		return cmp.Or(cmp.Compare(a.Number, b.Number), strings.Compare(a.Name, b.Name))
	})
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
