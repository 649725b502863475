package view

import (
	"unsafe"

	"github.com/hotpb/hotpb/go/wire"
)

// Editor is the beginning of every generated editor: its Edit, and the Raw of its view. The slots follow, so a
// pointer to the Edit leads to all of it.
type Editor struct {
	Edit
	raw Raw
}

// raw returns the Raw of the editor's view.
func (e *Edit) raw() *Raw { return &(*Editor)(unsafe.Pointer(e)).raw }

// The methods below serve every generated editor, whose Edit is e.

// Start starts an empty message in b and discards the old contents of b.
func (l *Layout) Start(e *Edit, b *Buffer) {
	r := e.raw()
	*r = Raw{}
	l.clear(r)
	if b == nil {
		*e = Edit{}
		return
	}
	b.begin(b.b[:0], wire.MaxSize)
	*e = Edit{buf: b, stamp: b.stamp}
	r.start(nil, Options{})
}

// DecodeInto starts with the message in bytes, which b takes over.
func (l *Layout) DecodeInto(e *Edit, b *Buffer, bytes []byte, o Options) error {
	if b == nil {
		l.Start(e, nil)
		return e.Err()
	}
	b.begin(bytes, o.Size())
	*e = Edit{buf: b, stamp: b.stamp}
	if err := l.decode(e.raw(), bytes, o); err != nil {
		b.begin(b.b[:0], b.limit)
		b.err = err
		*e = Edit{buf: b}
		return err
	}
	return nil
}

// Show makes the editor's view current for reading. Open children stay open.
func (l *Layout) Show(e *Edit) {
	r := e.raw()
	from, delta, ok := e.show(r)
	if !ok {
		*r = Raw{}
		l.clear(r)
	}
	l.grown(e, from, delta, e.size-int(int32(delta)))
}

// Ready reports whether the message can be edited. If children were edited, it continues with the message.
func (l *Layout) Ready(e *Edit) bool { return e.current() || l.resume(e) }

func (l *Layout) resume(e *Edit) bool {
	from, delta, ok := e.resume()
	l.grown(e, from, delta, e.size)
	return ok
}

// grown shifts the slots after the child was changed whose record ended at from in a message of this size. If the
// record was at the end of the message, only the slot of the child's field is affected.
func (l *Layout) grown(e *Edit, from, delta uint32, size int) {
	switch {
	case delta == 0:
	case e.childField != 0 && int(from) == size:
		l.Fields[e.childField-1].shift(e.raw(), from, delta)
	default:
		l.shift(e.raw(), from, delta)
	}
}

// Rescan finds the fields again after an edit that moved more than Shift can handle. If the message cannot be read,
// Rescan fails, and the handle is out of turn.
func (l *Layout) Rescan(e *Edit) bool {
	r := e.raw()
	e.again(r)
	if !l.scan(r) {
		e.broken(l.fail(r))
		return false
	}
	return true
}

// Shift moves all positions in the slots, from the position from on, by delta.
func (l *Layout) Shift(e *Edit, from, delta uint32) {
	if delta != 0 {
		l.shift(e.raw(), from, delta)
	}
}

func (l *Layout) shift(r *Raw, from, delta uint32) {
	shift(&r.unknown, from, delta)
	shift(&r.last, from, delta)
	for i := range l.Fields {
		l.Fields[i].shift(r, from, delta)
	}
}

func (f *Field) shift(r *Raw, from, delta uint32) {
	switch at, isMessage := f.slot(r), f.kind() >= wire.Message; {
	case f.is(isList):
		(*Run)(at).shift(from, delta)
	case f.is(isMember):
		if c := (*Choice)(at); c.number == f.number() {
			c.shift(from, delta, isMessage)
		}
	case isMessage:
		(*Sub)(at).shift(from, delta)
	default: // a position, or a Span, which begins with one
		shift((*uint32)(at), from, delta)
	}
}

// Lend lends the message to the handle of an extension. It fails if the message cannot be edited.
func (l *Layout) Lend(e, h *Edit) bool {
	if e.buf != nil && !e.current() {
		e.buf.moveAway(e.level) // the caller's value may be a part of the buffer
	}
	ok := l.Ready(e)
	*h, *h.raw() = *e, *e.raw()
	h.childField = 0
	return ok
}

// TakeBack takes the message back. moved says that it was changed and has no open child.
func (l *Layout) TakeBack(e, h *Edit, moved bool) {
	*e = *h
	e.childField = 0
	if moved {
		l.Rescan(e)
	}
}

// Borrow finds an extension in the message that was lent. It fails if the extension is damaged.
func (l *Layout) Borrow(e *Edit) bool {
	r := e.raw()
	l.clear(r)
	e.again(r)
	if !l.scan(r) {
		e.leave(l.fail(r))
		return false
	}
	return true
}
