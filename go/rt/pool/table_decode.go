package pool

import (
	"unsafe"

	"github.com/hotpb/hotpb/go/rt/wire"
)

// DecodeHot decodes a message into m, and merges it with the contents of m. The position i is one that Enter accepts,
// or the position of the message's length. DecodeHot returns the end of the message, or a negative number on an error
// or for a group.
func (l *Layout) DecodeHot(m unsafe.Pointer, d *Decoder, slabs unsafe.Pointer, b []byte, i, levels int) int {
	// The message: a length of one byte, the whole input, or the general case.
	if end := End(b, i); uint(end) <= uint(len(b)) && levels > 0 {
		b, i = b[:end], i+1
	} else if i == root && levels > 0 {
		i = 0
	} else if b, i = d.Enter(b, i, levels); i < 0 {
		return failed
	}
	levels--
	checked := uint32(verifies)
	if d.trusted {
		checked = 0
	} else if d.strict {
		checked = kindBits // text is checked, whatever its field says
	}
	fields := l.Fields
	k := 0
	for {
		if i, k = l.plain(m, checked, b, i, k); i == len(b) {
			return i
		}
		// A record that plain has left: its tag, its field, which may be one of any other place, or unknown.
		start := i
		tag := wire.Tag(b[i])
		if i++; tag >= 0x80 {
			if tag, i = wire.ReadTag(b, start); i < 0 {
				return failed
			}
		}
		if k >= len(fields) || fields[k][0] != uint32(tag) {
			was := k
			if k = l.find(uint32(tag) >> 3); k < 0 || !fields[k].takes(tag) {
				k = was
				if i = l.unknown(m, d, b, start, levels); i < 0 {
					return i
				}
				continue
			}
		}
		f := &fields[k]
		at := unsafe.Add(m, f[1])
		is := f[3]
		shows := is >> 8 & showBits
		kind := wire.Kind(is & kindBits)
		// Lists, maps and messages.
		if is&isList != 0 || kind >= wire.Message {
			if i = l.decodeNested(m, d, slabs, f, b, start, i, levels, tag); i < 0 {
				return failed
			}
			k++
			continue
		}
		if tag&7 == 0 {
			// A varint. An undefined value of a closed enum is an unknown field.
			var x uint64
			if uint(i) < uint(len(b)) && b[i] < 0x80 {
				x = uint64(b[i])
				i++
			} else if x, i = wire.ReadVarint(b, i); i < 0 {
				return failed
			}
			if is&isClosed != 0 && !l.tableOf(f).Closed.Has(int32(x)) {
				d.KeepEnum(l.hidden(m), f.number(), int32(x))
				k++
				continue
			}
			if shows == showsInOneof {
				l.choose(m, f)
				*(*uint64)(at) = wideVarint(kind, x)
			} else if kind == wire.Int32 || kind == wire.Uint32 || kind == wire.Enum {
				*(*uint32)(at) = uint32(x)
			} else if kind == wire.Int64 || kind == wire.Uint64 {
				*(*uint64)(at) = x
			} else {
				storeVarint(at, kind, x)
			}
		} else if tag&7 == 2 {
			// Text and bytes.
			from := i + 1
			if uint(i) < uint(len(b)) && b[i] < 0x80 {
				i = from + int(b[i])
			} else {
				from, i = wire.ReadBytes(b, i)
			}
			if uint(i) > uint(len(b)) {
				return failed
			}
			payload := b[from:i:i]
			if kind == wire.String && !d.trusted && (is&verifies != 0 || d.strict) && !wire.ValidUTF8(payload) {
				return failed
			}
			if shows == showsInOneof {
				l.choose(m, f)
			}
			if kind == wire.String {
				*(*string)(at) = String(payload)
			} else {
				*(*[]byte)(at) = payload
			}
		} else {
			// Eight bytes or four.
			var x uint64
			if tag&7 == 1 {
				x, i = wire.ReadFixed64(b, i)
			} else {
				var short uint32
				short, i = wire.ReadFixed32(b, i)
				x = uint64(short)
			}
			if i < 0 {
				return failed
			}
			if shows == showsInOneof {
				l.choose(m, f)
				if kind == wire.Sfixed32 {
					x = uint64(int32(x))
				}
				*(*uint64)(at) = x
			} else if tag&7 == 1 {
				*(*uint64)(at) = x
			} else {
				*(*uint32)(at) = uint32(x)
			}
		}
		// A member of a oneof is present by its number; other fields have a bit.
		if shows < showsInOneof {
			*l.bits(f, m) |= 1 << shows
		}
		k++
	}
}

