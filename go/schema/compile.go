package schema

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/hotpb/hotpb/go/rt/wire"
	"github.com/hotpb/hotpb/go/schema/internal/encode"
	"github.com/hotpb/hotpb/go/schema/internal/locked"
	"github.com/hotpb/hotpb/go/schema/internal/plan"
	"github.com/hotpb/hotpb/go/schema/internal/row"
)

// Plan is a compiled schema. It is immutable, and any number of goroutines may use it.
type Plan struct {
	pkg      string
	messages []*Message // copies with copies of the columns, the root first
	enums    []*Enum
	compiled plan.Plan
	columns  []*Column                // by handle
	rows     atomic.Pointer[row.Plan] // created with the first row
}

// CompileOption is an option of Compile.
type CompileOption func(*switches)

type switches struct{ rules []switchRule }

type switchRule struct {
	on, group bool
	pattern   string
	used      bool
}

func rules(on, group bool, patterns []string) CompileOption {
	return func(s *switches) {
		for _, p := range patterns {
			s.rules = append(s.rules, switchRule{on: on, group: group, pattern: p})
		}
	}
}

// Off switches off the columns whose name matches one of the patterns (see path.Match). Columns of other messages
// than the root have names like Label.name. A * also matches dots: "*_id" switches off Label.parent_id, too, but
// "Label.*" no column of the root. If several rules match a column, the last one decides.
func Off(patterns ...string) CompileOption { return rules(false, false, patterns) }

// On switches columns on, even those that the schema switches off.
func On(patterns ...string) CompileOption { return rules(true, false, patterns) }

// OffGroup switches groups of columns off.
func OffGroup(names ...string) CompileOption { return rules(false, true, names) }

// OnGroup switches groups of columns on.
func OnGroup(names ...string) CompileOption { return rules(true, true, names) }

// Compile checks the schema and creates a plan from it. An error lists all faults; each part is an *Error. A
// pattern or group that matches nothing is an error.
func (s *Schema) Compile(options ...CompileOption) (*Plan, error) {
	if s == nil || s.Message == nil {
		return nil, &Error{wire.InvalidSchema, "", "the schema has no root message: create it with New"}
	}
	var sw switches
	for _, o := range options {
		o(&sw)
	}
	var wrong problems
	s.check(&wrong)
	p := &Plan{pkg: s.Pkg, columns: make([]*Column, len(s.columns))}
	enums := map[*Enum]*Enum{}
	for _, e := range s.enums {
		enums[e] = e.compiled()
		p.enums = append(p.enums, enums[e])
	}
	for _, m := range s.messages {
		p.messages = append(p.messages, sw.plan(s, m, enums))
	}
	for i := range sw.rules {
		if r := &sw.rules[i]; !r.used {
			subject := "pattern"
			if r.group {
				subject = "group"
			}
			wrong.add(s.Name, fmt.Sprintf("no column is in the %s %q", subject, r.pattern))
		}
	}
	if len(wrong) > 0 {
		return nil, wrong.err()
	}
	indices := map[*Message]int32{}
	for i, m := range s.messages {
		indices[m] = int32(i)
	}
	encode.Prepare()
	for i, m := range p.messages {
		p.compiled.Messages = append(p.compiled.Messages, m.compile(i, indices))
		for _, c := range m.columns {
			p.columns[c.index] = c
		}
	}
	p.compiled.LayOut(len(p.columns))
	return p, nil
}

// plan copies a message, and switches its columns off and on.
func (sw *switches) plan(s *Schema, m *Message, enums map[*Enum]*Enum) *Message {
	planned := *m
	planned.columns = nil
	for _, c := range m.columns {
		copied := *c
		copied.Enum, copied.Disabled = enums[c.Enum], sw.off(s, m, c)
		planned.columns = append(planned.columns, &copied)
	}
	return &planned
}

func (sw *switches) off(s *Schema, m *Message, c *Column) bool {
	name := c.Name
	if m != s.Message {
		name = strings.TrimPrefix(m.Name, s.fullName("")) + "." + c.Name
	}
	off := c.Disabled
	for i := range sw.rules {
		r := &sw.rules[i]
		matches := r.group && c.Group == r.pattern && c.Group != ""
		if !r.group {
			matches, _ = path.Match(r.pattern, name)
		}
		if matches && !m.entry {
			off, r.used = !r.on, true
		}
	}
	return off
}

// compile returns the message as readers and writers see it.
func (m *Message) compile(index int, indices map[*Message]int32) *plan.Message {
	to := &plan.Message{Name: m.Name, Scope: m.scope, Index: index, Entry: m.entry, KeepUnknown: m.KeepUnknown}
	for _, c := range m.columns {
		to.Defined = append(to.Defined, c.compile(m, indices))
	}
	to.Columns = slices.DeleteFunc(slices.Clone(to.Defined), func(c *plan.Column) bool { return c.Off })
	slices.SortFunc(to.Columns, func(a, b *plan.Column) int { return cmp.Compare(a.Number, b.Number) })
	return to
}

func (c *Column) compile(m *Message, indices map[*Message]int32) *plan.Column {
	to := &plan.Column{
		Handle: plan.Handle{Scope: m.scope, Index: c.index}, Name: c.Name, Type: c.handleName(), Number: c.Number, Kind: c.Kind,
		Shape: c.valueShape(), Unit: uint8(c.Unit), Child: -1, Oneof: c.Oneof, Misfit: plan.Misfit(c.Misfit),
		Off: c.Disabled, Repeated: c.Repeated, Map: c.Map, Packed: c.packed(),
		Explicit: c.Presence != Implicit, Required: c.Presence == LegacyRequired,
		KeepFirst: c.KeepFirst, Deferred: c.Deferred, CheckUTF8: c.CheckUTF8,
	}
	if c.Message != nil {
		to.Child = indices[c.Message]
	}
	if e := c.Enum; e != nil {
		to.Values, to.Closed = e.listed, e.known
		if n := e.Values[0].Number; n != 0 && !c.Repeated {
			to.Absent, to.Preset = uint64(int64(n)), true
		}
	}
	if c.Default != "" {
		to.Absent, to.Text, to.Preset = c.parseDefault()
	}
	return to
}

// packed reports whether the column's elements are written in one record.
func (c *Column) packed() bool { return c.Repeated && !c.Unpacked && locked.Packable(c.Kind) }

// compiled returns a copy of the enum that no longer changes.
func (e *Enum) compiled() *Enum {
	c := *e
	c.Values = slices.Clone(e.Values)
	d := c.describe()
	c.listed = d.Values
	if e.Closed && len(e.Values) > 0 {
		c.known = closedTable(d.Numbers())
	}
	return &c
}

func closedTable(values []int32) *wire.EnumTable {
	t := &wire.EnumTable{Min: values[0], Max: values[len(values)-1]}
	if int64(t.Max)-int64(t.Min)+1 != int64(len(values)) {
		t.Values = values
	}
	return t
}
