package schema

import (
	"encoding/binary"
	"fmt"
	"math"
	"path"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/hotpb/hotpb/go/rt/wire"
	"github.com/hotpb/hotpb/go/schema/internal/locked"
)

// Plan is a compiled schema. It is immutable, and any number of goroutines may use it.
type Plan struct {
	pkg      string
	messages []*plannedMessage // the root first
	enums    []*Enum
	ops      []op // by handle
	tables   []wire.MessageTable
	deferred []*Column               // of the root, by number
	keeps    bool                    // a column keeps its first value
	rows     atomic.Pointer[rowPlan] // created with the first row
}

// plannedMessage is one message type of a plan.
type plannedMessage struct {
	def     *Message  // a copy, with copies of the columns
	columns []*Column // those that are on, by ascending number
	off     []*Column // those that are off
	index   int       // in Plan.messages and Plan.tables
	words   int       // number of bits that say which columns have been set
}

// op is how one column is encoded. The fields that the usual value needs come first; all fit into one cache line.
type op struct {
	Handle        // its column; scope 0 when the column is off
	usual  uint64 // values from 1 to this are written without further checks: see the function usual
	tag    uint64 // the bytes of the tag, the first one lowest
	bit    uint64 // in word: the column, or its oneof
	word   uint16
	size   uint8 // of the tag
	step   uint8 // and of one byte more
	text   uint8 // as usual, for texts: their length
	utf8   bool
	kind   wire.Kind
	misfit Misfit
	keep   bool // the first value is kept
	later  bool // kept in the record until its end
	zero   bool // zero is written
	packed bool
	child  int32  // the message's index in Plan.messages
	max    uint64 // the largest value that fits; for signed numbers, the largest positive one

	column *Column
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
	p := &Plan{pkg: s.Pkg, ops: make([]op, len(s.columns))}
	enums := map[*Enum]*Enum{}
	for _, e := range s.enums {
		enums[e] = e.compiled()
		p.enums = append(p.enums, enums[e])
	}
	for i, m := range s.messages {
		p.messages = append(p.messages, sw.plan(s, m, i, enums))
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
	addrSeen.Do(lookAtAddr)
	for _, m := range p.messages {
		p.layOut(m, indices)
	}
	p.makeTables()
	return p, nil
}

// plan copies a message and sorts its columns into those that are on and those that are off.
func (sw *switches) plan(s *Schema, m *Message, index int, enums map[*Enum]*Enum) *plannedMessage {
	def := *m
	def.columns = nil
	pm := &plannedMessage{def: &def, index: index}
	for _, c := range m.columns {
		copied := *c
		copied.Enum = enums[c.Enum]
		def.columns = append(def.columns, &copied)
		if copied.Disabled = sw.off(s, m, c); copied.Disabled {
			pm.off = append(pm.off, &copied)
		} else {
			pm.columns = append(pm.columns, &copied)
		}
	}
	byNumber := func(a, b *Column) int { return int(a.Number) - int(b.Number) }
	slices.SortStableFunc(pm.columns, byNumber)
	slices.SortStableFunc(pm.off, byNumber)
	return pm
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

// layOut creates the ops of a message's columns.
func (p *Plan) layOut(m *plannedMessage, indices map[*Message]int32) {
	bits := 0
	oneofs := map[string]int{}
	for _, c := range m.columns {
		if c.Deferred {
			p.deferred = append(p.deferred, c)
		}
		bit := bits
		if shared, ok := oneofs[c.Oneof]; ok && c.Oneof != "" {
			bit = shared
		} else {
			oneofs[c.Oneof] = bit
			bits++
		}
		o := op{
			Handle: Handle{m.def.scope, c.index}, child: -1, kind: c.Kind, column: c,
			word: uint16(bit / 64), bit: 1 << (bit % 64), max: largest(c),
			keep: c.KeepFirst && !c.Repeated, later: c.Deferred, misfit: c.Misfit,
			zero: c.Presence != Implicit || c.Repeated, utf8: c.CheckUTF8, packed: c.packed(),
		}
		if !o.slow() {
			o.usual, o.text = usual(c)
		}
		if c.Message != nil {
			o.child = indices[c.Message]
		}
		t := c.Kind.Type()
		if o.packed {
			t = wire.BytesType
		}
		var tag [8]byte
		o.size = uint8(len(wire.AppendTag(tag[:0], c.Number, t)))
		o.step = o.size + 1
		o.tag = binary.LittleEndian.Uint64(tag[:])
		p.ops[c.index] = o
		p.keeps = p.keeps || o.keep
	}
	m.words = (bits + 63) / 64
}

// slow reports whether writing is not enough for a value.
func (o *op) slow() bool { return o.keep || o.later }

// packed reports whether the column's elements are written in one record.
func (c *Column) packed() bool { return c.Repeated && !c.Unpacked && locked.Packable(c.Kind) }

// usual returns the largest value of the column that a record writes without further checks, for strings the
// largest length; 0 for none.
func usual(c *Column) (number uint64, text uint8) {
	if c.Repeated {
		return 0, 0
	}
	switch c.Kind {
	case wire.Int32, wire.Int64, wire.Uint32, wire.Uint64, wire.Bool:
		return min(largest(c), 1<<56-1), 0 // that many bits can be spread at once
	case wire.Enum:
		if !c.Enum.Closed {
			return largest(c), 0
		}
	case wire.String, wire.Bytes:
		if !c.CheckUTF8 {
			return 0, 0x7f // then the length is one byte
		}
	}
	return 0, 0
}

func largest(c *Column) uint64 {
	if c.Logical == MAC {
		return 1<<48 - 1
	}
	switch c.Kind {
	case wire.Uint32, wire.Fixed32:
		return math.MaxUint32
	case wire.Int32, wire.Sint32, wire.Sfixed32, wire.Enum:
		return math.MaxInt32
	case wire.Int64, wire.Sint64, wire.Sfixed64:
		return math.MaxInt64
	}
	return math.MaxUint64
}

// makeTables describes the plan to the table-driven readers of package wire. Columns that are off are unknown to them.
func (p *Plan) makeTables() {
	p.tables = make([]wire.MessageTable, len(p.messages))
	for i, m := range p.messages {
		t := &p.tables[i]
		t.Name = m.def.Name
		for _, c := range m.columns {
			f := wire.FieldTable{Name: c.Name, Number: c.Number, Kind: c.Kind}
			if c.Repeated {
				f.Flags |= wire.Repeated
			}
			if c.Map {
				f.Flags |= wire.Map
			}
			if c.CheckUTF8 {
				f.Flags |= wire.VerifyUtf8
			}
			if child := p.ops[c.index].child; child >= 0 {
				f.Index = uint32(child)
			}
			if c.Enum != nil && c.Enum.Closed {
				f.Closed = c.Enum.known
			}
			t.Fields = append(t.Fields, f)
		}
	}
}

// compiled returns a copy of the enum that no longer changes.
func (e *Enum) compiled() *Enum {
	c := *e
	c.Values = slices.Clone(e.Values)
	if e.Closed && len(e.Values) > 0 {
		c.known = closedTable(&c)
	}
	return &c
}

func closedTable(e *Enum) *wire.EnumTable {
	d := e.describe()
	values := d.Numbers()
	t := &wire.EnumTable{Min: values[0], Max: values[len(values)-1]}
	if int64(t.Max)-int64(t.Min)+1 != int64(len(values)) {
		t.Values = values
	}
	return t
}
