package row

import (
	"encoding/binary"
	"errors"
	"math"

	"github.com/hotpb/hotpb/go/rt/wire"
)

// Decoder is the target of rows and the state of one decode.
type Decoder struct {
	plan   *Plan
	tables []table
	data   []byte // the input, or the copy of it
	made   []byte // unknown records that are not in the input in this form
	block  []byte // for copies of the input

	Reader
	memory     int  // bytes that may still be allocated
	exceeded   int  // start of the record for which there was no memory left
	incomplete bool // a message lacked a required column at its end
	unsorted   bool // a map has more than one entry

	order   []int32 // of the entries of a map that is being sorted
	sorted  []uint64
	sorting *Type
	entries []uint64
	compare func(a, b int32) int
}

// Options are the limits and rules of one decode.
type Options struct {
	wire.Options
	Alias        bool // texts point into the input
	AllowPartial bool
	MaxElements  int
	MaxMemory    int
}

// Make makes a decoder for a plan. The zero decoder has none.
func (d *Decoder) Make(p *Plan) {
	d.plan = p
	d.tables = make([]table, len(p.widths))
	for i, width := range p.widths {
		d.tables[i].width = width
	}
	d.compare = d.byKey
	d.Reset()
}

// Made reports whether the decoder has a plan.
func (d *Decoder) Made() bool { return d.plan != nil }

// Reset empties the row and keeps its memory.
func (d *Decoder) Reset() {
	for i := range d.tables {
		if d.tables[i].count > 0 {
			d.tables[i].reset()
		}
	}
	d.made, d.data = d.made[:0], nil
	d.tables[0].take(1)
}

// Shrink frees the memory that the row keeps for its next decode, and empties it.
func (d *Decoder) Shrink() {
	for i := range d.tables {
		d.tables[i] = table{width: d.tables[i].width}
	}
	d.block, d.made = nil, nil
	d.Reset()
}

// Root returns the message that was decoded last.
func (d *Decoder) Root() Fields { return Fields{d, &d.plan.Types[0], &d.tables[0].slots[0]} }

// Unmarshal decodes a message and replaces the contents of the row. After an error the row is empty.
func (d *Decoder) Unmarshal(b []byte, o *Options) error {
	d.Reset()
	if len(b) > o.Size() {
		return &wire.Error{Code: wire.SizeExceeded}
	}
	if o.MaxElements != 0 {
		if err := d.plan.check(b, &o.Options, wire.Storing{Elements: max(o.MaxElements, 0), Exceeded: -1}); err != nil {
			return err
		}
	}
	if !o.Alias {
		d.block = append(d.block[:0], b...)
		b = d.block
	}
	d.start(b, o)
	if d.message(&d.plan.Types[0], 0, b, 0, 0, o.Depth()) < 0 {
		exceeded := d.exceeded
		d.Reset()
		return d.plan.Explain(b, &o.Options, exceeded)
	}
	if d.incomplete && !o.AllowPartial {
		if path := d.missing(&d.plan.Types[0], d.tables[0].slots[:d.tables[0].width]); path != "" {
			d.Reset()
			return &wire.Error{Code: wire.MissingRequired, Offset: int64(len(b)), Path: path}
		}
	}
	if d.unsorted {
		d.sortMaps()
	}
	return nil
}

// check reads a message without storing it, slowly, and returns its fault.
func (p *Plan) check(b []byte, o *wire.Options, s wire.Storing) error {
	if err := wire.CheckStored(p.tables, 0, b, *o, s); err != nil {
		return err
	}
	return nil
}

// Explain finds the cause of a fault that decoding has only detected; exceeded is the start of a record for which there
// was no memory, or -1.
func (p *Plan) Explain(b []byte, o *wire.Options, exceeded int) error {
	if err := p.check(b, o, wire.Storing{Elements: math.MaxInt, Exceeded: exceeded}); err != nil {
		return err
	}
	return errors.New("hotpb: internal error: a decoder refused what wire.Check accepts")
}

