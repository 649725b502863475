package view

import (
	"math"
	"unsafe"

	"github.com/hotpb/hotpb/go/rt/wire"
)

// The setters below serve every generated editor. Because they are short, they receive the parts of a Field as
// arguments: the slot, the tag, and the flags of the field. x is the value in its wire form.

// SetNumber is SetVarint for a field that has presence, is in no oneof, and has a tag of one byte.
func (l *Layout) SetNumber(e *Edit, at *uint32, tag wire.Tag, x uint64) {
	if b := e.buf; e.stamp != 0 && b.stamp == e.stamp && x < 0x80 && !debug {
		if p := *at; p != 0 {
			if b.small(p, x) {
				return
			}
		} else if i := len(b.b); i+2 <= b.free {
			*at = b.addSmall(e, i, tag, x)
			return
		}
	}
	l.setVarint(e, at, tag, isPresent, x)
}

// SetVarint sets a number, bool or enum whose position is stored in *at.
func (l *Layout) SetVarint(e *Edit, at *uint32, tag wire.Tag, flags uint32, x uint64) {
	// The usual cases, without a call.
	if b := e.buf; e.stamp != 0 && b.stamp == e.stamp && (flags&isPresent != 0 || x != 0) && flags&isMember == 0 && uint64(tag)|x < 0x80 && !debug {
		if p := *at; p != 0 {
			if b.small(p, x) {
				return
			}
		} else if i := len(b.b); i+2 <= b.free {
			*at = b.addSmall(e, i, tag, x)
			return
		}
	}
	l.setVarint(e, at, tag, flags, x)
}

func (l *Layout) setVarint(e *Edit, at *uint32, tag wire.Tag, flags uint32, x uint64) {
	switch {
	case !e.current() && !l.resume(e), flags&(isPresent|isMember) != isPresent && !l.prepare(e, at, tag, flags, x == 0, wire.SizeVarint(x)):
	case *at != 0:
		from, delta := e.varint(*at, x)
		l.Shift(e, from, delta)
	default:
		if *at = e.addVarint(tag, x); flags&isMember != 0 {
			choose(at, tag)
		}
	}
}

// SetClosed is SetVarint for a closed enum.
func (l *Layout) SetClosed(e *Edit, at *uint32, tag wire.Tag, flags uint32, closed *wire.EnumTable, x uint64) {
	if !closed.Has(int32(x)) {
		l.undefined(e)
		return
	}
	if b := e.buf; e.stamp != 0 && b.stamp == e.stamp && flags&(isPresent|isMember) == isPresent && uint64(tag)|x < 0x80 && !debug {
		if p := *at; p != 0 {
			if b.small(p, x) {
				return
			}
		} else if i := len(b.b); i+2 <= b.free {
			*at = b.addSmall(e, i, tag, x)
			return
		}
	}
	l.setVarint(e, at, tag, flags, x)
}

// undefined sets the buffer's error if the message can be edited.
func (l *Layout) undefined(e *Edit) {
	if l.Ready(e) {
		e.undefined()
	}
}

// SetFixed32 is SetVarint for values of four bytes.
func (l *Layout) SetFixed32(e *Edit, at *uint32, tag wire.Tag, flags uint32, x uint32) {
	switch {
	case !e.current() && !l.resume(e), flags&(isPresent|isMember) != isPresent && !l.prepare(e, at, tag, flags, x == 0, 4):
	case *at != 0:
		e.fixed32(*at, x)
	default:
		if *at = e.addFixed32(tag, x); flags&isMember != 0 {
			choose(at, tag)
		}
	}
}

// SetFixed64 is SetVarint for values of eight bytes.
func (l *Layout) SetFixed64(e *Edit, at *uint32, tag wire.Tag, flags uint32, x uint64) {
	switch {
	case !e.current() && !l.resume(e), flags&(isPresent|isMember) != isPresent && !l.prepare(e, at, tag, flags, x == 0, 8):
	case *at != 0:
		e.fixed64(*at, x)
	default:
		if *at = e.addFixed64(tag, x); flags&isMember != 0 {
			choose(at, tag)
		}
	}
}

// SetString is SetBytes for strings.
func (l *Layout) SetString(e *Edit, at *Span, tag wire.Tag, flags uint32, x string) {
	if (flags&verifies != 0 || e.raw().strict) && !wire.ValidUTF8(textBytes(x)) {
		if l.Ready(e) {
			e.buf.fail(wire.InvalidUtf8)
		}
		return
	}
	l.SetBytes(e, at, tag, flags, textBytes(x))
}

