package view

import (
	"unsafe"

	"github.com/hotpb/hotpb/go/wire"
)

// The setters below are those of every generated editor. k is the index of the field, and x the value as it stands on the wire.

// SetVarint sets a number, bool or enum.
func (l *Layout) SetVarint(e *Edit, k int, x uint64) {
	if !e.current() && !l.resume(e) {
		return
	}
	f := &l.Fields[k]
	at := (*uint32)(f.slot(e.raw()))
	if f[2]&isPresent == 0 && x == 0 {
		l.clearField(e, f)
		return
	}
	if f[2]&isNested != 0 {
		if at = l.nested(e, f, at, x); at == nil {
			return
		}
	}
	if *at == 0 {
		if *at = e.addVarint(f.tag(), x); f[2]&isMember != 0 {
			f.chosen(e, *at)
		}
		return
	}
	from, delta := e.varint(*at, x)
	l.Shift(e, from, delta)
}

// SetFixed32 is SetVarint for values of four bytes.
func (l *Layout) SetFixed32(e *Edit, k int, x uint32) {
	if !e.current() && !l.resume(e) {
		return
	}
	f := &l.Fields[k]
	at := (*uint32)(f.slot(e.raw()))
	if f[2]&isPresent == 0 && x == 0 {
		l.clearField(e, f)
		return
	}
	if f[2]&isNested != 0 {
		if at = l.nested(e, f, at, uint64(x)); at == nil {
			return
		}
	}
	if *at == 0 {
		if *at = e.addFixed32(f.tag(), x); f[2]&isMember != 0 {
			f.chosen(e, *at)
		}
		return
	}
	e.fixed32(*at, x)
}

// SetFixed64 is SetVarint for values of eight bytes.
func (l *Layout) SetFixed64(e *Edit, k int, x uint64) {
	if !e.current() && !l.resume(e) {
		return
	}
	f := &l.Fields[k]
	at := (*uint32)(f.slot(e.raw()))
	if f[2]&isPresent == 0 && x == 0 {
		l.clearField(e, f)
		return
	}
	if f[2]&isNested != 0 {
		if at = l.nested(e, f, at, x); at == nil {
			return
		}
	}
	if *at == 0 {
		if *at = e.addFixed64(f.tag(), x); f[2]&isMember != 0 {
			f.chosen(e, *at)
		}
		return
	}
	e.fixed64(*at, x)
}

// SetString sets a string.
func (l *Layout) SetString(e *Edit, k int, x string) { l.SetBytes(e, k, textBytes(x)) }

// SetBytes sets a string or bytes field. x may be a part of the buffer.
func (l *Layout) SetBytes(e *Edit, k int, x []byte) {
	if !e.current() && !l.resume(e) {
		return
	}
	f := &l.Fields[k]
	r := e.raw()
	if !e.takes(r, f, x) {
		return
	}
	if f[2]&isPresent == 0 && len(x) == 0 {
		l.clearField(e, f)
		return
	}
	slot := f.slot(r)
	if f[2]&isMember != 0 {
		slot = unsafe.Pointer(l.member(e, f, (*Choice)(slot)))
	}
	at := (*Span)(slot)
	if at.at == 0 {
		if *at = e.addBytes(f.tag(), x); f[2]&isMember != 0 {
			f.chosen(e, at.at)
		}
		return
	}
	now, from, delta := e.bytes(*at, x)
	l.Shift(e, from, delta)
	*at = now
}

// nested prepares the setting of a member of a oneof, or of a closed enum, whose slot is at. It returns where the position of
// the value is noted; nil when the field does not take it.
func (l *Layout) nested(e *Edit, f *Field, at *uint32, x uint64) *uint32 {
	if f[2]&isClosed != 0 && !e.defines(l.closed(f), int32(x)) {
		return nil
	}
	if f[2]&isMember != 0 {
		return l.member(e, f, (*Choice)(unsafe.Pointer(at)))
	}
	return at
}

// member clears the other members of the field's oneof. It returns where the place of the member's value is noted, which
// is zero when none is set.
func (l *Layout) member(e *Edit, f *Field, c *Choice) *uint32 {
	if c.number != 0 && c.number != f.number() {
		l.clearOneof(e, f)
	}
	return &c.a
}

// chosen notes that a member of a oneof was added, when it was.
func (f *Field) chosen(e *Edit, at uint32) {
	if at != 0 {
		(*Choice)(f.slot(e.raw())).number = f.number()
	}
}

// has reports whether the field is present; of lists and maps, whether it has elements.
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
	return *(*uint32)(at) != 0 // a position, or a Span, whose first word is one
}

// Clear makes a field absent, and a repeated one empty.
func (l *Layout) Clear(e *Edit, k int) {
	if l.Ready(e) {
		l.clearField(e, &l.Fields[k])
	}
}

func (l *Layout) clearField(e *Edit, f *Field) {
	switch {
	case !f.has(e.raw()):
	case f.is(isMember):
		l.clearOneof(e, f)
	case f.kind() == isMap:
		e.removeEntries(l.spec(f))
		l.Rescan(e)
	default:
		e.removeAll(l.tableOf(f))
		l.Rescan(e)
	}
}

// ClearOneof makes all members of the oneof absent that the field is in.
func (l *Layout) ClearOneof(e *Edit, k int) {
	if f := &l.Fields[k]; l.Ready(e) && (*Choice)(f.slot(e.raw())).number != 0 {
		l.clearOneof(e, f)
	}
}

func (l *Layout) clearOneof(e *Edit, f *Field) {
	for i := range l.Fields {
		if other := &l.Fields[i]; other.is(isMember) && other[1] == f[1] {
			e.removeAll(l.tableOf(other))
		}
	}
	l.Rescan(e)
}
