package view

import (
	"unsafe"

	"github.com/hotpb/hotpb/go/rt/wire"
)

// ByTable is the scan of a message whose fields are read by table. It notes and checks the same things as straight
// code.
func ByTable(l *Layout, r *Raw) bool {
	l.clear(r)
	b, fields := r.b, l.Fields
	k := 0 // the field that is expected
	for i := 0; i < len(b); {
		start := i
		// The tag.
		tag := wire.Tag(b[i])
		if i++; tag >= 0x80 {
			if i < len(b) && b[i]-1 < 0x7f {
				tag = tag&0x7f | wire.Tag(b[i])<<7
				i++
			} else if tag, i = wire.ReadTag(b, start); i < 0 {
				return false
			}
		}
		// Its field: the expected one, the one after a list, or one that is looked for.
		if was := k; k >= len(fields) || fields[k].tag() != tag {
			if k++; k >= len(fields) || fields[k].tag() != tag { // a list has ended
				if k = l.find(uint32(tag) >> 3); k < 0 || !fields[k].takes(tag) {
					k = was
					if i = l.unknown(r, start); i < 0 {
						return false
					}
					continue
				}
			}
		}
		f := &fields[k]
		at := f.slot(r)
		if f[2]&isNested != 0 {
			if i = l.scanNested(r, f, at, start, i, tag); i < 0 {
				return false
			}
			if f[2]&isList == 0 {
				k++
			}
			continue
		}
		// A singular value: its Span, or its position.
		k++
		if tag&7 == 2 {
			from := i + 1
			if uint(i) < uint(len(b)) && b[i] < 0x80 {
				i = from + int(b[i])
			} else {
				from, i = wire.ReadBytes(b, i)
			}
			if uint(i) > uint(len(b)) {
				return false
			}
			if f.kind() == wire.String && (f[2]&verifies != 0 || r.strict) && !wire.ValidUTF8(b[from:i]) {
				return false
			}
			*(*Span)(at) = MakeSpan(from, i)
			continue
		}
		*(*uint32)(at) = uint32(i)
		if tag&7 == 0 {
			if uint(i) < uint(len(b)) && b[i] < 0x80 {
				i++
			} else if i = wire.SkipVarint(b, i); i < 0 {
				return false
			}
		} else if i += widthOf(tag.Type()); i > len(b) {
			return false
		}
	}
	return true
}

// scanNested scans a record of a field whose slot is neither a position nor a Span, or whose value may be an unknown
// field. The tag is at start; i is the position after the tag. scanNested returns the end of the record, or a
// negative number.
func (l *Layout) scanNested(r *Raw, f *Field, at unsafe.Pointer, start, i int, tag wire.Tag) int {
	b, kind, from, n := r.b, f.kind(), i, 1
	// The end of the record, and what is wrong with it.
	switch {
	case kind == isMap:
		if from, i = wire.ReadBytes(b, i); i < 0 {
			return i
		}
		known, ok := r.ScanEntry(from, i, l.spec(f))
		if !ok {
			return -1
		}
		if !known {
			r.KeepUnknown(start, i)
			return i
		}
	case kind == wire.Group:
		if i = r.SkipGroup(i, f.number()); i < 0 {
			return i
		}
	case kind.Type() == wire.BytesType:
		if from, i = wire.ReadBytes(b, i); i < 0 {
			return i
		}
		if kind == wire.String && (f[2]&verifies != 0 || r.strict) && !wire.ValidUTF8(b[from:i]) {
			return -1
		}
	case tag.Type() == wire.BytesType:
		if from, i = wire.ReadBytes(b, i); i < 0 {
			return i
		}
		if n = l.countPacked(r, f, start, from, i); n <= 0 {
			return i | n // there is nothing to note, or the record is damaged
		}
	case kind.Type() == wire.VarintType:
		if i = wire.SkipVarint(b, i); i < 0 {
			return i
		}
		if f.is(isClosed) && !l.closed(f).Has(int32(r.Varint(uint32(from)))) {
			r.KeepUnknown(start, i)
			return i
		}
	default:
		if i += widthOf(kind.Type()); i > len(b) {
			return -1
		}
	}
	// Its place in the slot.
	switch {
	case f.is(isList):
		(*Run)(at).Add(start, i, n)
	case f.is(isMember):
		c := (*Choice)(at)
		switch {
		case kind >= wire.Message:
			c.AddSub(f.number(), start, i)
		case kind.Type() == wire.BytesType:
			c.SetSpan(f.number(), from, i)
		default:
			c.SetScalar(f.number(), from)
		}
	case kind >= wire.Message:
		(*Sub)(at).Add(start, i)
	default: // a closed enum
		*(*uint32)(at) = uint32(from)
	}
	return i
}

// countPacked checks the packed record between start and end, whose payload starts at from. It returns the number of
// elements, or a negative number.
func (l *Layout) countPacked(r *Raw, f *Field, start, from, end int) int {
	switch width := widthOf(f.kind().Type()); {
	case f.is(isClosed):
		n, ok := r.ScanClosed(start, from, end, l.closed(f))
		if !ok {
			return -1
		}
		return n
	case width == 0:
		n, _, bad := wire.CountVarints(r.b[from:end])
		if bad != 0 {
			return -1
		}
		return n
	case (end-from)%width != 0:
		return -1
	default:
		return (end - from) / width
	}
}

// tableOf returns the field's description for the table-driven readers.
func (l *Layout) tableOf(f *Field) *wire.FieldTable {
	table := l.table()
	return &table.Fields[table.Find(f.number())]
}

// closed returns the values of a field that is a closed enum.
func (l *Layout) closed(f *Field) *wire.EnumTable { return l.tableOf(f).Closed }

// unknown skips a record that belongs to none of the fields.
func (l *Layout) unknown(r *Raw, start int) int {
	tag, i := wire.ReadTag(r.b, start)
	if i < 0 {
		return i
	}
	for _, number := range l.table().Dropped {
		if number == tag.Number() {
			return r.Drop(i, tag)
		}
	}
	return r.Skip(start, i, tag)
}