func (d *Decoder) start(b []byte, o *Options) {
	d.data = b
	d.exceeded, d.incomplete, d.unsorted = -1, false, false
	d.Reader = NewReader(o.Strict)
	switch d.memory = o.MaxMemory; {
	case d.memory > 0:
	case len(b) > math.MaxInt/32:
		d.memory = math.MaxInt
	default:
		d.memory = max(8<<20, 32*len(b))
	}
}

// failed is the result of the functions below on an error. wire.Check finds the cause.
const failed = -1

func (d *Decoder) noMemory(start int) int {
	d.exceeded = start
	return failed
}

// message decodes b from i on into the row whose words start at, to the end of b or, in a group, to the end tag of
// the number open. It returns the position after the message, or a negative number.
func (d *Decoder) message(t *Type, at int, b []byte, i int, open uint32, levels int) int {
	table := &d.tables[t.index]
	row := table.slots[at : at+t.width]
	for i < len(b) {
		// Read the tag.
		start := i
		var tag uint32
		if c := b[i]; c < 0x80 {
			tag = uint32(c)
			i++
		} else if rest := b[i:]; len(rest) > 1 && rest[1] < 0x80 {
			tag = uint32(c&0x7f) | uint32(rest[1])<<7
			i += 2
		} else {
			var long wire.Tag
			if long, i = wire.ReadTag(b, i); i < 0 {
				return failed
			}
			tag = uint32(long)
		}
		// Find the column.
		o := &t.cells[0]
		if uint(tag) < uint(len(t.dense)) {
			o = &t.cells[t.dense[tag]]
		}
		// Store the value in the row.
		switch o.Action {
		case doVarint, doNumber:
			var v uint64
			if uint(i) < uint(len(b)) && b[i] < 0x80 {
				v = uint64(b[i])
				i++
			} else if v, i = wire.ReadVarint(b, i); i < 0 {
				return failed
			}
			if o.Action == doNumber {
				v = numberOf(o.Kind, v)
			}
			row[o.slot] = v
			row[o.word] |= o.bit
		case doFixed64:
			if len(b)-i < 8 {
				return failed
			}
			row[o.slot] = binary.LittleEndian.Uint64(b[i:])
			row[o.word] |= o.bit
			i += 8
		case doFixed32:
			if len(b)-i < 4 {
				return failed
			}
			row[o.slot] = uint64(binary.LittleEndian.Uint32(b[i:]))
			row[o.word] |= o.bit
			i += 4
		case doText:
			from, end := wire.ReadBytes(b, i)
			if end < 0 || o.check >= d.check && !wire.ValidUTF8(b[from:end]) {
				return failed
			}
			row[o.slot] = textAt(from, end)
			row[o.word] |= o.bit
			i = end
		case DoMessage:
			if i = d.single(t, at, o, b, start, i, levels); i < 0 {
				return failed
			}
			row = table.slots[at : at+t.width]
		case DoLeaves:
			if levels <= 0 {
				return failed
			}
			if row[o.slot], i = d.leaves(o, row[o.slot], b, start, i, levels); i < 0 {
				return failed
			}
		case DoMessages:
			from, end := wire.ReadBytes(b, i)
			if end < 0 || levels <= 0 {
				return failed
			}
			child := &d.plan.Types[o.Child]
			run, to := d.push(&d.tables[o.Child], row[o.slot])
			if to < 0 {
				return d.noMemory(start)
			}
			// The push may have moved the row, if the message is of its own type.
			row = table.slots[at : at+t.width]
			row[o.slot] = run
			if d.message(child, to, b[:end], from, 0, levels-1) < 0 {
				return failed
			}
			row = table.slots[at : at+t.width]
			i = end
		default:
			if i = d.rare(t, at, o, b, start, i, tag, open, levels); i < 0 {
				if i == failed {
					return failed
				}
				d.ended(t, at)
				return -i - 2 // after the end tag
			}
			row = table.slots[at : at+t.width]
		}
	}
	if open != 0 {
		return failed
	}
	d.ended(t, at)
	return i
}

