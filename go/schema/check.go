package schema

import (
	"fmt"
	"sort"

	"github.com/hotpb/hotpb/go/schema/internal/locked"
	"github.com/hotpb/hotpb/go/wire"
)

// check finds all faults of a schema.
func (s *Schema) check(wrong *problems) {
	if s.Pkg != "" && !locked.IsFullName(s.Pkg) {
		wrong.add(s.Pkg, "is not a package name")
	}
	types := map[string]bool{}
	for _, m := range s.messages {
		if types[m.Name] {
			wrong.add(m.Name, "two types have this name")
		}
		types[m.Name] = true
	}
	for _, e := range s.enums {
		if types[e.Name] {
			wrong.add(e.Name, "two types have this name")
		}
		types[e.Name] = true
		e.check(wrong)
	}
	for _, m := range s.messages {
		m.check(wrong)
	}
}

func (e *Enum) check(wrong *problems) {
	if !locked.IsFullName(e.Name) {
		wrong.add(e.Name, "is not a name of an enum")
	}
	if len(e.Values) == 0 {
		wrong.add(e.Name, "has no values")
		return
	}
	if !e.Closed && e.Values[0].Number != 0 {
		wrong.add(e.Name, "the first value of an open enum must be 0")
	}
	names := map[string]bool{}
	for _, v := range e.Values {
		if !locked.IsName(v.Name) {
			wrong.add(e.Name, fmt.Sprintf("%q is not a name of a value", v.Name))
		}
		if names[v.Name] {
			wrong.add(e.Name, fmt.Sprintf("two values are called %s", v.Name))
		}
		names[v.Name] = true
	}
}

func (m *Message) check(wrong *problems) {
	reserved, reservedNames := locked.MergeRanges(m.ReservedNumbers), map[string]bool{}
	if !locked.IsFullName(m.Name) {
		wrong.add(m.Name, "is not a name of a message")
	}
	for _, r := range m.ReservedNumbers {
		if r.First == 0 || r.First > r.Last || r.Last > wire.MaxNumber {
			wrong.add(m.Name, fmt.Sprintf("%d to %d is not a range of field numbers", r.First, r.Last))
		}
	}
	if m.entry && (len(m.columns) != 2 || m.columns[0].Name != "key" || m.columns[0].Number != 1 ||
		m.columns[1].Name != "value" || m.columns[1].Number != 2) {
		wrong.add(m.Name, "an entry must have the columns key = 1 and value = 2")
	} else if m.entry {
		m.checkEntry(wrong)
	}
	for _, name := range m.ReservedNames {
		if !locked.IsName(name) {
			wrong.add(m.Name, fmt.Sprintf("%q is not a name to reserve", name))
		}
		reservedNames[name] = true
	}
	names, numbers := map[string]bool{}, map[uint32]string{}
	oneofs := map[string]bool{}
	for _, c := range m.columns {
		where := m.Name + "." + c.Name
		if names[c.Name] {
			wrong.add(where, "two columns have this name")
		}
		names[c.Name] = true
		if earlier, ok := numbers[c.Number]; ok {
			wrong.add(where, fmt.Sprintf("has the number %d, as %s has", c.Number, earlier))
		}
		numbers[c.Number] = c.Name
		if c.Oneof != "" {
			if keeps, ok := oneofs[c.Oneof]; ok && keeps != c.KeepFirst {
				wrong.add(where, "either all columns of a oneof keep the first value, or none")
			}
			oneofs[c.Oneof] = c.KeepFirst
		}
		// The first range that does not end before the number is the one that may contain it.
		if i := sort.Search(len(reserved), func(i int) bool { return reserved[i].Last >= c.Number }); i < len(reserved) &&
			reserved[i].First <= c.Number {
			wrong.add(where, fmt.Sprintf("the number %d is reserved", c.Number))
		}
		if reservedNames[c.Name] {
			wrong.add(where, "the name is reserved")
		}
		c.check(m, where, wrong)
	}
	for name := range oneofs {
		if !locked.IsName(name) {
			wrong.add(m.Name, fmt.Sprintf("%q is not a name of a oneof", name))
		}
		if names[name] {
			wrong.add(m.Name+"."+name, "a oneof and a column have this name")
		}
	}
}

func (m *Message) checkEntry(wrong *problems) {
	key, value := m.columns[0], m.columns[1]
	switch key.Kind {
	case wire.Float, wire.Double, wire.Bytes, wire.Enum, wire.Message, wire.Group:
		wrong.add(m.Name+".key", "a key must be an integer, a bool or a string")
	}
	for _, c := range m.columns {
		if c.Repeated || c.Disabled || c.Oneof != "" {
			wrong.add(m.Name+"."+c.Name, "is the key or value of a map: it must not be repeated, switched off, or in a oneof")
		}
	}
	if value.Kind == wire.Group {
		wrong.add(m.Name+".value", "the value of a map cannot be a group")
	}
}

