package view

import (
	"encoding/binary"
	"math"

	"github.com/hotpb/hotpb/go/rt/wire"
)

// openPacked enters the packed record of a field, or a new one at the end of the message. It fails if there is no
// room, or if the field's elements are not in one packed record (repack moves them into one).
func (e *Edit) openPacked(run Run, tag wire.Tag) (_ Run, ok bool) {
	b := e.buf
	if run.count == 0 {
		i := e.add(wire.SizeVarint(uint64(tag)) + 1)
		if i < 0 {
			return run, false
		}
		run.first = uint32(i - b.start)
		run.last = run.first
		i = put(b.b, i, uint64(tag))
		b.b[i] = 0
		run.end = uint32(i + 1 - b.start)
		e.size, e.from, e.childField = b.size(), run.end, 0
		b.push(i, i+1, i+1)
		return run, true
	}
	p, ok := e.onePacked(run, tag)
	if ok {
		e.size, e.from, e.childField = b.size(), p.next, 0
		b.push(b.start+int(p.head), b.start+int(p.start), b.start+int(p.end))
	}
	return run, ok
}

// isOnePacked reports whether the elements are in one packed record.
func (e *Edit) isOnePacked(run Run, tag wire.Tag) bool {
	_, ok := e.onePacked(run, tag)
	return ok
}

func (e *Edit) onePacked(run Run, tag wire.Tag) (place, bool) {
	p := e.recordAt(run.first)
	got, _ := wire.ReadTag(e.content(), int(run.first))
	return p, got == tag && p.next == run.end
}

// recordAt returns the length-delimited record or group at position i; at and stop delimit the whole payload.
func (e *Edit) recordAt(i uint32) (p place) {
	c := e.content()
	tag, at := wire.ReadTag(c, int(i))
	p.record, p.head = i, uint32(at)
	switch tag.Type() {
	case wire.BytesType:
		start, end := wire.ReadBytes(c, at)
		p.start, p.end, p.next = uint32(start), uint32(end), uint32(end)
	case wire.StartGroup:
		end, next := wire.SkipGroup(c, at, tag.Number(), 1<<15-1)
		p.start, p.end, p.next = uint32(at), uint32(end), uint32(next)
	}
	p.at, p.stop = p.start, p.end
	return p
}

// closePacked leaves the record that openPacked entered, with n more elements.
func (e *Edit) closePacked(run Run, n int) (_ Run, from, delta uint32) {
	b := e.buf
	b.pop(e.level)
	e.touch()
	run.count += uint32(n)
	delta = uint32(b.size() - e.size)
	e.moved(e.from, delta)
	return run, e.from, delta
}

// packVarint appends an element to the open record.
func (e *Edit) packVarint(x uint64) int {
	b := e.buf
	i := len(b.b) - b.tail
	if !b.grow(i, wire.SizeVarint(x)) {
		return 0
	}
	put(b.b, i, x)
	return 1
}

// packFixed32 appends an element to the open record.
func (e *Edit) packFixed32(x uint32) int {
	b := e.buf
	i := len(b.b) - b.tail
	if !b.grow(i, 4) {
		return 0
	}
	binary.LittleEndian.PutUint32(b.b[i:], x)
	return 1
}

// packFixed64 appends an element to the open record.
func (e *Edit) packFixed64(x uint64) int {
	b := e.buf
	i := len(b.b) - b.tail
	if !b.grow(i, 8) {
		return 0
	}
	binary.LittleEndian.PutUint64(b.b[i:], x)
	return 1
}

// repack moves all elements of a field into one packed record at the end of the message, which must be scanned again.
// It fails if the record has no room for n more bytes.
func (e *Edit) repack(run Run, f *wire.FieldTable, n int) bool {
	b := e.buf
	c := e.content()
	b.scratch = b.scratch[:0]
	for i := run.first; i < run.end; {
		tag, at := wire.ReadTag(c, int(i))
		next := wire.Skip(c, at, tag, 1<<15-1)
		if tag.Number() == f.Number && f.Matches(tag.Type()) {
			start, stop := at, next
			if tag.Type() == wire.BytesType {
				start, stop = wire.ReadBytes(c, at)
			}
			b.scratch = appendKnown(b.scratch, c[start:stop], f)
		}
		i = uint32(next)
	}
	payload := b.scratch
	tag := wire.MakeTag(f.Number, wire.BytesType)
	if !b.hasPacked(sizeOf(tag, len(payload)) + n - e.gone(&removal{field: f, to: math.MaxInt})) {
		return false
	}
	e.removeAll(f)
	e.addBytes(tag, payload)
	return true
}