// takes reports whether a record with this tag belongs to the field, which has the same number.
func (f *Field) takes(tag wire.Tag) bool {
	kind := f.kind()
	if kind == isMap {
		return tag.Type() == wire.BytesType
	}
	return tag.Type() == kind.Type() || tag.Type() == wire.BytesType && f.is(isList) && kind != wire.Group
}

// unknown skips a record that belongs to none of the fields.
func (l *Layout) unknown(m unsafe.Pointer, d *Decoder, b []byte, start, levels int) int {
	tag, i := wire.ReadTag(b, start)
	if i < 0 {
		return failed
	}
	if tag.Type() != wire.EndGroup {
		for _, number := range (*l.Tables)[l.Index].Dropped {
			if number == tag.Number() {
				return d.Drop(b, i, tag, levels)
			}
		}
	}
	return d.Unknown(l.hidden(m), b, start, levels)
}

// choose makes a field the set member of its oneof, if it is in one, and empties the message of the previous member.
func (l *Layout) choose(m unsafe.Pointer, f *Field) {
	if f.shows() != showsInOneof {
		return
	}
	which := (*uint32)(unsafe.Add(m, f[2]))
	if *which != 0 && *which != f.number() {
		if last := &l.Fields[l.find(*which)]; last.kind() >= wire.Message {
			p := l.part(last)
			if at := unsafe.Add(m, last[1]); p.Of&Pointer != 0 {
				*(*unsafe.Pointer)(at) = nil
			} else {
				child := l.child(p)
				elements{child.Of, child.Size}.clearOne(at)
			}
		}
	}
	*which = f.number()
}

// storeVarint stores a number in its place.
func storeVarint(at unsafe.Pointer, kind wire.Kind, x uint64) {
	switch {
	case kind == wire.Int64 || kind == wire.Uint64:
		*(*uint64)(at) = x
	case kind == wire.Bool:
		*(*bool)(at) = x != 0
	case kind == wire.Sint64:
		*(*int64)(at) = wire.DecodeZigzag(x)
	case kind == wire.Sint32:
		*(*int32)(at) = wire.DecodeZigzag32(x)
	default:
		*(*uint32)(at) = uint32(x)
	}
}

// wideVarint returns a number in the form that it has in a oneof, whose numeric members share eight bytes.
func wideVarint(kind wire.Kind, x uint64) uint64 {
	switch kind {
	case wire.Int32, wire.Enum:
		return uint64(int32(x))
	case wire.Uint32:
		return uint64(uint32(x))
	case wire.Sint32:
		return uint64(wire.DecodeZigzag32(x))
	case wire.Sint64:
		return uint64(wire.DecodeZigzag(x))
	case wire.Bool:
		return Bit(x != 0)
	}
	return x
}

// decodeAt decodes a message, with the message's own code if it has some.
func (l *Layout) decodeAt(m unsafe.Pointer, d *Decoder, slabs unsafe.Pointer, b []byte, i, levels int) int {
	if l.Traits&Straight != 0 {
		return l.code(m).DecodeHot(d, slabs, b, i, levels)
	}
	return l.DecodeHot(m, d, slabs, b, i, levels)
}

// decodeNested decodes a record of a field that is more than one value in place. The tag is at start; i is the
// position after the tag. decodeNested returns the end of the record, or of several.
func (l *Layout) decodeNested(m unsafe.Pointer, d *Decoder, slabs unsafe.Pointer, f *Field, b []byte, start, i, levels int, tag wire.Tag) int {
	p := l.part(f)
	switch kind := f.kind(); {
	case kind == isMap:
		from, end := wire.ReadBytes(b, i)
		if end < 0 || levels <= 0 {
			return failed
		}
		return p.Map.decode(l, f, p, m, d, slabs, b[:end], start, from, levels)
	case f[3]&isList == 0:
		return l.decodeChild(m, d, slabs, f, p, b, start, i, levels)
	case kind >= wire.Message:
		return l.decodeMessages(m, d, slabs, f, p, b, start, i, levels, tag)
	case tag.Type() == wire.BytesType && kind.Type() != wire.BytesType:
		return l.decodePacked(m, d, slabs, f, p, b, start, i)
	}
	return l.decodeValues(m, d, slabs, f, p, b, start, i, tag)
}