// textAt is the word of a string: its position in the input.
func textAt(from, end int) uint64 { return uint64(from)<<32 | uint64(end-from) }

// ended is called at the end of each message, or of each part of one.
func (d *Decoder) ended(t *Type, at int) {
	if t.required == nil && t.musts == nil {
		return
	}
	row := d.tables[t.index].slots[at : at+t.width]
	for _, r := range t.required {
		if row[r.word]&r.bits != r.bits {
			d.incomplete = true
		}
	}
	for _, o := range t.musts {
		if row[o.slot] == 0 {
			d.incomplete = true
		}
	}
}

// numberOf is the word of a number that came as a varint.
func numberOf(k wire.Kind, v uint64) uint64 {
	switch k {
	case wire.Int32, wire.Enum:
		return uint64(int64(int32(v)))
	case wire.Uint32:
		return uint64(uint32(v))
	case wire.Sint32:
		return uint64(int64(wire.DecodeZigzag32(v)))
	case wire.Sint64:
		return uint64(wire.DecodeZigzag(v))
	case wire.Bool:
		if v != 0 {
			return 1
		}
	}
	return v
}

// single decodes a message that is not repeated, into its existing row if it has come before.
func (d *Decoder) single(t *Type, at int, o *Cell, b []byte, start, i, levels int) int {
	from, end := wire.ReadBytes(b, i)
	if end < 0 || levels <= 0 {
		return failed
	}
	to, ok := d.child(t, at, o)
	if !ok {
		return d.noMemory(start)
	}
	if d.message(&d.plan.Types[o.Child], to, b[:end], from, 0, levels-1) < 0 {
		return failed
	}
	return end
}

// child returns the position of the row of a column's message. It creates the row if there is none.
func (d *Decoder) child(t *Type, at int, o *Cell) (to int, ok bool) {
	row := d.tables[t.index].slots[at : at+t.width]
	if o.member != 0 && row[o.choice] != o.member {
		o.choose(row)
	}
	table := &d.tables[o.Child]
	if was := row[o.slot]; was != 0 {
		return int(was-1) * table.width, true
	}
	_, to = d.push(table, 0)
	if to < 0 {
		return 0, false
	}
	// If the message is of its own type, the row may have been moved.
	d.tables[t.index].slots[at+int(o.slot)] = uint64(to/table.width) + 1
	return to, true
}

// choose makes a column the member of its oneof that is set, and clears the member that was set before.
func (o *Cell) choose(row []uint64) {
	if was := row[o.choice]; was != 0 {
		row[was-1] = 0
	}
	row[o.choice] = o.member
}

// Reader reads single values.
type Reader struct {
	check utf8Check // which strings are checked: those that say so, or more
}

// NewReader creates a reader; a strict one checks every string.
func NewReader(strict bool) Reader {
	if strict {
		return Reader{checkStrict}
	}
	return Reader{checkAlways}
}

// Word reads one value and returns its word.
func (r Reader) Word(o *Cell, b []byte, i int) (uint64, int) {
	switch o.Kind {
	case wire.String, wire.Bytes:
		from, end := wire.ReadBytes(b, i)
		if end < 0 || o.check >= r.check && !wire.ValidUTF8(b[from:end]) {
			return 0, failed
		}
		return textAt(from, end), end
	case wire.Fixed32, wire.Float, wire.Sfixed32:
		v, next := wire.ReadFixed32(b, i)
		if o.Kind == wire.Sfixed32 {
			return uint64(int64(int32(v))), next
		}
		return uint64(v), next
	case wire.Fixed64, wire.Double, wire.Sfixed64:
		return wire.ReadFixed64(b, i)
	}
	v, next := wire.ReadVarint(b, i)
	return numberOf(o.Kind, v), next
}
