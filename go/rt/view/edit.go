package view

import (
	"encoding/binary"

	"github.com/hotpb/hotpb/go/rt/wire"
)

// Edit is the part of a generated FooEdit that says which message of which buffer it edits. Its methods change the
// bytes and return what moved; the generated code keeps the slots in step.
//
// If a method returns from and delta, all positions at from and after it move by delta.
type Edit struct {
	buf   *Buffer
	stamp uint64 // the handle may edit while the buffer has the same stamp
	level int    // in the buffer's path

	// These describe the child that was opened last: its growth is known when the handle is used again.
	size       int    // of this message when its slots were in step
	from       uint32 // the end of the child's record then
	childField uint32 // 1 + the index of the child's field; 0 if another field may be affected

	id uint64 // the stamp with which the handle was opened, or its message was scanned last
}

// found is the place of the element of a list that was found last, so that access by ascending index does not start from
// the beginning each time.
type found struct {
	id     uint64 // of the handle
	number uint32 // of the field
	index  int    // of the element
	at     uint32 // where its record starts
	inner  uint32 // in a packed record: where the element starts, from the start of the payload
}

// found returns the place of the last element found in a list that starts at first.
func (e *Edit) found(number, first uint32) *found {
	b := e.buf
	if f := &b.found[b.turn]; f.id == e.id && f.number == number {
		return f
	}
	for i := range b.found {
		if f := &b.found[i]; f.id == e.id && f.number == number {
			b.turn = uint8(i)
			return f
		}
	}
	b.turn = (b.turn + 1) % uint8(len(b.found))
	b.found[b.turn] = found{id: e.id, number: number, at: first}
	return &b.found[b.turn]
}

// current reports whether the message is the innermost one of the buffer's path.
func (e *Edit) current() bool { return e.stamp != 0 && e.buf.stamp == e.stamp }

// resume continues with a message whose children were edited. If another message or another copy of the handle has
// replaced it, resume fails, and the buffer has HandleMisuse.
func (e *Edit) resume() (from, delta uint32, ok bool) {
	b := e.buf
	if b == nil || !e.open() {
		return 0, 0, false
	}
	b.pop(e.level)
	delta = uint32(b.size() - e.size)
	e.moved(e.from, delta)
	return e.from, delta, true
}

// open reports whether the message is on the path.
func (e *Edit) open() bool {
	b := e.buf
	if e.stamp == 0 || e.level >= len(b.path)-1 || b.path[e.level].stamp != e.stamp {
		b.fail(wire.HandleMisuse)
		return false
	}
	return true
}

// show makes r current for reading. Open children stay open.
func (e *Edit) show(r *Raw) (from, delta uint32, ok bool) {
	b := e.buf
	if b == nil {
		return 0, 0, false
	}
	start, tail := b.start, b.tail
	if b.stamp != e.stamp {
		if !e.open() {
			return 0, 0, false
		}
		b.settle()
		f := &b.path[e.level]
		start, tail = f.start, f.tail
		from, delta = e.from, uint32(len(b.b)-tail-start-e.size)
		e.size += int(int32(delta))
		e.from += delta
		e.moved(from, delta)
	}
	end := len(b.b) - tail
	r.b = b.b[start:end:end]
	r.epoch = now()
	return from, delta, true
}

// renew prepares r for another scan of the message.
func (e *Edit) renew(r *Raw) {
	r.b = e.content()
	r.unknown, r.last = 0, 0
	r.epoch = now()
	e.forget()
}

// broken records that a message could not be scanned after an edit.
func (e *Edit) broken(err error) {
	if e.buf.err == nil {
		e.buf.err = err
	}
	e.stamp = 0
}

// Err returns the buffer's error, or HandleMisuse without a buffer.
func (e *Edit) Err() error {
	if e.buf == nil {
		return &wire.Error{Code: wire.HandleMisuse}
	}
	return e.buf.err
}

// content returns the bytes of the message, which is the innermost one.
func (e *Edit) content() []byte {
	b := e.buf
	end := len(b.b) - b.tail
	return b.b[b.start:end:end]
}

// descend notes the message's size before a child is opened whose record ends at next. From now on copies of the
// handle are out of turn, because they do not know of the child.
func (e *Edit) descend(next uint32) {
	e.touch()
	e.size, e.from, e.childField = e.buf.size(), next, 0
}