func (l *Layout) decodeChild(m unsafe.Pointer, d *Decoder, slabs unsafe.Pointer, f *Field, p *Part, b []byte, start, i, levels int) int {
	if levels <= 0 {
		return failed
	}
	child := l.child(p)
	at := unsafe.Add(m, f[1])
	if f.shows() == showsInOneof && !l.shown(f, m) || p.Of&Pointer != 0 && *(*unsafe.Pointer)(at) == nil {
		l.choose(m, f)
		if p.Of&Pointer != 0 {
			if !d.Take(int(child.Size)) {
				return d.Exceeded(start)
			}
			*(*unsafe.Pointer)(at) = slabAt(slabs, p.Slab).allocate(elements{child.Of, child.Size})
		} else {
			elements{child.Of, child.Size}.clearOne(at)
		}
	}
	if shows := f.shows(); shows < showsInOneof {
		*l.bits(f, m) |= 1 << shows
	}
	if p.Of&Pointer != 0 {
		at = *(*unsafe.Pointer)(at)
	}
	return child.decodeField(f, at, d, l.slabsOf(p, slabs), b, i, levels)
}

// decodeField decodes a message that is the value of a field, and returns its end.
func (l *Layout) decodeField(f *Field, m unsafe.Pointer, d *Decoder, slabs unsafe.Pointer, b []byte, i, levels int) int {
	if f.kind() == wire.Group {
		return d.GroupEnd(l.decodeAt(m, d, slabs, b, groupEnd(i), levels), f.number())
	}
	return l.decodeAt(m, d, slabs, b, i, levels)
}

// openList and closeList enclose the code that appends to a list. The lists of messages that can contain themselves
// grow in turns.
func (l *Layout) openList(m, slabs unsafe.Pointer, f *Field, p *Part, e elements) list {
	a := *(*list)(unsafe.Add(m, f[1]))
	if l.Traits&Recursive == 0 {
		a = slabAt(slabs, p.Slab).open(a, e.size)
	}
	return a
}

func (l *Layout) closeList(m, slabs unsafe.Pointer, f *Field, p *Part, e elements, a list) {
	if l.Traits&Recursive == 0 {
		a = slabAt(slabs, p.Slab).close(a, e.size)
	}
	*(*list)(unsafe.Add(m, f[1])) = a
}

// ensure makes room for n more elements in an open list, and charges them.
func (l *Layout) ensure(d *Decoder, slabs unsafe.Pointer, p *Part, e elements, a *list, n int) bool {
	if !d.Take(n * int(e.size)) {
		return false
	}
	if a.cap-a.len < n {
		*a = slabAt(slabs, p.Slab).grow(e, *a, n, l.Traits&Recursive != 0)
	}
	return true
}

// follows skips a tag if it comes at i, and reports whether it does.
func follows(b []byte, i int, tag wire.Tag) (next int, comes bool) {
	if uint(i) < uint(len(b)) {
		if tag < 0x80 {
			return i + 1, wire.Tag(b[i]) == tag
		}
		if c, next := wire.ReadTag(b, i); next >= 0 && c == tag {
			return next, true
		}
	}
	return i, false
}

func (l *Layout) decodeMessages(m unsafe.Pointer, d *Decoder, slabs unsafe.Pointer, f *Field, p *Part, b []byte, start, i, levels int, tag wire.Tag) int {
	if levels <= 0 {
		return failed
	}
	child := l.child(p)
	e := elements{child.Of, child.Size}
	theirs := l.slabsOf(p, slabs)
	a := l.openList(m, slabs, f, p, e)
	for {
		if !l.ensure(d, slabs, p, e, &a, 1) {
			i = d.Exceeded(start)
			break
		}
		to := unsafe.Add(a.at, a.len*int(e.size))
		a.len++
		if i = child.decodeField(f, to, d, theirs, b, i, levels); i < 0 {
			break
		}
		next, comes := follows(b, i, tag)
		if !comes {
			break
		}
		start, i = i, next
	}
	l.closeList(m, slabs, f, p, e, a) // after an error too: the next decode clears the elements in use
	return i
}

// decodeValues reads elements that are not messages as long as their tag repeats.
func (l *Layout) decodeValues(m unsafe.Pointer, d *Decoder, slabs unsafe.Pointer, f *Field, p *Part, b []byte, start, i int, tag wire.Tag) int {
	kind := f.kind()
	e := elements{scalars[kind], sizes[kind]}
	a := l.openList(m, slabs, f, p, e)
	var closed *wire.EnumTable
	if f.is(isClosed) {
		closed = l.tableOf(f).Closed
	}
	for {
		var v scalar
		if i = v.read(d, b, i, kind, f.is(verifies)); i < 0 {
			return failed
		}
		if closed != nil && !closed.Has(int32(v.x)) {
			d.KeepEnum(l.hidden(m), f.number(), int32(v.x))
		} else {
			if !l.ensure(d, slabs, p, e, &a, 1) {
				return d.Exceeded(start)
			}
			v.store(unsafe.Add(a.at, a.len*int(e.size)), kind)
			a.len++
		}
		next, comes := follows(b, i, tag)
		if !comes {
			break
		}
		start, i = i, next
	}
	l.closeList(m, slabs, f, p, e, a)
	return i
}

