package row

import (
	"encoding/binary"

	"github.com/hotpb/hotpb/go/internal/enc"
	"github.com/hotpb/hotpb/go/rt/wire"
)

// leaves decodes a record of a repeated column whose messages contain only numbers and text, and the records that
// follow it immediately. Most messages are of this kind. Their type differs from that of the message around them,
// whose row does not move. leaves returns the column's run and the position after the records.
func (d *Decoder) leaves(o *Cell, run uint64, b []byte, start, i, levels int) (uint64, int) {
	t, table := &d.plan.Types[o.Child], &d.tables[o.Child]
	size := i - start // of the tag
	for {
		from, end := wire.ReadBytes(b, i)
		if end < 0 {
			return run, failed
		}
		at := len(table.slots)
		if run&runLength != 0 && table.last(run) && at+t.width <= cap(table.slots) && d.memory >= 8*t.width && table.count < maxRows {
			table.slots = table.slots[:at+t.width] // as push does
			table.count++
			d.memory -= 8 * t.width
			run++
		} else if run, at = d.push(table, run); at < 0 {
			return run, d.noMemory(start)
		}
		if d.leaf(t, table.slots[at:at+t.width], at, b[:end], from, levels) < 0 {
			return run, failed
		}
		// A tag has one or two bytes here, because it is dense.
		if end+size > len(b) || b[end] != b[start] || size > 1 && (size > 2 || b[end+1] != b[start+1]) {
			return run, end
		}
		start, i = end, end+size
	}
}

// leaf decodes a message of a leaf type, whose row starts at.
func (d *Decoder) leaf(t *Type, row []uint64, at int, b []byte, i, levels int) int {
	check := d.check
	if t.texts && len(b)-i < 256 && enc.ASCII(b[i:]) {
		check = checkNone
	}
	for i < len(b) {
		o := &t.cells[0]
		if tag := b[i]; int(tag) < len(t.dense) && tag < 0x80 {
			o = &t.cells[t.dense[tag]]
		}
		switch o.Action {
		case doText:
			from, end := i+2, len(b)+1
			if from <= len(b) && b[i+1] < 0x80 {
				end = from + int(b[i+1])
			}
			if end > len(b) {
				from, end = wire.ReadBytes(b, i+1)
			}
			if end < 0 || o.check >= check && !wire.ValidUTF8(b[from:end]) {
				return failed
			}
			row[o.slot] = textAt(from, end)
			row[o.word] |= o.bit
			i = end
		case doVarint, doNumber:
			var v uint64
			if v, i = wire.ReadVarint(b, i+1); i < 0 {
				return failed
			}
			if o.Action == doNumber {
				v = numberOf(o.Kind, v)
			}
			row[o.slot] = v
			row[o.word] |= o.bit
		case doFixed64:
			if len(b)-i < 9 {
				return failed
			}
			row[o.slot] = binary.LittleEndian.Uint64(b[i+1:])
			row[o.word] |= o.bit
			i += 9
		default: // continues where this ends
			return d.message(t, at, b, i, 0, levels-1)
		}
	}
	d.ended(t, at)
	return i
}
