package view

import "github.com/hotpb/hotpb/go/rt/wire"

// The methods below serve the message fields of every generated editor. k is the index of the field.

// Handle is the editor of a message that will be opened within another one.
type Handle struct {
	Of   *Layout
	Edit *Edit
}

// reset makes the editor's view empty.
func (h Handle) reset() *Raw {
	r := h.Edit.raw()
	h.Of.clear(r)
	r.unknown, r.last, r.rules = 0, 0, rules{}
	if r.b != nil { // the test avoids a write barrier
		r.b = nil
	}
	return r
}

// scan opens the message that the editor has entered. If the message cannot be read, parent continues.
func (h Handle) scan(parent *Edit) error {
	r := h.Edit.raw()
	if !r.refused() && h.Of.scan(r) {
		return nil
	}
	err := h.Of.refuse(r)
	*h.Edit = parent.dead()
	return parent.leave(err)
}

// Lost puts h out of turn, because an extension cannot be edited.
func (e *Edit) Lost(h Handle, err error) error {
	h.reset()
	*h.Edit = e.dead()
	if err != nil {
		return e.leave(err)
	}
	return e.Err()
}

// ready resets h, and reports whether the message can be edited; if not, h is out of turn.
func (l *Layout) ready(e *Edit, h Handle) (r *Raw, ok bool) {
	r = h.reset()
	if !e.current() && !l.resume(e) {
		*h.Edit = e.dead()
		return r, false
	}
	return r, true
}

// New adds an empty message at the end and opens it. In a singular field it replaces any other message.
func (l *Layout) New(e *Edit, k int, h Handle) {
	cr, ok := l.ready(e, h)
	if !ok {
		return
	}
	f := &l.Fields[k]
	switch {
	case l.newSmall(e, f, k, h.Edit, cr):
		return
	case !f.is(isList):
		l.new(e, f, h, cr)
	default:
		start, end := e.new(e.raw(), f.tag(), h.Edit, cr)
		f.added(e, start, end)
	}
	e.childField = uint32(k) + 1
}

// newSmall is New in the usual case: the message is the last thing in the buffer, and the old content is kept.
func (l *Layout) newSmall(e *Edit, f *Field, k int, c *Edit, cr *Raw) bool {
	b, r, at := e.buf, e.raw(), f.slot(e.raw())
	i, n := len(b.b), len(b.path)
	if f[0] >= 0x80 || f.kind() != wire.Message || f.is(isMember) || !f.is(isList) && (*Sub)(at).end != 0 ||
		r.levels <= 0 || i+2 > b.free || n == cap(b.path) || n == 0 || debug {
		return false
	}
	start := i - b.start
	if f.is(isList) {
		(*Run)(at).Add(start, start+2, 1)
	} else {
		*(*Sub)(at) = Sub{uint32(start), uint32(start + 2)}
	}
	b.b = b.b[:i+2]
	q := b.from(i)
	q[0], q[1] = byte(f[0]), 0

	e.stamp = b.stamps + 1
	b.stamps += 2
	b.stamp = b.stamps
	e.size, e.from, e.childField = start+2, uint32(start+2), uint32(k)+1

	top := &b.path[n-1]
	top.stamp, top.start, top.tail = e.stamp, b.start, 0
	b.path = b.path[:n+1]
	inner := &b.path[n]
	inner.head, inner.start, inner.tail = i+1, i+2, 0
	b.start = i + 2

	if c.buf != b {
		c.buf = b
	}
	c.stamp, c.id, c.level, c.childField = b.stamp, b.stamp, n, 0
	cr.rules = r.rules
	cr.levels--
	return true
}

// new is New for a singular field.
func (l *Layout) new(e *Edit, f *Field, h Handle, cr *Raw) {
	if f.occupied(e) {
		if e.raw().levels <= 0 {
			e.buf.fail(wire.DepthExceeded)
			*h.Edit = e.dead()
			return
		}
		if !l.replaces(e, f, sizeOf(f.tag(), 0)) || !l.empty(e, f) {
			*h.Edit = e.dead()
			return
		}
	}
	start, end := e.new(e.raw(), f.tag(), h.Edit, cr)
	f.added(e, start, end)
}

// occupied reports whether a singular message field, or another member of its oneof, is present.
func (f *Field) occupied(e *Edit) bool {
	if f.is(isMember) {
		return (*Choice)(f.slot(e.raw())).number != 0
	}
	return f.has(e.raw())
}