// tableOf returns the field's description for the table-driven readers.
func (l *Layout) tableOf(f *Field) *wire.FieldTable {
	k := (uintptr(unsafe.Pointer(f)) - uintptr(unsafe.Pointer(unsafe.SliceData(l.Fields)))) / unsafe.Sizeof(*f)
	return &(*l.Tables)[l.Index].Fields[k]
}

func (l *Layout) decodePacked(m unsafe.Pointer, d *Decoder, slabs unsafe.Pointer, f *Field, p *Part, b []byte, start, i int) int {
	from, end := wire.ReadBytes(b, i)
	if end < 0 {
		return failed
	}
	payload := b[from:end]
	kind := f.kind()
	e := elements{scalars[kind], sizes[kind]}
	n := len(payload) / int(e.size)
	if kind.Type() == wire.VarintType {
		var bad wire.Code
		if n, _, bad = wire.CountVarints(payload); bad != 0 {
			return failed
		}
	} else if n*int(e.size) != len(payload) {
		return failed
	}
	if n == 0 {
		return end
	}
	a := l.openList(m, slabs, f, p, e)
	if !l.ensure(d, slabs, p, e, &a, n) {
		return d.Exceeded(start)
	}
	to := unsafe.Add(a.at, a.len*int(e.size))
	if f.is(isClosed) {
		closed := l.tableOf(f).Closed
		for at := 0; at < len(payload); {
			var x uint64
			if x, at = wire.ReadVarint(payload, at); at < 0 {
				return failed
			}
			if closed.Has(int32(x)) {
				*(*int32)(unsafe.Add(a.at, a.len*4)) = int32(x)
				a.len++
			} else {
				d.KeepEnum(l.hidden(m), f.number(), int32(x))
			}
		}
	} else {
		readPacked(to, n, kind, payload)
		a.len += n
	}
	l.closeList(m, slabs, f, p, e, a)
	return end
}

// readPacked reads the n numbers of the payload.
func readPacked(to unsafe.Pointer, n int, kind wire.Kind, payload []byte) {
	switch kind {
	case wire.Bool:
		wire.ReadBools(unsafe.Slice((*bool)(to), n), payload)
	case wire.Sint32:
		wire.ReadZigzags(unsafe.Slice((*int32)(to), n), payload)
	case wire.Sint64:
		wire.ReadZigzags(unsafe.Slice((*int64)(to), n), payload)
	case wire.Int64, wire.Uint64:
		wire.ReadVarints(unsafe.Slice((*uint64)(to), n), payload)
	case wire.Int32, wire.Uint32, wire.Enum:
		wire.ReadVarints(unsafe.Slice((*uint32)(to), n), payload)
	case wire.Fixed64, wire.Sfixed64, wire.Double:
		wire.ReadFixed(unsafe.Slice((*uint64)(to), n), payload)
	default:
		wire.ReadFixed(unsafe.Slice((*uint32)(to), n), payload)
	}
}

// scalar is a value that is not a message, in the form in which it was read.
type scalar struct {
	x    uint64
	text []byte
}

// read reads a value after its tag, and checks it.
func (v *scalar) read(d *Decoder, b []byte, i int, kind wire.Kind, verify bool) int {
	switch kind.Type() {
	case wire.VarintType:
		v.x, i = wire.ReadVarint(b, i)
	case wire.BytesType:
		from, end := wire.ReadBytes(b, i)
		if end < 0 {
			return failed
		}
		v.text, i = b[from:end:end], end
		if kind == wire.String && (verify && !d.Valid(v.text) || !verify && !d.ValidStrict(v.text)) {
			return failed
		}
	case wire.Fixed64Type:
		v.x, i = wire.ReadFixed64(b, i)
	default:
		var short uint32
		short, i = wire.ReadFixed32(b, i)
		v.x = uint64(short)
	}
	return i
}

// store stores the value in its place.
func (v *scalar) store(at unsafe.Pointer, kind wire.Kind) {
	switch {
	case kind == wire.String:
		*(*string)(at) = String(v.text)
	case kind == wire.Bytes:
		*(*[]byte)(at) = v.text
	case kind.Type() == wire.VarintType:
		storeVarint(at, kind, v.x)
	case kind.Type() == wire.Fixed64Type:
		*(*uint64)(at) = v.x
	default:
		*(*uint32)(at) = uint32(v.x)
	}
}
