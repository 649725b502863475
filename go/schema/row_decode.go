package schema

import (
	"encoding/binary"

	"github.com/hotpb/hotpb/go/rt/wire"
)

// decoder is the target of rows and the state of one decode.
type decoder struct {
	plan   *rowPlan
	tables []table
	data   []byte // the input, or the copy of it
	made   []byte // unknown records that are not in the input in this form
	block  []byte // for copies of the input

	check      utf8Check // which strings are checked: those that say so, or more
	memory     int       // bytes that may still be allocated
	exceeded   int       // start of the record for which there was no memory left
	incomplete bool      // a message lacked a required column at its end
	unsorted   bool      // a map has more than one entry

	order   []int32 // of the entries of a map that is being sorted
	sorted  []uint64
	sorting *rowType
	entries []uint64
	compare func(a, b int32) int
}

// failed is the result of the functions below on an error. wire.Check finds the cause.
const failed = -1

func (d *decoder) noMemory(start int) int {
	d.exceeded = start
	return failed
}

// message decodes b from i on into the row whose words start at, to the end of b or, in a group, to the end tag of
// the number open. It returns the position after the message, or a negative number.
func (d *decoder) message(t *rowType, at int, b []byte, i int, open uint32, levels int) int {
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
		switch o.action {
		case doVarint, doNumber:
			var v uint64
			if uint(i) < uint(len(b)) && b[i] < 0x80 {
				v = uint64(b[i])
				i++
			} else if v, i = wire.ReadVarint(b, i); i < 0 {
				return failed
			}
			if o.action == doNumber {
				v = numberOf(o.kind, v)
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
		case doMessage:
			if i = d.single(t, at, o, b, start, i, levels); i < 0 {
				return failed
			}
			row = table.slots[at : at+t.width]
		case doLeaves:
			if levels <= 0 {
				return failed
			}
			if row[o.slot], i = d.leaves(o, row[o.slot], b, start, i, levels); i < 0 {
				return failed
			}
		case doMessages:
			from, end := wire.ReadBytes(b, i)
			if end < 0 || levels <= 0 {
				return failed
			}
			child := &d.plan.types[o.child]
			run, to := d.push(&d.tables[o.child], row[o.slot])
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
func (d *decoder) ended(t *rowType, at int) {
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
func (d *decoder) single(t *rowType, at int, o *cell, b []byte, start, i, levels int) int {
	from, end := wire.ReadBytes(b, i)
	if end < 0 || levels <= 0 {
		return failed
	}
	to, ok := d.child(t, at, o)
	if !ok {
		return d.noMemory(start)
	}
	if d.message(&d.plan.types[o.child], to, b[:end], from, 0, levels-1) < 0 {
		return failed
	}
	return end
}

// child returns the position of the row of a column's message. It creates the row if there is none.
func (d *decoder) child(t *rowType, at int, o *cell) (to int, ok bool) {
	row := d.tables[t.index].slots[at : at+t.width]
	if o.member != 0 && row[o.choice] != o.member {
		o.choose(row)
	}
	table := &d.tables[o.child]
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
func (o *cell) choose(row []uint64) {
	if was := row[o.choice]; was != 0 {
		row[was-1] = 0
	}
	row[o.choice] = o.member
}
