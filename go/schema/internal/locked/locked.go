// Package locked has a schema as a lock records it, and the words of its text. Package schema creates locks from
// plans, and the full hash covers their text. Package lock reads and compares them.
package locked

import (
	"cmp"
	"slices"
	"strings"

	"github.com/hotpb/hotpb/go/wire"
)

// Lock is a schema. Its parts are in order after Sort.
type Lock struct {
	Root     string
	Messages []Message // by name
	Enums    []Enum    // by name
}

// Message is a message type.
type Message struct {
	Name    string
	Columns []Column // by number
	Numbers []Range  // reserved, in order and with gaps between them
	Names   []string // reserved, in order
}

// Range is a schema.Range.
type Range struct{ First, Last uint32 }

// Column is a column, whether it is on or off.
type Column struct {
	Name               string
	Number             uint32
	Kind               wire.Kind
	Of                 string // the message or enum
	Repeated, Map      bool
	Packed             bool
	Explicit, Required bool
	Oneof              string
	Logical            string // the meaning of the kind, with the unit; "" for none, and if the message's name says it
	Default            string // like schema.Column.Default, in one spelling
	Off                bool   // in a plan; a text does not have it
}

// Enum is an enum.
type Enum struct {
	Name   string
	Closed bool
	Values []Value // by number, then name
}

// Value is a value of an enum.
type Value struct {
	Name   string
	Number int32
}

// Sort sorts the contents of the lock.
func (l *Lock) Sort() {
	slices.SortFunc(l.Messages, func(a, b Message) int { return strings.Compare(a.Name, b.Name) })
	slices.SortFunc(l.Enums, func(a, b Enum) int { return strings.Compare(a.Name, b.Name) })
	for i := range l.Messages {
		m := &l.Messages[i]
		slices.Sort(m.Names)
		m.Names = slices.Compact(m.Names)
		SortColumns(m.Columns)
	}
}

// SortColumns sorts columns.
func SortColumns(columns []Column) {
	slices.SortFunc(columns, func(a, b Column) int { return cmp.Compare(a.Number, b.Number) })
}

// MergeRanges sorts ranges and joins those that touch.
func MergeRanges[R ~struct{ First, Last uint32 }](ranges []R) (merged []R) {
	ranges = slices.Clone(ranges)
	slices.SortFunc(ranges, func(a, b R) int { return cmp.Compare(Range(a).First, Range(b).First) })
	for _, r := range ranges {
		if n := len(merged); n > 0 && Range(r).First <= Range(merged[n-1]).Last+1 {
			last := Range(merged[n-1])
			merged[n-1] = R(Range{last.First, max(last.Last, Range(r).Last)})
			continue
		}
		merged = append(merged, r)
	}
	return merged
}

// Message returns the message of a name; nil if there is none.
func (l *Lock) Message(name string) *Message {
	i, ok := slices.BinarySearchFunc(l.Messages, name, func(m Message, n string) int { return strings.Compare(m.Name, n) })
	if !ok {
		return nil
	}
	return &l.Messages[i]
}

// Enum returns the enum of a name; nil if there is none.
func (l *Lock) Enum(name string) *Enum {
	i, ok := slices.BinarySearchFunc(l.Enums, name, func(e Enum, n string) int { return strings.Compare(e.Name, n) })
	if !ok {
		return nil
	}
	return &l.Enums[i]
}

// ByNumber returns the column with a number; nil if there is none.
func (m *Message) ByNumber(number uint32) *Column {
	i, ok := slices.BinarySearchFunc(m.Columns, number, func(c Column, n uint32) int { return cmp.Compare(c.Number, n) })
	if !ok {
		return nil
	}
	return &m.Columns[i]
}

// ByName returns the column of a name; nil if there is none.
func (m *Message) ByName(name string) *Column {
	i := slices.IndexFunc(m.Columns, func(c Column) bool { return c.Name == name })
	if i < 0 {
		return nil
	}
	return &m.Columns[i]
}

// Reserves reports whether a number is reserved.
func (m *Message) Reserves(number uint32) bool {
	return slices.ContainsFunc(m.Numbers, func(r Range) bool { return r.First <= number && number <= r.Last })
}
