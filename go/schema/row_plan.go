package schema

import (
	"math/bits"
	"slices"

	"github.com/hotpb/hotpb/go/rt/wire"
	"github.com/hotpb/hotpb/go/schema/internal/locked"
)

// rowPlan is how a plan's messages are decoded into rows.
type rowPlan struct {
	types  []rowType
	reads  []read   // by handle
	zeros  []uint64 // a row of any type for an absent message
	widths []int    // number of tables: one for each message type, then one for each list
	tables []wire.MessageTable
}

// rowType is how one message type is decoded into a row of words: words of presence bits, one word for each oneof,
// one for each column, and one for unknown fields.
type rowType struct {
	index    int      // of its table
	scope    uint32   // of its handles
	width    int      // words of a row
	dense    []uint16 // cell by tag
	sparse   []uint32 // the tags beyond, ascending
	cells    []cell   // of dense; the first one is for unknown fields
	rare     []cell   // of sparse
	leaf     bool     // it has only numbers and text
	texts    bool     // it has strings, and usually only ASCII in them
	unknown  int      // the word of unknown fields, or -1
	kept     uint32   // the list that holds them
	required []bitsOf // presence bits of required columns
	musts    []*cell  // required messages
	nested   []*cell  // messages that may lack required columns
	maps     []*cell
	columns  []*cell // by ascending number, one for each column
	misfit   int     // in a map entry, the word that says that its value is not of the enum; or -1
	reads    []read  // by handle, of all types
	def      *Message
}

type bitsOf struct {
	word int
	bits uint64
}

// cell is how one column is decoded, from records with one of its wire types.
type cell struct {
	action action
	check  utf8Check
	kind   wire.Kind
	slot   uint32 // the column's word
	word   uint32 // of its presence bit
	bit    uint64 // 0 when there is none
	child  uint32 // the type of a message
	list   uint32 // the table of the elements
	choice uint32 // the word of its oneof
	member uint64 // the content of that word when it is set: its own word and 1; 0 if it is in no oneof
	closed *wire.EnumTable
	column *Column
	packed bool // how it is written
}

// read is how a handle finds its value.
type read struct {
	scope  uint32 // of the handle; 0 when the column is off
	slot   uint32
	word   uint32
	bit    uint64
	choice uint32
	member uint64
	list   uint32
	child  uint32
	kind   wire.Kind
	preset bool   // an absent column does not read as zero, but as
	absent uint64 // this word,
	text   []byte // or this text
	column *Column
}

// action is how a record is decoded.
type action uint8

