// Package row decodes messages into rows of words, which package schema shows to users.
package row

import (
	"math/bits"
	"slices"

	"github.com/hotpb/hotpb/go/rt/wire"
	"github.com/hotpb/hotpb/go/schema/internal/locked"
	"github.com/hotpb/hotpb/go/schema/internal/plan"
)

// Plan is how a plan's messages are decoded into rows.
type Plan struct {
	Types  []Type   // the root first
	reads  []Cell   // by handle
	zeros  []uint64 // a row of any type for an absent message
	widths []int    // number of tables: one for each message type, then one for each list
	tables []wire.MessageTable
}

// Type is how one message type is decoded into a row of words: words of presence bits, one word for each oneof,
// one for each column, and one for unknown fields.
type Type struct {
	Message  *plan.Message
	Columns  []*Cell  // by ascending number, one for each column
	index    int      // of its table
	scope    uint32   // of its handles
	width    int      // words of a row
	dense    []uint16 // cell by tag
	sparse   []uint32 // the tags beyond, ascending
	cells    []Cell   // of dense; the first one is for unknown fields
	rare     []Cell   // of sparse
	leaf     bool     // it has only numbers and text
	texts    bool     // it has strings, and usually only ASCII in them
	unknown  int      // the word of unknown fields, or -1
	kept     uint32   // the list that holds them
	required []bitsOf // presence bits of required columns
	musts    []*Cell  // required messages
	nested   []*Cell  // messages that may lack required columns
	maps     []*Cell
	misfit   int    // in a map entry, the word that says that its value is not of the enum; or -1
	reads    []Cell // by handle, of all types
}

type bitsOf struct {
	word int
	bits uint64
}

// Cell is how one column is decoded, from records with one of its wire types, and how it is read.
type Cell struct {
	Action Action
	check  utf8Check
	Kind   wire.Kind
	preset bool   // an absent column does not read as zero
	slot   uint32 // the column's word
	word   uint32 // of its presence bit
	scope  uint32 // of its handle; 0 when the column is off
	bit    uint64 // 0 when there is none
	Child  uint32 // the type of a message
	list   uint32 // the table of the elements
	choice uint32 // the word of its oneof
	member uint64 // the content of that word when it is set: its own word and 1; 0 if it is in no oneof
	Closed *wire.EnumTable
	Column *plan.Column // nil for unknown fields
}

// Action is how a record is decoded.
type Action uint8

// The actions.
const (
	DoUnknown Action = iota
	doVarint         // 64 bits as they are
	doNumber         // a varint of another kind
	doFixed64
	doFixed32 // bits as they are
	doText    // strings and bytes
	DoMessage
	DoLeaves   // repeated messages whose type is a leaf
	DoMessages // other ones
	doRare     // the following ones have functions of their own
	doSfixed32
	DoGroup
	DoGroups
	DoMap
	doClosed   // an enum whose values are checked
	doMember   // in a oneof, not a message
	doTexts    // an element
	doElement  // an element of a number
	DoElements // packed
	doEntryEnum
)

// utf8Check says when a string is checked.
type utf8Check uint8

const (
	checkNever utf8Check = iota
	checkStrict
	checkAlways
	checkNone // for values that are not strings: none is checked
)

var kindActions = [...]Action{
	wire.Int32: doNumber, wire.Int64: doVarint, wire.Uint32: doNumber, wire.Uint64: doVarint,
	wire.Sint32: doNumber, wire.Sint64: doNumber, wire.Fixed32: doFixed32, wire.Fixed64: doFixed64,
	wire.Sfixed32: doSfixed32, wire.Sfixed64: doFixed64, wire.Float: doFixed32, wire.Double: doFixed64,
	wire.Bool: doNumber, wire.String: doText, wire.Bytes: doText, wire.Enum: doNumber,
	wire.Message: DoMessage, wire.Group: DoGroup,
}

// New lays out the rows of a plan.
func New(p *plan.Plan) *Plan {
	r := &Plan{
		Types:  make([]Type, len(p.Messages)),
		reads:  make([]Cell, len(p.Ops)),
		widths: make([]int, len(p.Messages)),
		tables: p.Tables,
	}
	widest := 0
	for i, m := range p.Messages {
		r.lay(&r.Types[i], m)
		r.widths[i] = r.Types[i].width
		widest = max(widest, r.Types[i].width)
	}
	r.zeros = make([]uint64, widest)
	r.findLeaves()
	r.findRequired()
	return r
}

// lay lays out the row of a message type.
func (r *Plan) lay(t *Type, m *plan.Message) {
	*t = Type{Message: m, index: m.Index, scope: m.Scope, unknown: -1, misfit: -1, reads: r.reads}
	t.cells = make([]Cell, 1, len(m.Columns)+1)
	presence := 0
	for _, c := range m.Columns {
		if c.Explicit && c.Oneof == "" && c.Child < 0 {
			presence++
		}
	}
	t.width = (presence + 63) / 64
	bit := 0
	choices := map[string]int{}
	for _, c := range m.Columns {
		o := Cell{Kind: c.Kind, Column: c, scope: c.Scope, preset: c.Preset, Action: kindActions[c.Kind], Closed: c.Closed}
		if c.Oneof != "" {
			at, ok := choices[c.Oneof]
			if !ok {
				at = t.width
				choices[c.Oneof] = at
				t.width++
			}
			o.choice, o.member = uint32(at), uint64(t.width)+1 // its own word, which is the next one
		} else if c.Explicit && c.Child < 0 {
			o.word, o.bit = uint32(bit/64), 1<<(bit%64)
			bit++
		}
		o.slot = uint32(t.width)
		t.width++
		if c.Child >= 0 {
			o.Child = uint32(c.Child)
		}
		r.act(t, &o)
		t.add(o, m)
	}
	if m.KeepUnknown {
		t.unknown = t.width
		t.width++
		t.kept = r.newList()
	}
	t.width = max(t.width, 1)
	for _, o := range t.Columns {
		r.reads[o.Column.Index] = *o
	}
}

