package view

import (
	"unsafe"

	"github.com/hotpb/hotpb/go/rt/wire"
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
	l.clear(r)
	r.unknown, r.last = 0, 0
	if r.b != nil { // each of these tests avoids a write barrier
		r.b = nil
	}
	if b == nil {
		e.orphan()
		return
	}
	r.rules = rules{now(), wire.MaxSize, wire.DefaultDepth, false}
	if e.buf != b {
		e.buf = b
	}
	if len(b.path) == 0 || b.limit != wire.MaxSize || debug {
		b.begin(b.b[:0], wire.MaxSize)
	} else {
		b.b = b.b[:0]
		b.path = b.path[:1] // its frame is a root's
		b.start, b.tail, b.free = 0, 0, b.room
		if b.err != nil {
			b.err = nil
		}
		b.touch()
	}
	e.stamp, e.id, e.level, e.childField = b.stamp, b.stamp, 0, 0
}

// orphan makes e the editor of no buffer.
func (e *Edit) orphan() {
	*e = Edit{}
	e.raw().rules = rules{}
}

// DecodeInto starts with the message in bytes, which b takes over, but for the memory after them.
func (l *Layout) DecodeInto(e *Edit, b *Buffer, bytes []byte, o Options) error {
	if b == nil {
		l.Start(e, nil)
		return e.Err()
	}
	bytes = b.borrow(bytes)
	b.begin(bytes, o.Size())
	*e = Edit{buf: b, stamp: b.stamp, id: b.stamp}
	if err := l.Decode((*Base)(e.raw()), bytes, o); err != nil {
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
	if l.finish(e) {
		return true
	}
	from, delta, ok := e.resume()
	l.grown(e, from, delta, e.size)
	return ok
}

// finish is resume in the usual case: the child was opened at the end of the message, and each length has one byte
// before and after. If it fails, nothing has changed that resume does not do again.
func (l *Layout) finish(e *Edit) bool {
	b := e.buf
	if b == nil || e.stamp == 0 || e.level >= len(b.path)-1 || e.childField == 0 || int(e.from) != e.size || debug {
		return false
	}
	top, f := &b.path[e.level], &l.Fields[e.childField-1]
	if top.stamp != e.stamp || top.tail != 0 || f.is(isMember) {
		return false
	}
	for i := len(b.path) - 1; i > e.level; i-- {
		inner := &b.path[i]
		size := len(b.b) - inner.tail - inner.start
		if size >= 0x80 || inner.start-inner.head != 1 {
			return false
		}
		b.b[inner.head] = byte(size)
	}
	b.path = b.path[:e.level+1]
	b.start, b.tail, b.free, b.stamp = top.start, 0, b.room, e.stamp
	delta := uint32(len(b.b) - b.start - e.size)
	if at := f.slot(e.raw()); f.is(isList) {
		(*Run)(at).end += delta
	} else {
		(*Sub)(at).end += delta
	}
	return true
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
	e.renew(r)
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
	e.renew(r)
	if !l.scan(r) {
		e.leave(l.fail(r))
		return false
	}
	return true
}