// keep returns x, or a copy of it if x is in the buffer and an edit would move it before it is written.
func (e *Edit) keep(x []byte) []byte {
	if e.buf == nil {
		return x
	}
	return e.buf.stable(x)
}

// touch puts other copies of the handle out of turn.
func (e *Edit) touch() {
	e.buf.touch()
	e.stamp = e.buf.stamp
}

// forget forgets the elements found last.
func (e *Edit) forget() {
	e.buf.stamps++
	e.id = e.buf.stamps
}

// moved keeps the places of the elements found last in step: all positions at from and after it have moved by delta.
func (e *Edit) moved(from, delta uint32) {
	if delta == 0 {
		return
	}
	for i := range e.buf.found {
		if f := &e.buf.found[i]; f.id == e.id {
			shift(&f.at, from, delta)
		}
	}
}

// add makes room for n bytes at the end of the message and returns their place, or -1.
func (e *Edit) add(n int) int {
	b := e.buf
	i := len(b.b)
	if b.tail == 0 && i+n <= b.room && !debug {
		b.b = b.b[:i+n]
	} else if i -= b.tail; !b.grow(i, n) {
		return -1
	}
	b.stamps++
	b.stamp = b.stamps
	e.stamp = b.stamps
	return i
}

// put writes a varint at position i and returns the position after it.
func put(b []byte, i int, v uint64) int {
	for v >= 0x80 {
		b[i] = byte(v) | 0x80
		v >>= 7
		i++
	}
	b[i] = byte(v)
	return i + 1
}

// varint replaces the number at position at with x.
func (e *Edit) varint(at uint32, x uint64) (from, delta uint32) {
	b := e.buf
	i := b.start + int(at)
	if x < 0x80 && b.b[i] < 0x80 && !debug {
		b.b[i] = byte(x)
		return 0, 0
	}
	var value [wire.MaxVarint]byte
	stop := uint32(wire.SkipVarint(b.b, i) - b.start)
	return e.splice(place{at: at, stop: stop, next: stop}, value[:put(value[:], 0, x)])
}

// addVarint appends a record and returns the position of its value, or 0 if there is no room.
func (e *Edit) addVarint(tag wire.Tag, x uint64) (at uint32) {
	b := e.buf
	if i := len(b.b); uint64(tag)|x < 0x80 && b.tail == 0 && i+2 <= b.room && !debug {
		b.b = b.b[:i+2]
		p := b.b[i:]
		p[0], p[1] = byte(tag), byte(x)
		b.stamps++
		b.stamp = b.stamps
		e.stamp = b.stamps
		return uint32(i + 1 - b.start)
	}
	i := e.add(wire.SizeVarint(uint64(tag)) + wire.SizeVarint(x))
	if i < 0 {
		return 0
	}
	i = put(b.b, i, uint64(tag))
	put(b.b, i, x)
	return uint32(i - b.start)
}

// fixed32 is varint for values of four bytes.
func (e *Edit) fixed32(at, x uint32) {
	b := e.buf
	if debug {
		Expire(b.b[:cap(b.b)])
	}
	binary.LittleEndian.PutUint32(b.b[b.start+int(at):], x)
}

// addFixed32 is addVarint for values of four bytes.
func (e *Edit) addFixed32(tag wire.Tag, x uint32) (at uint32) {
	i := e.add(wire.SizeVarint(uint64(tag)) + 4)
	if i < 0 {
		return 0
	}
	i = put(e.buf.b, i, uint64(tag))
	binary.LittleEndian.PutUint32(e.buf.b[i:], x)
	return uint32(i - e.buf.start)
}

// fixed64 is varint for values of eight bytes.
func (e *Edit) fixed64(at uint32, x uint64) {
	b := e.buf
	if debug {
		Expire(b.b[:cap(b.b)])
	}
	binary.LittleEndian.PutUint64(b.b[b.start+int(at):], x)
}

// addFixed64 is addVarint for values of eight bytes.
func (e *Edit) addFixed64(tag wire.Tag, x uint64) (at uint32) {
	i := e.add(wire.SizeVarint(uint64(tag)) + 8)
	if i < 0 {
		return 0
	}
	i = put(e.buf.b, i, uint64(tag))
	binary.LittleEndian.PutUint64(e.buf.b[i:], x)
	return uint32(i - e.buf.start)
}