func (r *Plan) newList() uint32 {
	r.widths = append(r.widths, 1)
	return uint32(len(r.widths) - 1)
}

// act returns how the records of a column are decoded.
func (r *Plan) act(t *Type, o *Cell) {
	c := o.Column
	if c.Kind == wire.String {
		if o.check = checkStrict; c.CheckUTF8 {
			o.check = checkAlways
		}
	}
	if o.Closed != nil {
		o.Action = doClosed
	}
	switch {
	case c.Map:
		o.Action = DoMap
	case c.Repeated && c.Kind == wire.Message:
		o.Action = DoMessages
	case c.Repeated && c.Kind == wire.Group:
		o.Action = DoGroups
	case c.Repeated:
		o.list = r.newList()
		if o.Action = doElement; !locked.Packable(c.Kind) {
			o.Action = doTexts
		}
	case o.member != 0 && c.Child < 0:
		o.Action = doMember
	case t.Message.Entry && o.Closed != nil:
		t.misfit = t.width
		t.width++
		o.Action = doEntryEnum
	}
}

// add adds a cell for each wire type that the column's records may have.
func (t *Type) add(o Cell, m *plan.Message) {
	limit := 64 + 8*uint32(len(m.Columns)) // of dense numbers
	put := func(o Cell, wireType wire.Type) *Cell {
		tag := wire.MakeTag(o.Column.Number, wireType)
		if o.Column.Number > limit || len(t.cells) > 1<<16-3 {
			t.sparse = append(t.sparse, uint32(tag)) // ascending, like the columns
			t.rare = append(t.rare, o)
			return &t.rare[len(t.rare)-1]
		}
		if int(tag) >= len(t.dense) {
			t.dense = append(t.dense, make([]uint16, int(tag)+1-len(t.dense))...)
		}
		t.dense[tag] = uint16(len(t.cells))
		t.cells = append(t.cells, o)
		return &t.cells[len(t.cells)-1]
	}
	element := o.Kind.Type()
	own := *put(o, element)
	if o.Action == doElement && element != wire.BytesType {
		elements := o
		elements.Action = DoElements
		put(elements, wire.BytesType)
		if n := len(t.sparse); n > 1 && t.sparse[n-1] < t.sparse[n-2] { // wire type 5 before 2
			t.sparse[n-1], t.sparse[n-2] = t.sparse[n-2], t.sparse[n-1]
			t.rare[n-1], t.rare[n-2] = t.rare[n-2], t.rare[n-1]
		}
	}
	t.Columns = append(t.Columns, &own)
	if o.Column.Map {
		t.maps = append(t.maps, &own)
	}
}

// Cell returns how the records of a tag are decoded.
func (t *Type) Cell(tag uint32) *Cell {
	if uint(tag) < uint(len(t.dense)) && t.dense[tag] != 0 {
		return &t.cells[t.dense[tag]]
	}
	return t.find(tag)
}

// find finds the cell of a tag that is not dense.
func (t *Type) find(tag uint32) *Cell {
	if i, ok := slices.BinarySearch(t.sparse, tag); ok {
		return &t.rare[i]
	}
	return &t.cells[0]
}

// findLeaves finds the messages that have only numbers and text.
func (r *Plan) findLeaves() {
	for i := range r.Types {
		t := &r.Types[i]
		t.leaf = len(t.sparse) == 0
		texts := 0
		for _, o := range t.Columns {
			t.leaf = t.leaf && o.Action <= doText
			switch o.Action {
			case doText:
				texts++
			case doFixed64, doFixed32:
				texts = -len(t.Columns)
			}
		}
		t.texts = texts > 1
	}
	for i := range r.Types {
		cells := r.Types[i].cells
		for j := range cells {
			if o := &cells[j]; o.Action == DoMessages && r.Types[o.Child].leaf {
				o.Action = DoLeaves
			}
		}
	}
}

// findRequired finds the required columns, and the messages that may contain some.
func (r *Plan) findRequired() {
	needs := make([]bool, len(r.Types))
	for i := range r.Types {
		t := &r.Types[i]
		for _, o := range t.Columns {
			if !o.Column.Required {
				continue
			}
			needs[i] = true
			if o.Column.Child >= 0 {
				t.musts = append(t.musts, o)
				continue
			}
			if n := len(t.required); n == 0 || t.required[n-1].word != int(o.word) {
				t.required = append(t.required, bitsOf{word: int(o.word)})
			}
			t.required[len(t.required)-1].bits |= o.bit
		}
	}
	// From the messages that have some, upwards, each once.
	above, open := make([][]int, len(r.Types)), []int{}
	for i := range r.Types {
		if needs[i] {
			open = append(open, i)
		}
		for _, o := range r.Types[i].Columns {
			if o.Column.Child >= 0 {
				above[o.Child] = append(above[o.Child], i)
			}
		}
	}
	for ; len(open) > 0; open = open[1:] {
		for _, i := range above[open[0]] {
			if !needs[i] {
				needs[i] = true
				open = append(open, i)
			}
		}
	}
	for i := range r.Types {
		t := &r.Types[i]
		for _, o := range t.Columns {
			if o.Column.Child >= 0 && needs[o.Child] {
				t.nested = append(t.nested, o)
			}
		}
	}
}

// upTo returns the smallest power of two that is not below n.
func upTo(n int) int { return 1 << bits.Len(uint(n-1)) }
