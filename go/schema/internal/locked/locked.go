// Package locked describes a schema: as a lock records it, with the words of its text, and as it is exported. Package
// schema creates descriptions from plans, and its hashes cover their texts. Package lock reads and compares them,
// package export writes .proto files and descriptors from them.
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

	Entry   bool   // of a map; a text does not have it
	Comment string // nor that
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
	Off                bool   // in a plan; a text does not have it, nor what follows
	CheckUTF8          bool
	Comment            string
}

// Enum is an enum.
type Enum struct {
	Name   string
	Closed bool
	Values []Value // by number, then name
}

// Value is a value of an enum.
type Value struct {
	Name    string
	Number  int32
	Comment string // a text does not have it
}

// Sort sorts the contents of the lock.
func (l *Lock) Sort() {
	slices.SortFunc(l.Messages, func(a, b Message) int { return strings.Compare(a.Name, b.Name) })
	slices.SortFunc(l.Enums, func(a, b Enum) int { return strings.Compare(a.Name, b.Name) })
	for i := range l.Messages {
		l.Messages[i].sort()
	}
	for _, e := range l.Enums {
		slices.SortFunc(e.Values, func(a, b Value) int {
			return cmp.Or(cmp.Compare(a.Number, b.Number), strings.Compare(a.Name, b.Name))
		})
	}
}

func (m *Message) sort() {
	slices.Sort(m.Names)
	m.Names = slices.Compact(m.Names)
	slices.SortFunc(m.Columns, func(a, b Column) int { return cmp.Compare(a.Number, b.Number) })
}

// Reached returns the messages and enums to which columns lead that are on, in the order of l. The numbers and names of
// columns that are off are reserved in it.
func (l *Lock) Reached() *Lock {
	index := make(map[string]int, len(l.Messages))
	for i := range l.Messages {
		index[l.Messages[i].Name] = i
	}
	seen, used := make([]bool, len(l.Messages)), map[string]bool{}
	queue := []int{index[l.Root]}
	seen[queue[0]] = true
	for ; len(queue) > 0; queue = queue[1:] {
		for _, c := range l.Messages[queue[0]].Columns {
			switch i, isMessage := index[c.Of]; {
			case c.Off || c.Of == "":
			case c.Kind == wire.Enum:
				used[c.Of] = true
			case isMessage && !seen[i]:
				seen[i] = true
				queue = append(queue, i)
			}
		}
	}
	reached := &Lock{Root: l.Root}
	for i, m := range l.Messages {
		if seen[i] {
			m.Numbers, m.Names = slices.Clone(m.Numbers), slices.Clone(m.Names)
			m.Columns = slices.DeleteFunc(slices.Clone(m.Columns), func(c Column) bool {
				if c.Off {
					m.Numbers, m.Names = append(m.Numbers, Range{c.Number, c.Number}), append(m.Names, c.Name)
				}
				return c.Off
			})
			m.Numbers = MergeRanges(m.Numbers)
			m.sort()
			reached.Messages = append(reached.Messages, m)
		}
	}
	for _, e := range l.Enums {
		if used[e.Name] {
			reached.Enums = append(reached.Enums, e)
		}
	}
	return reached
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