// appendKnown appends the elements that belong to the field.
func appendKnown(dst, elements []byte, f *wire.FieldTable) []byte {
	if f.Closed == nil {
		return append(dst, elements...)
	}
	for i := 0; i < len(elements); {
		v, next := wire.ReadVarint(elements, i)
		if f.Closed.Has(int32(v)) {
			dst = append(dst, elements[i:next]...)
		}
		i = next
	}
	return dst
}

// find finds element n of a repeated field. If there is none, it sets the buffer's error.
func (e *Edit) find(run Run, f *wire.FieldTable, n int) (p place, ok bool) {
	if uint(n) >= uint(run.count) {
		e.outOfRange()
		return p, false
	}
	c := e.content()
	t := f.Kind.Type()
	last := e.found(f.Number, run.first)
	if last.index > n {
		last.index, last.at, last.inner = 0, run.first, 0
	}
	index, i, inner := last.index, int(last.at), last.inner
	for i < int(run.end) {
		tag, at := wire.ReadTag(c, i)
		if tag.Number() != f.Number || !f.Matches(tag.Type()) {
			i = wire.Skip(c, at, tag, 1<<15-1)
			continue
		}
		last.index, last.at, last.inner = index, uint32(i), inner
		if tag.Type() == t && t != wire.BytesType && t != wire.StartGroup {
			next := wire.Skip(c, at, tag, 0)
			if f.Closed == nil || closedHas(f.Closed, c, at) {
				if index == n {
					return place{record: uint32(i), next: uint32(next), at: uint32(at), stop: uint32(next)}, true
				}
				index++
			}
			i = next
			continue
		}
		p = e.recordAt(uint32(i))
		if t == wire.BytesType || t == wire.StartGroup {
			if index == n {
				return p, true
			}
			index++
		} else if index, ok = inPacked(&p, c, f, index, n, inner); ok {
			last.index, last.inner = n, p.at-p.start
			return p, true
		}
		i, inner = int(p.next), 0
	}
	e.outOfRange()
	return p, false
}

func closedHas(closed *wire.EnumTable, c []byte, at int) bool {
	v, _ := wire.ReadVarint(c, at)
	return closed.Has(int32(v))
}

// inPacked looks for element n in a packed record, from the element number index on, which is inner bytes after the start of
// the payload. If element n is not there, next is the number of the first element after the record.
func inPacked(p *place, c []byte, f *wire.FieldTable, index, n int, inner uint32) (next int, ok bool) {
	from := p.start + inner
	if width := widthOf(f.Kind.Type()); width > 0 {
		if count := int(p.end-from) / width; n-index >= count {
			return index + count, false
		}
		p.at = from + uint32((n-index)*width)
		p.stop = p.at + uint32(width)
		return n, true
	}
	for i := int(from); i < int(p.end); {
		stop := wire.SkipVarint(c, i)
		if f.Closed == nil || closedHas(f.Closed, c, i) {
			if index == n {
				p.at, p.stop = uint32(i), uint32(stop)
				return n, true
			}
			index++
		}
		i = stop
	}
	return index, false
}

// widthOf returns the width of fixed-width elements, or 0 for varints.
func widthOf(t wire.Type) int {
	switch t {
	case wire.Fixed32Type:
		return 4
	case wire.Fixed64Type:
		return 8
	}
	return 0
}

func (e *Edit) outOfRange() {
	if e.buf.err == nil {
		e.buf.err = ErrIndex()
	}
}

// varintAt replaces element n with x.
func (e *Edit) varintAt(run Run, f *wire.FieldTable, n int, x uint64) (from, delta uint32) {
	p, ok := e.find(run, f, n)
	if !ok {
		return 0, 0
	}
	var value [wire.MaxVarint]byte
	return e.splice(p, value[:put(value[:], 0, x)])
}

// fixed32At replaces element n with x.
func (e *Edit) fixed32At(run Run, f *wire.FieldTable, n int, x uint32) {
	if p, ok := e.find(run, f, n); ok {
		var value [4]byte
		binary.LittleEndian.PutUint32(value[:], x)
		e.splice(p, value[:])
	}
}

// fixed64At replaces element n with x.
func (e *Edit) fixed64At(run Run, f *wire.FieldTable, n int, x uint64) {
	if p, ok := e.find(run, f, n); ok {
		var value [8]byte
		binary.LittleEndian.PutUint64(value[:], x)
		e.splice(p, value[:])
	}
}

// bytesAt replaces element n with x.
func (e *Edit) bytesAt(run Run, f *wire.FieldTable, n int, x []byte) (from, delta uint32) {
	p, ok := e.find(run, f, n)
	if !ok {
		return 0, 0
	}
	return e.splice(p, x)
}
