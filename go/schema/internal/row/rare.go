package row

import (
	"encoding/binary"

	"github.com/hotpb/hotpb/go/rt/wire"
)

// rare decodes a record of the kinds that message does not decode itself. At the end tag of the group open it
// returns the position after the tag, as -position - 2.
func (d *Decoder) rare(t *Type, at int, o *Cell, b []byte, start, i int, tag, open uint32, levels int) int {
	if o.Action == DoUnknown && len(t.sparse) > 0 {
		if o = t.find(tag); o.Action < doRare && o.Action != DoUnknown {
			return d.sparse(t, at, o, b, start, i, levels)
		}
	}
	switch o.Action {
	case DoUnknown:
		return d.unknown(t, at, b, start, open, levels)
	case DoGroup:
		to, ok := d.child(t, at, o)
		if !ok && levels > 0 {
			return d.noMemory(start)
		}
		return d.group(o, to, b, i, levels)
	case DoGroups:
		to, ok := d.append(t, at, o, o.Child)
		if !ok && levels > 0 {
			return d.noMemory(start)
		}
		return d.group(o, to, b, i, levels)
	case DoMap:
		return d.entry(t, at, o, b, start, i, levels)
	case doTexts:
		from, end := wire.ReadBytes(b, i)
		if end < 0 || o.check >= d.check && !wire.ValidUTF8(b[from:end]) {
			return failed
		}
		if !d.add(t, at, o, textAt(from, end)) {
			return d.noMemory(start)
		}
		return end
	case DoElements:
		return d.elements(t, at, o, b, start, i)
	}
	return d.value(t, at, o, b, start, i, levels)
}

// value decodes one value of a column that is a number or text: an element, a member of a oneof, of a closed enum.
func (d *Decoder) value(t *Type, at int, o *Cell, b []byte, start, i, levels int) int {
	v, i := d.Word(o, b, i)
	if i < 0 {
		return failed
	}
	row := d.tables[t.index].slots[at : at+t.width]
	if o.Closed != nil && !o.Closed.Has(int32(v)) {
		if o.Action == doEntryEnum {
			row[t.misfit] = 1
		} else if !d.keepEnum(t, at, o.Column.Number, int32(v)) {
			return d.noMemory(start)
		}
		return i
	}
	switch o.Action {
	case doElement:
		if !d.add(t, at, o, v) {
			return d.noMemory(start)
		}
		return i
	case doEntryEnum:
		row[t.misfit] = 0
	}
	if o.member != 0 && row[o.choice] != o.member {
		o.choose(row)
	}
	row[o.slot] = v
	row[o.word] |= o.bit
	return i
}

// sparse decodes a record whose tag is not dense and whose action message could decode if it were.
func (d *Decoder) sparse(t *Type, at int, o *Cell, b []byte, start, i, levels int) int {
	switch o.Action {
	case DoMessage:
		return d.single(t, at, o, b, start, i, levels)
	case DoMessages:
		from, end := wire.ReadBytes(b, i)
		if end < 0 || levels <= 0 {
			return failed
		}
		to, ok := d.append(t, at, o, o.Child)
		if !ok {
			return d.noMemory(start)
		}
		if d.message(&d.plan.Types[o.Child], to, b[:end], from, 0, levels-1) < 0 {
			return failed
		}
		return end
	}
	return d.value(t, at, o, b, start, i, levels)
}

// append adds a row to a column's run and returns the position of its words.
func (d *Decoder) append(t *Type, at int, o *Cell, to uint32) (words int, ok bool) {
	slot := at + int(o.slot)
	run, words := d.push(&d.tables[to], d.tables[t.index].slots[slot])
	if words < 0 {
		return 0, false
	}
	d.tables[t.index].slots[slot] = run
	return words, true
}

// add adds an element to a list.
func (d *Decoder) add(t *Type, at int, o *Cell, v uint64) bool {
	to, ok := d.append(t, at, o, o.list)
	if ok {
		d.tables[o.list].slots[to] = v
	}
	return ok
}

func (d *Decoder) group(o *Cell, to int, b []byte, i, levels int) int {
	if levels <= 0 {
		return failed
	}
	return d.message(&d.plan.Types[o.Child], to, b, i, o.Column.Number, levels-1)
}

// elements decodes a packed record.
func (d *Decoder) elements(t *Type, at int, o *Cell, b []byte, start, i int) int {
	i, end := wire.ReadBytes(b, i)
	if end < 0 {
		return failed
	}
	b = b[:end]
	table, slot := &d.tables[o.list], &d.tables[t.index].slots[at+int(o.slot)]
	for i < end {
		var v uint64
		if v, i = d.element(o, b, i); i < 0 {
			return failed
		}
		if o.Closed != nil && !o.Closed.Has(int32(v)) {
			if !d.keepEnum(t, at, o.Column.Number, int32(v)) {
				return d.noMemory(start)
			}
			continue
		}
		run, to := d.push(table, *slot)
		if to < 0 {
			return d.noMemory(start)
		}
		*slot = run
		table.slots[to] = v
	}
	return i
}