const (
	doUnknown action = iota
	doVarint         // 64 bits as they are
	doNumber         // a varint of another kind
	doFixed64
	doFixed32 // bits as they are
	doText    // strings and bytes
	doMessage
	doLeaves   // repeated messages whose type is a leaf
	doMessages // other ones
	doRare     // the following ones have functions of their own
	doSfixed32
	doGroup
	doGroups
	doMap
	doClosed   // an enum whose values are checked
	doMember   // in a oneof, not a message
	doTexts    // an element
	doElement  // an element of a number
	doElements // packed
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

var kindActions = [...]action{
	wire.Int32: doNumber, wire.Int64: doVarint, wire.Uint32: doNumber, wire.Uint64: doVarint,
	wire.Sint32: doNumber, wire.Sint64: doNumber, wire.Fixed32: doFixed32, wire.Fixed64: doFixed64,
	wire.Sfixed32: doSfixed32, wire.Sfixed64: doFixed64, wire.Float: doFixed32, wire.Double: doFixed64,
	wire.Bool: doNumber, wire.String: doText, wire.Bytes: doText, wire.Enum: doNumber,
	wire.Message: doMessage, wire.Group: doGroup,
}

// rowTypes returns the plan's rows, and creates them on the first call.
func (p *Plan) rowTypes() *rowPlan {
	if r := p.rows.Load(); r != nil {
		return r
	}
	return p.firstRows()
}

func (p *Plan) firstRows() *rowPlan {
	p.rows.CompareAndSwap(nil, p.layRows()) // of two at once, one is stored
	return p.rows.Load()
}

func (p *Plan) layRows() *rowPlan {
	r := &rowPlan{
		types:  make([]rowType, len(p.messages)),
		reads:  make([]read, len(p.ops)),
		widths: make([]int, len(p.messages)),
	}
	widest := 0
	for i, m := range p.messages {
		r.lay(p, &r.types[i], m)
		r.widths[i] = r.types[i].width
		widest = max(widest, r.types[i].width)
	}
	r.zeros = make([]uint64, widest)
	r.findLeaves()
	r.findRequired()
	r.tables = p.tables
	return r
}

// lay lays out the row of a message type.
func (r *rowPlan) lay(p *Plan, t *rowType, m *plannedMessage) {
	*t = rowType{index: m.index, scope: m.def.scope, unknown: -1, misfit: -1, reads: r.reads, def: m.def}
	t.cells = make([]cell, 1, len(m.columns)+1)
	presence := 0
	for _, c := range m.columns {
		if c.Presence != Implicit && c.Oneof == "" && c.Message == nil {
			presence++
		}
	}
	t.width = (presence + 63) / 64
	bit := 0
	choices := map[string]int{}
	for i, c := range m.columns {
		o := cell{kind: c.Kind, column: c, packed: c.packed(), action: kindActions[c.Kind], closed: p.tables[m.index].Fields[i].Closed}
		if c.Oneof != "" {
			at, ok := choices[c.Oneof]
			if !ok {
				at = t.width
				choices[c.Oneof] = at
				t.width++
			}
			o.choice, o.member = uint32(at), uint64(t.width)+1 // its own word, which is the next one
		} else if c.Presence != Implicit && c.Message == nil {
			o.word, o.bit = uint32(bit/64), 1<<(bit%64)
			bit++
		}
		o.slot = uint32(t.width)
		t.width++
		if c.Message != nil {
			o.child = uint32(p.ops[c.index].child)
		}
		r.act(t, &o)
		t.add(o, m)
	}
	if m.def.KeepUnknown {
		t.unknown = t.width
		t.width++
		t.kept = r.newList()
	}
	t.width = max(t.width, 1)
	for _, o := range t.columns {
		r.reads[o.column.index] = o.reads(t.scope)
	}
}

func (r *rowPlan) newList() uint32 {
	r.widths = append(r.widths, 1)
	return uint32(len(r.widths) - 1)
}

// act returns how the records of a column are decoded.
func (r *rowPlan) act(t *rowType, o *cell) {
	c := o.column
	if c.Kind == wire.String {
		if o.check = checkStrict; c.CheckUTF8 {
			o.check = checkAlways
		}
	}
	if o.closed != nil {
		o.action = doClosed
	}
	switch {
	case c.Map:
		o.action = doMap
	case c.Repeated && c.Kind == wire.Message:
		o.action = doMessages
	case c.Repeated && c.Kind == wire.Group:
		o.action = doGroups
	case c.Repeated:
		o.list = r.newList()
		if o.action = doElement; !locked.Packable(c.Kind) {
			o.action = doTexts
		}
	case o.member != 0 && c.Message == nil:
		o.action = doMember
	case t.def.entry && o.closed != nil:
		t.misfit = t.width
		t.width++
		o.action = doEntryEnum
	}
}

// add adds a cell for each wire type that the column's records may have.
func (t *rowType) add(o cell, m *plannedMessage) {
	limit := 64 + 8*uint32(len(m.columns)) // of dense numbers
	put := func(o cell, wireType wire.Type) *cell {
		tag := wire.MakeTag(o.column.Number, wireType)
		if o.column.Number > limit || len(t.cells) > 1<<16-3 {
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
	element := o.kind.Type()
	own := *put(o, element)
	if o.action == doElement && element != wire.BytesType {
		elements := o
		elements.action = doElements
		put(elements, wire.BytesType)
		if n := len(t.sparse); n > 1 && t.sparse[n-1] < t.sparse[n-2] { // wire type 5 before 2
			t.sparse[n-1], t.sparse[n-2] = t.sparse[n-2], t.sparse[n-1]
			t.rare[n-1], t.rare[n-2] = t.rare[n-2], t.rare[n-1]
		}
	}
	t.columns = append(t.columns, &own)
	if o.column.Map {
		t.maps = append(t.maps, &own)
	}
}

// find finds the cell of a tag that is not dense.
func (t *rowType) find(tag uint32) *cell {
	if i, ok := slices.BinarySearch(t.sparse, tag); ok {
		return &t.rare[i]
	}
	return &t.cells[0]
}

func (o *cell) reads(scope uint32) read {
	r := read{scope: scope, slot: o.slot, word: o.word, bit: o.bit, choice: o.choice, member: o.member,
		list: o.list, child: o.child, kind: o.kind, column: o.column}
	if c := o.column; c.Default != "" {
		r.absent, r.text, r.preset = c.parseDefault()
	} else if c.Enum != nil && !c.Repeated && c.Enum.Values[0].Number != 0 {
		r.absent, r.preset = uint64(int64(c.Enum.Values[0].Number)), true
	}
	return r
}

// findLeaves finds the messages that have only numbers and text.
func (r *rowPlan) findLeaves() {
	for i := range r.types {
		t := &r.types[i]
		t.leaf = len(t.sparse) == 0
		texts := 0
		for _, o := range t.columns {
			t.leaf = t.leaf && o.action <= doText
			switch o.action {
			case doText:
				texts++
			case doFixed64, doFixed32:
				texts = -len(t.columns)
			}
		}
		t.texts = texts > 1
	}
	for i := range r.types {
		cells := r.types[i].cells
		for j := range cells {
			if o := &cells[j]; o.action == doMessages && r.types[o.child].leaf {
				o.action = doLeaves
			}
		}
	}
}

// findRequired finds the required columns, and the messages that may contain some.
func (r *rowPlan) findRequired() {
	needs := make([]bool, len(r.types))
	for i := range r.types {
		t := &r.types[i]
		for _, o := range t.columns {
			if o.column.Presence != LegacyRequired {
				continue
			}
			needs[i] = true
			if o.column.Message != nil {
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
	above, open := make([][]int, len(r.types)), []int{}
	for i := range r.types {
		if needs[i] {
			open = append(open, i)
		}
		for _, o := range r.types[i].columns {
			if o.column.Message != nil {
				above[o.child] = append(above[o.child], i)
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
	for i := range r.types {
		t := &r.types[i]
		for _, o := range t.columns {
			if o.column.Message != nil && needs[o.child] {
				t.nested = append(t.nested, o)
			}
		}
	}
}

// upTo returns the smallest power of two that is not below n.
func upTo(n int) int { return 1 << bits.Len(uint(n-1)) }
