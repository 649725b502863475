package view

import (
	"encoding/binary"

	"github.com/hotpb/hotpb/go/wire"
)

// Edit is what every generated FooEdit holds beside its view: which message of
// which buffer it edits. Its methods change the bytes and say what moved; the
// generated code keeps the slots in step.
//
// Where a method gives from and delta, all positions from the first on move by the second.
type Edit struct {
	buf   *Buffer
	stamp uint64 // the handle may edit while the buffer has the same
	level int    // in the buffer's path

	// Of the child that was opened last: its growth is known when the handle is used again.
	size       int    // of this message when its slots were in step
	from       uint32 // the end of the child's record then
	childField uint32 // 1 + the index of the child's field; 0 when another field may be concerned

	found found
}

// found is where the element that was asked for last stands, so that going
// through elements by index does not start anew each time.
type found struct {
	number uint32
	index  int    // of the first element in the record
	at     uint32 // where the record starts
}

// current tells whether the message is the innermost one that is edited.
func (e *Edit) current() bool { return e.stamp != 0 && e.buf.stamp == e.stamp }

// resume goes on with a message whose children were edited. It fails, and the
// buffer has HandleMisuse, when another message or another copy of the handle took its place.
func (e *Edit) resume() (from, delta uint32, ok bool) {
	b := e.buf
	if b == nil || !e.open() {
		return 0, 0, false
	}
	b.pop(e.level)
	delta = uint32(b.size() - e.size)
	e.forget(e.from, delta)
	return e.from, delta, true
}

// open tells whether the message is one of those on the path.
func (e *Edit) open() bool {
	b := e.buf
	if e.stamp == 0 || e.level >= len(b.path)-1 || b.path[e.level].stamp != e.stamp {
		b.fail(wire.HandleMisuse)
		return false
	}
	return true
}

// show makes r current for reading. Children that are open stay open.
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
		e.forget(from, delta)
	}
	end := len(b.b) - tail
	r.b = b.b[start:end:end]
	r.epoch = now()
	return from, delta, true
}

// again prepares r for another scan of the message.
func (e *Edit) again(r *Raw) {
	r.b = e.content()
	r.unknown, r.last = 0, 0
	r.epoch = now()
	e.found = found{}
}

// broken notes that a message could not be scanned after an edit.
func (e *Edit) broken(err error) {
	if e.buf.err == nil {
		e.buf.err = err
	}
	e.stamp = 0
}

// Err is the buffer's error; HandleMisuse without a buffer.
func (e *Edit) Err() error {
	if e.buf == nil {
		return &wire.Error{Code: wire.HandleMisuse}
	}
	return e.buf.err
}

// content are the bytes of the innermost message, which is this one.
func (e *Edit) content() []byte {
	b := e.buf
	end := len(b.b) - b.tail
	return b.b[b.start:end:end]
}

// descend notes the message's size before a child is opened whose record ends at next. Copies of the handle are out of
// turn from now on: they do not know of the child.
func (e *Edit) descend(next uint32) {
	e.touch()
	e.size, e.from, e.childField = e.buf.size(), next, 0
}

// keep makes x, which may be a part of the buffer, safe from what an edit moves before it writes x.
func (e *Edit) keep(x []byte) []byte {
	if e.buf == nil {
		return x
	}
	return e.buf.stable(x)
}

// touch makes other copies of the handle out of turn.
func (e *Edit) touch() {
	e.buf.touch()
	e.stamp = e.buf.stamp
}

// forget drops the element found last when it has moved.
func (e *Edit) forget(from, delta uint32) {
	if delta != 0 && e.found.at >= from {
		e.found = found{}
	}
}

// add makes room for n bytes at the end of the message and gives their place, or -1.
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

// varint puts x in the place of the number at position at.
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

// addVarint appends a record and gives the position of its value, 0 when there is no room.
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
		Expire(b.b)
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
		Expire(b.b)
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

// bytes puts x in the place of the payload at s. x may be a part of the buffer.
func (e *Edit) bytes(s Span, x []byte) (_ Span, from, delta uint32) {
	b := e.buf
	i := b.start + int(s.at)
	if int(s.n) == len(x) {
		if debug {
			Expire(b.b)
		}
		copy(b.b[i:], x)
		return s, 0, 0
	}
	p := place{start: s.at, end: s.at + s.n, at: s.at, stop: s.at + s.n, next: s.at + s.n}
	p.head = s.at - uint32(widthBefore(b.b[:i]))
	from, delta = e.splice(p, x)
	if delta != 0 { // the payload moves when the length in front of it grew
		s.n = uint32(len(x))
		s.at = from + delta - s.n
	}
	return s, from, delta
}

// widthBefore is the width of the varint that ends where b does, with a tag in front of it.
func widthBefore(b []byte) int {
	i := len(b) - 1
	for b[i-1] >= 0x80 {
		i--
	}
	return len(b) - i
}

// addBytes appends a record and gives its payload, or nothing when there is no room.
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

// takes tells whether the field takes a string, or bytes. If not, the buffer has the error.
func (e *Edit) takes(r *Raw, f *Field, x []byte) bool {
	if f.kind() == wire.String && (f[2]&verifies != 0 || r.strict) && !wire.ValidUTF8(x) {
		e.buf.fail(wire.InvalidUtf8)
		return false
	}
	return true
}

// defines tells whether a closed enum has the value. If not, the buffer has the error.
func (e *Edit) defines(closed *wire.EnumTable, x int32) bool {
	return closed.Has(x) || e.undefined()
}

func (e *Edit) undefined() bool {
	e.buf.fail(wire.TypeMismatch)
	return false
}

// place is where an element stands in its message: the record from record to
// next, in it a payload with its length at head (or without one, when head is
// start), and in that the element from at to stop.
type place struct {
	record, next     uint32
	head, start, end uint32
	at, stop         uint32
}

// splice puts v in the place of the element at p.
func (e *Edit) splice(p place, v []byte) (from, delta uint32) {
	b := e.buf
	i, old := b.start+int(p.at), int(p.stop-p.at)
	if old == len(v) {
		if debug {
			Expire(b.b)
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
	e.forget(p.next, delta)
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

// shift moves the slot; message says that the member that is set is a message.
func (c *Choice) shift(from, delta uint32, message bool) {
	if !message {
		shift(&c.a, from, delta)
		return
	}
	s := Sub{c.a, c.b}
	s.shift(from, delta)
	c.a, c.b = s.first, s.end
}