func (d *Decoder) element(o *Cell, b []byte, i int) (uint64, int) {
	if o.Kind == wire.Double && len(b)-i >= 8 {
		return binary.LittleEndian.Uint64(b[i:]), i + 8
	}
	return d.Word(o, b, i)
}

// entry decodes an entry of a map. It keeps all entries, and they are sorted at the end.
func (d *Decoder) entry(t *Type, at int, o *Cell, b []byte, start, i, levels int) int {
	from, end := wire.ReadBytes(b, i)
	if end < 0 || levels <= 0 {
		return failed
	}
	entry, table := &d.plan.Types[o.Child], &d.tables[o.Child]
	if entry.misfit >= 0 {
		return d.entryThatMayMisfit(t, at, o, b[:end], start, from, levels)
	}
	to, ok := d.append(t, at, o, o.Child)
	if !ok {
		return d.noMemory(start)
	}
	if d.message(entry, to, b[:end], from, 0, levels-1) < 0 {
		return failed
	}
	if d.tables[t.index].slots[at+int(o.slot)]&runLength > 1 {
		d.unsorted = true
	}
	value := entry.Columns[1]
	if value.Column.Child >= 0 && table.slots[to+int(value.slot)] == 0 { // an empty message, then
		made, ok := d.child(entry, to, value)
		if !ok {
			return d.noMemory(start)
		}
		d.ended(&d.plan.Types[value.Child], made)
	}
	return end
}

// entryThatMayMisfit decodes an entry whose value is of a closed enum into the table's first row, which belongs to
// no map. The entry is added to the map only if the value is one of the enum.
func (d *Decoder) entryThatMayMisfit(t *Type, at int, o *Cell, b []byte, start, i, levels int) int {
	entry, table := &d.plan.Types[o.Child], &d.tables[o.Child]
	if table.count == 0 {
		table.take(1)
	}
	clear(table.slots[:entry.width])
	end := d.message(entry, 0, b, i, 0, levels-1)
	if end < 0 {
		return failed
	}
	if table.slots[entry.misfit] != 0 {
		if !d.keep(t, at, start, end, 0) {
			return d.noMemory(start)
		}
		return end
	}
	to, ok := d.append(t, at, o, o.Child)
	if !ok {
		return d.noMemory(start)
	}
	copy(table.slots[to:to+entry.width], table.slots[:entry.width])
	if d.tables[t.index].slots[at+int(o.slot)]&runLength > 1 {
		d.unsorted = true
	}
	return end
}

// unknown skips a record that belongs to no column.
func (d *Decoder) unknown(t *Type, at int, b []byte, start int, open uint32, levels int) int {
	tag, i := wire.ReadTag(b, start)
	if i < 0 {
		return failed
	}
	if tag.Type() == wire.EndGroup {
		if tag.Number() != open { // 0 is not a number
			return failed
		}
		return -i - 2
	}
	if i = wire.Skip(b, i, tag, levels); i < 0 {
		return failed
	}
	if !d.keep(t, at, start, i, 0) {
		return d.noMemory(start)
	}
	return i
}

// recordMade marks a record that is not in the input but was built.
const recordMade = 1 << 63

// keep keeps a record with the unknown fields of a message, if it keeps any.
func (d *Decoder) keep(t *Type, at, start, end int, made uint64) bool {
	if t.unknown < 0 {
		return true
	}
	slot := &d.tables[t.index].slots[at+t.unknown]
	table := &d.tables[t.kept]
	if records := table.rows(*slot); len(records) > 0 {
		// A record immediately after the last one extends it.
		r := &records[len(records)-1]
		from, n := int(*r>>32&runLength), int(uint32(*r))
		if *r>>63 == made>>63 && from+n == start {
			*r += uint64(end - start)
			return true
		}
	}
	run, to := d.push(table, *slot)
	if to < 0 {
		return false
	}
	*slot = run
	table.slots[to] = textAt(start, end) | made
	return true
}

// keepEnum keeps a number that a closed enum does not have as a record of its own.
func (d *Decoder) keepEnum(t *Type, at int, number uint32, v int32) bool {
	if t.unknown < 0 {
		return true
	}
	start := len(d.made)
	if d.memory -= 16; d.memory < 0 || start > runLength-16 {
		return false
	}
	d.made = wire.AppendTag(d.made, number, wire.VarintType)
	d.made = wire.AppendInt32(d.made, v)
	return d.keep(t, at, start, len(d.made), recordMade)
}