// bytes replaces the payload at s with x, which may be a part of the buffer.
func (e *Edit) bytes(s Span, x []byte) (_ Span, from, delta uint32) {
	b := e.buf
	i := b.start + int(s.at)
	if int(s.n) == len(x) {
		if debug {
			Expire(b.b[:cap(b.b)])
		}
		copy(b.b[i:], x)
		return s, 0, 0
	}
	p := place{start: s.at, end: s.at + s.n, at: s.at, stop: s.at + s.n, next: s.at + s.n}
	p.head = s.at - uint32(widthBefore(b.b[:i]))
	from, delta = e.splice(p, x)
	if delta != 0 { // the payload moves if the length in front of it grows
		s.n = uint32(len(x))
		s.at = from + delta - s.n
	}
	return s, from, delta
}

// widthBefore returns the width of the varint at the end of b, which follows a tag.
func widthBefore(b []byte) int {
	i := len(b) - 1
	for b[i-1] >= 0x80 {
		i--
	}
	return len(b) - i
}

// addBytes appends a record and returns its payload, or nothing if there is no room.
func (e *Edit) addBytes(tag wire.Tag, x []byte) Span {
	b := e.buf
	if i, n := len(b.b), len(x); tag < 0x80 && n < 0x80 && b.tail == 0 && i+2+n <= b.room && !debug {
		b.b = b.b[:i+2+n]
		p := b.b[i:]
		p[0], p[1] = byte(tag), byte(n)
		copy(p[2:], x)
		b.stamps++
		b.stamp = b.stamps
		e.stamp = b.stamps
		return Span{uint32(i + 2 - b.start), uint32(n)}
	}
	if b.tail != 0 || debug {
		x = b.stable(x)
	}
	i := e.add(wire.SizeVarint(uint64(tag)) + wire.SizeVarint(uint64(len(x))) + len(x))
	if i < 0 {
		return Span{}
	}
	i = put(b.b, i, uint64(tag))
	i = put(b.b, i, uint64(len(x)))
	copy(b.b[i:], x)
	return Span{uint32(i - b.start), uint32(len(x))}
}

// takes reports whether the field accepts a string or bytes. If not, it sets the buffer's error.
func (e *Edit) takes(r *Raw, f *Field, x []byte) bool {
	if f.kind() == wire.String && (f[2]&verifies != 0 || r.strict) && !wire.ValidUTF8(x) {
		e.buf.fail(wire.InvalidUtf8)
		return false
	}
	return true
}

// defines reports whether a closed enum has the value. If not, it sets the buffer's error.
func (e *Edit) defines(closed *wire.EnumTable, x int32) bool {
	return closed.Has(x) || e.undefined()
}

func (e *Edit) undefined() bool {
	e.buf.fail(wire.TypeMismatch)
	return false
}

// place is the location of an element in its message: a record from record to next, in it a payload whose length is
// at head (or that has none, if head equals start), and in that the element from at to stop.
type place struct {
	record, next     uint32
	head, start, end uint32
	at, stop         uint32
}

// splice replaces the element at p with v.
func (e *Edit) splice(p place, v []byte) (from, delta uint32) {
	b := e.buf
	i, old := b.start+int(p.at), int(p.stop-p.at)
	if old == len(v) {
		if debug {
			Expire(b.b[:cap(b.b)])
		}
		copy(b.b[i:], v)
		return 0, 0
	}
	v = b.stable(v)
	before := b.size()
	if p.head < p.start {
		b.push(b.start+int(p.head), b.start+int(p.start), b.start+int(p.end))
	}
	if b.replace(i, old, len(v)) {
		copy(b.b[i:], v)
	}
	b.pop(e.level)
	e.touch()
	delta = uint32(b.size() - before)
	e.moved(p.next, delta)
	return p.next, delta
}

// shift moves a position.
func shift(at *uint32, from, delta uint32) {
	if *at >= from {
		*at += delta
	}
}

// shift moves the slot.
func (s *Sub) shift(from, delta uint32) {
	if s.first&^split >= from {
		s.first += delta
	}
	shift(&s.end, from, delta)
}

// shift moves the slot.
func (r *Run) shift(from, delta uint32) {
	shift(&r.first, from, delta)
	shift(&r.end, from, delta)
	shift(&r.last, from, delta)
}

// shift moves the slot; message says that the set member is a message.
func (c *Choice) shift(from, delta uint32, message bool) {
	if !message {
		shift(&c.a, from, delta)
		return
	}
	s := Sub{c.a, c.b}
	s.shift(from, delta)
	c.a, c.b = s.first, s.end
}
