// Package plan has a compiled schema in the form that its readers and writers use: packages row, record and bind.
// Package schema compiles it.
package plan

import (
	"encoding/binary"
	"math"

	"github.com/hotpb/hotpb/go/rt/wire"
	"github.com/hotpb/hotpb/go/schema/internal/encode"
	"github.com/hotpb/hotpb/go/schema/internal/locked"
)

// Handle refers to a column.
type Handle struct {
	Scope uint32 // of the message that has the column
	Index uint32 // among the columns of the schema
}

// Plan is a compiled schema. It does not change.
type Plan struct {
	Messages []*Message // the root first
	Ops      []Op       // by handle
	Tables   []wire.MessageTable
	Deferred []*Op // of the root, by number
	Keeps    bool  // a column keeps its first value
}

// Message is a message type.
type Message struct {
	Name        string
	Scope       uint32    // of its handles
	Index       int       // in Plan.Messages and Plan.Tables
	Entry       bool      // of a map
	KeepUnknown bool      // decoding keeps the records of other numbers
	Defined     []*Column // all columns, in the order of the definition
	Columns     []*Column // those that are on, by ascending number
	Words       int       // number of words of bits that say which columns have been set
}

// Column is the definition of a column.
type Column struct {
	Handle
	Name   string
	Type   string // of its handle
	Number uint32
	Kind   wire.Kind
	Shape  encode.Shape // of one value: an address and a time have their own
	Unit   uint8        // of a time or duration
	Child  int32        // the message's index; -1 for none
	Oneof  string
	Misfit Misfit

	Off       bool
	Repeated  bool // maps included
	Map       bool
	Packed    bool // all elements share one record
	Explicit  bool // a zero that is set is written
	Required  bool // and decoding fails without the column
	KeepFirst bool // of several values, the first is written
	Deferred  bool // kept in the record until its end
	CheckUTF8 bool // strings are checked

	Closed *wire.EnumTable // of a closed enum
	Values []locked.Value  // of an enum

	Preset bool   // an absent column does not read as zero, but as
	Absent uint64 // this word,
	Text   []byte // or this text
}

// HandleShape is the shape of the values for the column's handle: lists of times and hardware addresses are lists of
// numbers.
func (c *Column) HandleShape() encode.Shape {
	if c.Repeated && c.Shape != encode.ShapeIP {
		return encode.KindShapes[c.Kind]
	}
	return c.Shape
}

// Misfit is a schema.Misfit.
type Misfit uint8

// The values of schema.Misfit.
const (
	Drop Misfit = iota
	Mask
	Refuse
)

// Op is how a column that is on is encoded. The fields that the usual value needs come first; all fit into one cache
// line.
type Op struct {
	Handle        // its column; scope 0 when the column is off
	Usual  uint64 // values from 1 to this are written without further checks: see the function usual
	Tag    uint64 // the bytes of the tag, the first one lowest
	Bit    uint64 // in word: the column, or its oneof
	Word   uint16
	Size   uint8 // of the tag
	Step   uint8 // and of one byte more
	Text   uint8 // as usual, for texts: their length
	UTF8   bool
	Kind   wire.Kind
	Misfit Misfit
	Keep   bool // the first value is kept
	Later  bool // kept in the record until its end
	Zero   bool // zero is written
	Packed bool
	Child  int32  // the message's index in Plan.Messages
	Max    uint64 // the largest value that fits; for signed numbers, the largest positive one

	Column *Column
}

// Slow reports whether writing is not enough for a value.
func (o *Op) Slow() bool { return o.Keep || o.Later }

// Put writes the tag; Slack bytes must be there.
func (o *Op) Put(b []byte, n int) int {
	binary.LittleEndian.PutUint64(b[n:], o.Tag)
	return n + int(o.Size)
}

// Fault is a schema.Error.
type Fault struct {
	Code   wire.Code
	Where  string
	Reason string
}

// Unmade is the fault of a nil or zero value whose type only a schema.Plan or Bind creates.
func Unmade() *Fault {
	return &Fault{Code: wire.HandleMisuse, Reason: "the value is nil, or was not created by a plan"}
}

// LayOut creates all that depends on the messages of a plan with so many columns.
func (p *Plan) LayOut(columns int) {
	p.Ops = make([]Op, columns)
	p.Tables = make([]wire.MessageTable, len(p.Messages))
	for i, m := range p.Messages {
		p.layOut(m)
		m.describe(&p.Tables[i])
	}
}

// layOut creates the ops of a message's columns.
func (p *Plan) layOut(m *Message) {
	bits := 0
	oneofs := map[string]int{}
	for _, c := range m.Columns {
		bit := bits
		if shared, ok := oneofs[c.Oneof]; ok && c.Oneof != "" {
			bit = shared
		} else {
			oneofs[c.Oneof] = bit
			bits++
		}
		o := &p.Ops[c.Index]
		*o = Op{
			Handle: c.Handle, Child: c.Child, Kind: c.Kind, Column: c,
			Word: uint16(bit / 64), Bit: 1 << (bit % 64), Max: c.Largest(),
			Keep: c.KeepFirst && !c.Repeated, Later: c.Deferred, Misfit: c.Misfit,
			Zero: c.Explicit || c.Repeated, UTF8: c.CheckUTF8, Packed: c.Packed,
		}
		if !o.Slow() {
			o.Usual, o.Text = c.usual()
		}
		if c.Deferred {
			p.Deferred = append(p.Deferred, o)
		}
		t := c.Kind.Type()
		if o.Packed {
			t = wire.BytesType
		}
		var tag [8]byte
		o.Size = uint8(len(wire.AppendTag(tag[:0], c.Number, t)))
		o.Step = o.Size + 1
		o.Tag = binary.LittleEndian.Uint64(tag[:])
		p.Keeps = p.Keeps || o.Keep
	}
	m.Words = (bits + 63) / 64
}

// usual returns the largest value of the column that a record writes without further checks, for strings the
// largest length; 0 for none.
func (c *Column) usual() (number uint64, text uint8) {
	if c.Repeated {
		return 0, 0
	}
	switch c.Kind {
	case wire.Int32, wire.Int64, wire.Uint32, wire.Uint64, wire.Bool:
		return min(c.Largest(), 1<<56-1), 0 // that many bits can be spread at once
	case wire.Enum:
		if c.Closed == nil {
			return c.Largest(), 0
		}
	case wire.String, wire.Bytes:
		if !c.CheckUTF8 {
			return 0, 0x7f // then the length is one byte
		}
	}
	return 0, 0
}

// Largest returns the largest value that fits; for signed numbers, the largest positive one.
func (c *Column) Largest() uint64 {
	if c.Shape == encode.ShapeMAC {
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

// describe describes a message to the table-driven readers of package wire. Columns that are off are unknown to them.
func (m *Message) describe(t *wire.MessageTable) {
	t.Name = m.Name
	for _, c := range m.Columns {
		f := wire.FieldTable{Name: c.Name, Number: c.Number, Kind: c.Kind, Closed: c.Closed}
		if c.Repeated {
			f.Flags |= wire.Repeated
		}
		if c.Map {
			f.Flags |= wire.Map
		}
		if c.CheckUTF8 {
			f.Flags |= wire.VerifyUtf8
		}
		if c.Child >= 0 {
			f.Index = uint32(c.Child)
		}
		t.Fields = append(t.Fields, f)
	}
}