// SetBytes sets a bytes field whose payload is stored in *at. x may be a part of the buffer.
func (l *Layout) SetBytes(e *Edit, at *Span, tag wire.Tag, flags uint32, x []byte) {
	// The usual cases, without a call.
	n := len(x)
	if b := e.buf; e.stamp != 0 && b.stamp == e.stamp && (flags&isPresent != 0 || n != 0) && flags&isMember == 0 && !debug {
		if p := int(at.at); p != 0 {
			if int(at.n) == n {
				copy(b.b[b.start+p:], x)
				return
			}
		} else if i := len(b.b); tag < 0x80 && n < 0x80 && i+2+n <= b.free {
			b.b = b.b[:i+2+n]
			q := b.from(i)
			q[0], q[1] = byte(tag), byte(n)
			*at = Span{uint32(i + 2 - b.start), uint32(n)}
			b.stamps++
			b.stamp = b.stamps
			e.stamp = b.stamps
			copy(unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(q), 2)), n), x)
			return
		}
	}
	l.setBytes(e, at, tag, flags, x)
}

func (l *Layout) setBytes(e *Edit, at *Span, tag wire.Tag, flags uint32, x []byte) {
	if !e.current() || flags&isMember != 0 {
		x = e.keep(x)
	}
	switch n := len(x); {
	case !e.current() && !l.resume(e),
		flags&(isPresent|isMember) != isPresent && !l.prepare(e, &at.at, tag, flags, n == 0, wire.SizeVarint(uint64(n))+n):
	case at.at != 0:
		now, from, delta := e.bytes(*at, x)
		l.Shift(e, from, delta)
		*at = now
	default:
		if *at = e.addBytes(tag, x); flags&isMember != 0 {
			choose(&at.at, tag)
		}
	}
}

// prepare reports whether there is still a value to set, which needs n bytes. If the value is the default of a field
// without presence, prepare clears the field, and nothing is left to do. For a oneof it clears the other members, so
// that *at is zero.
func (l *Layout) prepare(e *Edit, at *uint32, tag wire.Tag, flags uint32, zero bool, n int) bool {
	if flags&isMember == 0 {
		if zero {
			l.clearField(e, &l.Fields[l.find(uint32(tag)>>3)])
		}
		return !zero
	}
	if c := ofPlace(at); c.number != 0 && c.number != uint32(tag)>>3 {
		f := &l.Fields[l.find(uint32(tag)>>3)]
		return l.replaces(e, f, wire.SizeVarint(uint64(tag))+n) && l.clearOneof(e, f)
	}
	return true
}

// replaces reports whether a record of n bytes has room after f, or its oneof, is cleared. If not, it sets the
// buffer's error.
func (l *Layout) replaces(e *Edit, f *Field, n int) bool {
	b := e.buf
	if b.fits(n) {
		return true
	}
	for i := range l.Fields {
		if field := &l.Fields[i]; field == f || f.is(isMember) && field.is(isMember) && field[1] == f[1] {
			n -= e.gone(&removal{field: l.tableOf(field), to: math.MaxInt})
		}
	}
	return b.has(n)
}

// Number returns the place of a number in a oneof, and Text that of text.
func (c *Choice) Number() *uint32 { return &c.a }

// Text: see Number.
func (c *Choice) Text() *Span { return (*Span)(unsafe.Pointer(&c.a)) }

// ofPlace returns the oneof whose Number or Text is at.
func ofPlace(at *uint32) *Choice {
	return (*Choice)(unsafe.Add(unsafe.Pointer(at), -int(unsafe.Offsetof(Choice{}.a))))
}

// choose records that a member of a oneof was added, if it was.
func choose(at *uint32, tag wire.Tag) {
	if *at != 0 {
		ofPlace(at).number = uint32(tag) >> 3
	}
}

// has reports whether the field is present; for lists and maps, whether it has elements.
func (f *Field) has(r *Raw) bool {
	at := f.slot(r)
	switch {
	case f.is(isList):
		return (*Run)(at).count > 0
	case f.is(isMember):
		return (*Choice)(at).number == f.number()
	case f.kind() >= wire.Message:
		return (*Sub)(at).end != 0
	}
	return *(*uint32)(at) != 0 // a position, or a Span, which begins with one
}

// Clear makes a field absent, and a repeated one empty.
func (l *Layout) Clear(e *Edit, k int) {
	if l.Ready(e) {
		l.clearField(e, &l.Fields[k])
	}
}

// clearField clears a field and reports whether the message can be edited afterwards; so does clearOneof.
func (l *Layout) clearField(e *Edit, f *Field) bool {
	switch {
	case !f.has(e.raw()):
		return true
	case f.is(isMember):
		return l.clearOneof(e, f)
	case f.kind() == isMap:
		e.removeEntries(l.spec(f))
	default:
		e.removeAll(l.tableOf(f))
	}
	return l.Rescan(e)
}

// ClearOneof clears all members of the oneof that contains the field.
func (l *Layout) ClearOneof(e *Edit, k int) {
	if f := &l.Fields[k]; l.Ready(e) && (*Choice)(f.slot(e.raw())).number != 0 {
		l.clearOneof(e, f)
	}
}

func (l *Layout) clearOneof(e *Edit, f *Field) bool {
	for i := range l.Fields {
		if field := &l.Fields[i]; field.is(isMember) && field[1] == f[1] {
			e.removeAll(l.tableOf(field))
		}
	}
	return l.Rescan(e)
}
