package view

import "github.com/hotpb/hotpb/go/rt/wire"

// child makes c the handle of a message that will be opened below this one. If that would be too deep, it fails, and
// c stays out of turn.
func (e *Edit) child(r *Raw, c *Edit, cr *Raw, levels int) bool {
	*c = Edit{buf: e.buf}
	cr.rules = r.rules
	cr.levels -= int16(levels)
	if cr.levels < 0 {
		e.buf.fail(wire.DepthExceeded)
		return false
	}
	return true
}

// dead returns a handle that was never opened: every use of it is HandleMisuse.
func (e *Edit) dead() Edit { return Edit{buf: e.buf} }

// opened returns nil if the handle was opened, else the buffer's error.
func (e *Edit) opened() error {
	if e.stamp == 0 {
		return e.Err()
	}
	return nil
}

// enter opens the message at p, which is in this one, for c.
func (e *Edit) enter(p place, c *Edit, cr *Raw) {
	b := e.buf
	e.descend(p.next)
	b.push(b.start+int(p.head), b.start+int(p.start), b.start+int(p.end))
	c.stamp, c.id, c.level = b.stamp, b.stamp, len(b.path)-1
	cr.b, cr.epoch = c.content(), now()
}

// leave returns from a child that could not be read.
func (e *Edit) leave(err error) error {
	b := e.buf
	b.pop(e.level)
	if b.err == nil {
		b.err = err
	}
	return err
}

// addMessage adds an empty message or group at the end.
func (e *Edit) addMessage(tag wire.Tag) (p place, ok bool) {
	i := e.add(sizeOf(tag, 0))
	if i < 0 {
		return p, false
	}
	b := e.buf
	p.record = uint32(i - b.start)
	i = put(b.b, i, uint64(tag))
	p.head = uint32(i - b.start)
	p.start, p.end = p.head, p.head
	if tag.Type() == wire.StartGroup {
		i = put(b.b, i, uint64(tag)+1) // the end tag has the next wire type
	} else {
		b.b[i] = 0
		i++
		p.start, p.end = p.start+1, p.end+1
	}
	p.next = uint32(i - b.start)
	p.at, p.stop = p.start, p.end
	return p, true
}

// new adds an empty message at the end and opens it for c.
func (e *Edit) new(r *Raw, tag wire.Tag, c *Edit, cr *Raw) (start, end int) {
	b := e.buf
	if tag >= 0x80 || tag.Type() == wire.StartGroup || r.levels <= 0 || b.tail != 0 || len(b.b)+2 > b.room || debug {
		return e.newSlow(r, tag, c, cr)
	}
	i := len(b.b)
	b.b = b.b[:i+2]
	p := b.b[i:]
	p[0], p[1] = byte(tag), 0
	b.stamps++
	e.stamp, b.stamp = b.stamps, b.stamps
	start, end = i-b.start, i+2-b.start
	e.size, e.from, e.childField = end, uint32(end), 0
	b.push(i+1, i+2, i+2)
	*c = Edit{buf: b, stamp: b.stamp, id: b.stamp, level: len(b.path) - 1}
	cr.rules = r.rules
	cr.levels--
	return start, end
}

func (e *Edit) newSlow(r *Raw, tag wire.Tag, c *Edit, cr *Raw) (start, end int) {
	if !e.child(r, c, cr, 1) {
		return 0, 0
	}
	p, ok := e.addMessage(tag)
	if !ok {
		return 0, 0
	}
	e.enter(p, c, cr)
	return int(p.record), int(p.next)
}

// Several reports whether the message has more than one record.
func (s Sub) Several() bool { return s.first&split != 0 }

// enterSub opens the message of slot s, which has one record, for c.
func (e *Edit) enterSub(r *Raw, s Sub, c *Edit, cr *Raw) bool {
	if !e.child(r, c, cr, 1) {
		return false
	}
	e.enter(e.recordAt(s.first), c, cr)
	return true
}

// enterAt opens element n of a repeated message field for c.
func (e *Edit) enterAt(r *Raw, run Run, f *wire.FieldTable, n int, c *Edit, cr *Raw) bool {
	if !e.child(r, c, cr, 1) {
		return false
	}
	p, ok := e.find(run, f, n)
	if ok {
		e.enter(p, c, cr)
	}
	return ok
}

// takesGroup reports whether the contents may be in a group of this message: groups inside them count against the
// depth limit here. If not, it sets the buffer's error.
func (e *Edit) takesGroup(r *Raw, content []byte) bool {
	if r.levels <= 0 {
		e.buf.fail(wire.DepthExceeded)
		return false
	}
	for i := 0; i < len(content); {
		tag, at := wire.ReadTag(content, i)
		if at < 0 {
			e.buf.fail(wire.Failed(at))
			return false
		}
		if i = wire.Skip(content, at, tag, int(r.levels)-1); i < 0 {
			e.buf.fail(wire.Failed(i))
			return false
		}
	}
	return true
}

// sizeOf returns the size of a record with text, a message or a group of n bytes.
func sizeOf(tag wire.Tag, n int) int {
	width := wire.SizeVarint(uint64(tag))
	if tag.Type() == wire.StartGroup {
		return width + n + width
	}
	return width + wire.SizeVarint(uint64(n)) + n
}

// addContent adds a message with these contents at the end.
func (e *Edit) addContent(tag wire.Tag, content []byte) (start, end int) {
	b := e.buf
	if b.tail != 0 || debug {
		content = b.stable(content)
	}
	n := sizeOf(tag, len(content))
	first := e.add(n)
	if first < 0 {
		return 0, 0
	}
	i := put(b.b, first, uint64(tag))
	if tag.Type() == wire.StartGroup {
		i += copy(b.b[i:], content)
		put(b.b, i, uint64(tag)+1)
	} else {
		i = put(b.b, i, uint64(len(content)))
		copy(b.b[i:], content)
	}
	return first - b.start, first - b.start + n
}

// setMessageAt replaces the contents of element n of a repeated field.
func (e *Edit) setMessageAt(run Run, f *wire.FieldTable, n int, content []byte) (from, delta uint32) {
	p, ok := e.find(run, f, n)
	if !ok {
		return 0, 0
	}
	return e.splice(p, content)
}