// empty clears an occupied field. It reports whether the message can be edited afterwards.
func (l *Layout) empty(e *Edit, f *Field) bool {
	if f.is(isMember) {
		return l.clearOneof(e, f)
	}
	return l.clearField(e, f)
}

// added notes a new message record, if there is one.
func (f *Field) added(e *Edit, start, end int) {
	switch at := f.slot(e.raw()); {
	case end == 0:
	case f.is(isList):
		(*Run)(at).Add(start, end, 1)
	case f.is(isMember):
		(*Choice)(at).AddSub(f.number(), start, end)
	default:
		(*Sub)(at).Add(start, end)
	}
}

// sub returns the slot of a singular message field.
func (f *Field) sub(r *Raw) Sub {
	at := f.slot(r)
	if f.is(isMember) {
		return (*Choice)(at).Sub(f.number())
	}
	return *(*Sub)(at)
}

// Edit opens the message of a singular field. If the field is absent, Edit adds it.
func (l *Layout) Edit(e *Edit, k int, h Handle) error {
	cr, ok := l.ready(e, h)
	if !ok {
		return e.Err()
	}
	f := &l.Fields[k]
	if !f.has(e.raw()) {
		l.new(e, f, h, cr)
		e.childField = uint32(k) + 1
		return h.Edit.opened()
	}
	if f.sub(e.raw()).Several() { // merge the records into one
		e.show(e.raw())
		if err := h.Of.Open((*Base)(cr), e.raw().Sub(f.sub(e.raw()), f.tag()), nil); err != nil {
			*h.Edit = e.dead()
			return e.leave(err)
		}
		content := cr.b
		h.reset()
		if !l.setMessage(e, f, content) {
			*h.Edit = e.dead()
			return e.Err()
		}
	}
	if !e.enterSub(e.raw(), f.sub(e.raw()), h.Edit, cr) {
		return e.Err()
	}
	e.childField = uint32(k) + 1
	return h.scan(e)
}

// SetMessage replaces the message of a singular field with a copy of another message.
func (l *Layout) SetMessage(e *Edit, k int, content []byte) {
	if !e.current() {
		content = e.keep(content)
	}
	if l.Ready(e) {
		l.setMessage(e, &l.Fields[k], content)
	}
}

// setMessage reports whether it could set the message.
func (l *Layout) setMessage(e *Edit, f *Field, content []byte) bool {
	r := e.raw()
	if f.kind() == wire.Group && !e.takesGroup(r, content) {
		return false
	}
	if s := f.sub(r); s.Has() && !s.Several() {
		from, delta := e.splice(e.recordAt(s.first), content)
		l.Shift(e, from, delta)
		return true
	}
	if f.occupied(e) {
		content = e.buf.stable(content)
		if !l.replaces(e, f, sizeOf(f.tag(), len(content))) || !l.empty(e, f) {
			return false
		}
	}
	start, end := e.addContent(f.tag(), content)
	f.added(e, start, end)
	return end != 0
}

// Append appends a copy of a message to a repeated field.
func (l *Layout) Append(e *Edit, k int, content []byte) {
	if !e.current() {
		content = e.keep(content)
	}
	if f := &l.Fields[k]; l.Ready(e) && (f.kind() != wire.Group || e.takesGroup(e.raw(), content)) {
		start, end := e.addContent(f.tag(), content)
		f.added(e, start, end)
	}
}

// EditAt opens element n.
func (l *Layout) EditAt(e *Edit, k, n int, h Handle) error {
	cr, ok := l.ready(e, h)
	if !ok {
		return e.Err()
	}
	f := &l.Fields[k]
	if !e.enterAt(e.raw(), *l.run(e, f), l.tableOf(f), n, h.Edit, cr) {
		return e.Err()
	}
	e.childField = uint32(k) + 1
	return h.scan(e)
}

// SetMessageAt replaces element n with a copy of another message.
func (l *Layout) SetMessageAt(e *Edit, k, n int, content []byte) {
	if !e.current() {
		content = e.keep(content)
	}
	if f := &l.Fields[k]; l.Ready(e) && (f.kind() != wire.Group || e.takesGroup(e.raw(), content)) {
		from, delta := e.setMessageAt(*l.run(e, f), l.tableOf(f), n, content)
		l.Shift(e, from, delta)
	}
}