func (c *Column) check(m *Message, where string, wrong *problems) {
	is := func(bad bool, reason string) {
		if bad {
			wrong.add(where, reason)
		}
	}
	is(!locked.IsName(c.Name), "is not a name of a column")
	is(c.Number == 0 || c.Number > wire.MaxNumber, fmt.Sprintf("%d is not a field number", c.Number))
	is(c.Number >= 19000 && c.Number <= 19999, fmt.Sprintf("the numbers from 19000 to 19999 are protobuf's own (%d)", c.Number))
	if c.Kind < wire.Int32 || c.Kind > wire.Group {
		wrong.add(where, "has no kind")
		return
	}
	isMessage := c.Kind == wire.Message || c.Kind == wire.Group
	is(isMessage && (c.Message == nil || c.Message.schema != m.schema), "its message type belongs to another schema")
	is(!isMessage && c.Message != nil, "has a message type and another kind")
	is(c.Kind == wire.Enum && (c.Enum == nil || c.Enum.schema != m.schema), "its enum belongs to another schema")
	is(c.Kind != wire.Enum && c.Enum != nil, "has an enum and another kind")
	is(c.Map != (c.Message != nil && c.Message.entry), "a map must have an entry type, and no other column may have one")
	is(c.Map && (!c.Repeated || c.Kind != wire.Message), "a map must be a repeated message")
	is(c.Unpacked && !(c.Repeated && locked.Packable(c.Kind)), "only repeated numbers can be packed or not")
	is(c.Repeated && c.Oneof != "", "a repeated column cannot be in a oneof")
	is(c.Repeated && c.Presence != Implicit, "a repeated column cannot have presence")
	is(c.Repeated && c.KeepFirst, "a repeated column cannot keep the first value")
	is(isMessage && !c.Repeated && c.Presence == Implicit, "a message must have explicit presence")
	is(c.Oneof != "" && c.Presence != Explicit, "a column of a oneof must have explicit presence")
	is(c.CheckUTF8 && c.Kind != wire.String, "only strings can be checked as UTF-8")
	is(c.Deferred && (c.Repeated || m != m.schema.Message), "only columns of the root that are not repeated can be deferred")
	is(c.Deferred && isMessage && c.Logical == Plain, "a message cannot be deferred")
	is(c.Deferred && c.Oneof != "", "a column of a oneof cannot be deferred: it would be written after members that were set later")
	if c.Default != "" && !isMessage && (c.Kind != wire.Enum || c.Enum != nil) {
		_, _, ok := c.parseDefault()
		is(!ok, fmt.Sprintf("its default %q is not a value of it", c.Default))
	}
	is(c.Default != "" && (isMessage || c.Repeated || c.Presence == Implicit || m.entry),
		"only values with explicit presence can have a default, and not in maps")
	c.checkLogical(is)
}

func (c *Column) checkLogical(is func(bool, string)) {
	switch c.Logical {
	case Plain:
	case IP:
		is(c.Kind != wire.Bytes, "an IP must be of kind bytes")
	case MAC:
		is(c.Kind != wire.Uint64 && c.Kind != wire.Fixed64, "a MAC must be of kind uint64 or fixed64")
	case Timestamp, Duration:
		name := "google.protobuf.Timestamp"
		if c.Logical == Duration {
			name = "google.protobuf.Duration"
		}
		switch c.Kind {
		case wire.Int64, wire.Sint64, wire.Sfixed64, wire.Uint64, wire.Fixed64, wire.Uint32, wire.Fixed32:
			is(c.Unit > Nanos, "a number needs a unit from Seconds to Nanos")
		case wire.Message:
			is(c.Unit != WellKnown || c.Message != nil && c.Message.Name != name, "is not "+name)
			is(c.Message != nil && c.Message.Name == name && !c.Message.timed(),
				name+" has the columns int64 seconds = 1 and int32 nanos = 2")
		default:
			is(true, "a timestamp or duration must be of an integer kind or a message")
		}
	default:
		is(true, "has no logical type")
	}
}

// timed reports whether a message has the columns of google.protobuf.Timestamp and Duration, which records write
// without a check.
func (m *Message) timed() bool {
	if len(m.columns) != 2 {
		return false
	}
	for _, c := range m.columns {
		if c.Repeated || c.Oneof != "" || c.Disabled || c.Presence == LegacyRequired ||
			(c.Name != "seconds" || c.Number != 1 || c.Kind != wire.Int64) && (c.Name != "nanos" || c.Number != 2 || c.Kind != wire.Int32) {
			return false
		}
	}
	return true
}
